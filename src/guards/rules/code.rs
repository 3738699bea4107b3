//! Code in other languages, told by marks that the facts give. Must never run or parse it: it looks for
//! quoted texts near marks and no more.

use crate::policy::facts::meaning::{Happens, Meaning, Target, Value, blank};
use crate::policy::facts::types::{Effect, Language};
use crate::shell::model::{Command, Cooked, Word};

/// Texts that the code may hand to a shell.
pub(super) fn runs(language: &Language, text: &[u8]) -> Vec<Vec<u8>> {
    let Some(at) = first(language, text, language.run) else { return Vec::new() };
    if language.bare {
        return vec![line(text.get(at..).unwrap_or_default()).to_vec()];
    }
    let behind = literals(text).into_iter().filter(|(end, _)| *end > at);
    let mut all: Vec<Vec<u8>> = behind.map(|(_, literal)| literal).collect();
    let joined = all.join(&b' ');
    if all.len() > 1 {
        all.push(joined);
    }
    all
}

/// Words of the code that may be paths.
pub(super) fn paths(language: &Language, text: &[u8]) -> Vec<Word> {
    let word = |bytes: &[u8]| Word { value: Cooked::Exact(bytes.to_vec()), ..Word::default() };
    if language.bare {
        let at = first(language, text, language.write);
        let path = |at: usize| line(text.get(at..).unwrap_or_default()).trim_ascii();
        return at.map(|at| word(path(at))).into_iter().collect();
    }
    let path = |literal: &&[u8]| literal.contains(&b'/') || literal.starts_with(b".") || *literal == b"~";
    let literals = literals(text);
    // Some languages put the mode in front of the name.
    let plain = literals.iter().map(|(_, literal)| strip(literal));
    plain.filter(path).map(word).collect()
}

fn strip(literal: &[u8]) -> &[u8] {
    let start = literal.iter().position(|byte| !b"<>+ ".contains(byte)).unwrap_or(literal.len());
    literal.get(start..).unwrap_or_default()
}

/// The meaning of code by its marks: what it does to the paths that it mentions.
pub(super) fn meaning<'s>(
    command: &'s Command,
    language: &Language,
    text: &[u8],
    words: &'s [Word],
) -> Meaning<'s> {
    let effects = [
        (language.read, Effect::Read),
        (language.send, Effect::Upload),
        (language.write, Effect::Write),
        (language.delete, Effect::Delete),
        (language.delete, Effect::Write),
    ];
    let done = effects.into_iter().filter(|(marks, _)| first(language, text, marks).is_some());
    let happens = |(_, effect): (_, Effect)| {
        words.iter().map(move |word| Happens {
            effect,
            target: Target::Value(Value::new(word)),
            language: "",
        })
    };
    Meaning { effects: done.flat_map(happens).collect(), ..blank(command) }
}

fn first(language: &Language, text: &[u8], marks: &[&str]) -> Option<usize> {
    marks.iter().filter_map(|mark| find(language, text, mark)).min()
}

/// The index behind the first mark that counts.
fn find(language: &Language, text: &[u8], mark: &str) -> Option<usize> {
    let mark = mark.as_bytes();
    let hits = (0..text.len()).filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(mark)));
    let counts = |at: &usize| !language.bare || starts_command(text.get(..*at).unwrap_or_default());
    hits.map(|at| (at, at + mark.len())).find(|(at, _)| counts(at)).map(|(_, end)| end)
}

/// Whether a command of the language may stand behind these bytes: nothing but an address before it.
fn starts_command(before: &[u8]) -> bool {
    let start = before.iter().rposition(|byte| b";{}\n".contains(byte)).map_or(0, |at| at + 1);
    let address = before.get(start..).unwrap_or_default().trim_ascii();
    address.iter().all(|byte| byte.is_ascii_digit() || b",$!~+ ".contains(byte))
        || (address.starts_with(b"/") && address.ends_with(b"/"))
}

fn line(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

/// The quoted texts in code, each with the index of its end; a backslash stands for the byte behind it.
fn literals(text: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open: Option<u8> = None;
    let mut current = Vec::new();
    let mut bytes = text.iter().copied().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match open {
            Some(quote) if byte == quote => {
                found.push((at, std::mem::take(&mut current)));
                open = None;
            }
            Some(_) => {
                let byte = if byte == b'\\' { bytes.next().map_or(byte, |(_, byte)| byte) } else { byte };
                current.push(byte);
            }
            None if b"'\"`".contains(&byte) => open = Some(byte),
            None => {}
        }
    }
    found.retain(|(_, literal)| !literal.is_empty());
    found
}
