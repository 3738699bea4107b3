//! The agent of VS Code, by the documents.
//!
//! Obeys exit status 2 and `hookSpecificOutput`, and heeds no matcher: every tool's call arrives. A
//! person is always there. Also calls hooks of Claude Code.

use super::answer::{Ask, Deny, Question};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "vscode",
    also: &["vs-code"],
    reads_others: true,
    event: &["hookEventName", "hook_event_name"],
    session: &["sessionId", "session_id"],
    deny: Deny::Everywhere,
    ask: Ask::Itself(Question::Nested),
    ..Harness::SNAKE
};
