//! Records: what the hook objected to, and what was wrong with the hook itself. Owns the files of
//! records; must never decide, read the environment or a clock, or keep a caller waiting for long.
//!
//! A *family* of files in one directory (`decisions` or `faults`) holds one JSON object per line:
//!
//! - `decisions.jsonl` is the current file, to which all writers append;
//! - `decisions.000001.jsonl` and so on were the current file once, older numbers first; nothing is
//!   appended to them any more, and nothing here ever deletes one;
//! - `decisions.spill-….jsonl` each hold what one writer could not append in time.
//!
//! The protocol of a writer, which makes that no acknowledged record is lost or torn, whatever else
//! is killed meanwhile:
//!
//! 1. Open the current file for appending, lock it (`flock`), and look whether the path still names
//!    it. If it was renamed meanwhile, start again. The kernel drops the lock of a killed writer.
//! 2. If the file would grow beyond its cap, rename it to the next free number and start again. Only
//!    who holds the lock of the file that the path names renames, so no number is taken twice.
//! 3. If the file does not end in a newline, a writer was killed in the middle of its last record,
//!    which it had not acknowledged: end that line first. Readers report it as damaged.
//! 4. Append all lines in one write. If that stops half way (a full disk), cut the file back to where
//!    it was: nobody else can have appended under the lock.
//!
//! A lock that cannot be had in half a second (its holder is stopped, or the file system knows no
//! locks) must not hold up a harness, which would take a time-out for consent: the writer then makes
//! a file of its own, the spill.
//!
//! A *taken* file (`Store::taken`) gets no number: somebody takes it away under its lock (`Store::take`), and
//! what does not fit meanwhile is counted in it.
//!
//! Records survive the death of any process, not the loss of power: nothing is synced to the disk.

mod dropped;
mod fault;
mod members;
mod read;
mod record;
mod redact;
mod store;
mod time;

pub use dropped::Dropped;
pub use fault::{Fault, FaultKind};
pub use members::spills;
pub use read::{Damage, Entries, Entry, What};
pub use record::{Applied, Call, Record, applied, call_id, line};
pub use redact::{MARK, is_secret, redacted};
pub use store::Store;
pub use time::rfc3339;

/// The version of what is written. Fields may be added without a new one.
pub const SCHEMA: u32 = 1;
