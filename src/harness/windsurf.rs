//! Windsurf Cascade, by the documents.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table. The action stands for the tool.
pub const HARNESS: Harness = Harness {
    name: "windsurf",
    also: &["cascade"],
    event: &["agent_action_name"],
    tool: &["agent_action_name"],
    input: &["tool_info"],
    command: &["command_line"],
    cwd: &["tool_info.cwd", "cwd"],
    session: &["trajectory_id"],
    agent: &[],
    agent_type: &[],
    tool_use: &["execution_id"],
    deny: Deny::Text,
    ask: Ask::Never,
    ..Harness::UNKNOWN
};
