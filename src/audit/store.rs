//! The files of a family and the protocol by which they grow. Owns locking, rotation and repair
//! (see the head of `audit`); must never look into a record.

use super::dropped;
use super::members::{numbered, spills};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

/// How large the current file may grow before it gets a number.
const CAP: u64 = 8 << 20;

/// The same for faults, in which every writer looks for what it is about to write.
const FAULTS_CAP: u64 = 1 << 20;

/// How long a writer waits for the lock.
const PATIENCE: Duration = Duration::from_millis(500);

/// What becomes of records for which the current file has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Full {
    /// The file gets a number, and the next one begins.
    Number,
    /// They are counted in a line of their own, until somebody takes the file away.
    Count,
}

/// A family of files in a directory.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
    stem: &'static str,
    /// The name of the current file.
    file: &'static str,
    cap: u64,
    patience: Duration,
    full: Full,
}

impl Store {
    /// The records of decisions in a directory. Nothing is made before something is appended.
    #[must_use]
    pub fn decisions(directory: &Path) -> Self {
        let (directory, full) = (directory.to_owned(), Full::Number);
        let (stem, file) = ("decisions", "decisions.jsonl");
        Self { directory, stem, file, cap: CAP, patience: PATIENCE, full }
    }

    /// The records of faults in a directory.
    #[must_use]
    pub fn faults(directory: &Path) -> Self {
        Self { stem: "faults", file: "faults.jsonl", cap: FAULTS_CAP, ..Self::decisions(directory) }
    }

    /// A file of that name which somebody takes away from time to time. `stem` is the name up to the first dot.
    /// What comes when it has reached its cap is counted.
    #[must_use]
    pub fn taken(directory: &Path, stem: &'static str, file: &'static str, cap: u64) -> Self {
        Self { stem, file, cap, full: Full::Count, ..Self::decisions(directory) }
    }

    /// The same with another cap, in bytes.
    #[must_use]
    pub fn with_cap(self, cap: u64) -> Self {
        Self { cap, ..self }
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The family's name.
    #[must_use]
    pub fn stem(&self) -> &'static str {
        self.stem
    }

    /// The current file's path.
    #[must_use]
    pub fn current(&self) -> PathBuf {
        self.directory.join(self.file)
    }

    /// Appends whole lines. What is appended when this returns stays, whatever is killed later.
    ///
    /// # Errors
    /// When the lines could not be written; nothing of them is left then.
    pub fn append(&self, lines: &[u8]) -> io::Result<()> {
        let deadline = Instant::now() + self.patience;
        loop {
            let Some((file, length)) = self.locked(deadline)? else { return self.spill(lines) };
            let full = length > 0 && length.saturating_add(lines.len() as u64) > self.cap;
            match self.full {
                Full::Count if full => return dropped::count(&self.current(), &file, length, lines),
                // A file that grows too large is better than a record that is lost.
                Full::Number if full && self.rotate().is_ok() => continue,
                Full::Count | Full::Number => return put(&file, length, lines),
            }
        }
    }

    /// Appends a line unless a line with this beginning stands in the current file or a spill already.
    /// Tells whether it did.
    ///
    /// # Errors
    /// As for `append`.
    pub fn append_once(&self, beginning: &[u8], line: &[u8]) -> io::Result<bool> {
        // Two that find nothing at the same moment would both write: look again under the lock.
        let deadline = Instant::now() + self.patience;
        let Some((mut file, _)) = self.locked(deadline)? else {
            return if self.spilled(beginning) { Ok(false) } else { self.spill(line).map(|()| true) };
        };
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut text)?;
        if has_line(&text, beginning) || self.spilled(beginning) {
            return Ok(false);
        }
        let length = text.len() as u64;
        if length > 0 && length.saturating_add(line.len() as u64) > self.cap && self.rotate().is_ok() {
            drop(file);
            return self.append(line).map(|()| true);
        }
        put(&file, length, line).map(|()| true)
    }

    /// Takes the current file away: moves it to a path in a directory of the same file system, so that nobody
    /// appends to it any more. `None` when its lock cannot be had within `patience`; whether there was one.
    ///
    /// # Errors
    /// When it cannot be moved.
    pub fn take(&self, to: &Path, patience: Duration) -> io::Result<Option<bool>> {
        if !self.current().try_exists()? {
            return Ok(Some(false));
        }
        let Some((file, length)) = self.locked(Instant::now() + patience)? else { return Ok(None) };
        if length > 0 {
            fs::rename(self.current(), to)?;
        }
        drop(file);
        Ok(Some(length > 0))
    }

    /// The current file, locked, and its length; `None` when the lock cannot be had in time.
    fn locked(&self, deadline: Instant) -> io::Result<Option<(File, u64)>> {
        let path = self.current();
        loop {
            let file = self.open(&path)?;
            if !lock(&file, deadline) {
                return Ok(None);
            }
            // Behind the lock, since others may have written or rotated it before.
            let mine = file.metadata()?;
            if !mine.is_file() {
                return Err(io::Error::other("the place of the records is not a regular file"));
            }
            match fs::metadata(&path) {
                Ok(named) if (named.dev(), named.ino()) == (mine.dev(), mine.ino()) => {
                    return Ok(Some((file, mine.len())));
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Opens a file for appending. Reading, too: so a FIFO in its place is opened without waiting for
    /// a reader, and then refused.
    fn open(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        match options.open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
                options.open(path)
            }
            opened => opened,
        }
    }

    /// Gives the current file, whose lock the caller holds, the next number.
    fn rotate(&self) -> io::Result<()> {
        let last = numbered(&self.directory, self.stem)?.last().map_or(0, |(number, _)| *number);
        let name = format!("{}.{:06}.jsonl", self.stem, last + 1);
        fs::rename(self.current(), self.directory.join(name))
    }

    /// Writes lines to a file of their own, which has its name only when it is whole.
    fn spill(&self, lines: &[u8]) -> io::Result<()> {
        let (name, mut file) = self.spill_file()?;
        let made = self.directory.join(format!(".{name}.tmp"));
        let written = file.write_all(lines);
        written.and_then(|()| fs::rename(&made, self.directory.join(&name))).inspect_err(|_| {
            // Whole or not at all; nobody reads what cannot be removed.
            let _ = fs::remove_file(&made);
        })
    }

    fn spill_file(&self) -> io::Result<(String, File)> {
        let process = std::process::id();
        loop {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let name = format!("{}.spill-{:032x}-{process:x}.jsonl", self.stem, now.as_nanos());
            let path = self.directory.join(format!(".{name}.tmp"));
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                opened => return opened.map(|file| (name, file)),
            }
        }
    }

    fn spilled(&self, beginning: &[u8]) -> bool {
        let spills = spills(&self.directory, self.stem).unwrap_or_default();
        spills.iter().any(|path| fs::read(path).is_ok_and(|text| has_line(&text, beginning)))
    }
}

/// Locks a file, waiting until the deadline at most.
fn lock(file: &File, deadline: Instant) -> bool {
    let mut pause = Duration::from_micros(50);
    loop {
        match file.try_lock() {
            Ok(()) => return true,
            Err(fs::TryLockError::WouldBlock) if Instant::now() < deadline => {}
            Err(_) => return false,
        }
        sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(2));
    }
}

/// Appends lines to a locked file of this length.
pub(super) fn put(mut file: &File, length: u64, lines: &[u8]) -> io::Result<()> {
    let mut last = [b'\n'];
    if length > 0 {
        file.read_exact_at(&mut last, length - 1)?;
    }
    let written = if last == [b'\n'] { file.write_all(lines) } else { file.write_all(&ended(lines)) };
    written.inspect_err(|_| {
        // If even this fails, the next writer ends the line.
        let _ = file.set_len(length);
    })
}

/// Lines behind the end of a torn one.
fn ended(lines: &[u8]) -> Vec<u8> {
    [b"\n", lines].concat()
}

fn has_line(text: &[u8], beginning: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| line.starts_with(beginning))
}
