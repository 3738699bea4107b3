//! The quoted texts in code of another language. Must never know a language by name.

use crate::policy::facts::types::Language;

/// A quoted text.
#[derive(Debug)]
pub(super) struct Literal {
    /// Where it starts, with what marks it as quoted.
    pub(super) start: usize,
    /// The index behind its closing quote.
    pub(super) end: usize,
    /// What it says; a backslash stands for the byte behind it.
    pub(super) bytes: Vec<u8>,
}

/// How a literal is closed.
struct Closing {
    /// What closes it.
    close: Vec<u8>,
    /// What stands for a further one inside (`qx{ { } }`).
    open: Option<u8>,
}

/// Bytes that open a literal in every language.
const QUOTES: &[u8] = b"'\"`";

/// The literals of a text, in order; empty ones left out.
pub(super) fn literals(language: &Language, text: &[u8]) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let Some((from, closing)) = opening(language, text, at) else {
            at += 1;
            continue;
        };
        let Some((end, bytes)) = closed(text, from, &closing) else { break };
        if !bytes.is_empty() {
            found.push(Literal { start: at, end, bytes });
        }
        at = end;
    }
    found
}

/// Where a literal's content starts when one opens at an index, and how it closes.
fn opening(language: &Language, text: &[u8], at: usize) -> Option<(usize, Closing)> {
    let rest = text.get(at..)?;
    let quote = *rest.first()?;
    if QUOTES.contains(&quote) {
        let long = [quote; 3];
        let close = if rest.starts_with(&long) { long.to_vec() } else { vec![quote] };
        return Some((at + close.len(), Closing { close, open: None }));
    }
    let before = at.checked_sub(1).and_then(|before| text.get(before)).copied().unwrap_or(b' ');
    if is_name(before) || b"$@&>".contains(&before) {
        return None;
    }
    let marks = language.quotes.iter().filter(|mark| rest.starts_with(mark.as_bytes()));
    let mark = marks.max_by_key(|mark| mark.len())?.len();
    let delimiter =
        *rest.get(mark).filter(|byte| byte.is_ascii_punctuation() && !b"_,;=>)]}".contains(byte))?;
    let pair = [(b'(', b')'), (b'[', b']'), (b'{', b'}'), (b'<', b'>')];
    let pair = pair.into_iter().find(|(open, _)| *open == delimiter);
    let close = vec![pair.map_or(delimiter, |(_, close)| close)];
    Some((at + mark + 1, Closing { close, open: pair.map(|(open, _)| open) }))
}

/// The index behind a literal's end, and what it says.
fn closed(text: &[u8], from: usize, closing: &Closing) -> Option<(usize, Vec<u8>)> {
    let mut bytes = Vec::new();
    let (mut at, mut depth) = (from, 0_usize);
    while let Some(byte) = text.get(at).copied() {
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with(&closing.close) {
            let Some(less) = depth.checked_sub(1) else { return Some((at + closing.close.len(), bytes)) };
            depth = less;
        }
        depth += usize::from(closing.open == Some(byte));
        let escaped = (byte == b'\\').then(|| text.get(at + 1)).flatten();
        bytes.push(escaped.copied().unwrap_or(byte));
        at += 1 + usize::from(escaped.is_some());
    }
    None
}

/// Whether a byte may stand in a name of most languages.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
