//! A store in a file of `SQLite`. Owns its statements; must never leave a batch half stored.

use super::filter::{Batches, Count, Dialect, Filter, Found, Summary, statement};
use super::schema::{SQLITE, common};
use super::{Begun, Purpose, Row, Store, Tally};
use crate::mission::host::event::Stray;
use crate::mission::host::{BatchId, Fault, Labels};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params, params_from_iter};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::Duration;

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

const DIALECT: Dialect = Dialect { since: "time >= {}", time: "time", detail: "detail" };

const INSERT: &str = "INSERT INTO mission_events \
    (mission_id, phase_id, run_id, agent_id, kind, target, detail, time, batch_key) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

const STRAY: &str = "INSERT INTO mission_strays (batch_key, file, line, why, what, length, bytes) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

const BEGIN: &str = "INSERT INTO mission_batches \
    (batch, source, mission_id, phase_id, run_id, stored, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6, '')";

/// The one form of time.
const NOW: &str = "SELECT strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')";

/// A file.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    open: Open,
}

/// The transaction that is open.
#[derive(Debug, Default)]
struct Open {
    key: i64,
    labels: Labels,
    now: String,
}

impl Sqlite {
    /// Opens a file; to write, it is made with mode 0600, its directory with 0700.
    ///
    /// # Errors
    /// When it cannot be opened, or a later version made it.
    pub fn open(path: &Path, purpose: Purpose) -> Result<Self, Fault> {
        let named = |what: String| Fault::new(format!("{}: {what}", path.display()));
        if purpose == Purpose::Write {
            make(path).map_err(|error| named(error.to_string()))?;
        } else if !path.exists() {
            return Err(named("nothing was drained into this store yet".to_owned()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(path, flags).map_err(|error| named(error.to_string()))?;
        let mut store = Self { connection, open: Open::default() };
        store.prepare(purpose).map_err(|fault| named(fault.message))?;
        Ok(store)
    }

    fn prepare(&mut self, purpose: Purpose) -> Result<(), Fault> {
        self.connection.busy_timeout(PATIENCE)?;
        let version = |connection: &Connection| {
            connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
        };
        if purpose == Purpose::Write {
            // A batch is removed from its guest when it is committed: the commit must be on the disk.
            self.connection.execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                 PRAGMA cache_size = -16000; BEGIN IMMEDIATE",
            )?;
            let done = usize::try_from(version(&self.connection)?).unwrap_or(usize::MAX);
            for step in SQLITE.iter().skip(done) {
                self.connection.execute_batch(step)?;
            }
            let next = done.max(SQLITE.len());
            self.connection.execute_batch(&format!("PRAGMA user_version = {next}; COMMIT"))?;
        }
        let found = version(&self.connection)?;
        match found.cmp(&i64::try_from(SQLITE.len()).unwrap_or(i64::MAX)) {
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Greater => {
                Err(Fault::new("a later stanchion made this store: update this one"))
            }
            std::cmp::Ordering::Less => Err(Fault::new("this store has no events yet: drain into it first")),
        }
    }

    fn learned(&self, labels: &Labels, sessions: &BTreeMap<String, String>) -> Result<(), Fault> {
        let (mission, phase) = (&labels.mission, &labels.phase);
        for (session, agent) in sessions {
            self.connection.prepare(common::LEARN)?.execute([mission, phase, session, agent])?;
            self.connection.prepare(common::REPAIR)?.execute([agent, mission, phase, session])?;
        }
        Ok(())
    }
}

/// Makes an empty file that only its user reads.
fn make(path: &Path) -> std::io::Result<()> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    OpenOptions::new().append(true).create(true).mode(0o600).open(path).map(drop)
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        let passing = [rusqlite::ErrorCode::DatabaseBusy, rusqlite::ErrorCode::DatabaseLocked];
        Self { message: error.to_string(), again: code.is_some_and(|code| passing.contains(&code)) }
    }
}

impl Store for Sqlite {
    fn begin(&mut self, id: &BatchId, source: &str, labels: &Labels) -> Result<Begun, Fault> {
        self.rollback();
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let connection = &self.connection;
        let known = connection.query_row(common::BATCH, [id.as_str()], |row| row.get(0)).optional()?;
        if let Some(digest) = known {
            return Ok(Begun::Known { digest });
        }
        let Labels { mission, phase, run, .. } = labels;
        let now: String = connection.query_row(NOW, [], |row| row.get(0))?;
        connection.prepare(BEGIN)?.execute(params![id.as_str(), source, mission, phase, run, now])?;
        let key = connection.last_insert_rowid();
        connection.execute(common::PHASE, [mission, phase])?;
        let kept: i64 = connection.query_row(common::KEPT, [mission, phase], |row| row.get(0))?;
        let mut sessions = connection.prepare(common::SESSIONS)?;
        let sessions = sessions.query_map([mission, phase], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let sessions = sessions.collect::<Result<_, _>>()?;
        self.open = Open { key, labels: labels.clone(), now };
        Ok(Begun::Fresh { kept: u64::try_from(kept).unwrap_or_default(), sessions })
    }

    fn events(&mut self, rows: &[Row<'_>]) -> Result<(), Fault> {
        let Open { key, labels, now } = &self.open;
        let mut insert = self.connection.prepare(INSERT)?;
        for Row { event, agent } in rows {
            let time = event.time.as_ref().unwrap_or(now);
            let Labels { mission, phase, run, .. } = labels;
            let (target, detail) = (&event.target, &event.detail);
            insert.execute(params![
                mission,
                phase,
                run,
                agent,
                event.kind.name(),
                target,
                detail,
                time,
                key
            ])?;
        }
        Ok(())
    }

    fn strays(&mut self, strays: &[Stray]) -> Result<(), Fault> {
        let mut insert = self.connection.prepare(STRAY)?;
        for Stray { file, line, why, what, length, bytes } in strays {
            let (line, length) = (signed(*line), signed(*length));
            insert.execute(params![self.open.key, file, line, why.name(), what, length, bytes])?;
        }
        Ok(())
    }

    fn learn(&mut self, sessions: &BTreeMap<String, String>) -> Result<(), Fault> {
        self.learned(&self.open.labels, sessions)
    }

    fn commit(&mut self, tally: &Tally, kept: u64, digest: &str) -> Result<(), Fault> {
        let Open { key, labels, .. } = &self.open;
        let numbers = [
            tally.lines,
            tally.events.values().sum(),
            tally.cut_calls + tally.cut_touches,
            tally.torn,
            tally.foreign,
            tally.dropped,
        ];
        let [lines, events, cut, torn, foreign, dropped] = numbers.map(signed);
        let seal = params![digest, lines, events, cut, torn, foreign, dropped, key];
        self.connection.execute(common::SEAL, seal)?;
        let [kept, calls, touches] = [kept, tally.cut_calls, tally.cut_touches].map(signed);
        let counts = params![kept, calls, touches, labels.mission, labels.phase];
        self.connection.execute(common::COUNT, counts)?;
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    fn rollback(&mut self) {
        if !self.connection.is_autocommit() {
            // What cannot be rolled back is a broken connection: whoever begins next is told.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }

    fn attribute(&mut self, labels: &Labels) -> Result<(), Fault> {
        if labels.sessions.is_empty() {
            return Ok(());
        }
        self.rollback();
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        self.learned(labels, &labels.sessions)?;
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    fn page(&mut self, filter: &Filter, after: i64, limit: u32) -> Result<Vec<Found>, Fault> {
        let (condition, parameters) = filter.condition(DIALECT);
        let text = statement::page(DIALECT, &condition, after, limit);
        let mut select = self.connection.prepare(&text)?;
        let rows = select.query_map(params_from_iter(parameters), |row| {
            Ok(Found {
                id: row.get(0)?,
                mission: row.get(1)?,
                phase: row.get(2)?,
                run: row.get(3)?,
                agent: row.get(4)?,
                kind: row.get(5)?,
                target: row.get(6)?,
                detail: RawValue::from_string(row.get(7)?).unwrap_or_default(),
                time: row.get(8)?,
                batch: row.get(9)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn before_last(&mut self, filter: &Filter, count: u32) -> Result<i64, Fault> {
        let (condition, parameters) = filter.condition(DIALECT);
        let text = statement::before_last(&condition, count);
        Ok(self.connection.query_row(&text, params_from_iter(parameters), |row| row.get(0))?)
    }

    fn summary(&mut self, filter: &Filter) -> Result<Summary, Fault> {
        let (condition, parameters) = filter.condition(DIALECT);
        let mut select = self.connection.prepare(&statement::counts(DIALECT, &condition))?;
        let events = select.query_map(params_from_iter(parameters), |row| {
            Ok(Count {
                mission: row.get(0)?,
                phase: row.get(1)?,
                kind: row.get(2)?,
                rule: row.get(3)?,
                events: row.get(4)?,
                first: row.get(5)?,
                last: row.get(6)?,
            })
        })?;
        let events = events.collect::<Result<_, _>>()?;
        let (condition, parameters) = filter.scope();
        let mut select = self.connection.prepare(&statement::batches(&condition))?;
        let batches = select.query_map(params_from_iter(parameters), |row| {
            Ok(Batches {
                mission: row.get(0)?,
                phase: row.get(1)?,
                batches: row.get(2)?,
                lines: row.get(3)?,
                cut: row.get(4)?,
                torn: row.get(5)?,
                foreign: row.get(6)?,
                dropped: row.get(7)?,
            })
        })?;
        let batches = batches.collect::<Result<_, _>>()?;
        Ok(Summary { events, batches })
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
