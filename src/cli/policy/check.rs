//! `stanchion policy check`: everything that is wrong, with its place. Must never stop at the first.

use crate::cli::{out, selection};
use serde::Serialize;
use stanchion::policy::{self, Policy, PolicyError};
use std::path::{Path, PathBuf};

/// The version of what `--json` prints.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Report<'r> {
    schema: u32,
    policies: Vec<Sound>,
    problems: Vec<Problem<'r>>,
}

/// A policy with nothing wrong.
#[derive(Serialize)]
struct Sound {
    name: String,
    digest: String,
    rules: usize,
}

#[derive(Serialize)]
struct Problem<'r> {
    file: &'r str,
    line: usize,
    column: usize,
    message: &'r str,
    remedy: &'r str,
}

/// Runs the command.
pub fn run(names: &[PathBuf], json: bool) -> anyhow::Result<u8> {
    let mut policies = Vec::new();
    let mut problems = Vec::new();
    for name in names {
        match check(name) {
            Ok(found) => policies.extend(found),
            Err(found) => problems.extend(found),
        }
    }
    let status = u8::from(!problems.is_empty());
    if json {
        out::json(&Report {
            schema: SCHEMA,
            policies: policies.iter().map(sound).collect(),
            problems: problems.iter().map(problem).collect(),
        })?;
        return Ok(status);
    }
    for error in &problems {
        out::say(error.shown());
    }
    for policy in policies {
        out::say(format!("{}: {} rules, nothing wrong\n", policy.name, policy.rules.len()));
    }
    Ok(status)
}

fn check(name: &Path) -> Result<Vec<Policy>, Vec<PolicyError>> {
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

fn sound(policy: &Policy) -> Sound {
    Sound { name: policy.name.clone(), digest: format!("{:016x}", policy.digest), rules: policy.rules.len() }
}

fn problem(error: &PolicyError) -> Problem<'_> {
    let PolicyError { file, line, column, message, remedy, .. } = error;
    Problem { file, line: *line, column: *column, message, remedy }
}
