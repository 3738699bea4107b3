//! Goose, by the documents.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "goose",
    event: &["event"],
    cwd: &["working_dir", "cwd"],
    tool_use: &["tool_call_id"],
    deny: Deny::Text,
    ask: Ask::Never,
    ..Harness::SNAKE
};
