//! The host's side of a mission: records are taken out of guests and become events in a database. Owns
//! the way from a guest's batch to the database and back to its acknowledgement.
//!
//! ```text
//! source    take: whole batches, the oldest first (`dir:`, `docker:`, `ssh:`, `cmd:`)
//!   batch   a file or a spool, never the memory; every line of it becomes
//!   line    events, or a stray that is kept aside, or a count of what the guest dropped
//!   cap     how many calls and touches a phase may keep
//!   attribute  whose session it was
//!   store   one transaction: the batch's key, its events, its strays, the phase's counts
//! source    acknowledge: only what the database has committed
//! ```
//!
//! What makes that nothing is lost and nothing stands twice: a guest sends a batch, under the same key
//! and with the same bytes, until it is acknowledged; the key stands in the transaction of the events;
//! nothing is acknowledged that was not committed. So whatever is killed, the next drain goes on.
//!
//! A guest is not trusted: what it sends is bounded, its names never become paths or options, and its
//! texts reach the database as data only.

mod attribute;
mod batch;
mod cap;
mod event;
mod json;
mod line;
mod pass;
mod program;
mod reader;
mod source;
mod spec;
pub mod store;
mod stream;
mod time;

pub use attribute::Labels;
pub use batch::{Batch, BatchId, Part};
pub use cap::Cap;
pub use event::{Event, KINDS, Kind, Stray, Why};
pub use pass::{Job, Report, SCHEMA, Step, drain};
pub use source::{Directory, Source, Taken};
pub use spec::{Place, Spec};
pub use time::canonical;

/// Why something did not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// One sentence: what, where, and what to do about it.
    pub message: String,
    /// Whether the same may succeed when it is tried again at once.
    pub again: bool,
}

impl Fault {
    /// One that stays until somebody does something.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), again: false }
    }

    /// One that may be over already.
    pub fn passing(message: impl Into<String>) -> Self {
        Self { message: message.into(), again: true }
    }
}
