//! Where batches come from. Owns what every source can do, and guests whose directory the host reaches
//! itself; must never acknowledge on its own.

use super::Fault;
use super::batch::{Batch, BatchId, Part};
use crate::mission::Records;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A guest's records.
pub trait Source: Send {
    /// Gives away every batch that waits, the oldest first, what was appended before this call among
    /// them. They stay until they are acknowledged.
    ///
    /// # Errors
    /// When the guest cannot be reached or sends what is no batch, and the faults of `give`.
    fn take(&mut self, give: &mut dyn FnMut(Batch) -> Result<(), Fault>) -> Result<Taken, Fault>;

    /// Has the guest remove batches. One that is not there was acknowledged before.
    ///
    /// # Errors
    /// When the guest cannot be reached or cannot remove one.
    fn acknowledge(&mut self, ids: &[BatchId]) -> Result<(), Fault>;
}

/// What a `take` gave away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How many batches.
    pub batches: usize,
    /// Files that were left for the next time, since a writer held their lock.
    pub busy: Vec<String>,
}

/// A record directory on this machine.
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// The record directory of a guest.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    fn fault(&self, what: &str, error: &io::Error) -> Fault {
        Fault::new(format!("{}: {what}: {error}", self.path.display()))
    }
}

impl Source for Directory {
    fn take(&mut self, give: &mut dyn FnMut(Batch) -> Result<(), Fault>) -> Result<Taken, Fault> {
        let waiting = Records::new(&self.path).take(SystemTime::now());
        let waiting = waiting.map_err(|error| self.fault("its records cannot be taken", &error))?;
        let busy = waiting.busy.into_iter().map(str::to_owned).collect();
        let mut taken = Taken { batches: 0, busy };
        for batch in waiting.batches {
            let id = BatchId::new(&batch.id)?;
            let parts = match parts(&batch.directory) {
                // Another drain was faster.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                parts => parts.map_err(|error| self.fault(&format!("batch {id}"), &error))?,
            };
            give(Batch { id, parts })?;
            taken.batches += 1;
        }
        Ok(taken)
    }

    fn acknowledge(&mut self, ids: &[BatchId]) -> Result<(), Fault> {
        if ids.is_empty() {
            return Ok(());
        }
        let ids: Vec<String> = ids.iter().map(BatchId::to_string).collect();
        let removed = Records::new(&self.path).acknowledge(&ids);
        removed.map_err(|error| self.fault("stored batches cannot be removed", &error))
    }
}

/// The files of a batch by their names.
fn parts(directory: &Path) -> io::Result<Vec<Part>> {
    if !fs::symlink_metadata(directory)?.is_dir() {
        return Err(io::Error::other("it is no directory"));
    }
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    let part = |path: PathBuf| {
        let (file, length) = regular(&path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Part::new(name, Arc::new(file), 0, length))
    };
    paths.into_iter().map(part).collect()
}

/// Opens a regular file that is no link: a guest that can write here must not have the host read
/// another file for it.
fn regular(path: &Path) -> io::Result<(File, u64)> {
    let named = fs::symlink_metadata(path)?;
    let refuse = || io::Error::other(format!("{}: no regular file", path.display()));
    if !named.is_file() {
        return Err(refuse());
    }
    let file = File::open(path)?;
    let opened = file.metadata()?;
    let same = (opened.dev(), opened.ino()) == (named.dev(), named.ino());
    if same { Ok((file, opened.len())) } else { Err(refuse()) }
}
