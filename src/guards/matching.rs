//! Paths, globs and patterns, compared byte for byte. Must never touch a file system.

/// Folds `.`, `..` and `//`.
pub(super) fn fold(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|last| *last != b"..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let mut folded = if path.starts_with(b"/") { b"/".to_vec() } else { Vec::new() };
    folded.extend_from_slice(&parts.join(&b'/'));
    folded
}

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
        if let (Some(next), Some(byte)) = (unit(glob, at, name.get(pos).copied()), name.get(pos)) {
            let _ = byte;
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

fn in_class(class: &[u8], byte: u8) -> bool {
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

/// Whether an extended regular expression, or a plain name, finds `name`. Groups and alternations
/// are tried one by one; what is not understood counts as no regular expression.
pub(super) fn pattern_finds(pattern: &[u8], name: &[u8]) -> bool {
    if pattern.is_empty() {
        return false;
    }
    let plain: Vec<u8> =
        pattern.iter().copied().filter(|byte| !matches!(byte, b'(' | b')' | b'\\')).collect();
    if plain.windows(name.len()).any(|window| window == name) {
        return true;
    }
    let (mut depth, mut start, mut branches) = (0i32, 0, Vec::new());
    for (at, byte) in pattern.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'|' if depth <= 0 => {
                branches.push(pattern.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    branches.push(pattern.get(start..).unwrap_or_default());
    branches.into_iter().any(|branch| {
        let branch: Vec<u8> = branch.iter().copied().filter(|byte| !matches!(byte, b'(' | b')')).collect();
        // A longer pattern than the name (a path, say) may find it in its middle.
        let anchored = branch.strip_prefix(b"^").map(<[u8]>::to_vec);
        match anchored {
            Some(rest) => here(&rest, name, 0),
            None => {
                !branch.is_empty()
                    && (0..name.len()).any(|from| here(&branch, name.get(from..).unwrap_or_default(), 0))
            }
        }
    })
}

/// A backtracking matcher for one branch: literals, `.`, classes, `*`, `+`, `?`, `$`, `\`.
fn here(pattern: &[u8], text: &[u8], depth: usize) -> bool {
    if pattern.is_empty() || depth > 256 {
        return true;
    }
    if pattern == b"$" {
        return text.is_empty();
    }
    let Some(end) = atom_end(pattern) else { return false };
    let (atom, rest) = pattern.split_at(end);
    let matches = |byte: Option<&u8>| byte.is_some_and(|byte| atom_matches(atom, *byte));
    match rest.first() {
        Some(b'*' | b'+' | b'?') => {
            let least = usize::from(rest.first() == Some(&b'+'));
            let most = if rest.first() == Some(&b'?') { 1 } else { text.len() };
            let after = rest.get(1..).unwrap_or_default();
            let mut count = 0;
            loop {
                if count >= least && here(after, text.get(count..).unwrap_or_default(), depth + 1) {
                    return true;
                }
                if count >= most || !matches(text.get(count)) {
                    return false;
                }
                count += 1;
            }
        }
        _ => {
            // The name may end before a pattern that is longer does (`fm-watch.*arm`).
            text.is_empty() && depth >= 6
                || matches(text.first()) && here(rest, text.get(1..).unwrap_or_default(), depth + 1)
        }
    }
}

fn atom_end(pattern: &[u8]) -> Option<usize> {
    match pattern.first()? {
        b'\\' if pattern.len() > 1 => Some(2),
        b'[' => pattern.iter().skip(2).position(|byte| *byte == b']').map(|at| at + 3),
        _ => Some(1),
    }
}

fn atom_matches(atom: &[u8], byte: u8) -> bool {
    match atom {
        [b'.'] => true,
        [b'\\', literal] => *literal == byte,
        [b'[', class @ .., b']'] => in_class(class, byte),
        [literal] => *literal == byte,
        _ => false,
    }
}
