//! What is proved of a file before it is used (CONTRACT 9): nothing that mends is denied, no advice
//! leads into a denial, and who asks stanchion about a text is not denied for the text. Owns the
//! combinations in which that must hold; must never run on a call whose policies were proved before.

use super::{Layer, Stack};
use crate::call::ToolCall;
use crate::gate::Gate;
use crate::policy::{Policy, PolicyErrors, Problems, facts};
use crate::verdict::{Decision, Finding};
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// The commands of this program that only look, each with a text behind it.
const DIAGNOSTICS: [&str; 6] = [
    "stanchion explain",
    "stanchion check",
    "stanchion dump-tree",
    "stanchion policy check",
    "stanchion policy show",
    "stanchion doctor",
];

/// What to do about an objection to what mends or only looks.
const REMEDY: &str = "change the rule or the command; a guard must never block its own repair";

/// Where in a file things are.
#[derive(Default, Deserialize)]
struct Written {
    #[serde(default)]
    rule: Vec<WrittenRule>,
    #[serde(default)]
    repair: WrittenRepair,
}

#[derive(Deserialize)]
struct WrittenRule {
    id: Spanned<String>,
    advice: Spanned<String>,
}

#[derive(Default, Deserialize)]
struct WrittenRepair {
    #[serde(default)]
    commands: Vec<Spanned<String>>,
}

impl Written {
    fn rule(&self, id: &str) -> Option<&WrittenRule> {
        self.rule.iter().find(|rule| rule.id.get_ref() == id)
    }

    /// The culprit: the rule that objects, else the repair command, when the file has them.
    fn place(&self, finding: &Finding, command: &str) -> Range<usize> {
        let repair = self.repair.commands.iter().find(|known| known.get_ref().trim() == command);
        let place = self.rule(&finding.code).map(|rule| rule.id.span());
        place.or_else(|| repair.map(Spanned::span)).unwrap_or(0..0)
    }
}

/// Proves the last file of a stack; gives everything that is wrong with it.
#[must_use]
pub fn prove(shipped: &[Policy], stack: &Stack, file: &str, text: &str) -> PolicyErrors {
    let mut problems = Problems::new(file, text);
    let Some(part) = stack.parts.last() else { return problems.errors() };
    let written: Written = toml::from_str(text).unwrap_or_default();
    repairs(shipped, stack, &written, &mut problems);
    let own = std::slice::from_ref(&part.policy);
    for (id, advice, finding) in misled(own) {
        let place = written.rule(id).map_or(0..0, |rule| rule.advice.span());
        let message =
            format!("the advice of {id} names `{advice}`, which {} of this policy objects to", finding.code);
        problems.add(place, message, "advise what is allowed");
    }
    for (command, finding) in silenced(&stack.policies(shipped.to_vec()), own) {
        let message = format!("{} objects to `{command}`, which only looks at a text", finding.code);
        problems.add(written.place(&finding, ""), message, REMEDY);
    }
    problems.errors()
}

/// Everything that is wrong with shipped policies by themselves, as messages.
#[must_use]
pub fn prove_shipped(shipped: &[Policy]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (command, finding) in shipped.iter().flat_map(|policy| blocked(policy.repair, shipped.to_vec())) {
        wrong.push(format!("{} objects to the repair command `{command}`", finding.code));
    }
    for policy in shipped {
        for (id, advice, finding) in misled(std::slice::from_ref(policy)) {
            wrong.push(format!("the advice of {id} names `{advice}`, which {} objects to", finding.code));
        }
    }
    for (command, finding) in silenced(shipped, shipped) {
        wrong.push(format!("{} objects to `{command}`", finding.code));
    }
    wrong
}

/// Each repair command of each policy is allowed in every combination of layers and every profile. Of
/// combinations without the last file others have been proved before.
fn repairs(shipped: &[Policy], stack: &Stack, written: &Written, problems: &mut Problems<'_>) {
    let mut told: Vec<(String, String)> = Vec::new();
    for present in combinations(stack) {
        let with_shipped = present.contains(&Layer::Shipped);
        let shipped = if with_shipped { shipped.to_vec() } else { Vec::new() };
        let last = stack.parts.len().saturating_sub(1);
        let mut some = stack.clone();
        let mut index = 0;
        some.parts.retain(|part| {
            index += 1;
            index > last || present.contains(&part.layer)
        });
        let policies = some.policies(shipped);
        let commands: Vec<&str> = policies.iter().flat_map(|policy| policy.repair).copied().collect();
        for (command, finding) in blocked(&commands, policies) {
            let key = (command.to_owned(), finding.code.clone());
            if told.contains(&key) {
                continue;
            }
            let message = format!("{} objects to the repair command `{command}`", finding.code);
            problems.add(written.place(&finding, command), message, REMEDY);
            told.push(key);
        }
    }
}

/// Every set of layers that may stand below the last file.
fn combinations(stack: &Stack) -> Vec<Vec<Layer>> {
    let mut sets = vec![vec![]];
    for layer in Layer::ALL {
        if layer == Layer::Shipped || stack.parts.iter().any(|part| part.layer == layer) {
            let with = sets.iter().map(|set: &Vec<Layer>| set.iter().copied().chain([layer]).collect());
            let with: Vec<Vec<Layer>> = with.collect();
            sets.extend(with);
        }
    }
    sets
}

/// The commands that are not allowed in one of the profiles.
fn blocked<'c>(commands: &[&'c str], mut policies: Vec<Policy>) -> Vec<(&'c str, Finding)> {
    let mut found = Vec::new();
    for unattended in [false, true] {
        policies.iter_mut().for_each(|policy| policy.unattended = unattended);
        let gate = Gate::new(policies.clone());
        found.extend(commands.iter().filter_map(|command| Some((*command, objection(&gate, command)?))));
    }
    found
}

/// What objects most to a command, in the place of nobody in particular.
fn objection(gate: &Gate, command: &str) -> Option<Finding> {
    let verdict = gate.judge(&ToolCall::shell(command));
    verdict.deciding().filter(|finding| finding.decision > Decision::Allow).cloned()
}

/// Advice of rules that leads into an objection of the same policies: rule, command, objection.
fn misled(policies: &[Policy]) -> Vec<(&'static str, String, Finding)> {
    let gate = Gate::new(policies.to_vec());
    let mut found = Vec::new();
    for rule in policies.iter().flat_map(|policy| policy.rules) {
        for command in advised(rule.advice) {
            found.extend(objection(&gate, &command).map(|finding| (rule.id, command, finding)));
        }
    }
    found
}

/// The commands that an advice names: what stands between backticks; in the rest, what starts with the
/// name of a known program and goes on to the end of the clause.
fn advised(advice: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for (place, part) in advice.split('`').enumerate() {
        if place % 2 == 1 {
            commands.push(part.to_owned());
            continue;
        }
        for clause in part.split([',', ';', '(', ')']) {
            let words: Vec<&str> = clause.split_whitespace().collect();
            let starts = |at: &usize| {
                words.get(*at).is_some_and(|word| facts::shipped().program(word.as_bytes()).is_some())
            };
            let from = (0..words.len()).filter(starts);
            commands.extend(from.map(|at| words.get(at..).unwrap_or_default().join(" ")));
        }
    }
    commands
}

/// Commands that only look at a text, where something objects to them because of it. The texts are what
/// the policies object to.
fn silenced(all: &[Policy], own: &[Policy]) -> Vec<(String, Finding)> {
    let gate = Gate::new(all.to_vec());
    let mut texts: Vec<String> = Vec::new();
    for policy in own {
        texts.extend(policy.rules.iter().flat_map(|rule| rule.matches).map(ToString::to_string));
        texts.extend(policy.protected.scripts.iter().map(|script| format!("{} &", script.path)));
        texts.extend(policy.kill.names.iter().map(|name| format!("pkill -f {name}")));
        texts.extend(policy.protected_paths.iter().map(|path| format!("rm -rf {path}")));
    }
    if texts.is_empty() {
        texts.push("x".to_owned());
    }
    let mut found = Vec::new();
    for text in texts {
        for command in DIAGNOSTICS {
            let line = format!("{command} '{}'", text.replace('\'', "'\\''"));
            found.extend(objection(&gate, &line).map(|finding| (line, finding)));
        }
    }
    // One of a kind tells enough.
    found.dedup_by(|one, other| one.1.code == other.1.code);
    found
}
