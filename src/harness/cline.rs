//! Cline. Measured with 3.0.65; the names of earlier versions by its source.
//!
//! Ignores the exit status. `cancel` ends the whole run, not one call: there is no other way to block.
//! `run_commands` takes a list, of which each command is run in a shell of its own; `preToolUse` spells
//! lists as strings.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "cline",
    event: &["hookName"],
    tool: &["tool_call.name", "preToolUse.toolName"],
    input: &["tool_call.input", "preToolUse.parameters"],
    lists: true,
    cwd: &["cwd", "workspaceRoots.0"],
    session: &["taskId"],
    agent: &["agent_id"],
    agent_type: &[],
    tool_use: &["tool_call.id"],
    deny: Deny::Cline,
    ask: Ask::Never,
    ..Harness::UNKNOWN
};
