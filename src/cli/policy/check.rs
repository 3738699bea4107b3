//! `stanchion policy check`: everything that is wrong, with its place. Must never stop at the first.

use crate::cli::{out, selection};
use std::path::PathBuf;

/// Runs the command.
pub fn run(names: &[PathBuf]) -> u8 {
    let mut status = 0;
    for name in names {
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
