//! `stanchion policy test`: every example of every rule, in every spelling. Owns the report; must never
//! change an expectation.

use super::example::{Spelling, spellings};
use crate::cli::out;
use serde::Serialize;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy::Policy;
use stanchion::policy::rule::types::Rule;

/// The version of what `--json` prints.
const SCHEMA: u32 = 1;

/// The place in which examples are judged.
const PLACE: (&str, &str) = ("/home/user", "/home/user/project");

/// What became of examples.
#[derive(Default, Serialize)]
struct Outcomes {
    schema: u32,
    rules: usize,
    matched: usize,
    quiet: usize,
    missing: Vec<Miss>,
    noisy: Vec<Miss>,
}

/// A spelling of an example that does not hold.
#[derive(Serialize)]
struct Miss {
    rule: &'static str,
    how: &'static str,
    line: String,
}

/// Runs the command.
pub fn run(policies: Vec<Policy>, json: bool) -> anyhow::Result<u8> {
    let rules: Vec<&'static Rule> = policies.iter().flat_map(|policy| policy.rules).collect();
    let gate = Gate::new(policies);
    let mut outcomes = Outcomes { schema: SCHEMA, rules: rules.len(), ..Outcomes::default() };
    for rule in rules {
        rule.matches.iter().for_each(|example| outcomes.example(&gate, rule, example, true));
        rule.not_matches.iter().for_each(|example| outcomes.example(&gate, rule, example, false));
    }
    if json {
        out::json(&outcomes)?;
    } else {
        out::say(outcomes.report());
    }
    Ok(u8::from(!outcomes.missing.is_empty() || !outcomes.noisy.is_empty()))
}

impl Outcomes {
    fn example(&mut self, gate: &Gate, rule: &'static Rule, example: &str, wanted: bool) {
        for Spelling { how, line } in spellings(example) {
            match (wanted, objects(gate, rule, &line)) {
                (true, true) => self.matched += 1,
                (false, false) => self.quiet += 1,
                (true, false) => self.missing.push(Miss { rule: rule.id, how, line }),
                (false, true) => self.noisy.push(Miss { rule: rule.id, how, line }),
            }
        }
    }

    fn report(&self) -> String {
        let told = |what: &str, all: &[Miss]| -> String {
            let line = |Miss { rule, how, line }: &Miss| format!("{rule}: {what} ({how}): {line:?}\n");
            all.iter().map(line).collect()
        };
        format!(
            "{}{}{} rules: {} matched, {} quiet, {} missing, {} noisy\n",
            told("missing", &self.missing),
            told("noisy", &self.noisy),
            self.rules,
            self.matched,
            self.quiet,
            self.missing.len(),
            self.noisy.len()
        )
    }
}

/// Whether the rule objects to a command line, be it only for the records.
fn objects(gate: &Gate, rule: &Rule, line: &str) -> bool {
    let mut call = ToolCall::shell(line.as_bytes());
    call.cwd = Some(PLACE.1.into());
    call.root = Some(PLACE.1.into());
    call.home = Some(PLACE.0.into());
    call.user_home = Some(PLACE.0.into());
    let verdict = gate.judge(&call);
    verdict.findings().iter().chain(verdict.shadowed()).any(|finding| finding.code == rule.id)
}
