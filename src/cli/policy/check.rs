//! `stanchion policy check`: everything that is wrong, with its place. Must never stop at the first.

use super::Which;
use crate::cli::layers::Around;
use crate::cli::place::Place;
use crate::cli::selection::Selection;
use crate::cli::{out, selection};
use stanchion::layers::{Fault, Part, Stack, prove_shipped};
use stanchion::policy::{self, PolicyError};
use std::path::{Path, PathBuf};

/// Checks what is named.
pub fn run(names: &[PathBuf]) -> u8 {
    let wrong = names.iter().map(|name| named(name)).filter(|fine| !fine).count();
    u8::from(wrong > 0)
}

fn named(name: &Path) -> bool {
    if name.is_file()
        && let Err(errors) = policy::load(name)
    {
        errors.0.iter().for_each(|error| out::say(shown(error)));
        return false;
    }
    let own = [name.to_owned()];
    let policies = match selection::find_all(&own) {
        Ok(policies) => policies,
        Err(error) => {
            out::say(format!("{error:#}\n"));
            return false;
        }
    };
    // A file must not block repair on top of everything that is shipped.
    let stack = if name.is_file() { on_top(&own) } else { proved(&policies) };
    if let Err(error) = stack {
        out::say(format!("{error:#}\n"));
        return false;
    }
    for policy in policies {
        out::say(format!("{}: {} rules, nothing wrong\n", policy.name, policy.rules.len()));
    }
    true
}

fn on_top(file: &[PathBuf]) -> anyhow::Result<()> {
    let all = Selection::all_shipped();
    let policies = all.policies.iter().chain(file).cloned().collect();
    Selection { policies, ..all }.layers(Around::Nothing).map(|_| ())
}

fn proved(policies: &[policy::Policy]) -> anyhow::Result<()> {
    let wrong = prove_shipped(policies);
    if wrong.is_empty() { Ok(()) } else { Err(anyhow::anyhow!("{}", wrong.join("\n"))) }
}

/// Checks every shipped policy and every layer.
pub fn all(which: &Which) -> anyhow::Result<u8> {
    let status = run(&which.names());
    let root = Place::default().root(None);
    let (shipped, Stack { parts, faults, .. }) =
        which.selection(false).layers(Around::Fresh(root.as_deref()))?;
    let wrong = prove_shipped(&shipped);
    wrong.iter().for_each(|message| out::say(format!("{message}\n")));
    for Part { layer, path, policy, .. } in parts {
        let (count, path) = (policy.rules.len(), path.display());
        out::say(format!("{} ({}, {path}): {count} rules\n", policy.name, layer.name()));
    }
    for Fault { layer, message, .. } in &faults {
        out::say(format!("left out of the {} layer: {message}\n", layer.name()));
    }
    Ok(status.max(u8::from(!faults.is_empty() || !wrong.is_empty())))
}

/// A problem with the line in which it is.
fn shown(error: &PolicyError) -> String {
    let PolicyError { file, line, column, excerpt, message, remedy } = error;
    let mark = " ".repeat(column.saturating_sub(1));
    format!("{file}:{line}:{column}: {message}\n  | {excerpt}\n  | {mark}^ {remedy}\n")
}
