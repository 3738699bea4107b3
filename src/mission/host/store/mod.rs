//! The database of events. Owns what a store must do, the same for all; must never know a guest.

mod filter;
mod postgres;
mod schema;
mod sqlite;

pub use filter::{Filter, Found, Summary};
pub use postgres::Postgres;
pub use sqlite::Sqlite;

use super::event::{Event, Stray};
use super::{BatchId, Fault, Labels};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// How the names of a `PostgreSQL` database begin (libpq, "Connection URIs").
const URLS: [&str; 2] = ["postgres://", "postgresql://"];

/// An event and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The event.
    pub event: &'a Event,
    /// The agent, where it is known.
    pub agent: Option<&'a str>,
}

/// What a batch had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Lines that were not blank.
    pub lines: u64,
    /// Events that were stored, by kind.
    pub events: BTreeMap<&'static str, u64>,
    /// `tool.call` events that the cap cut.
    pub cut_calls: u64,
    /// `file.touch` events that the cap cut.
    pub cut_touches: u64,
    /// Lines kept aside whose writer was killed.
    pub torn: u64,
    /// Lines kept aside that are no record of a known form.
    pub foreign: u64,
    /// Records that the guest did not keep.
    pub dropped: u64,
    /// Events of calls of which no agent is known.
    pub unattributed: u64,
}

/// A transaction that has begun, or needs not to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The batch is new: how many capped events its phase keeps, and whose the phase's sessions are.
    Fresh {
        /// Calls and touches.
        kept: u64,
        /// Agents by sessions.
        sessions: BTreeMap<String, String>,
    },
    /// The batch is stored.
    Known {
        /// The digest of what was stored.
        digest: String,
    },
}

/// A database.
///
/// Writers store one batch at a time, also when several processes do: so the numbers of events grow in
/// the order in which they become visible, and who follows them misses none.
pub trait Store: Send {
    /// Begins the transaction of a batch; what was left open before is rolled back.
    ///
    /// # Errors
    /// Those of the database, here and below: passing ones when its connection broke.
    fn begin(&mut self, id: &BatchId, source: &str, labels: &Labels) -> Result<Begun, Fault>;

    /// Adds events.
    ///
    /// # Errors
    /// See `begin`.
    fn events(&mut self, rows: &[Row<'_>]) -> Result<(), Fault>;

    /// Keeps lines aside.
    ///
    /// # Errors
    /// See `begin`.
    fn strays(&mut self, strays: &[Stray]) -> Result<(), Fault>;

    /// Remembers whose sessions of the batch's phase are, and gives earlier events of them, which were
    /// nobody's, to the same.
    ///
    /// # Errors
    /// See `begin`.
    fn learn(&mut self, sessions: &BTreeMap<String, String>) -> Result<(), Fault>;

    /// Ends the transaction: from here on the batch is stored, whatever happens.
    ///
    /// # Errors
    /// See `begin`. After a passing one nobody knows whether it is stored: `begin` tells.
    fn commit(&mut self, tally: &Tally, kept: u64, digest: &str) -> Result<(), Fault>;

    /// Forgets the transaction.
    fn rollback(&mut self);

    /// Does for the sessions that the labels name what `learn` does, in a transaction of its own.
    ///
    /// # Errors
    /// See `begin`.
    fn attribute(&mut self, labels: &Labels) -> Result<(), Fault>;

    /// Events behind one with this number, in the order of numbers.
    ///
    /// # Errors
    /// See `begin`.
    fn page(&mut self, filter: &Filter, after: i64, limit: u32) -> Result<Vec<Found>, Fault>;

    /// The number behind which so many of the newest events stand.
    ///
    /// # Errors
    /// See `begin`.
    fn before_last(&mut self, filter: &Filter, count: u32) -> Result<i64, Fault>;

    /// Counts.
    ///
    /// # Errors
    /// See `begin`.
    fn summary(&mut self, filter: &Filter) -> Result<Summary, Fault>;
}

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is made or brought up to date where necessary.
    Write,
    /// It must be there.
    Read,
}

/// Opens a store: a `PostgreSQL` URL, else a file's path. `password` counts where the URL has none.
///
/// # Errors
/// When it cannot be opened.
pub fn open(name: &str, password: Option<&str>, purpose: Purpose) -> Result<Box<dyn Store>, Fault> {
    if URLS.iter().any(|start| name.starts_with(start)) {
        return Ok(Box::new(Postgres::open(name, password, purpose)?));
    }
    Ok(Box::new(Sqlite::open(Path::new(name), purpose)?))
}
