//! Runs many programs on several threads and sums up.

use super::compare::{Found, false_executions, find};
use super::generate::{Generator, KINDS};
use super::sandbox::{Argv, Sandbox};
use super::shrink::shrink;
use stanchion::shell::model::Script;
use stanchion::shell::query::Queries;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads a text as the product does.
pub fn read(text: &[u8]) -> Script {
    stanchion::shell::read(text, Queries::shipped())
}

/// What a campaign found.
#[derive(Debug, Default)]
pub struct Report {
    pub programs: u64,
    pub executions: u64,
    pub rejected: u64,
    pub timed_out: u64,
    /// Programs with an opaque region.
    pub opaque_programs: u64,
    /// Executions that only an opaque region accounts for.
    pub opaque: u64,
    /// Executions found through a command word that is not exact.
    pub vague: u64,
    /// Executions whose words bash joined by its own fault.
    pub joined: u64,
    /// Programs with a missed execution.
    pub missed: u64,
    /// Programs in which data is called executed.
    pub false_programs: u64,
    pub counts: Vec<u64>,
    /// For people, the first few of each.
    pub misses: Vec<String>,
    pub falses: Vec<String>,
    pub opaques: Vec<String>,
}

/// How many failures are shrunk and shown.
const SHOWN: usize = 12;

/// The program of a campaign's seed and number.
pub fn program(seed: u64, number: u64) -> Generator {
    Generator::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(number))
}

fn missed(script: &Script, executed: &[Argv]) -> Vec<Argv> {
    executed.iter().filter(|argv| find(script, argv) == Found::Missed).cloned().collect()
}

/// Runs `programs` programs. `None` when there is no bash here.
pub fn run(
    programs: u64,
    seed: u64,
    only_bash: bool,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Option<Report> {
    Sandbox::new()?;
    let report = Mutex::new(Report { counts: vec![0; KINDS.len()], ..Report::default() });
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let sandbox = Sandbox::new().expect("a sandbox");
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= programs {
                        break;
                    }
                    one(&sandbox, seed, number, only_bash, &report);
                    let failures = report.lock().expect("the report").missed;
                    progress(number + 1, failures);
                }
            });
        }
    });
    report.into_inner().ok()
}

fn one(sandbox: &Sandbox, seed: u64, number: u64, only_bash: bool, report: &Mutex<Report>) {
    let mut generator = program(seed, number);
    let text = generator.program();
    let run = sandbox.run(text.as_bytes());
    let rejected = run.stderr.windows(12).any(|window| window == b"syntax error");
    let mut report_lock = report.lock().expect("the report");
    report_lock.programs += 1;
    report_lock.executions += run.executed.len() as u64;
    report_lock.rejected += u64::from(rejected);
    report_lock.timed_out += u64::from(run.timed_out);
    for (sum, count) in report_lock.counts.iter_mut().zip(&generator.counts) {
        *sum += count;
    }
    if rejected && only_bash && report_lock.opaques.len() < SHOWN {
        let error = String::from_utf8_lossy(&run.stderr).into_owned();
        report_lock.opaques.push(format!("program {number}, rejected:\n{text}\n{error}"));
    }
    drop(report_lock);
    if only_bash {
        return;
    }
    let script = read(text.as_bytes());
    let found: Vec<Found> = run.executed.iter().map(|argv| find(&script, argv)).collect();
    let falses = false_executions(&script, &run.executed);
    let is_missed = found.contains(&Found::Missed);
    let mut sums = report.lock().expect("the report");
    sums.opaque += found.iter().filter(|found| **found == Found::Opaque).count() as u64;
    sums.joined += found.iter().filter(|found| **found == Found::Joined).count() as u64;
    sums.vague += found.iter().filter(|found| **found == Found::Vague).count() as u64;
    sums.opaque_programs += u64::from(!script.opaque.is_empty());
    sums.missed += u64::from(is_missed);
    sums.false_programs += u64::from(!falses.is_empty());
    if let Some(region) = script.opaque.first().filter(|_| sums.opaques.len() < SHOWN) {
        sums.opaques.push(format!("program {number}, {}: {}\n{text}", region.reason, lossy(&region.bytes)));
    }
    let show_false = !falses.is_empty() && sums.falses.len() < SHOWN;
    let show_miss = is_missed && sums.misses.len() < SHOWN;
    drop(sums);
    if show_false {
        let line = format!(
            "seed {seed}, program {number}: data {falses:?} called executed in\n{}",
            lossy(text.as_bytes())
        );
        report.lock().expect("the report").falses.push(line);
    }
    if show_miss {
        let name = missed(&script, &run.executed).swap_remove(0).swap_remove(0);
        let fails = |candidate: &[u8]| {
            let executed = sandbox.run(candidate).executed;
            missed(&read(candidate), &executed).iter().any(|argv| argv[0] == name)
        };
        let small = shrink(text.as_bytes(), 60, fails);
        let executed = sandbox.run(&small).executed;
        let script = read(&small);
        let line = format!(
            "seed {seed}, program {number}, minimal:\n{}\n  ran: {}\n  missed: {}\n  found: {}\n  opaque: {}",
            lossy(&small),
            argvs(&executed),
            argvs(&missed(&script, &executed)),
            commands(&script),
            script
                .opaque
                .iter()
                .map(|region| format!("{} ({})", lossy(&region.bytes), region.reason))
                .collect::<Vec<_>>()
                .join("; "),
        );
        report.lock().expect("the report").misses.push(line);
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Executions, for people.
pub fn argvs(executed: &[Argv]) -> String {
    let one = |argv: &Argv| format!("{:?}", argv.iter().map(|word| lossy(word)).collect::<Vec<_>>());
    executed.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Commands, for people.
pub fn commands(script: &Script) -> String {
    let one = |command: &stanchion::shell::model::Command| {
        format!("{:?}", command.words.iter().map(|word| word.exact().map(lossy)).collect::<Vec<_>>())
    };
    script.commands.iter().map(one).collect::<Vec<_>>().join(" ")
}

impl Report {
    /// The report, for people.
    pub fn text(&self, seed: u64) -> String {
        let mut text = String::new();
        for (title, lines) in [("missed", &self.misses), ("false", &self.falses), ("opaque", &self.opaques)] {
            for line in lines {
                text.push_str(&format!("--- {title}: {line}\n"));
            }
        }
        let percent = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
        text.push_str(&format!(
            "seed {seed}: {} programs of {} construct kinds, {} executions\n",
            self.programs,
            self.counts.iter().filter(|count| **count > 0).count(),
            self.executions
        ));
        let rows = [
            ("programs with a missed execution", self.missed, self.programs),
            ("programs with an opaque region", self.opaque_programs, self.programs),
            ("executions found only as opaque", self.opaque, self.executions),
            ("executions found through an unknown command word", self.vague, self.executions),
            ("executions whose words bash joined by its own fault", self.joined, self.executions),
            ("programs with data called executed", self.false_programs, self.programs),
            ("programs that bash rejects", self.rejected, self.programs),
            ("programs stopped by the time-out", self.timed_out, self.programs),
        ];
        for (what, part, of) in rows {
            text.push_str(&format!("  {what}: {part} ({:.2} %)\n", percent(part, of)));
        }
        let kinds: Vec<String> =
            KINDS.iter().zip(&self.counts).map(|(kind, count)| format!("{kind:?} {count}")).collect();
        text.push_str(&format!("  kinds: {}\n", kinds.join(", ")));
        text
    }
}
