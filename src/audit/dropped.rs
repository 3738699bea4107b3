//! The count of records for which a file had no room. Owns the form of that line; must never be called
//! without the lock of the file.

use super::store::put;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// How wide the numbers are written, so that they can be counted up in their place.
const WIDTH: usize = 20;

/// The line that counts what was not kept; several in one file are to be added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// How many records.
    pub records: u64,
    /// How many bytes they had.
    pub bytes: u64,
}

impl Dropped {
    fn line(self) -> Vec<u8> {
        let Self { records, bytes } = self;
        let numbers = format!("\"records\":{records:<WIDTH$},\"bytes\":{bytes:<WIDTH$}");
        format!("{{\"schema\":1,\"marker\":\"dropped\",{numbers}}}\n").into_bytes()
    }

    /// What a line counts, if it is such a one.
    #[must_use]
    pub fn of(line: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Marked {
            marker: String,
            #[serde(flatten)]
            dropped: Dropped,
        }
        let marked: Marked = serde_json::from_slice(line).ok()?;
        (marked.marker == "dropped").then_some(marked.dropped)
    }
}

/// Counts lines that a locked file of this length has no room for: in the last line, if it counts already.
pub fn count(path: &Path, file: &File, length: u64, lines: &[u8]) -> io::Result<()> {
    let records = lines.iter().filter(|byte| **byte == b'\n').count() as u64;
    let mut last = vec![0; Dropped::default().line().len()];
    let at = length.checked_sub(last.len() as u64);
    let found = match at {
        Some(at) => {
            file.read_exact_at(&mut last, at)?;
            Dropped::of(&last)
        }
        None => None,
    };
    let before = found.unwrap_or_default();
    let now = Dropped { records: before.records + records, bytes: before.bytes + lines.len() as u64 };
    match at.filter(|_| found.is_some()) {
        // A file that is open for appending is written at its end, wherever it is told to.
        Some(at) => OpenOptions::new().write(true).open(path)?.write_all_at(&now.line(), at),
        None => put(file, length, &now.line()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_its_length() {
        let lines = [0, 7, u64::MAX].map(|number| Dropped { records: number, bytes: number }.line());
        assert!(lines.iter().all(|line| line.len() == lines[0].len()));
        assert_eq!(Dropped::of(&lines[1]), Some(Dropped { records: 7, bytes: 7 }));
        assert_eq!(Dropped::of(b"{\"schema\":1,\"records\":1,\"bytes\":2}"), None);
    }
}
