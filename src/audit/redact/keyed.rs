//! Values behind a secret's name and `=` or `:`: assignments, options, fields of JSON and YAML,
//! parameters of URLs, headers. Must never look at what a name means to some program.

use super::value::{Quotes, Value};
use super::{at, ends_word, names, run};
use std::collections::VecDeque;
use std::ops::Range;

/// How far a name is looked for before its separator.
const NAME: usize = 96;

/// Words before the secret in the value of a header.
const SCHEMES: &[&[u8]] =
    &[b"apikey", b"basic", b"bearer", b"digest", b"negotiate", b"token", b"key", b"aws4-hmac-sha256"];

/// Adds what it finds.
pub fn find(text: &[u8], found: &mut Vec<Range<usize>>) {
    let mut quotes = Quotes::default();
    // What is a secret already holds no name.
    let mut covered: VecDeque<Range<usize>> = VecDeque::new();
    for (place, byte) in text.iter().enumerate() {
        while covered.front().is_some_and(|range| range.end <= place) {
            covered.pop_front();
        }
        let free = covered.front().is_none_or(|range| place < range.start);
        if free && b"=:".contains(byte) {
            let parts = value(text, place, quotes);
            found.extend(parts.iter().cloned());
            parts.into_iter().rev().for_each(|part| covered.push_front(part));
        }
        quotes.pass(*byte);
    }
}

/// The secret behind a separator, in parts.
fn value(text: &[u8], separator: usize, quotes: Quotes) -> Vec<Range<usize>> {
    let (name, spaced) = name(text, separator);
    if !names::is_secret(text.get(name.clone()).unwrap_or_default()) {
        return Vec::new();
    }
    if at(text, separator) == b'=' {
        assigned(text, separator, spaced, quotes)
    } else {
        field(text, separator, &name, quotes)
    }
}

/// The name before a separator, and whether blanks stand between them.
fn name(text: &[u8], separator: usize) -> (Range<usize>, bool) {
    let back = |from: usize, kind: &dyn Fn(u8) -> bool| {
        let region = text.get(from.saturating_sub(NAME)..from).unwrap_or_default();
        from - region.iter().rev().position(|byte| !kind(*byte)).unwrap_or(region.len())
    };
    let mut end = back(separator, &|byte| byte == b' ' || byte == b'\t');
    let spaced = end < separator;
    if end > 0 && b"+?:".contains(&at(text, end - 1)) && at(text, separator) == b'=' {
        end -= 1;
    }
    // `"name":`, `\"name\":`, `['name'] =`
    let wrapped = back(end, &|byte| b"'\"\\]".contains(&byte));
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    (back(wrapped, &is_name)..wrapped, spaced)
}

/// Behind `=`.
fn assigned(text: &[u8], separator: usize, spaced: bool, quotes: Quotes) -> Vec<Range<usize>> {
    let mut start = run(text, separator, |byte| byte == b'=' || byte == b'~');
    let word = run(text, start, |byte| byte == b' ' || byte == b'\t');
    // With blanks it is an assignment of another language, whose strings are quoted.
    if word > start && !(spaced && b"'\"\\".contains(&at(text, word))) {
        return Vec::new();
    }
    start = word;
    if at(text, start) == b'\\' && at(text, start + 1) == b'"' && !quotes.double {
        // An escaped quote outside of quotes stands for itself.
        start += 2;
    }
    Value::word(text, start, quotes).parts
}

/// Behind `:`.
fn field(text: &[u8], separator: usize, name: &Range<usize>, quotes: Quotes) -> Vec<Range<usize>> {
    let start = run(text, separator + 1, |byte| byte == b' ' || byte == b'\t');
    let quoted = name.end < separator;
    let path = at(text, start) == b'/' || (name.start > 0 && at(text, name.start - 1) == b'/');
    if at(text, separator + 1) == b':' || (path && !quoted && start == separator + 1) {
        return Vec::new();
    }
    let escaped = at(text, start) == b'\\' && at(text, start + 1) == b'"';
    if b"'\"".contains(&at(text, start)) || escaped {
        return Value::string(text, start, quotes).parts;
    }
    if quotes.any() {
        return Value::line(text, scheme(text, start), quotes).parts;
    }
    let start = scheme(text, unescaped(text, start));
    Value::word(text, start, quotes).parts
}

/// Behind the name of a scheme, if one stands here.
fn scheme(text: &[u8], start: usize) -> usize {
    let end = run(text, start, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let word = text.get(start..end).unwrap_or_default();
    let known = SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme));
    let next = unescaped(text, run(text, end, |byte| byte == b' '));
    if known && next > end && !ends_word(at(text, next)) { next } else { start }
}

/// Behind blanks that are written with a backslash.
fn unescaped(text: &[u8], mut start: usize) -> usize {
    while at(text, start) == b'\\' && at(text, start + 1) == b' ' {
        start += 2;
    }
    start
}
