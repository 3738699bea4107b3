//! `stanchion policy check`: everything that is wrong, with its place. Must never stop at the first.

use super::Which;
use crate::cli::layers::Around;
use crate::cli::place::Place;
use crate::cli::selection::Selection;
use crate::cli::{out, selection};
use serde::Serialize;
use stanchion::layers::{Fault, Part, Stack, prove_shipped};
use stanchion::policy::{self, Policy, PolicyError};
use std::path::{Path, PathBuf};

/// The version of what `--json` prints.
const SCHEMA: u32 = 1;

/// What the check found.
#[derive(Default, Serialize)]
struct Report {
    schema: u32,
    policies: Vec<Sound>,
    layers: Vec<Layered>,
    problems: Vec<Problem>,
    #[serde(skip)]
    shown: Vec<String>,
}

/// A policy with nothing wrong.
#[derive(Serialize)]
struct Sound {
    name: String,
    digest: String,
    rules: usize,
}

/// A file of a layer that applies.
#[derive(Serialize)]
struct Layered {
    name: String,
    layer: &'static str,
    file: String,
    rules: usize,
}

/// A problem; the place is left out where it is no single one.
#[derive(Serialize)]
struct Problem {
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    message: String,
    remedy: Option<String>,
}

/// Runs the command. Without names every shipped policy and every layer is checked.
pub fn run(which: &Which, json: bool) -> anyhow::Result<u8> {
    let mut report = Report { schema: SCHEMA, ..Report::default() };
    for name in which.names() {
        report.named(&name);
    }
    if which.policies.is_empty() {
        report.layers(which)?;
    }
    let status = u8::from(!report.problems.is_empty());
    if json {
        out::json(&report)?;
        return Ok(status);
    }
    let colour = out::colour();
    for problem in &report.shown {
        out::say(if colour { painted(problem) } else { problem.clone() });
    }
    for Sound { name, rules, .. } in &report.policies {
        out::say(format!("{name}: {rules} rules, nothing wrong\n"));
    }
    for Layered { name, layer, file, rules } in &report.layers {
        out::say(format!("{name} ({layer}, {file}): {rules} rules\n"));
    }
    Ok(status)
}

impl Report {
    fn named(&mut self, name: &Path) {
        let own = [name.to_owned()];
        let policies = match load(name) {
            Ok(policies) => policies,
            Err(errors) => return errors.into_iter().for_each(|error| self.placed(error)),
        };
        // A file must not block repair on top of everything that is shipped.
        let proof = if name.is_file() { on_top(&own) } else { proved(&policies) };
        match proof {
            Ok(()) => self.policies.extend(policies.iter().map(sound)),
            Err(error) => self.unplaced(format!("{error:#}")),
        }
    }

    fn layers(&mut self, which: &Which) -> anyhow::Result<()> {
        let root = Place::default().root(None);
        let around = Around::Fresh(root.as_deref());
        let (shipped, Stack { parts, faults, .. }) = which.selection(false).layers(around)?;
        prove_shipped(&shipped).into_iter().for_each(|message| self.unplaced(message));
        self.layers.extend(parts.iter().map(|Part { layer, path, policy, .. }| Layered {
            name: policy.name.to_owned(),
            layer: layer.name(),
            file: path.display().to_string(),
            rules: policy.rules.len(),
        }));
        for Fault { layer, message, .. } in &faults {
            self.unplaced(format!("left out of the {} layer: {message}", layer.name()));
        }
        Ok(())
    }

    fn placed(&mut self, error: PolicyError) {
        self.shown.push(error.shown());
        let PolicyError { file, line, column, message, remedy, .. } = error;
        let (file, remedy) = (Some(file), Some(remedy));
        self.problems.push(Problem { file, line: Some(line), column: Some(column), message, remedy });
    }

    fn unplaced(&mut self, message: String) {
        self.shown.push(format!("{message}\n"));
        self.problems.push(Problem { file: None, line: None, column: None, message, remedy: None });
    }
}

fn load(name: &Path) -> Result<Vec<Policy>, Vec<PolicyError>> {
    if name.is_file() {
        return policy::load(name).map(|policy| vec![policy]).map_err(|errors| errors.0);
    }
    selection::find_all(&[name.to_owned()]).map_err(|error| {
        vec![PolicyError {
            file: name.display().to_string(),
            line: 1,
            column: 1,
            excerpt: String::new(),
            message: format!("{error:#}"),
            remedy: format!("name a file, or one of {}", policy::NAMES.join(", ")),
        }]
    })
}

fn on_top(file: &[PathBuf]) -> anyhow::Result<()> {
    let all = Selection::all_shipped();
    let policies = all.policies.iter().chain(file).cloned().collect();
    Selection { policies, ..all }.layers(Around::Nothing).map(|_| ())
}

fn proved(policies: &[Policy]) -> anyhow::Result<()> {
    let wrong = prove_shipped(policies);
    if wrong.is_empty() { Ok(()) } else { Err(anyhow::anyhow!("{}", wrong.join("\n"))) }
}

/// A problem for a terminal: what is wrong stands out, so does the way out; the line is dim.
fn painted(problem: &str) -> String {
    let line = |(index, line): (usize, &str)| match line.strip_prefix("  | ") {
        None if index == 0 => format!("\x1b[1;31m{line}\x1b[0m\n"),
        None => format!("{line}\n"),
        Some(rest) if rest.trim_start().starts_with('^') => format!("  | \x1b[33m{rest}\x1b[0m\n"),
        Some(rest) => format!("  | \x1b[2m{rest}\x1b[0m\n"),
    };
    problem.lines().enumerate().map(line).collect()
}

fn sound(policy: &Policy) -> Sound {
    Sound {
        name: policy.name.to_owned(),
        digest: format!("{:016x}", policy.digest),
        rules: policy.rules.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::painted;

    #[test]
    fn colour_is_all_that_is_added() {
        let problem = "a.toml:3:1: unknown key\n  | colour = 1\n  | ^ use one of …\n";
        let shown = painted(problem);
        assert_eq!(shown.matches("\x1b[0m").count(), 3);
        let codes = ["\x1b[1;31m", "\x1b[2m", "\x1b[33m", "\x1b[0m"];
        let plain = codes.iter().fold(shown, |text, code| text.replace(code, ""));
        assert_eq!(plain, problem);
    }
}
