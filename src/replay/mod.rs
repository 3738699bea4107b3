//! What policies would have answered to a history. Owns the counts; must never depend on the number of threads, on
//! a clock or on the order in which threads end.

mod limit;
mod tally;

pub use limit::{Limit, LimitError};
pub use tally::{Changed, Example, Judged, Rule, Side, Tally};

use crate::call::ToolCall;
use crate::gate::Gate;
use crate::history::{Chunk, Chunks, Damage, FORMATS, Known, Past, Source, pool};
use crate::verdict::{Finding, Verdict};

/// What a replay is made of.
pub struct Replay<'a> {
    /// The policy that is tried.
    pub gate: &'a Gate,
    /// Another one, with which it is compared.
    pub against: Option<&'a Gate>,
    /// How many threads judge.
    pub threads: usize,
    /// Puts a call where it was made, for one of the gates.
    pub place: &'a (dyn Fn(&Past, &Gate) -> ToolCall + Sync),
}

/// How far a replay is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Calls that were judged.
    pub calls: u64,
    /// Bytes that were read.
    pub bytes: u64,
}

/// What became of one piece.
enum Piece {
    Calls { file: usize, calls: Vec<Judged>, damaged: u64, bytes: u64 },
    Damage(Damage),
}

impl Replay<'_> {
    /// Judges every call of these files. `told` hears how far it is.
    #[must_use]
    pub fn run(&self, sources: &[Source], mut told: impl FnMut(Progress)) -> Tally {
        let mut tally = Tally::new(self.against.is_some());
        for source in sources {
            tally.source(source.format);
        }
        let (mut known, mut progress) = (Known::default(), Progress::default());
        let work = |chunk: Result<Chunk, Damage>| match chunk {
            Ok(chunk) => self.piece(&chunk),
            Err(damage) => Piece::Damage(damage),
        };
        pool::ordered(self.threads, Chunks::new(sources.to_vec()), work, |piece| {
            match piece {
                Piece::Damage(damage) => tally.unreadable.push(damage),
                Piece::Calls { file, calls, damaged, bytes } => {
                    tally.damaged += damaged;
                    progress.bytes += bytes;
                    for judged in calls {
                        if judged.call.repeats || known.met(&judged.call, file) {
                            tally.repeated += 1;
                        } else if judged.call.partial {
                            tally.partial += 1;
                        } else {
                            tally.add(file, judged);
                            progress.calls += 1;
                        }
                    }
                }
            }
            told(progress);
            true
        });
        tally
    }

    fn piece(&self, chunk: &Chunk) -> Piece {
        let (found, damaged) = chunk.calls();
        let judged = |(line, call): (u64, Past)| {
            let side = |gate: &Gate| match call.repeats || call.partial {
                true => Side::default(),
                false => Side::of(&gate.judge(&(self.place)(&call, gate))),
            };
            let now = side(self.gate);
            let before = self.against.map(side);
            Judged { line, now, before, call }
        };
        let calls = found.into_iter().map(judged).collect();
        Piece::Calls { file: chunk.file, calls, damaged, bytes: chunk.text.len() as u64 }
    }
}

impl Side {
    fn of(verdict: &Verdict) -> Self {
        let told = |finding: &Finding| (finding.code.clone(), finding.decision);
        Self { decision: verdict.decision(), findings: verdict.findings().iter().map(told).collect() }
    }
}

/// The name of a format.
#[must_use]
pub fn name(format: usize) -> &'static str {
    FORMATS.get(format).map_or("", |format| format.name)
}
