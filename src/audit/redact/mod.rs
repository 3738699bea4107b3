//! Texts without their secrets. Owns what looks like a secret, by plain scans of the text that hold
//! also where it is no valid command; must never reveal one for the sake of a nicer record, and never
//! hide more than a value: what is executed must stay to be seen.

mod keyed;
mod names;
mod options;
mod shapes;
mod text;
mod urls;
mod value;

#[cfg(test)]
mod tests;

use crate::span::Span;
pub use names::is_secret;
use std::ops::Range;
pub use text::Recorded;

/// What stands in a secret's place.
pub const MARK: &str = "[redacted]";

/// A text without its secrets.
#[must_use]
pub fn redacted(text: &str) -> String {
    Recorded::new(text.as_bytes(), &secrets(text.as_bytes()), None).text
}

/// A command without its secrets, and cut where it is very long; what is around `keep` stays.
pub fn recorded(command: &[u8], keep: Span) -> Recorded {
    Recorded::new(command, &secrets(command), Some(keep))
}

/// The places of secrets: in order, none touching the next.
fn secrets(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    keyed::find(text, &mut found);
    options::find(text, &mut found);
    urls::find(text, &mut found);
    shapes::find(text, &mut found);
    found.retain(|range| !range.is_empty());
    found.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in found {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// A byte of a text; NUL outside of it.
fn at(text: &[u8], place: usize) -> u8 {
    text.get(place).copied().unwrap_or_default()
}

/// Where bytes of one kind that start at a place end.
fn run(text: &[u8], start: usize, kind: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.iter().position(|byte| !kind(*byte)).unwrap_or(rest.len())
}

/// What ends an unquoted word of a shell.
fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b";|&()<>\0".contains(&byte)
}

/// A variable that is expanded, and nothing else: it is no secret.
fn is_expansion(text: &[u8]) -> bool {
    let Some(name) = text.strip_prefix(b"$") else { return false };
    let name = name.strip_prefix(b"{").and_then(|name| name.strip_suffix(b"}")).unwrap_or(name);
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
