//! The text of `apply_patch`. Owns its headers; must never read hunks: a line that may be a header
//! counts as one, so that no path is missed.

use super::payload::path;
use crate::call::Effect;
use std::path::PathBuf;

/// The paths that a patch touches, in order.
#[must_use]
pub fn paths(text: &[u8]) -> Vec<(Effect, PathBuf)> {
    let mut found: Vec<(Effect, PathBuf)> = Vec::new();
    let mut updated: Option<PathBuf> = None;
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        if let Some(name) = header(line, b"*** Move to:") {
            // The file is moved away from its old name.
            found.extend(updated.take().map(|old| (Effect::Delete, old)));
            found.push((Effect::Write, name));
        } else if let Some(name) = header(line, b"*** Delete File:") {
            found.push((Effect::Delete, name));
        } else if let Some(name) = header(line, b"*** Add File:") {
            found.push((Effect::Write, name));
        } else if let Some(name) = header(line, b"*** Update File:") {
            updated = Some(name.clone());
            found.push((Effect::Write, name));
        }
    }
    found
}

fn header(line: &[u8], start: &[u8]) -> Option<PathBuf> {
    let name = line.strip_prefix(start)?.trim_ascii();
    (!name.is_empty()).then(|| path(name.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_gives_its_path() {
        let text = b"*** Begin Patch\n*** Add File: a b.txt\n+*** Delete File: no\n*** Update File: old\r\n\
                     *** Move to: new\n@@\n-x\n+y\n*** Delete File: gone\n*** Update File:\n*** End Patch\n";
        let wanted = [
            (Effect::Write, "a b.txt"),
            (Effect::Write, "old"),
            (Effect::Delete, "old"),
            (Effect::Write, "new"),
            (Effect::Delete, "gone"),
        ];
        assert_eq!(paths(text), wanted.map(|(effect, name)| (effect, PathBuf::from(name))));
        assert!(paths(b"--- a/x\n+++ b/x\n").is_empty());
    }
}
