//! Hermes Agent, by its source.
//!
//! Exit status 2 blocks; the message is read from stdout first.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "hermes",
    also: &["hermes-agent"],
    workdir: &["workdir"],
    deny: Deny::Hermes,
    ask: Ask::Never,
    ..Harness::SNAKE
};
