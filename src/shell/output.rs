//! What a literal producer writes: `echo`, `printf` and `cat` of a here-document. Must never guess:
//! what is not known byte for byte is not known.

use super::lower::{Lowerer, Origin};
use super::model::{Command, Cooked, PlaceId, RedirectKind, Word};
use super::scan::{Body, Stage};
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

impl Lowerer<'_> {
    /// What a stage writes, when it is one literal producer.
    pub(super) fn stage_output(&self, stage: &Stage, place: PlaceId) -> Option<Output> {
        match &stage.body {
            Body::Simple(_) | Body::Compound(_) => self.place_output(place),
        }
    }

    /// What the commands of a place write together, when all of them are literal producers.
    pub(super) fn place_output(&self, place: PlaceId) -> Option<Output> {
        let mut all: Option<Output> = None;
        let written =
            self.script.commands.iter().rev().take_while(|command| self.script.within(command.place, place));
        let mut commands: Vec<&Command> = written.filter(|command| command.outer.is_none()).collect();
        commands.reverse();
        for command in commands {
            let bytes = self.command_output(command)?;
            match &mut all {
                Some(output) => output.bytes.extend_from_slice(&bytes),
                None => all = Some(Output { bytes, span: command.span }),
            }
        }
        all
    }

    fn command_output(&self, command: &Command) -> Option<Vec<u8>> {
        let (name, operands) = command.words.split_first()?;
        let texts = || operands.iter().map(text).collect::<Option<Vec<_>>>();
        match name.exact()? {
            b"echo" => echo(&texts()?),
            b"printf" => printf(&texts()?),
            b"cat" if operands.iter().all(|word| word.exact() == Some(b"-")) => self.cat(command),
            b"tee" | b"true" | b":" => None,
            _ => None,
        }
    }

    fn cat(&self, command: &Command) -> Option<Vec<u8>> {
        for redirect in command.redirects.iter().rev() {
            match redirect.kind {
                RedirectKind::HereDocument => return text(redirect.target.as_ref()?),
                RedirectKind::HereString => {
                    let mut bytes = text(redirect.target.as_ref()?)?;
                    bytes.push(b'\n');
                    return Some(bytes);
                }
                RedirectKind::Read | RedirectKind::ReadWrite => return None,
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::WriteBoth
                | RedirectKind::Duplicate => {}
            }
        }
        self.stdin.as_ref().map(|output| output.bytes.clone())
    }
}

/// A word's text when it has one; a pattern counts as written, since it mostly matches nothing.
fn text(word: &Word) -> Option<Vec<u8>> {
    let known = word.values().find_map(|value| value.exact().map(<[u8]>::to_vec));
    known.or_else(|| match &word.value {
        Cooked::Pattern(pattern) => Some(pattern.iter().copied().filter(|byte| *byte != b'\\').collect()),
        Cooked::Exact(_) | Cooked::Affix { .. } | Cooked::Opaque => None,
    })
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
