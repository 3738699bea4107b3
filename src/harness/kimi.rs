//! Kimi Code, by the documents.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "kimi",
    also: &["kimi-code", "kimi-cli"],
    tool_use: &["tool_call_id"],
    deny: Deny::Text,
    ask: Ask::Never,
    ..Harness::SNAKE
};
