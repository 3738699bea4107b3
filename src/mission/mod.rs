//! What a guest keeps of a mission: records of what was denied and of what tools did, and how they are taken
//! away (docs/mission.md is the contract); and in `host` what becomes of them. Must never judge a call, read the environment or a clock.

pub mod batch;
mod denial;
pub mod host;
mod payload;
pub mod seal;
mod stream;
mod tap;

pub use denial::{Denial, Found, Inert, Judged};
pub use stream::send;
pub use tap::Observed;

use crate::audit::Store;
use std::io;
use std::path::{Path, PathBuf};

/// The version of the lines and of the stream. Members may be added without a new one.
pub const SCHEMA: u32 = 1;

/// How large a file may grow before what comes is only counted.
pub const CAP: u64 = 64 << 20;

/// A file of the record directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// Calls that were denied.
    Denied,
    /// Calls that were allowed only because what objected is tried out.
    WouldDeny,
    /// Calls that could not be judged.
    Inert,
    /// Calls that were made.
    Tools,
}

impl File {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Denied, Self::WouldDeny, Self::Inert, Self::Tools];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied.jsonl",
            Self::WouldDeny => "would-deny.jsonl",
            Self::Inert => "inert",
            Self::Tools => "tools.jsonl",
        }
    }

    /// Its name up to the dot, with which its spills begin.
    #[must_use]
    pub fn stem(self) -> &'static str {
        self.name().split('.').next().unwrap_or_default()
    }
}

/// A record directory.
#[derive(Clone, Debug)]
pub struct Records {
    directory: PathBuf,
    cap: u64,
}

impl Records {
    /// The records in a directory. Nothing is made before something is appended.
    #[must_use]
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), cap: CAP }
    }

    /// The same with another cap of each file, in bytes.
    #[must_use]
    pub fn with_cap(self, cap: u64) -> Self {
        Self { cap, ..self }
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Appends whole lines to a file, or counts them where it is full.
    ///
    /// # Errors
    /// When they could not be written; nothing of them is left then.
    pub fn append(&self, file: File, lines: &[u8]) -> io::Result<()> {
        self.store(file).append(lines)
    }

    fn store(&self, file: File) -> Store {
        Store::taken(&self.directory, file.stem(), file.name(), self.cap)
    }
}
