//! Patterns of file names against names, byte for byte (bash manual 3.5.8.1). Must never touch a file
//! system.

/// Whether a glob matches a whole name (bash manual 3.5.8.1). Never gives a false no.
pub(crate) fn glob_matches(glob: &[u8], name: &[u8]) -> bool {
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
pub(crate) fn in_class(class: &[u8], byte: u8) -> bool {
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
