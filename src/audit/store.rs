//! The files of a family and the protocol by which they grow. Owns locking, rotation and repair
//! (see the head of `audit`); must never look into a record.

use std::ffi::OsStr;
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

/// A family of files in a directory.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
    stem: &'static str,
    cap: u64,
    patience: Duration,
}

impl Store {
    /// The records of decisions in a directory. Nothing is made before something is appended.
    #[must_use]
    pub fn decisions(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), stem: "decisions", cap: CAP, patience: PATIENCE }
    }

    /// The records of faults in a directory.
    #[must_use]
    pub fn faults(directory: &Path) -> Self {
        Self { stem: "faults", cap: FAULTS_CAP, ..Self::decisions(directory) }
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
        self.directory.join(format!("{}.jsonl", self.stem))
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
            // A file that grows too large is better than a record that is lost.
            if full && self.rotate().is_ok() {
                continue;
            }
            return put(&file, length, lines);
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

    /// Writes lines to a file of their own.
    fn spill(&self, lines: &[u8]) -> io::Result<()> {
        let (path, mut file) = self.spill_file()?;
        file.write_all(lines).inspect_err(|_| {
            // Whole or not at all; what cannot be removed is reported by readers.
            let _ = fs::remove_file(&path);
        })
    }

    fn spill_file(&self) -> io::Result<(PathBuf, File)> {
        let process = std::process::id();
        loop {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let name = format!("{}.spill-{:032x}-{process:x}.jsonl", self.stem, now.as_nanos());
            let path = self.directory.join(name);
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                opened => return opened.map(|file| (path, file)),
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
fn put(mut file: &File, length: u64, lines: &[u8]) -> io::Result<()> {
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

/// The numbered files of a family, the oldest first.
pub(super) fn numbered(directory: &Path, stem: &str) -> io::Result<Vec<(u64, PathBuf)>> {
    let number = |name: &str| name.strip_suffix(".jsonl")?.parse().ok();
    let mut found: Vec<(u64, PathBuf)> = members(directory, stem, ".")?
        .into_iter()
        .filter_map(|(rest, path)| number(&rest).map(|number| (number, path)))
        .collect();
    found.sort();
    Ok(found)
}

/// The spills of a family, the oldest first.
pub(super) fn spills(directory: &Path, stem: &str) -> io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = members(directory, stem, ".spill-")?
        .into_iter()
        .filter(|(rest, _)| rest.ends_with(".jsonl"))
        .map(|(_, path)| path)
        .collect();
    found.sort();
    Ok(found)
}

/// The files whose names start with the stem and a mark: the rest of the name, and the path.
fn members(directory: &Path, stem: &str, mark: &str) -> io::Result<Vec<(String, PathBuf)>> {
    let rest = |name: &OsStr| Some(name.to_str()?.strip_prefix(stem)?.strip_prefix(mark)?.to_owned());
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        found.extend(rest(&entry.file_name()).map(|rest| (rest, entry.path())));
    }
    Ok(found)
}
