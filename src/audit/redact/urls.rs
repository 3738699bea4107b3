//! Secrets in the authority of a URL: `scheme://user:X@host`. Must never take a port for one.

use super::{at, is_expansion, run};
use std::ops::Range;

/// Schemes whose lone user is a token.
const TOKENS: &[&[u8]] = &[b"http", b"https"];

/// How long an authority may be.
const MOST: usize = 4096;

/// Adds what it finds.
pub fn find(text: &[u8], found: &mut Vec<Range<usize>>) {
    let mut hosts: Vec<usize> = Vec::new();
    // Where the word of the last mark ends: marks in one word share it, so each byte is read once.
    let mut end = 0;
    let marks = text.windows(3).enumerate().filter(|(_, window)| window == b"://");
    for (mark, _) in marks {
        if mark >= end {
            end = run(text, mark, |byte| !byte.is_ascii_whitespace() && !b"'\"`<>|;".contains(&byte));
            let word = text.get(mark..end).unwrap_or_default().iter().enumerate();
            hosts = word.filter(|(_, byte)| **byte == b'@').map(|(at, _)| mark + at).collect();
        }
        let near = end.min(mark + 3 + MOST);
        let last = hosts.partition_point(|host| *host < near).checked_sub(1);
        let last = last.and_then(|last| hosts.get(last)).copied();
        found.extend(secret(text, mark, near, last));
    }
}

/// The secret in the URL with this mark; `last` is the last `@` of it.
fn secret(text: &[u8], mark: usize, end: usize, last: Option<usize>) -> Option<Range<usize>> {
    let start = mark + 3;
    let url = text.get(start..end)?;
    let path = url.iter().position(|byte| *byte == b'/').unwrap_or(url.len());
    let colon = url.iter().position(|byte| *byte == b':');
    let host = match url.get(..path)?.iter().rposition(|byte| *byte == b'@') {
        Some(host) => host,
        // A slash within the password; digits would be a port.
        None => {
            let password = url.get(colon?..path)?.get(1..)?;
            let port = password.iter().all(u8::is_ascii_digit);
            last?.checked_sub(start).filter(|_| !port)?
        }
    };
    let from = match colon.filter(|colon| *colon < host) {
        Some(colon) => colon + 1,
        None if lone(text, mark) => 0,
        None => return None,
    };
    let expanded = is_expansion(url.get(from..host)?);
    (!expanded).then_some(start + from..start + host)
}

/// Whether a lone user before the host is a token.
fn lone(text: &[u8], mark: usize) -> bool {
    TOKENS.iter().any(|scheme| {
        let before = mark.checked_sub(scheme.len());
        before.is_some_and(|before| {
            text.get(before..mark).is_some_and(|word| word.eq_ignore_ascii_case(scheme))
                && (before == 0 || !at(text, before - 1).is_ascii_alphanumeric())
        })
    })
}
