//! What a literal producer writes: `echo`, `printf` and `cat` of a here-document. Must never guess:
//! what is not known byte for byte is not known.

use super::lower::{Lowerer, Origin};
use super::model::{Command, Cooked, PlaceId, RedirectKind, Word};
use crate::span::Span;

/// Text that a producer writes.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    pub(super) span: Span,
}

impl Output {
    pub(super) fn origin(&self) -> Origin {
        Origin::Within(self.span)
    }
}

/// How many texts one producer may write.
const MAX_OUTPUTS: usize = 16;

impl Lowerer<'_> {
    /// What the commands of a place write together, when all of them are literal producers: each
    /// text that it may be.
    pub(super) fn place_outputs(&self, place: PlaceId) -> Vec<Output> {
        let within = |command: &&Command| self.script.within(command.place, place);
        let written = self.script.commands.iter().rev().take_while(within);
        let mut commands: Vec<&Command> = written.filter(|command| command.outer.is_none()).collect();
        commands.reverse();
        let mut all: Vec<Output> = Vec::new();
        for command in commands {
            let texts = self.command_outputs(command);
            if texts.is_empty() {
                return Vec::new();
            }
            let whole = |bytes: &Vec<u8>| Output { bytes: bytes.clone(), span: command.span };
            if all.is_empty() {
                all = texts.iter().map(whole).collect();
                continue;
            }
            let longer = |output: &Output| {
                let join = |bytes: &Vec<u8>| [output.bytes.as_slice(), bytes].concat();
                texts.iter().map(|bytes| Output { bytes: join(bytes), span: output.span }).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).take(MAX_OUTPUTS).collect();
        }
        all
    }

    fn command_outputs(&self, command: &Command) -> Vec<Vec<u8>> {
        let Some((name, operands)) = command.words.split_first() else { return Vec::new() };
        match name.exact() {
            Some(b"echo") => readings(operands).iter().filter_map(|words| echo(words)).collect(),
            Some(b"printf") => readings(operands).iter().filter_map(|words| printf(words)).collect(),
            Some(b"cat") if operands.iter().all(|word| word.exact() == Some(b"-")) => self.cat(command),
            _ => Vec::new(),
        }
    }

    fn cat(&self, command: &Command) -> Vec<Vec<u8>> {
        for redirect in command.redirects.iter().rev() {
            let body = || redirect.target.as_ref().map(texts).unwrap_or_default();
            match redirect.kind {
                RedirectKind::HereDocument => return body(),
                RedirectKind::HereString => {
                    return body().into_iter().map(|text| [text.as_slice(), b"\n"].concat()).collect();
                }
                RedirectKind::Read | RedirectKind::ReadWrite => return Vec::new(),
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::WriteBoth
                | RedirectKind::Duplicate => {}
            }
        }
        self.stdin.iter().map(|output| output.bytes.clone()).collect()
    }
}

/// A word's texts; a pattern counts as written, since it mostly matches nothing.
fn texts(word: &Word) -> Vec<Vec<u8>> {
    let known: Vec<Vec<u8>> = word.values().filter_map(|value| value.exact().map(<[u8]>::to_vec)).collect();
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

/// `printf FORMAT ARGUMENT…` with `%s`, `%b` and `%%` (bash manual 4.2).
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
            match bytes.next()? {
                b'%' => out.push(b'%'),
                b's' => out.extend(rest.next().into_iter().flatten()),
                b'b' => out.extend(rest.next().map(|word| escaped(word)).unwrap_or_default()),
                _ => return None,
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
