//! Crush, by the documents. Its sub-agents' calls reach no hook.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "crush",
    event: &["event"],
    workdir: &["working_dir"],
    deny: Deny::Text,
    ask: Ask::Never,
    ..Harness::SNAKE
};
