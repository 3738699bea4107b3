//! Cursor and cursor-agent, by the documents of October 2026.
//!
//! One account says that exit status 2 blocks, another that only the object on stdout counts: the
//! denial has both. A question is obeyed for `beforeShellExecution` only, and nobody says what happens
//! without a person. Also calls hooks of Claude Code.

use super::answer::{Ask, Deny, Question};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness { twin: Some(("command", &SHELL)), ..BASE };

/// `preToolUse` and the other events that name a tool.
const BASE: Harness = Harness {
    name: "cursor",
    also: &["cursor-agent"],
    reads_others: true,
    cwd: &["cwd", "workspace_roots.0"],
    workdir: &["working_directory"],
    session: &["conversation_id"],
    agent: &["subagent_id"],
    agent_type: &["subagent_type"],
    deny: Deny::Cursor,
    ask: Ask::Never,
    ..Harness::SNAKE
};

/// `beforeShellExecution` and `beforeMCPExecution`.
const SHELL: Harness = Harness { input: &["tool_input", ""], ask: Ask::Attended(Question::Cursor), ..BASE };
