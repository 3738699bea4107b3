//! Paths as text. Must never touch a file system.

/// Folds `.`, `..` and `//` without looking at any file system.
#[must_use]
pub fn fold(path: &[u8]) -> Vec<u8> {
    let absolute = path.starts_with(b"/");
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|last| *last != b"..") => {
                parts.pop();
            }
            b".." if absolute => {}
            _ => parts.push(part),
        }
    }
    let mut folded = if absolute { b"/".to_vec() } else { Vec::new() };
    folded.extend_from_slice(&parts.join(&b'/'));
    folded
}
