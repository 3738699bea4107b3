//! Records read back. Owns the order of the files; must never change one, and must never stop at a
//! damaged line.

use super::Store;
use super::members::{numbered, spills};
use super::{Fault, Record, SCHEMA};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind};
use std::marker::PhantomData;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// What a line holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry<T> {
    /// A record.
    Record(Box<T>),
    /// Something else.
    Damaged(Damage),
}

/// A line that is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// How long it is.
    pub bytes: usize,
    /// What is wrong.
    pub what: What,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Its end is missing: a writer was killed, or is writing still.
    Torn,
    /// It is no record of a known form.
    Strange,
    /// A later version wrote it.
    Newer,
}

/// The records of a family, one by one: the numbered files by their numbers, the current one, the
/// spills. Order across files is that of appending, except for spills.
#[derive(Debug)]
pub struct Entries<T> {
    files: VecDeque<(PathBuf, Option<File>)>,
    open: Option<(PathBuf, BufReader<File>, u64)>,
    kind: PhantomData<T>,
}

impl Store {
    /// The records of decisions.
    ///
    /// # Errors
    /// When the directory or a file in it cannot be read. One that does not exist has no records.
    pub fn records(&self) -> io::Result<Entries<Record>> {
        Entries::of(self)
    }

    /// The records of faults.
    ///
    /// # Errors
    /// As for `records`.
    pub fn recorded_faults(&self) -> io::Result<Entries<Fault>> {
        Entries::of(self)
    }
}

impl<T> Entries<T> {
    /// Everything that was appended before this call. Numbered files and spills keep their names; the
    /// current one may get a number meanwhile, so it is opened first and looked for among them.
    fn of(store: &Store) -> io::Result<Self> {
        loop {
            let current = existing(File::open(store.current()))?;
            let list = |found: io::Result<Vec<PathBuf>>| existing(found).map(Option::unwrap_or_default);
            let old = numbered(store.directory(), store.stem());
            let old = list(old.map(|files| files.into_iter().map(|(_, path)| path).collect()))?;
            if let Some(current) = &current
                && renamed(current, &old)?
            {
                continue;
            }
            let mut files: VecDeque<_> = old.into_iter().map(|path| (path, None)).collect();
            files.extend(current.map(|file| (store.current(), Some(file))));
            let spills = list(spills(store.directory(), store.stem()))?;
            files.extend(spills.into_iter().map(|path| (path, None)));
            return Ok(Self { files, open: None, kind: PhantomData });
        }
    }

    /// The next line that is not blank, with the file and the line's number.
    fn line(&mut self) -> io::Result<Option<(PathBuf, u64, Vec<u8>)>> {
        loop {
            let Some((path, reader, number)) = &mut self.open else {
                let Some((path, file)) = self.files.pop_front() else { return Ok(None) };
                let file = file.map_or_else(|| File::open(&path), Ok)?;
                self.open = Some((path, BufReader::new(file), 0));
                continue;
            };
            let mut line = Vec::new();
            if reader.read_until(b'\n', &mut line)? == 0 {
                self.open = None;
                continue;
            }
            *number += 1;
            if line != b"\n" {
                return Ok(Some((path.clone(), *number, line)));
            }
        }
    }
}

impl<T: DeserializeOwned> Iterator for Entries<T> {
    type Item = io::Result<Entry<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (file, line, bytes) = match self.line() {
            Ok(found) => found?,
            Err(error) => {
                // Without this, an unreadable file would be reported for ever.
                self.open = None;
                return Some(Err(error));
            }
        };
        Some(Ok(match parse(&bytes) {
            Ok(record) => Entry::Record(Box::new(record)),
            Err(what) => Entry::Damaged(Damage { file, line, bytes: bytes.len(), what }),
        }))
    }
}

/// What every line has.
#[derive(Deserialize)]
struct Versioned {
    schema: u32,
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, What> {
    let Ok(versioned) = serde_json::from_slice::<Versioned>(line) else {
        // A torn line that was ended by the next writer has a newline, too.
        let whole = serde_json::from_slice::<serde::de::IgnoredAny>(line);
        return Err(if whole.is_ok() { What::Strange } else { What::Torn });
    };
    if versioned.schema > SCHEMA {
        return Err(What::Newer);
    }
    serde_json::from_slice(line).map_err(|_| What::Strange)
}

fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// Whether an open file is one of these by now.
fn renamed(file: &File, others: &[PathBuf]) -> io::Result<bool> {
    let inode = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let mine = inode(file.metadata()?);
    // The last number is the likely one.
    for path in others.iter().rev() {
        if existing(std::fs::metadata(path))?.map(inode) == Some(mine) {
            return Ok(true);
        }
    }
    Ok(false)
}
