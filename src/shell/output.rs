//! What a literal producer writes: `echo`, `printf` and `cat` of a here-document. Must never guess:
//! what is not known byte for byte is not known.

use super::lower::{Lowerer, Origin};
use super::model::{Command, Cooked, PlaceId, PlaceKind, Redirect, RedirectKind, Word};
use crate::span::Span;
use std::collections::BTreeSet;

/// Text that a producer writes.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    pub(super) span: Span,
    /// Whether nothing else is written; otherwise what is not known is left out.
    pub(super) whole: bool,
}

impl Output {
    pub(super) fn origin(&self) -> Origin {
        Origin::Within(self.span)
    }
}

/// How many texts one producer may write.
const MAX_OUTPUTS: usize = 16;

impl Lowerer<'_> {
    /// What the literal producers of a place write together: each text that it may be.
    pub(super) fn place_outputs(&self, place: PlaceId) -> Vec<Output> {
        let within = |(_, command): &(usize, &Command)| self.script.within(command.place, place);
        let written = self.script.commands.iter().enumerate().rev().take_while(within);
        let mut commands: Vec<(usize, &Command)> =
            written.filter(|(_, command)| !self.substituted_in(command.place, place)).collect();
        commands.reverse();
        let wrappers: BTreeSet<usize> = commands.iter().filter_map(|(_, command)| command.outer).collect();
        let mut all: Vec<Output> = Vec::new();
        let mut whole = true;
        for (id, command) in &commands {
            let Some(texts) = self.command_outputs(command) else {
                // A wrapper's own words are followed as the command that it runs.
                whole = whole && wrappers.contains(id);
                continue;
            };
            if texts.iter().all(Vec::is_empty) {
                continue;
            }
            let output = |bytes: &Vec<u8>| Output { bytes: bytes.clone(), span: command.span, whole: true };
            if all.is_empty() {
                all = texts.iter().map(output).collect();
                continue;
            }
            let longer = |output: &Output| {
                let join = |bytes: &Vec<u8>| [output.bytes.as_slice(), bytes].concat();
                texts.iter().map(|bytes| Output { bytes: join(bytes), ..output.clone() }).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).take(MAX_OUTPUTS).collect();
        }
        all.into_iter().map(|output| Output { whole, ..output }).collect()
    }

    /// Whether a command stands in a substitution below `outer`, so that its output goes elsewhere.
    fn substituted_in(&self, place: PlaceId, outer: PlaceId) -> bool {
        let mut next = Some(place);
        while let Some(id) = next.filter(|id| *id != outer) {
            let Some(place) = self.script.places.get(id) else { return false };
            if matches!(place.kind, PlaceKind::CommandSubstitution | PlaceKind::ProcessSubstitution) {
                return true;
            }
            next = place.parent;
        }
        false
    }

    /// What a command writes; `None` when that is not known.
    pub(super) fn command_outputs(&self, command: &Command) -> Option<Vec<Vec<u8>>> {
        let Some((name, operands)) = command.words.split_first() else { return Some(vec![Vec::new()]) };
        let texts = match name.exact()? {
            b"echo" => readings(operands).iter().filter_map(|words| echo(words)).collect(),
            b"printf" => readings(operands).iter().filter_map(|words| printf(words)).collect(),
            b"cat" if operands.iter().all(|word| word.exact() == Some(b"-")) => self.standard_input(command),
            b"tee" => self.standard_input(command),
            b":" | b"true" | b"false" | b"cd" | b"exec" | b"set" | b"shopt" | b"unset" | b"test" | b"[" => {
                vec![Vec::new()]
            }
            _ => Vec::new(),
        };
        (!texts.is_empty()).then_some(texts)
    }

    /// What a command may read on its standard input, where that is known.
    pub(super) fn standard_input(&self, command: &Command) -> Vec<Vec<u8>> {
        let fed = self.redirected(&command.redirects);
        let fed = fed.as_ref().unwrap_or(&self.stdin);
        fed.iter().map(|output| output.bytes.clone()).collect()
    }

    /// What redirects put on standard input; `None` when they leave it alone.
    pub(super) fn redirected(&self, redirects: &[Redirect]) -> Option<Vec<Output>> {
        let input = |redirect: &&Redirect| {
            redirect.descriptor == 0 && (is_text(redirect.kind) || is_read(redirect.kind))
        };
        let redirect = redirects.iter().rev().find(input)?;
        let word = redirect.target.as_ref()?;
        if is_read(redirect.kind) {
            let from = |(place, _): &&(PlaceId, Output)| word.substitutions.contains(place);
            return Some(self.outputs.iter().filter(from).map(|(_, output)| output.clone()).collect());
        }
        let end: &[u8] = if redirect.kind == RedirectKind::HereString { b"\n" } else { b"" };
        let output =
            |text: Vec<u8>| Output { bytes: [&text, end].concat(), span: redirect.span, whole: true };
        Some(texts(word).into_iter().map(output).collect())
    }
}

/// A here-document or here-string.
pub(super) fn is_text(kind: RedirectKind) -> bool {
    matches!(kind, RedirectKind::HereDocument | RedirectKind::HereString)
}

/// A file that is read.
pub(super) fn is_read(kind: RedirectKind) -> bool {
    matches!(kind, RedirectKind::Read | RedirectKind::ReadWrite)
}

/// A word's texts; a pattern counts as written, since it mostly matches nothing.
fn texts(word: &Word) -> Vec<Vec<u8>> {
    let known: Vec<Vec<u8>> = word.values().filter_map(|value| value.exact().map(<[u8]>::to_vec)).collect();
    if let Some(template) = word.template.as_ref().filter(|template| !template.is_empty()) {
        return known.into_iter().chain([template.clone()]).collect();
    }
    match &word.value {
        Cooked::Pattern(pattern) if known.is_empty() => {
            vec![pattern.iter().copied().filter(|byte| *byte != b'\\').collect()]
        }
        Cooked::Pattern(_) | Cooked::Exact(_) | Cooked::Affix { .. } | Cooked::Opaque => known,
    }
}

/// The readings of a list of words: every combination of what each may be.
fn readings(words: &[Word]) -> Vec<Vec<Vec<u8>>> {
    let mut all = vec![Vec::new()];
    for word in words {
        let texts = texts(word);
        let longer = |reading: &Vec<Vec<u8>>| {
            let with = |text: &Vec<u8>| [reading.as_slice(), std::slice::from_ref(text)].concat();
            texts.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).take(MAX_OUTPUTS).collect();
    }
    all
}

fn echo(operands: &[Vec<u8>]) -> Option<Vec<u8>> {
    let option = |word: &Vec<u8>| {
        word.len() > 1 && word.starts_with(b"-") && word.iter().skip(1).all(|byte| b"neE".contains(byte))
    };
    let options = operands.iter().take_while(|word| option(word)).count();
    let (options, words) = operands.split_at_checked(options)?;
    let escapes = options.iter().any(|word| word.contains(&b'e'));
    let newline = !options.iter().any(|word| word.contains(&b'n'));
    let mut bytes = words.join(&b' ');
    if escapes {
        bytes = escaped(&bytes);
    }
    if newline {
        bytes.push(b'\n');
    }
    Some(bytes)
}

/// `printf FORMAT ARGUMENT…` (bash manual 4.2).
fn printf(operands: &[Vec<u8>]) -> Option<Vec<u8>> {
    let operands =
        if operands.first().is_some_and(|word| word == b"--") { operands.get(1..)? } else { operands };
    let (format, arguments) = operands.split_first()?;
    let format = escaped(format);
    let mut rest = arguments.iter();
    let mut out = Vec::new();
    loop {
        let before = rest.len();
        let mut bytes = format.iter();
        while let Some(byte) = bytes.next() {
            if *byte != b'%' {
                out.push(*byte);
                continue;
            }
            // Flags, width and precision change blanks and digits at most.
            let Some(conversion) = bytes.find(|byte| !b"-+ #0123456789.".contains(byte)) else {
                return Some(out);
            };
            match conversion {
                b'%' => out.push(b'%'),
                b's' | b'd' | b'i' | b'u' | b'q' | b'c' => out.extend(rest.next().into_iter().flatten()),
                b'b' => out.extend(rest.next().map(|word| escaped(word)).unwrap_or_default()),
                byte if byte.is_ascii_alphabetic() || *byte == b'(' || *byte == b'*' => return None,
                // bash stops at what is no conversion.
                _ => return Some(out),
            }
        }
        if rest.len() == 0 || rest.len() == before {
            return Some(out);
        }
    }
}

/// Backslash escapes of `echo -e` and `printf`.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    super::cook::ansi_c(bytes)
}
