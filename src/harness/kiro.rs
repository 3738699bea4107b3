//! Kiro CLI and Amazon Q, by the documents.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "kiro",
    also: &["kiro-cli", "amazon-q"],
    workdir: &["working_dir"],
    deny: Deny::Text,
    ask: Ask::Never,
    ..Harness::SNAKE
};
