//! A store in a `PostgreSQL` database. Owns its statements and its connection; must never leave a batch
//! half stored, and never take a broken connection for an answer.

mod copy;
mod look;

use super::filter::{Filter, Found, Summary};
use super::schema::{POSTGRES, common};
use super::{Begun, Purpose, Row, Store, Tally};
use crate::mission::host::event::Stray;
use crate::mission::host::{BatchId, Fault, Labels};
use postgres::types::ToSql;
use postgres::{Client, Config, NoTls};
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::time::Duration;

const CONNECTING: Duration = Duration::from_secs(10);

/// The lock under which batches are stored, one at a time ("stanchion" in hexadecimal, cut to 64 bits).
const LOCK: i64 = 0x7374_616e_6368_696f;

const COPY: &str = "COPY mission_events \
    (mission_id, phase_id, run_id, agent_id, kind, target, detail, time, batch_key) FROM STDIN";

const STRAY: &str = "INSERT INTO mission_strays (batch_key, file, line, why, what, length, bytes) \
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

const BEGIN: &str = "INSERT INTO mission_batches (batch, source, mission_id, phase_id, run_id, digest) \
    VALUES ($1, $2, $3, $4, $5, '') RETURNING id, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";

/// The table that tells which steps are done.
const STEPS: &str = "CREATE TABLE IF NOT EXISTS mission_schema (step integer PRIMARY KEY)";

/// A database.
pub struct Postgres {
    config: Config,
    client: Option<Client>,
    open: Open,
}

/// The transaction that is open.
#[derive(Debug, Default)]
struct Open {
    is_open: bool,
    key: i64,
    labels: Labels,
    now: String,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, form: &mut fmt::Formatter<'_>) -> fmt::Result {
        form.debug_struct("Postgres").field("open", &self.open).finish_non_exhaustive()
    }
}

impl Postgres {
    /// Connects by a URL.
    ///
    /// # Errors
    /// When the database cannot be reached or used.
    pub fn open(url: &str, password: Option<&str>, purpose: Purpose) -> Result<Self, Fault> {
        // The text may hold a password, and the parser's message a part of it.
        let mut config: Config =
            url.parse().map_err(|_| Fault::new("the store's URL is no URL of PostgreSQL"))?;
        config.connect_timeout(CONNECTING).application_name("stanchion").keepalives_idle(CONNECTING * 3);
        if let (None, Some(password)) = (config.get_password(), password) {
            config.password(password);
        }
        let mut store = Self { config, client: None, open: Open::default() };
        store
            .prepare(purpose)
            .map_err(|fault| Fault { message: format!("PostgreSQL: {}", fault.message), ..fault })?;
        Ok(store)
    }

    fn prepare(&mut self, purpose: Purpose) -> Result<(), Fault> {
        let client = self.client()?;
        let encoding: String = client.query_one("SHOW server_encoding", &[])?.get(0);
        if encoding != "UTF8" {
            return Err(Fault::new(format!("the database's encoding is {encoding}: it must be UTF8")));
        }
        let made: bool = client.query_one("SELECT to_regclass('mission_schema') IS NOT NULL", &[])?.get(0);
        if purpose == Purpose::Write {
            migrate(client)?;
        } else if !made {
            return Err(Fault::new("nothing was drained into this database yet"));
        }
        let done: i64 = client.query_one("SELECT count(*) FROM mission_schema", &[])?.get(0);
        if done > i64::try_from(POSTGRES.len()).unwrap_or(i64::MAX) {
            return Err(Fault::new("a later stanchion made these tables: update this one"));
        }
        Ok(())
    }

    /// The connection, a new one where it broke.
    fn client(&mut self) -> Result<&mut Client, Fault> {
        let lives = self.client.take().filter(|client| !client.is_closed());
        let client = match lives {
            Some(client) => client,
            None => {
                self.open.is_open = false;
                let mut client = self.config.connect(NoTls)?;
                // A drain that waits for another one waits for a batch; one that hangs is reported.
                client.batch_execute(
                    "SET lock_timeout = '120s'; SET idle_in_transaction_session_timeout = '300s'; \
                     SET client_min_messages = warning; SET standard_conforming_strings = on",
                )?;
                client
            }
        };
        Ok(self.client.insert(client))
    }

    /// The connection that holds the open transaction.
    fn within(&mut self) -> Result<(&mut Client, &Open), Fault> {
        let gone = || Fault::passing("the connection broke within a transaction");
        let client = self.client.as_mut().filter(|_| self.open.is_open).ok_or_else(gone)?;
        Ok((client, &self.open))
    }
}

/// Brings the tables up to date: one process at a time.
fn migrate(client: &mut Client) -> Result<(), Fault> {
    let mut transaction = client.transaction()?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
    transaction.batch_execute(STEPS)?;
    let done: i64 = transaction.query_one("SELECT count(*) FROM mission_schema", &[])?.get(0);
    for (step, text) in POSTGRES.iter().enumerate().skip(usize::try_from(done).unwrap_or(usize::MAX)) {
        transaction.batch_execute(text)?;
        let step = i32::try_from(step).unwrap_or(i32::MAX);
        transaction.execute("INSERT INTO mission_schema (step) VALUES ($1)", &[&step])?;
    }
    Ok(transaction.commit()?)
}

fn learned(client: &mut Client, labels: &Labels, sessions: &BTreeMap<String, String>) -> Result<(), Fault> {
    let (mission, phase) = (&labels.mission, &labels.phase);
    for (session, agent) in sessions {
        client.execute(common::LEARN, &[mission, phase, session, agent])?;
        client.execute(common::REPAIR, &[agent, mission, phase, session])?;
    }
    Ok(())
}

impl From<postgres::Error> for Fault {
    fn from(error: postgres::Error) -> Self {
        let Some(told) = error.as_db_error() else {
            // No answer of the database: the connection broke, or could not be made.
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            return Self::passing(format!("{error}{}", cause.unwrap_or_default()));
        };
        // Classes of SQLSTATE (PostgreSQL, appendix A): connection, rollback, resources, locks,
        // intervention, system; all others stay what they are.
        let passing = ["08", "40", "53", "55", "57", "58"];
        let again = passing.iter().any(|class| told.code().code().starts_with(class));
        Self { message: format!("{} (SQLSTATE {})", told.message(), told.code().code()), again }
    }
}

impl Store for Postgres {
    fn begin(&mut self, id: &BatchId, source: &str, labels: &Labels) -> Result<Begun, Fault> {
        self.rollback();
        let client = self.client()?;
        client.batch_execute(&format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})"))?;
        self.open.is_open = true;
        let client = self.client()?;
        if let Some(row) = client.query_opt(common::BATCH, &[&id.as_str()])? {
            return Ok(Begun::Known { digest: row.get(0) });
        }
        let Labels { mission, phase, run, .. } = labels;
        let row = client.query_one(BEGIN, &[&id.as_str(), &source, mission, phase, run])?;
        let (key, now) = (row.get(0), row.get(1));
        client.execute(common::PHASE, &[mission, phase])?;
        let kept: i64 = client.query_one(common::KEPT, &[mission, phase])?.get(0);
        let sessions = client.query(common::SESSIONS, &[mission, phase])?;
        let sessions = sessions.iter().map(|row| (row.get(0), row.get(1))).collect();
        self.open = Open { is_open: true, key, labels: labels.clone(), now };
        Ok(Begun::Fresh { kept: u64::try_from(kept).unwrap_or_default(), sessions })
    }

    fn events(&mut self, rows: &[Row<'_>]) -> Result<(), Fault> {
        if rows.is_empty() {
            return Ok(());
        }
        let (client, open) = self.within()?;
        let text = copy::copied(open, rows);
        let mut writer = client.copy_in(COPY)?;
        writer.write_all(&text).map_err(|error| Fault::passing(error.to_string()))?;
        writer.finish()?;
        Ok(())
    }

    fn strays(&mut self, strays: &[Stray]) -> Result<(), Fault> {
        if strays.is_empty() {
            return Ok(());
        }
        let (client, open) = self.within()?;
        let insert = client.prepare(STRAY)?;
        for Stray { file, line, why, what, length, bytes } in strays {
            let (line, length) = (signed(*line), signed(*length));
            // A name may hold what no text of the database may.
            let file = file.replace('\0', "\u{fffd}");
            client.execute(&insert, &[&open.key, &file, &line, &why.name(), what, &length, bytes])?;
        }
        Ok(())
    }

    fn learn(&mut self, sessions: &BTreeMap<String, String>) -> Result<(), Fault> {
        let (client, open) = self.within()?;
        learned(client, &open.labels, sessions)
    }

    fn commit(&mut self, tally: &Tally, kept: u64, digest: &str) -> Result<(), Fault> {
        let (client, open) = self.within()?;
        let numbers = [
            tally.lines,
            tally.events.values().sum(),
            tally.cut_calls + tally.cut_touches,
            tally.torn,
            tally.foreign,
            tally.dropped,
        ];
        let [lines, events, cut, torn, foreign, dropped] = numbers.map(signed);
        let seal: [&(dyn ToSql + Sync); 8] =
            [&digest, &lines, &events, &cut, &torn, &foreign, &dropped, &open.key];
        client.execute(common::SEAL, &seal)?;
        let [kept, calls, touches] = [kept, tally.cut_calls, tally.cut_touches].map(signed);
        client
            .execute(common::COUNT, &[&kept, &calls, &touches, &open.labels.mission, &open.labels.phase])?;
        client.batch_execute("COMMIT")?;
        self.open.is_open = false;
        Ok(())
    }

    fn rollback(&mut self) {
        if !std::mem::take(&mut self.open.is_open) {
            return;
        }
        if let Some(mut client) = self.client.take()
            && client.batch_execute("ROLLBACK").is_ok()
        {
            self.client = Some(client);
        }
    }

    fn attribute(&mut self, labels: &Labels) -> Result<(), Fault> {
        if labels.sessions.is_empty() {
            return Ok(());
        }
        self.rollback();
        self.client()?.batch_execute(&format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})"))?;
        self.open.is_open = true;
        let (client, _) = self.within()?;
        learned(client, labels, &labels.sessions)?;
        client.batch_execute("COMMIT")?;
        self.open.is_open = false;
        Ok(())
    }

    fn page(&mut self, filter: &Filter, after: i64, limit: u32) -> Result<Vec<Found>, Fault> {
        look::page(self.client()?, filter, after, limit)
    }

    fn before_last(&mut self, filter: &Filter, count: u32) -> Result<i64, Fault> {
        look::before_last(self.client()?, filter, count)
    }

    fn summary(&mut self, filter: &Filter) -> Result<Summary, Fault> {
        look::summary(self.client()?, filter)
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
