//! `stanchion policy check`: everything that is wrong, with its place. Must never stop at the first.

use crate::cli::{out, selection};
use stanchion::policy::{self, PolicyError};
use std::path::PathBuf;

/// Runs the command.
pub fn run(names: &[PathBuf]) -> u8 {
    let mut status = 0;
    for name in names {
        if name.is_file()
            && let Err(errors) = policy::load(name)
        {
            status = 1;
            errors.0.iter().for_each(|error| out::say(shown(error)));
            continue;
        }
        match selection::find_all(std::slice::from_ref(name)) {
            Ok(policies) => {
                for policy in policies {
                    out::say(format!("{}: {} rules, nothing wrong\n", policy.name, policy.rules.len()));
                }
            }
            Err(error) => {
                status = 1;
                out::say(format!("{error:#}\n"));
            }
        }
    }
    status
}

/// A problem with the line in which it is.
fn shown(error: &PolicyError) -> String {
    let PolicyError { file, line, column, excerpt, message, remedy } = error;
    let mark = " ".repeat(column.saturating_sub(1));
    format!("{file}:{line}:{column}: {message}\n  | {excerpt}\n  | {mark}^ {remedy}\n")
}
