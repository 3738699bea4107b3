//! Paths, globs and patterns, compared byte for byte. Must never touch a file system.

use crate::shell::path::fold;

/// Whether a path, folded, is `suffix` or ends in `/suffix`.
pub(super) fn names(path: &[u8], suffix: &str) -> bool {
    let folded = fold(path);
    let Some(head) = folded.strip_suffix(suffix.as_bytes()) else { return false };
    head.is_empty() || head.ends_with(b"/")
}

/// Whether a glob (with `\` quoting) may expand to a path that is `suffix` or ends in `/suffix`.
pub(super) fn glob_may_name(glob: &[u8], suffix: &str) -> bool {
    let parts: Vec<&[u8]> =
        glob.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
    let wanted: Vec<&str> = suffix.split('/').collect();
    parts.len() >= wanted.len()
        && parts.iter().rev().zip(wanted.iter().rev()).all(|(part, name)| glob_matches(part, name.as_bytes()))
}

/// Whether a glob matches a whole name (bash manual 3.5.8.1). Never gives a false no.
pub(super) fn glob_matches(glob: &[u8], name: &[u8]) -> bool {
    let (mut at, mut pos) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while pos < name.len() || at < glob.len() {
        if glob.get(at) == Some(&b'*') {
            star = Some((at, pos));
            at += 1;
            continue;
        }
        if let Some(next) = unit(glob, at, name.get(pos).copied()) {
            at = next;
            pos += 1;
            continue;
        }
        match star {
            Some((from, taken)) if taken < name.len() => {
                star = Some((from, taken + 1));
                at = from + 1;
                pos = taken + 1;
            }
            _ => return false,
        }
    }
    true
}

/// The index behind a one-byte unit of the glob that matches `byte`.
fn unit(glob: &[u8], at: usize, byte: Option<u8>) -> Option<usize> {
    let byte = byte?;
    match *glob.get(at)? {
        b'?' => Some(at + 1),
        b'\\' if at + 1 < glob.len() => (glob.get(at + 1) == Some(&byte)).then_some(at + 2),
        b'[' => {
            let Some(end) = glob.iter().skip(at + 2).position(|inner| *inner == b']') else {
                return (byte == b'[').then_some(at + 1);
            };
            let end = at + 2 + end;
            in_class(glob.get(at + 1..end)?, byte).then_some(end + 1)
        }
        plain => (plain == byte).then_some(at + 1),
    }
}

/// Whether a bracket expression's inside matches a byte; a named class matches all.
pub(super) fn in_class(class: &[u8], byte: u8) -> bool {
    if class.contains(&b'[') {
        return true;
    }
    let (negated, class) = match class.split_first() {
        Some((b'!' | b'^', rest)) => (true, rest),
        _ => (false, class),
    };
    let mut at = 0;
    let mut found = false;
    while let Some(first) = class.get(at) {
        match (class.get(at + 1), class.get(at + 2)) {
            (Some(b'-'), Some(last)) => {
                found |= (*first..=*last).contains(&byte);
                at += 3;
            }
            _ => {
                found |= *first == byte;
                at += 1;
            }
        }
    }
    found != negated
}

/// Removes what quoting may hide: backslashes, quotes and newlines.
#[must_use]
pub(crate) fn normalised(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !matches!(byte, b'\\' | b'\'' | b'"' | b'\n' | b'\r')).collect()
}

/// Whether a normalised text holds a word.
#[must_use]
pub(crate) fn mentions(normalised: &[u8], word: &str) -> bool {
    let word = word.as_bytes();
    !word.is_empty() && normalised.windows(word.len()).any(|window| window == word)
}
