//! `stanchion policy test`: every example of every rule, in every spelling. Owns the report; must never
//! change an expectation.

use super::example::spellings;
use crate::cli::out;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy::Policy;
use stanchion::policy::rule::types::Rule;
use std::fmt::Write as _;

/// The place in which examples are judged.
const PLACE: (&str, &str) = ("/home/user", "/home/user/project");

/// What became of examples.
#[derive(Default)]
struct Outcomes {
    matched: usize,
    quiet: usize,
    missing: Vec<String>,
    noisy: Vec<String>,
}

/// Runs the command.
pub fn run(policies: Vec<Policy>) -> anyhow::Result<u8> {
    let rules: Vec<&'static Rule> = policies.iter().flat_map(|policy| policy.rules).collect();
    let gate = Gate::new(policies);
    let mut outcomes = Outcomes::default();
    for rule in &rules {
        for example in rule.matches {
            outcomes.example(&gate, rule, example, true);
        }
        for example in rule.not_matches {
            outcomes.example(&gate, rule, example, false);
        }
    }
    out::say(outcomes.report(rules.len())?);
    Ok(u8::from(!outcomes.missing.is_empty() || !outcomes.noisy.is_empty()))
}

impl Outcomes {
    fn example(&mut self, gate: &Gate, rule: &Rule, example: &str, wanted: bool) {
        for spelling in spellings(example) {
            let found = objects(gate, rule, &spelling.line);
            let told = || format!("{}: {} ({}): {:?}", rule.id, outcome(wanted), spelling.how, spelling.line);
            match (wanted, found) {
                (true, true) => self.matched += 1,
                (false, false) => self.quiet += 1,
                (true, false) => self.missing.push(told()),
                (false, true) => self.noisy.push(told()),
            }
        }
    }

    fn report(&self, rules: usize) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        for line in self.missing.iter().chain(&self.noisy) {
            writeln!(text, "{line}")?;
        }
        let (missing, noisy) = (self.missing.len(), self.noisy.len());
        writeln!(
            text,
            "{rules} rules: {} matched, {} quiet, {missing} missing, {noisy} noisy",
            self.matched, self.quiet
        )?;
        Ok(text)
    }
}

fn outcome(wanted: bool) -> &'static str {
    if wanted { "missing" } else { "noisy" }
}

/// Whether the rule objects to a command line.
fn objects(gate: &Gate, rule: &Rule, line: &str) -> bool {
    let mut call = ToolCall::shell(line.as_bytes());
    call.cwd = Some(PLACE.1.into());
    call.root = Some(PLACE.1.into());
    call.home = Some(PLACE.0.into());
    call.user_home = Some(PLACE.0.into());
    let verdict = gate.judge(&call);
    verdict.findings().iter().chain(verdict.shadowed()).any(|finding| finding.code == rule.id)
}
