//! Batches: what was recorded so far, taken away as a whole. Owns the names in the record directory and the
//! order of renames; must never lose a line that was acknowledged to its writer, nor change a finished batch.

use super::{File, Records};
use crate::audit::spills;
use std::fs::{self, DirBuilder, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How long one waits for a writer's lock, and for another who takes.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many batches may wait before no new one is made.
const WAITING: usize = 16;

const LOCK: &str = ".rotate.lock";
const BATCH: &str = "batch-";
const MADE: (&str, &str) = (".batch-", ".tmp");
const DONE: &str = ".done-";

/// A finished batch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Batch {
    /// Its name among all batches of all guests; later ones are greater.
    pub id: String,
    /// Its directory.
    pub directory: PathBuf,
}

/// What there is to fetch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Batches that wait to be acknowledged, the oldest first.
    pub batches: Vec<Batch>,
    /// Files that somebody did not let go of.
    pub busy: Vec<&'static str>,
}

/// Whether a text can be the id of a batch: it becomes a part of a path.
#[must_use]
pub fn is_id(text: &str) -> bool {
    let (time, number) = text.split_once('-').unwrap_or_default();
    let digits = |text: &str, count, radix| text.len() == count && text.chars().all(|ch| ch.is_digit(radix));
    digits(time, 20, 10) && digits(number, 16, 16)
}

impl Records {
    /// Makes a batch of what was recorded since the last one, and gives all that wait.
    ///
    /// # Errors
    /// When the directory cannot be read or changed. One that does not exist has no batches.
    pub fn take(&self, now: SystemTime) -> io::Result<Taken> {
        if !self.directory().try_exists()? {
            return Ok(Taken::default());
        }
        let _lock = self.lock()?;
        self.heal()?;
        let mut batches = self.batches()?;
        let mut busy = Vec::new();
        if batches.len() < WAITING {
            let id = new_id(now, batches.last());
            busy = self.rotate(&id)?;
            batches = self.batches()?;
        }
        Ok(Taken { batches, busy })
    }

    /// Removes batches that were stored. One that is not there was acknowledged before.
    ///
    /// # Errors
    /// When the directory cannot be changed.
    pub fn acknowledge(&self, ids: &[String]) -> io::Result<()> {
        if !self.directory().try_exists()? {
            return Ok(());
        }
        let _lock = self.lock()?;
        for id in ids {
            let (from, to) = (self.path(BATCH, id, ""), self.path(DONE, id, ""));
            // In one step, so that no part of it is ever sent again.
            gone(fs::rename(from, to))?;
        }
        self.heal()
    }

    /// The finished batches, the oldest first.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn batches(&self) -> io::Result<Vec<Batch>> {
        let mut found: Vec<Batch> = self
            .named(BATCH, "")?
            .into_iter()
            .map(|id| Batch { directory: self.path(BATCH, &id, ""), id })
            .collect();
        found.sort();
        Ok(found)
    }

    fn path(&self, start: &str, id: &str, end: &str) -> PathBuf {
        self.directory().join(format!("{start}{id}{end}"))
    }

    /// The ids between this start and end in names of the directory.
    fn named(&self, start: &str, end: &str) -> io::Result<Vec<String>> {
        let mut ids = Vec::new();
        for entry in fs::read_dir(self.directory())? {
            let name = entry?.file_name();
            let id = name.to_str().and_then(|name| name.strip_prefix(start)?.strip_suffix(end));
            ids.extend(id.filter(|id| is_id(id)).map(ToOwned::to_owned));
        }
        ids.sort();
        Ok(ids)
    }

    /// One at a time takes and acknowledges; the kernel drops the lock of one who is killed.
    fn lock(&self) -> io::Result<fs::File> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600);
        let file = file.open(self.directory().join(LOCK))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(fs::TryLockError::Error(error)) => return Err(error),
                Err(fs::TryLockError::WouldBlock) if Instant::now() > deadline => {
                    return Err(io::Error::other("another process takes the records and does not end"));
                }
                Err(fs::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Ends what was begun by one who was killed.
    fn heal(&self) -> io::Result<()> {
        for id in self.named(MADE.0, MADE.1)? {
            self.finish(&id)?;
        }
        for id in self.named(DONE, "")? {
            gone(fs::remove_dir_all(self.path(DONE, &id, "")))?;
        }
        Ok(())
    }

    /// Makes a directory of taken files a batch; one without files goes.
    fn finish(&self, id: &str) -> io::Result<()> {
        let made = self.path(MADE.0, id, MADE.1);
        if fs::read_dir(&made)?.next().is_none() {
            return fs::remove_dir(&made);
        }
        fs::rename(&made, self.path(BATCH, id, ""))
    }

    /// Takes all files away into a new batch; gives those that are in use.
    fn rotate(&self, id: &str) -> io::Result<Vec<&'static str>> {
        let made = self.path(MADE.0, id, MADE.1);
        DirBuilder::new().mode(0o700).create(&made)?;
        let mut busy = Vec::new();
        for file in File::ALL {
            match self.store(file).take(&made.join(file.name()), PATIENCE)? {
                Some(_) => {}
                None => busy.push(file.name()),
            }
            for spill in spills(self.directory(), file.stem())? {
                fs::rename(&spill, made.join(spill.file_name().unwrap_or_default()))?;
            }
        }
        self.finish(id)?;
        Ok(busy)
    }
}

impl Batch {
    /// Its files by name, opened, so that they can be read whatever becomes of the batch; `None` when it is
    /// gone.
    ///
    /// # Errors
    /// When one of them cannot be opened.
    pub fn files(&self) -> io::Result<Option<Vec<(String, fs::File)>>> {
        let Some(entries) = gone(fs::read_dir(&self.directory))? else { return Ok(None) };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(file) = gone(open(&entry.path()))? else { return Ok(None) };
            files.push((name, file));
        }
        files.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(Some(files))
    }
}

/// Opens a regular file, and waits for nothing else.
fn open(path: &Path) -> io::Result<fs::File> {
    let is_file = fs::symlink_metadata(path)?.is_file();
    if is_file { fs::File::open(path) } else { Err(io::Error::other("a batch holds what is no file")) }
}

fn gone<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// A new id, greater than the last one that is there, whatever the clock says.
fn new_id(now: SystemTime, last: Option<&Batch>) -> String {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let last = last.and_then(|batch| batch.id.split('-').next()?.parse::<u128>().ok());
    let time = last.map_or(since, |last| since.max(last + 1));
    // The keys of each state are random.
    let random = RandomState::new().hash_one(std::process::id());
    format!("{time:020}-{random:016x}")
}
