//! Codex CLI. Measured with 0.171.0.
//!
//! Refuses answers with members that it does not know, and then runs the tool: the denial is exit
//! status 2 with text on stderr alone. Takes "ask" as "run". `workdir` of a call is already in `cwd`.
//! What is typed into a shell that stands open (`write_stdin`) never reaches a hook.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "codex",
    also: &["codex-cli"],
    command: &["command", "cmd"],
    status_marks: &["^Exit code: "],
    deny: Deny::Text,
    ask: Ask::Never,
    ..Harness::SNAKE
};
