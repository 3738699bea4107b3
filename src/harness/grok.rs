//! Grok Build. Measured with 1.0.41, which sends each name twice; up to 1.0.6 only without underscores.
//!
//! Shows the model 256 characters of a reason. Takes "ask" as "run". An input of more than 128 KiB
//! arrives as a string that is cut off. Also calls hooks of Claude Code and Cursor.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "grok",
    also: &["grok-build"],
    reads_others: true,
    event: &["hookEventName", "hook_event_name"],
    tool: &["toolName", "tool_name"],
    input: &["toolInput", "tool_input"],
    session: &["sessionId", "session_id"],
    agent_type: &["subagentType"],
    tool_use: &["toolUseId", "tool_use_id"],
    response: &["toolResult", "tool_response"],
    status: &["toolResult.exit_code", "tool_response.exit_code"],
    duration: &["durationMs", "duration_ms"],
    deny: Deny::Everywhere,
    ask: Ask::Never,
    limit: Some(256),
    ..Harness::UNKNOWN
};
