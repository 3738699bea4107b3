//! Paths, globs and patterns, compared byte for byte. Must never touch a file system.

use crate::shell::glob::glob_matches;
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
