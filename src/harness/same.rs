//! File tools as shell text: what they would do to which paths, so that the policy for shell commands
//! judges them too. Owns that text; must never run it or leave a path out.

use crate::call::{Effect, Tool};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// A shell text that does the same to the same paths, one line each.
#[must_use]
pub fn text(tool: Tool, paths: &[(Effect, PathBuf)]) -> Vec<u8> {
    let mut text = Vec::new();
    for (effect, path) in paths {
        text.extend_from_slice(match effect {
            Effect::Read => b"cat < ",
            // Only a whole file replaces what was there.
            Effect::Write if tool == Tool::Write => b": > ",
            Effect::Write => b": >> ",
            Effect::Delete => b"rm -f -- ",
        });
        quote(&mut text, path);
        text.push(b'\n');
    }
    text
}

/// A path as one word; harnesses expand `~` as shells do.
fn quote(text: &mut Vec<u8>, path: &Path) {
    let mut bytes = path.as_os_str().as_bytes();
    if let Some(rest) = bytes.strip_prefix(b"~/") {
        text.extend_from_slice(b"~/");
        bytes = rest;
    }
    quoted(text, bytes);
}

/// Bytes as one word of which a shell changes nothing.
pub(super) fn quoted(text: &mut Vec<u8>, bytes: &[u8]) {
    text.push(b'\'');
    for byte in bytes {
        match byte {
            b'\'' => text.extend_from_slice(b"'\\''"),
            byte => text.push(*byte),
        }
    }
    text.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_has_its_text() {
        let paths =
            [(Effect::Read, "a b".into()), (Effect::Write, "~/x's".into()), (Effect::Delete, "-rf".into())];
        let said = |tool| String::from_utf8_lossy(&text(tool, &paths)).into_owned();
        assert_eq!(said(Tool::Write), "cat < 'a b'\n: > ~/'x'\\''s'\nrm -f -- '-rf'\n");
        assert!(said(Tool::Edit).contains(": >> ~/"));
        assert!(text(Tool::Other, &[]).is_empty());
    }
}
