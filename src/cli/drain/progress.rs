//! What a person sees while a drain runs, and afterwards. Owns the lines; must never keep a drain waiting.

use super::super::trust::printable;
use stanchion::mission::host::{Report, Step};
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the line of a terminal changes.
const PACE: Duration = Duration::from_millis(100);

/// Tells of steps on stderr.
pub struct Progress {
    names: Vec<String>,
    is_terminal: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    shown: Option<Instant>,
    batches: u64,
    lines: Vec<u64>,
    ended: u64,
}

impl Progress {
    /// For sources with these names; silent when told.
    pub fn new(names: Vec<String>, quiet: bool) -> Option<Self> {
        let lines = vec![0; names.len()];
        let state = Mutex::new(State { lines, ..State::default() });
        (!quiet).then(|| Self { names, is_terminal: std::io::stderr().is_terminal(), state })
    }

    /// Takes note of a step of a source.
    pub fn step(&self, source: usize, step: Step<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let name = self.names.get(source).map(|name| printable(name)).unwrap_or_default();
        let said = match step {
            Step::Asking => None,
            Step::Storing(_, lines) => {
                if let Some(place) = state.lines.get_mut(source) {
                    *place = lines;
                }
                None
            }
            Step::Stored(batch) => {
                let lines = state.lines.get_mut(source).map(std::mem::take).unwrap_or_default();
                (state.batches, state.ended) = (state.batches + 1, state.ended + lines);
                Some(format!("{name}: batch {batch} stored, {lines} lines"))
            }
            Step::Acknowledged(batches) => Some(format!("{name}: {batches} batches acknowledged")),
            Step::Failed(fault) => Some(format!("{name}: {}", printable(&fault.message))),
        };
        let mut stream = std::io::stderr().lock();
        // Nobody reads it: nothing is lost.
        let _ = if self.is_terminal {
            self.redraw(&mut state, &mut stream, matches!(step, Step::Failed(_)).then_some(said).flatten())
        } else {
            said.map_or(Ok(()), |said| stream.write_all(format!("{said}\n").as_bytes()))
        };
    }

    fn redraw(
        &self,
        state: &mut State,
        stream: &mut impl std::io::Write,
        said: Option<String>,
    ) -> std::io::Result<()> {
        if let Some(said) = said {
            stream.write_all(format!("\r\x1b[K{said}\n").as_bytes())?;
        } else if state.shown.is_some_and(|shown| shown.elapsed() < PACE) {
            return Ok(());
        }
        state.shown = Some(Instant::now());
        let lines = state.ended + state.lines.iter().sum::<u64>();
        let sources = self.names.len();
        let line = format!("\r\x1b[K{sources} sources, {} batches, {lines} lines", state.batches);
        stream.write_all(line.as_bytes()).and_then(|()| stream.flush())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_terminal {
            let _ = std::io::stderr().lock().write_all(b"\r\x1b[K");
        }
    }
}

/// A report in one line, faults in lines of their own.
pub fn line(report: &Report) -> String {
    let Report { source, mission, phase, batches, known, tally, busy, faults, .. } = report;
    let source = printable(source);
    let mut text = format!("{source} -> {}/{}: {batches} batches", printable(mission), printable(phase));
    let counts = [
        (*known, "known already"),
        (tally.lines, "lines"),
        (tally.cut_calls + tally.cut_touches, "cut by the cap"),
        (tally.torn, "torn lines kept aside"),
        (tally.foreign, "foreign lines kept aside"),
        (tally.dropped, "not kept by the guest"),
        (tally.unattributed, "of no known agent"),
        (busy.len() as u64, "files busy"),
    ];
    for (count, what) in counts.iter().filter(|(count, _)| *count > 0) {
        text += &format!(", {count} {what}");
    }
    for (kind, count) in &tally.events {
        text += &format!(", {kind} {count}");
    }
    text.push('\n');
    for fault in faults {
        text += &format!("{source}: {}\n", printable(fault));
    }
    text
}
