//! Code in other languages, told by marks that the facts give. Must never run or parse it: it looks for
//! quoted texts near marks and no more.

mod calls;
mod literals;

use crate::policy::facts::meaning::{Happens, Meaning, Target, Value, blank};
use crate::policy::facts::types::{Effect, Language};
use crate::shell::model::{Command, Cooked, Word};
use calls::Calls;
use literals::{is_name, literals};

/// A text that code hands to a shell.
pub(super) struct Run {
    /// The text.
    pub(super) text: Vec<u8>,
    /// Whether it surely does.
    pub(super) sure: bool,
}

/// Texts that the code hands to a shell, or may: those in a call of what runs them, and all that is
/// quoted behind one.
pub(super) fn runs(language: &Language, text: &[u8]) -> Vec<Run> {
    let Some(at) = first(language, text, language.run) else { return Vec::new() };
    if language.bare {
        return vec![Run { text: line(text.get(at..).unwrap_or_default()).to_vec(), sure: true }];
    }
    let literals = literals(language, text);
    let handed =
        if loads(language, text) { Calls::new(text, &literals).handed(language) } else { Vec::new() };
    let mut all: Vec<Run> = handed.into_iter().map(|text| Run { text, sure: true }).collect();
    let mut behind: Vec<Vec<u8>> =
        literals.into_iter().filter(|literal| literal.end > at).map(|literal| literal.bytes).collect();
    let joined = behind.join(&b' ');
    if behind.len() > 1 {
        behind.push(joined);
    }
    behind.retain(|text| all.iter().all(|run| run.text != *text));
    all.extend(behind.into_iter().map(|text| Run { text, sure: false }));
    all
}

/// Whether the code brings in what runs texts; some languages need not.
fn loads(language: &Language, text: &[u8]) -> bool {
    let starts = |at: usize, name: &str| text.get(at..).is_some_and(|rest| rest.starts_with(name.as_bytes()));
    let is_name = |at: Option<usize>| at.and_then(|at| text.get(at)).copied().is_some_and(is_name);
    let stands = |name: &&str| {
        let places = (0..text.len()).filter(|at| starts(*at, name));
        places.into_iter().any(|at| !is_name(at.checked_sub(1)) && !is_name(Some(at + name.len())))
    };
    language.loads.is_empty() || language.loads.iter().any(stands)
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
    let literals = literals(language, text);
    // Some languages put the mode in front of the name.
    let plain = literals.iter().map(|literal| strip(&literal.bytes));
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
