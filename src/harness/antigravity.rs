//! Antigravity, by the documents (1.4).
//!
//! Wants a decision each time; without one it asks the person. What exit status 2 does is not told, so
//! the denial is an object on stdout and the status as well.

use super::answer::{Ask, Deny, Question};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "antigravity",
    also: &["agy"],
    event: &[],
    tool: &["toolCall.name"],
    input: &["toolCall.args"],
    command: &["CommandLine"],
    cwd: &["cwd", "workspacePaths.0"],
    workdir: &["Cwd"],
    session: &["conversationId"],
    agent: &[],
    agent_type: &[],
    tool_use: &["stepIdx"],
    deny: Deny::Antigravity,
    ask: Ask::Attended(Question::Antigravity),
    ..Harness::UNKNOWN
};
