//! Counts of what was answered. Owns which examples are kept: the first ones, cut; must never grow with the history.

use crate::audit::redacted;
use crate::history::{Damage, Format, Past};
use crate::verdict::Decision;
use std::collections::BTreeMap;

/// How many examples are kept of each kind.
const EXAMPLES: usize = 5;

/// How many bytes of an example are kept.
const LENGTH: usize = 400;

/// How many rules are told apart. Policies have fewer; codes of another version's records cannot come here.
const RULES: usize = 10_000;

/// What one policy answers to a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The decision.
    pub decision: Decision,
    /// The codes that object, and how.
    pub findings: Vec<(String, Decision)>,
}

/// A call and what is answered to it.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Its line.
    pub line: u64,
    /// What the tried policy answers.
    pub now: Side,
    /// What the other one answers.
    pub before: Option<Side>,
    /// The call.
    pub call: Past,
}

/// A call that shows what a count means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The place of its file in the list.
    pub file: usize,
    /// Its line, or row.
    pub line: u64,
    /// Its text without secrets, cut where it is long.
    pub command: String,
}

/// What one rule, or another code, objects to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Calls that it denies.
    pub denied: u64,
    /// Calls about which it would have a person asked.
    pub asked: u64,
    /// Calls that the other policy's rule denies.
    pub denied_before: u64,
    /// Calls about which that one would have a person asked.
    pub asked_before: u64,
    /// Some of the calls.
    pub examples: Vec<Example>,
}

/// Calls to which two policies answer differently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// How many.
    pub calls: u64,
    /// Some of them.
    pub examples: Vec<Example>,
}

/// All counts.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Calls, by file.
    pub files: Vec<(&'static str, u64)>,
    /// All calls.
    pub calls: u64,
    /// Calls that would be denied.
    pub denied: u64,
    /// Calls about which a person would be asked.
    pub asked: u64,
    /// The same of the other policy.
    pub before: Option<(u64, u64)>,
    /// By code.
    pub rules: BTreeMap<String, Rule>,
    /// By what was answered before and what is answered now.
    pub changed: BTreeMap<(Decision, Decision), Changed>,
    /// Lines that repeat a call.
    pub repeated: u64,
    /// Calls that were recorded in part only, and so cannot be judged.
    pub partial: u64,
    /// Lines that cannot be read.
    pub damaged: u64,
    /// Files that cannot be read.
    pub unreadable: Vec<Damage>,
}

impl Tally {
    /// Nothing yet.
    #[must_use]
    pub fn new(compares: bool) -> Self {
        Self { before: compares.then_some((0, 0)), ..Self::default() }
    }

    /// Takes note of a file.
    pub fn source(&mut self, format: &'static Format) {
        self.files.push((format.name, 0));
    }

    /// Adds a call of a file.
    pub fn add(&mut self, file: usize, judged: Judged) {
        self.calls += 1;
        if let Some((_, calls)) = self.files.get_mut(file) {
            *calls += 1;
        }
        let Judged { line, now, before, call } = &judged;
        count(now.decision, &mut self.denied, &mut self.asked);
        let example = || example(file, *line, call);
        for (code, decision) in strongest(&now.findings) {
            let Some(rule) = slot(&mut self.rules, code) else { continue };
            count(decision, &mut rule.denied, &mut rule.asked);
            keep(&mut rule.examples, example);
        }
        let (Some(before), Some((denied, asked))) = (before, &mut self.before) else { return };
        count(before.decision, denied, asked);
        for (code, decision) in strongest(&before.findings) {
            let Some(rule) = slot(&mut self.rules, code) else { continue };
            count(decision, &mut rule.denied_before, &mut rule.asked_before);
            keep(&mut rule.examples, example);
        }
        if before.decision != now.decision {
            let changed = self.changed.entry((before.decision, now.decision)).or_default();
            changed.calls += 1;
            keep(&mut changed.examples, example);
        }
    }

    /// Calls that are denied now and were not before; zero where nothing is compared.
    #[must_use]
    pub fn newly_denied(&self) -> u64 {
        let now = self.changed.iter().filter(|((_, now), _)| *now == Decision::Deny);
        now.map(|(_, changed)| changed.calls).sum()
    }
}

fn slot<'r>(rules: &'r mut BTreeMap<String, Rule>, code: &str) -> Option<&'r mut Rule> {
    if rules.len() >= RULES && !rules.contains_key(code) {
        return None;
    }
    Some(rules.entry(code.to_owned()).or_default())
}

fn count(decision: Decision, denied: &mut u64, asked: &mut u64) {
    match decision {
        Decision::Deny => *denied += 1,
        Decision::Ask => *asked += 1,
        Decision::Allow => {}
    }
}

/// Each code once, as strong as it objects.
fn strongest(findings: &[(String, Decision)]) -> BTreeMap<&str, Decision> {
    let mut found = BTreeMap::new();
    for (code, decision) in findings {
        let most: &mut Decision = found.entry(code.as_str()).or_default();
        *most = (*most).max(*decision);
    }
    found
}

fn keep(examples: &mut Vec<Example>, example: impl Fn() -> Example) {
    if examples.len() >= EXAMPLES {
        return;
    }
    let example = example();
    // The same text again shows nothing new.
    if examples.iter().all(|known| known.command != example.command) {
        examples.push(example);
    }
}

fn example(file: usize, line: u64, call: &Past) -> Example {
    let mut command = redacted(&String::from_utf8_lossy(&call.command));
    if command.len() > LENGTH {
        let end = (0..=LENGTH).rev().find(|at| command.is_char_boundary(*at)).unwrap_or(0);
        command.truncate(end);
        command.push('…');
    }
    Example { file, line, command }
}
