//! `stanchion policy schema`: what editors need to complete and check policy files. Must never add anything
//! to what the files are read by.

use crate::cli::out;
use stanchion::policy::{self, facts};

/// Runs the command.
pub fn run(of_facts: bool) -> u8 {
    let schema = if of_facts { facts::schema() } else { policy::schema() };
    out::say(format!("{schema:#}\n"));
    0
}
