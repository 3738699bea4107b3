//! What a replay found, for people and for programs. Owns the public JSON; must never hold a secret in clear.

use crate::cli::trust::printable;
use serde::Serialize;
use stanchion::audit::{Applied, applied};
use stanchion::gate::Gate;
use stanchion::history::Source;
use stanchion::replay::{self, Limit, Tally};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The version of the JSON.
pub const SCHEMA: u32 = 1;

/// A report.
#[derive(Serialize)]
pub struct Report {
    schema: u32,
    policies: Vec<Applied>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Against>,
    files: usize,
    calls: u64,
    denied: u64,
    asked: u64,
    sources: Vec<Harness>,
    rules: Vec<Rule>,
    not_judged: NotJudged,
    exceeded: Vec<String>,
}

#[derive(Serialize)]
struct Against {
    policies: Vec<Applied>,
    denied: u64,
    asked: u64,
    changed: Vec<Changed>,
}

#[derive(Serialize)]
struct Changed {
    before: &'static str,
    now: &'static str,
    calls: u64,
    examples: Vec<Example>,
}

#[derive(Serialize)]
struct Harness {
    harness: &'static str,
    files: usize,
    calls: u64,
}

#[derive(Serialize)]
struct Rule {
    code: String,
    denied: u64,
    asked: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Before>,
    examples: Vec<Example>,
}

#[derive(Serialize)]
struct Before {
    denied: u64,
    asked: u64,
}

#[derive(Serialize)]
struct Example {
    command: String,
    file: String,
    line: u64,
}

#[derive(Serialize)]
struct NotJudged {
    repeated: u64,
    partial: u64,
    damaged_lines: u64,
    unreadable_files: usize,
}

impl Report {
    /// A report of counts.
    pub fn new(
        sources: &[Source],
        tally: &Tally,
        gate: &Gate,
        other: Option<&Gate>,
        exceeded: &[&Limit],
    ) -> Self {
        let examples = |all: &[replay::Example]| all.iter().map(|example| shown(sources, example)).collect();
        let rule = |(code, rule): (&String, &replay::Rule)| Rule {
            code: code.clone(),
            denied: rule.denied,
            asked: rule.asked,
            before: other.map(|_| Before { denied: rule.denied_before, asked: rule.asked_before }),
            examples: examples(&rule.examples),
        };
        let mut rules: Vec<Rule> = tally.rules.iter().map(rule).collect();
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.denied + rule.asked));
        let changed = |((before, now), changed): (&(_, _), &replay::Changed)| {
            let (before, now): (&stanchion::verdict::Decision, &stanchion::verdict::Decision) = (before, now);
            Changed {
                before: before.name(),
                now: now.name(),
                calls: changed.calls,
                examples: examples(&changed.examples),
            }
        };
        let against = other.zip(tally.before).map(|(gate, (denied, asked))| Against {
            policies: gate.policies().iter().map(applied).collect(),
            denied,
            asked,
            changed: tally.changed.iter().map(changed).collect(),
        });
        Self {
            schema: SCHEMA,
            policies: gate.policies().iter().map(applied).collect(),
            against,
            files: sources.len(),
            calls: tally.calls,
            denied: tally.denied,
            asked: tally.asked,
            sources: harnesses(tally),
            rules,
            not_judged: NotJudged {
                repeated: tally.repeated,
                partial: tally.partial,
                damaged_lines: tally.damaged,
                unreadable_files: tally.unreadable.len(),
            },
            exceeded: exceeded.iter().map(ToString::to_string).collect(),
        }
    }

    /// The same for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let of = |count: u64| format!("{count} ({})", share(count, self.calls));
        for Harness { harness, files, calls } in &self.sources {
            let _ = writeln!(text, "{harness:<10} {calls} calls in {files} files");
        }
        let (denied, asked) = (of(self.denied), of(self.asked));
        let _ = writeln!(text, "{} calls: {denied} denied, {asked} asked about", self.calls);
        for rule in &self.rules {
            let before =
                rule.before.as_ref().map(|before| format!(", before {} and {}", before.denied, before.asked));
            let (denied, asked, before) = (of(rule.denied), of(rule.asked), before.unwrap_or_default());
            let _ = writeln!(text, "\n{}: {denied} denied, {asked} asked about{before}", rule.code);
            rule.examples.iter().for_each(|example| example.write(&mut text));
        }
        if let Some(against) = &self.against {
            let (denied, asked) = (of(against.denied), of(against.asked));
            let _ = writeln!(text, "\ncompared: {denied} denied, {asked} asked about before");
            for Changed { before, now, calls, examples } in &against.changed {
                let _ = writeln!(text, "{calls} calls: {before} before, {now} now");
                examples.iter().for_each(|example| example.write(&mut text));
            }
        }
        let NotJudged { repeated, partial, damaged_lines, .. } = &self.not_judged;
        let rest = [
            (*partial, "recorded in part"),
            (*damaged_lines, "lines damaged"),
            (*repeated, "lines repeat a call"),
        ];
        let rest: Vec<String> = rest
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if !rest.is_empty() {
            let _ = writeln!(text, "\nnot judged: {}", rest.join(", "));
        }
        text
    }
}

impl Example {
    fn write(&self, text: &mut String) {
        let _ = writeln!(text, "    {}", printable(&self.command));
        let _ = writeln!(text, "        {}:{}", printable(&self.file), self.line);
    }
}

fn harnesses(tally: &Tally) -> Vec<Harness> {
    let mut found: BTreeMap<&'static str, (usize, u64)> = BTreeMap::new();
    for (name, calls) in &tally.files {
        let (files, all) = found.entry(name).or_default();
        (*files, *all) = (*files + 1, *all + calls);
    }
    found.into_iter().map(|(harness, (files, calls))| Harness { harness, files, calls }).collect()
}

fn shown(sources: &[Source], example: &replay::Example) -> Example {
    let file = sources.get(example.file).map(|source| source.path.display().to_string());
    Example { command: example.command.clone(), file: file.unwrap_or_default(), line: example.line }
}

/// A part of a whole, in percent.
fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0%".to_owned();
    }
    format!("{:.2}%", part as f64 * 100.0 / whole as f64)
}
