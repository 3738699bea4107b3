//! What code in another language hands to what runs it: the arguments of a call, as far as they are
//! literals or names that the code gives one. Must never run it or guess: what is not told is not handed.

use super::literals::{Literal, is_name};
use crate::policy::facts::types::Language;
use std::collections::HashMap;
use std::ops::Range;

/// How far names are followed.
const MAX_STEPS: usize = 3;

/// How many literals are looked at for names, and how many calls of one kind.
const MAX_NAMED: usize = 256;
const MAX_CALLS: usize = 64;

/// How many pieces one call's arguments may have.
const MAX_PIECES: usize = 64;

/// The code of one command with its literals.
pub(super) struct Calls<'t> {
    text: &'t [u8],
    literals: &'t [Literal],
    /// Where the values stand that names get.
    names: HashMap<&'t [u8], Range<usize>>,
}

/// An argument: the literals of which it is made.
type Argument = Vec<Vec<u8>>;

impl<'t> Calls<'t> {
    pub(super) fn new(text: &'t [u8], literals: &'t [Literal]) -> Self {
        let mut calls = Self { text, literals, names: HashMap::new() };
        let mut names = HashMap::new();
        for literal in literals.iter().take(MAX_NAMED) {
            // The statement in which it stands: `name = …`.
            let before = text.get(..literal.start).unwrap_or_default();
            let start = before.iter().rposition(|byte| b";\n{}".contains(byte)).map_or(0, |at| at + 1);
            let statement = before.get(start..).unwrap_or_default();
            let Some(sign) = statement.iter().position(|byte| *byte == b'=') else { continue };
            let name = last_name(statement.get(..sign).unwrap_or_default());
            if !name.is_empty() && !names.contains_key(name) {
                let from = start + sign + 1;
                names.insert(name, from..calls.end(from, 0));
            }
        }
        calls.names = names;
        calls
    }

    /// Texts that the code hands to a shell or a program, each as shell text.
    pub(super) fn handed(&self, language: &Language) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        for mark in language.run {
            for at in self.places(mark.as_bytes()).take(MAX_CALLS) {
                let arguments = self.arguments(at, mark.len());
                for joint in [&b""[..], b" "] {
                    texts(&arguments, joint, &mut all);
                }
            }
        }
        all
    }

    /// Where a mark stands in the code itself, not in a literal or a longer name.
    fn places(&self, mark: &'t [u8]) -> impl Iterator<Item = usize> {
        let named = mark.first().copied().is_some_and(is_name);
        let whole = move |at: usize| {
            !named || at.checked_sub(1).and_then(|at| self.text.get(at)).is_none_or(|byte| !is_name(*byte))
        };
        let found = move |at: &usize| self.text.get(*at..).is_some_and(|rest| rest.starts_with(mark));
        let within = |at: usize| self.literal_at(at).is_some_and(|literal| literal.start < at);
        (0..self.text.len()).filter(found).filter(move |at| whole(*at) && !within(*at))
    }

    fn literal_at(&self, at: usize) -> Option<&Literal> {
        let index = self.literals.partition_point(|literal| literal.end <= at);
        self.literals.get(index).filter(|literal| literal.start <= at)
    }

    /// The arguments behind a mark: in brackets, to the end of the statement, or the literal that the mark opens.
    fn arguments(&self, at: usize, length: usize) -> Vec<Argument> {
        let mut from = at + length;
        if let Some(literal) = (at..from).find_map(|at| self.literal_at(at)) {
            return vec![vec![literal.bytes.clone()]];
        }
        let opened = self.text.get(from.saturating_sub(1)) == Some(&b'(');
        if !opened {
            let rest = self.text.get(from..).unwrap_or_default();
            from += rest.iter().take_while(|byte| is_name(**byte) || **byte == b'.').count();
            let rest = self.text.get(from..).unwrap_or_default();
            from += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        }
        let bracket = !opened && self.text.get(from) == Some(&b'(');
        from += usize::from(bracket);
        let mut arguments = vec![Argument::new()];
        let end = self.end(from, usize::from(opened || bracket));
        self.collect(from..end, MAX_STEPS, &mut arguments);
        arguments.retain(|argument| !argument.is_empty());
        arguments
    }

    /// Where what starts at an index ends: at the bracket that closes it, else with the statement.
    fn end(&self, from: usize, mut depth: usize) -> usize {
        let in_brackets = depth > 0;
        let mut at = from;
        while let Some(byte) = self.text.get(at) {
            if let Some(literal) = self.literal_at(at) {
                at = literal.end;
                continue;
            }
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth <= usize::from(in_brackets) => return at,
                b')' | b']' | b'}' => depth -= 1,
                b';' | b'\n' if depth == 0 => return at,
                _ => {}
            }
            at += 1;
        }
        self.text.len()
    }

    /// The literals in a range and in what its names stand for, a new argument behind each comma.
    fn collect(&self, range: Range<usize>, steps: usize, arguments: &mut Vec<Argument>) {
        let mut at = range.start;
        while at < range.end && arguments.len() <= MAX_PIECES {
            if let Some(literal) = self.literal_at(at) {
                arguments.last_mut().into_iter().for_each(|last| last.push(literal.bytes.clone()));
                at = literal.end;
                continue;
            }
            let rest = self.text.get(at..range.end).unwrap_or_default();
            let name = rest.iter().take_while(|byte| is_name(**byte)).count();
            if let Some(value) = rest.get(..name).and_then(|name| self.names.get(name))
                && steps > 0
                && !value.contains(&at)
            {
                self.collect(value.clone(), steps - 1, arguments);
            }
            if rest.first() == Some(&b',') {
                arguments.push(Argument::new());
            }
            at += name.max(1);
        }
    }
}

/// What a call with some arguments may run: the first as shell text, all of them as words.
fn texts(arguments: &[Argument], joint: &[u8], all: &mut Vec<Vec<u8>>) {
    let joined: Vec<Vec<u8>> = arguments.iter().map(|pieces| pieces.join(joint)).collect();
    let Some(first) = joined.first() else { return };
    // Some languages mark a pipe at the end of the text.
    let first = first.trim_ascii();
    let first = first.strip_prefix(b"|").or_else(|| first.strip_suffix(b"|")).unwrap_or(first).to_vec();
    let mut words = Vec::new();
    for word in &joined {
        words.extend_from_slice(if words.is_empty() { b"'" } else { b" '" });
        words.extend(word.split(|byte| *byte == b'\'').collect::<Vec<_>>().join(&b"'\\''"[..]));
        words.push(b'\'');
    }
    let words = Some(words).filter(|_| joined.len() > 1);
    for text in [first].into_iter().chain(words) {
        if !all.contains(&text) {
            all.push(text);
        }
    }
}

/// The last name in some code.
fn last_name(code: &[u8]) -> &[u8] {
    let code = code.trim_ascii_end();
    let code = code.strip_suffix(b":").unwrap_or(code).trim_ascii_end();
    let start = code.iter().rposition(|byte| !is_name(*byte)).map_or(0, |at| at + 1);
    code.get(start..).unwrap_or_default()
}
