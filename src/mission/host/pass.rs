//! One drain: every source's batches into the store, several sources at once. Owns the order of steps
//! that loses nothing (see the head of `host`); must never acknowledge what is not committed.

use super::attribute::Agents;
use super::batch::Seal;
use super::event::{Event, Kind, Why};
use super::reader::{self, Chunk};
use super::store::{Begun, Row, Store, Tally};
use super::{Batch, BatchId, Cap, Fault, Labels, Source};
use serde::Serialize;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The version of a report. Fields may be added without a new one.
pub const SCHEMA: u32 = 1;

/// How often a batch is tried when the store's connection breaks, and the first pause between.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(100);

/// A guest makes no new batch while so many wait: behind these, more may be there.
const WAITING: usize = 16;

/// How many times a source is asked in one drain, so that a guest that never stops does not hold it up.
const ROUNDS: usize = 16;

/// How many chunks wait between reading and storing.
const AHEAD: usize = 3;

/// A source with what is said of it.
pub struct Job {
    /// Its name in reports and in the store.
    pub name: String,
    /// Where batches come from.
    pub source: Box<dyn Source>,
    /// Whose they are.
    pub labels: Labels,
}

/// What is done at the moment, for who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The guest is asked.
    Asking,
    /// So many lines of this batch are in the transaction.
    Storing(&'a BatchId, u64),
    /// The batch is committed, or was before.
    Stored(&'a BatchId),
    /// So many batches are acknowledged.
    Acknowledged(usize),
    /// Something did not go on.
    Failed(&'a Fault),
}

/// What a drain did with one source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The source.
    pub source: String,
    /// Its mission and phase.
    pub mission: String,
    /// See there.
    pub phase: String,
    /// Batches that were stored now.
    pub batches: u64,
    /// Batches that were stored already and whose acknowledgement had not arrived.
    pub known: u64,
    /// Batches that the guest was told to remove.
    pub acknowledged: u64,
    /// What the batches had.
    #[serde(flatten)]
    pub tally: Tally,
    /// Files that wait for the next drain, since a writer held their lock.
    pub busy: Vec<String>,
    /// What went wrong; the batches concerned stay in the guest.
    pub faults: Vec<String>,
}

/// Drains every source once, `at_once` of them at a time. Nothing of a fault in one stops another.
pub fn drain(
    jobs: &mut [Job],
    store: &Mutex<Box<dyn Store>>,
    limit: Option<u64>,
    at_once: usize,
    observe: &(dyn Fn(usize, Step<'_>) + Sync),
) -> Vec<Report> {
    let mut reports: Vec<Option<Report>> = jobs.iter().map(|_| None).collect();
    let todo = Mutex::new(jobs.iter_mut().zip(&mut reports).enumerate());
    thread::scope(|scope| {
        for _ in 0..at_once.max(1) {
            scope.spawn(|| {
                loop {
                    let next = locked(&todo).next();
                    let Some((place, (job, report))) = next else { return };
                    let pass = Pass { store, limit, labels: &job.labels, name: &job.name };
                    *report = Some(pass.run(&mut *job.source, &|step| observe(place, step)));
                }
            });
        }
    });
    reports.into_iter().flatten().collect()
}

fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic left open is rolled back when the next batch begins.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The drain of one source.
struct Pass<'a> {
    store: &'a Mutex<Box<dyn Store>>,
    limit: Option<u64>,
    labels: &'a Labels,
    name: &'a str,
}

/// Tells who waits.
type Observe<'a> = dyn Fn(Step<'_>) + 'a;

impl Pass<'_> {
    fn run(&self, source: &mut dyn Source, observe: &Observe<'_>) -> Report {
        let (mission, phase) = (self.labels.mission.clone(), self.labels.phase.clone());
        let mut report = Report { source: self.name.to_owned(), mission, phase, ..Report::default() };
        let fault = |report: &mut Report, fault: &Fault| {
            observe(Step::Failed(fault));
            report.faults.push(fault.message.clone());
        };
        if let Err(refused) = self.again(&mut || locked(self.store).attribute(self.labels)) {
            fault(&mut report, &refused);
            return report;
        }
        for _ in 0..ROUNDS {
            observe(Step::Asking);
            let mut stored = Vec::new();
            let taken = source.take(&mut |batch| match self.store(&batch, &mut report, observe) {
                Ok(()) => {
                    observe(Step::Stored(&batch.id));
                    stored.push(batch.id);
                    Ok(())
                }
                // The store is gone: no other batch can be stored either.
                Err(gone) if gone.again => Err(gone),
                // Others may be better.
                Err(refused) => {
                    let message = format!("batch {}: {}", batch.id, refused.message);
                    fault(&mut report, &Fault { message, ..refused });
                    Ok(())
                }
            });
            // What is stored is acknowledged, whatever became of the rest.
            match source.acknowledge(&stored) {
                Ok(()) => report.acknowledged += stored.len() as u64,
                Err(unheard) => fault(&mut report, &unheard),
            }
            observe(Step::Acknowledged(stored.len()));
            match taken {
                Err(ended) => {
                    fault(&mut report, &ended);
                    break;
                }
                Ok(taken) => report.busy = taken.busy,
            }
            if stored.len() < WAITING || !report.faults.is_empty() {
                break;
            }
        }
        report
    }

    /// Stores a batch unless it is stored already.
    fn store(&self, batch: &Batch, report: &mut Report, observe: &Observe<'_>) -> Result<(), Fault> {
        match self.again(&mut || self.attempt(batch, observe))? {
            Some(tally) => {
                report.batches += 1;
                report.tally.add(&tally);
            }
            None => report.known += 1,
        }
        Ok(())
    }

    /// Tries again as long as that may help.
    fn again<T>(&self, attempt: &mut dyn FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
        let mut pause = PAUSE;
        for _ in 1..TRIES {
            match attempt() {
                Err(fault) if fault.again => thread::sleep(pause),
                result => return result,
            }
            pause *= 2;
        }
        attempt()
    }

    /// One try at one transaction; nothing for a batch that is there.
    fn attempt(&self, batch: &Batch, observe: &Observe<'_>) -> Result<Option<Tally>, Fault> {
        thread::scope(|scope| {
            let (send, chunks) = sync_channel(AHEAD);
            let reading = scope.spawn(move || reader::read(batch, &mut |chunk| send.send(chunk).is_ok()));
            let mut store = locked(self.store);
            let stored = self.transaction(&mut **store, batch, chunks, observe).and_then(|tally| {
                let Some(tally) = tally else { return Ok(None) };
                let unread = |what: String| Fault::new(format!("the batch cannot be read: {what}"));
                let read = reading.join().map_err(|_| unread("a panic".to_owned()))?;
                let digest = read.map_err(|error| unread(error.to_string()))?.unwrap_or_default();
                store.commit(&tally.0, tally.1, &digest)?;
                Ok(Some(tally.0))
            });
            if !matches!(stored, Ok(Some(_))) {
                store.rollback();
            }
            stored
        })
    }

    /// Everything of a transaction but its end: the tally, and what the phase keeps now.
    fn transaction(
        &self,
        store: &mut dyn Store,
        batch: &Batch,
        chunks: Receiver<Chunk>,
        observe: &Observe<'_>,
    ) -> Result<Option<(Tally, u64)>, Fault> {
        let (kept, known) = match store.begin(&batch.id, self.name, self.labels)? {
            Begun::Fresh { kept, sessions } => (kept, sessions),
            Begun::Known { digest } => {
                drop(chunks);
                return same(batch, &digest).map(|()| None);
            }
        };
        let (mut cap, mut agents) = (Cap::new(self.limit, kept), Agents::new(known, self.labels));
        let mut tally = Tally::default();
        for chunk in chunks {
            tally.lines += chunk.lines;
            tally.dropped += chunk.dropped;
            for stray in &chunk.strays {
                *tally.strays_of(stray.why) += 1;
            }
            let kept: Vec<&Event> = chunk.events.iter().filter(|event| cap.admits(event.kind)).collect();
            let agent = |event: &&Event| agents.agent(event.session.as_deref()).map(str::to_owned);
            let whose: Vec<Option<String>> = kept.iter().map(agent).collect();
            let rows: Vec<Row<'_>> = kept
                .iter()
                .zip(&whose)
                .map(|(event, agent)| Row { event, agent: agent.as_deref() })
                .collect();
            rows.iter().for_each(|row| tally.count(row));
            store.events(&rows)?;
            store.strays(&chunk.strays)?;
            observe(Step::Storing(&batch.id, tally.lines));
        }
        if let Some(detail) = cap.detail() {
            (tally.cut_calls, tally.cut_touches) = cap.cut();
            let event = Event { kind: Kind::Cut, session: None, target: String::new(), detail, time: None };
            let row = Row { event: &event, agent: None };
            tally.count(&row);
            store.events(&[row])?;
        }
        store.learn(&agents.learned())?;
        Ok(Some((tally, cap.kept())))
    }
}

/// Whether a batch that is stored is the same as this one. If not, nobody may remove it.
fn same(batch: &Batch, digest: &str) -> Result<(), Fault> {
    let here = Seal::of(batch).map_err(|error| Fault::new(format!("the batch cannot be read: {error}")))?;
    if here == digest {
        return Ok(());
    }
    Err(Fault::new("another batch with this key is stored: this one stays in the guest, look at both"))
}

impl Tally {
    fn strays_of(&mut self, why: Why) -> &mut u64 {
        match why {
            Why::Torn => &mut self.torn,
            Why::Foreign => &mut self.foreign,
        }
    }

    fn count(&mut self, row: &Row<'_>) {
        *self.events.entry(row.event.kind.name()).or_default() += 1;
        // What tells of the guest and not of a call is nobody's.
        let is_of_a_call = !matches!(row.event.kind, Kind::Cut | Kind::Dropped);
        self.unattributed += u64::from(is_of_a_call && row.agent.is_none());
    }

    fn add(&mut self, other: &Self) {
        for (kind, count) in &other.events {
            *self.events.entry(kind).or_default() += count;
        }
        self.lines += other.lines;
        self.cut_calls += other.cut_calls;
        self.cut_touches += other.cut_touches;
        self.torn += other.torn;
        self.foreign += other.foreign;
        self.dropped += other.dropped;
        self.unattributed += other.unattributed;
    }
}
