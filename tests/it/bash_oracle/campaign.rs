//! Runs many programs on several threads and sums up.

use super::compare::{Found, false_executions, find};
use super::generate::{Generator, PROTECTED, Protection};
use super::sandbox::{Argv, Sandbox};
use super::shrink::shrink;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy;
use stanchion::shell::model::{Item, Script};
use stanchion::shell::query::Queries;
use stanchion::verdict::Decision;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
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
    /// Programs that bash accepts and whose data nothing tears, and those with an opaque region.
    pub ordinary: u64,
    pub opaque_programs: u64,
    /// Executions that only an opaque region accounts for.
    pub opaque: u64,
    /// Executions found through a command word that is not exact.
    pub vague: u64,
    /// Programs with a missed execution.
    pub missed: u64,
    /// Programs in which data is called executed.
    pub false_programs: u64,
    /// Programs in which the protected name stands only as data, and how many of them are denied
    /// without an opaque region.
    pub named: u64,
    pub denied: u64,
    /// Programs in which the protected script ran, and how many of them are allowed.
    pub protected: u64,
    pub allowed: u64,
    pub counts: BTreeMap<&'static str, u64>,
    /// For people, the first few of each.
    pub misses: Vec<String>,
    pub falses: Vec<String>,
    pub opaques: Vec<String>,
    pub passes: Vec<String>,
    pub rejects: Vec<String>,
}

/// How many failures are shrunk and shown.
const SHOWN: usize = 40;

/// The program of a campaign's seed and number.
pub fn program(seed: u64, number: u64) -> Generator {
    Generator::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(number))
}

/// The executions that were not found.
pub fn missed(script: &Script, executed: &[Argv]) -> Vec<Argv> {
    let lost = |argv: &&Argv| matches!(find(script, argv), Found::Missed | Found::Vague);
    executed.iter().filter(lost).cloned().collect()
}

/// The gate with the policy that protects one script.
fn gate() -> Gate {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/policies/protected.toml");
    Gate::new(vec![policy::load(&path).expect("the policy is valid")])
}

fn decision(gate: &Gate, text: &[u8]) -> Decision {
    gate.judge(&ToolCall::shell(text)).decision()
}

/// Runs the programs of a range. `None` when there is no bash here.
pub fn run(
    programs: Range<u64>,
    seed: u64,
    only_bash: bool,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Option<Report> {
    Sandbox::new()?;
    let report = Mutex::new(Report::default());
    let next = AtomicU64::new(programs.start);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let judge =
                    Judge { sandbox: Sandbox::new().expect("a sandbox"), gate: gate(), report: &report };
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= programs.end {
                        break;
                    }
                    judge.one(seed, number, only_bash);
                    progress(number + 1 - programs.start, report.lock().expect("the report").failures());
                }
            });
        }
    });
    report.into_inner().ok()
}

/// One thread's means.
struct Judge<'r> {
    sandbox: Sandbox,
    gate: Gate,
    report: &'r Mutex<Report>,
}

impl Judge<'_> {
    fn one(&self, seed: u64, number: u64, only_bash: bool) {
        let mut generator = program(seed, number);
        let text = generator.program();
        let mut run = self.sandbox.run(text.as_bytes());
        // A loop that bash never leaves would count for more than all other programs.
        run.executed.sort();
        run.executed.dedup();
        let rejected = rejects(&run.stderr);
        let mut sums = self.report.lock().expect("the report");
        sums.programs += 1;
        sums.executions += run.executed.len() as u64;
        sums.rejected += u64::from(rejected);
        sums.timed_out += u64::from(run.timed_out);
        for (kind, count) in &generator.counts {
            *sums.counts.entry(kind).or_default() += count;
        }
        if only_bash {
            if rejected && !generator.torn && sums.rejects.len() < SHOWN {
                let error = lossy(&run.stderr);
                sums.rejects.push(format!("program {number}, rejected:\n{text}\n{error}"));
            }
            return;
        }
        drop(sums);
        let script = read(text.as_bytes());
        self.sound(seed, number, text.as_bytes(), &script, &run.executed);
        if !generator.torn && !rejected {
            self.clear(number, &text, &script);
            self.precise(seed, number, &text, &script, &run.executed, generator.protection);
        }
        self.guarded(seed, number, &text, &script, &run.executed);
    }

    /// Each command that ran was found with its words.
    fn sound(&self, seed: u64, number: u64, text: &[u8], script: &Script, executed: &[Argv]) {
        let found: Vec<Found> = executed.iter().map(|argv| find(script, argv)).collect();
        let count = |wanted: Found| found.iter().filter(|found| **found == wanted).count() as u64;
        let mut sums = self.report.lock().expect("the report");
        sums.opaque += count(Found::Opaque);
        sums.vague += count(Found::Vague);
        let lost = missed(script, executed);
        let Some(first) = lost.first() else { return };
        sums.missed += 1;
        if sums.misses.len() >= SHOWN {
            return;
        }
        drop(sums);
        let name = first[0].clone();
        let fails = |candidate: &[u8]| {
            let executed = self.sandbox.run(candidate).executed;
            missed(&read(candidate), &executed).iter().any(|argv| argv[0] == name)
        };
        let small = shrink(text, 120, fails);
        let executed = self.sandbox.run(&small).executed;
        let script = read(&small);
        let opaque: Vec<String> = script
            .opaque
            .iter()
            .map(|region| format!("{} ({})", lossy(&region.bytes), region.reason))
            .collect();
        let line = format!(
            "seed {seed}, program {number}, minimal:\n{}\n  ran: {}\n  missed: {}\n  found: {}\n  opaque: {}",
            lossy(&small),
            argvs(&executed),
            argvs(&missed(&script, &executed)),
            commands(&script),
            opaque.join("; "),
        );
        eprintln!("--- missed: {line}");
        self.report.lock().expect("the report").misses.push(line);
    }

    /// Ordinary programs, those that bash accepts whole, seldom have opaque regions.
    fn clear(&self, number: u64, text: &str, script: &Script) {
        let mut sums = self.report.lock().expect("the report");
        sums.ordinary += 1;
        sums.opaque_programs += u64::from(!script.opaque.is_empty());
        if let Some(region) = script.opaque.first().filter(|_| sums.opaques.len() < SHOWN) {
            let line = format!("program {number}, {}: {}\n{text}", region.reason, lossy(&region.bytes));
            sums.opaques.push(line);
        }
    }

    /// What stands only as data is not called executed, and not denied.
    fn precise(
        &self,
        seed: u64,
        number: u64,
        text: &str,
        script: &Script,
        executed: &[Argv],
        protection: Protection,
    ) {
        let falses = false_executions(script, executed);
        let named = protection == Protection::Data && text.contains(PROTECTED) && !ran(executed);
        let denied =
            named && script.opaque.is_empty() && decision(&self.gate, text.as_bytes()) != Decision::Allow;
        let mut sums = self.report.lock().expect("the report");
        sums.named += u64::from(named);
        sums.denied += u64::from(denied);
        sums.false_programs += u64::from(!falses.is_empty());
        if (!falses.is_empty() || denied) && sums.falses.len() < SHOWN {
            drop(sums);
            let bad = |candidate: &[u8]| {
                let run = self.sandbox.run(candidate);
                let script = read(candidate);
                let quiet = !rejects(&run.stderr);
                let denied = !ran(&run.executed) && decision(&self.gate, candidate) != Decision::Allow;
                let holds = if falses.is_empty() {
                    denied
                } else {
                    !false_executions(&script, &run.executed).is_empty()
                };
                quiet && script.opaque.is_empty() && holds
            };
            let small = shrink(text.as_bytes(), 120, bad);
            let line = format!(
                "seed {seed}, program {number}: data {falses:?} called executed or denied, minimal:\n{}\nwhole:\n{text}",
                lossy(&small)
            );
            eprintln!("--- false: {line}");
            self.report.lock().expect("the report").falses.push(line);
        }
    }

    /// A protected script that runs in a bundle is never let through.
    fn guarded(&self, seed: u64, number: u64, text: &str, script: &Script, executed: &[Argv]) {
        if !ran(executed) || bundled(script) == 0 {
            return;
        }
        let allowed = decision(&self.gate, text.as_bytes()) == Decision::Allow;
        let mut sums = self.report.lock().expect("the report");
        sums.protected += 1;
        sums.allowed += u64::from(allowed);
        if allowed && sums.passes.len() < SHOWN {
            let line = format!("seed {seed}, program {number}: the protected script ran\n{text}");
            eprintln!("--- let through: {line}");
            sums.passes.push(line);
        }
    }
}

/// Whether bash could not read a text.
fn rejects(stderr: &[u8]) -> bool {
    let said = |complaint: &str| stderr.windows(complaint.len()).any(|window| window == complaint.as_bytes());
    said("syntax error") || said("unexpected EOF") || said("bad substitution: no closing")
}

/// How many elements the outer list has beside its last and the `cd`s that may stand before it.
fn bundled(script: &Script) -> usize {
    let enters = |item: &Item| {
        let words = item.command.map_or(&[][..], |id| script.commands[id].words.as_slice());
        words.len() == 2 && words[0].exact() == Some(b"cd")
    };
    script.items.iter().rev().skip(1).filter(|item| !enters(item)).count()
}

fn ran(executed: &[Argv]) -> bool {
    executed.iter().any(|argv| PROTECTED.ends_with(&*lossy(&argv[0])) && argv[0].contains(&b'.'))
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
    /// Programs that break one of the properties.
    pub fn failures(&self) -> u64 {
        self.missed + self.false_programs + self.denied + self.allowed
    }

    /// The report, for people.
    pub fn text(&self, seed: u64) -> String {
        let mut text = String::new();
        let shown = [
            ("missed", &self.misses),
            ("false", &self.falses),
            ("let through", &self.passes),
            ("opaque", &self.opaques),
            ("rejected", &self.rejects),
        ];
        for (title, lines) in shown {
            for line in lines {
                text.push_str(&format!("--- {title}: {line}\n"));
            }
        }
        let percent = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
        text.push_str(&format!(
            "seed {seed}: {} programs of {} construct kinds, {} executions\n",
            self.programs,
            self.counts.len(),
            self.executions
        ));
        let rows = [
            ("programs with a missed execution", self.missed, self.programs),
            ("ordinary programs with an opaque region", self.opaque_programs, self.ordinary),
            ("executions found only as opaque", self.opaque, self.executions),
            ("executions found through an unknown command word", self.vague, self.executions),
            ("programs with data called executed", self.false_programs, self.programs),
            ("programs with a protected name as data that are denied", self.denied, self.named),
            ("programs that run the protected script and are allowed", self.allowed, self.protected),
            ("programs that bash rejects", self.rejected, self.programs),
            ("programs stopped by the time-out", self.timed_out, self.programs),
        ];
        for (what, part, of) in rows {
            text.push_str(&format!("  {what}: {part} of {of} ({:.2} %)\n", percent(part, of)));
        }
        let kinds: Vec<String> = self.counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        text.push_str(&format!("  kinds: {}\n", kinds.join(", ")));
        text
    }
}
