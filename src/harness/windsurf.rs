//! Windsurf Cascade, by the documents.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table. The action stands for the tool, but where a server of tools is called.
pub const HARNESS: Harness = Harness {
    name: "windsurf",
    also: &["cascade"],
    event: &["agent_action_name"],
    tool: &["tool_info.mcp_tool_name", "agent_action_name"],
    input: &["tool_info.mcp_tool_arguments", "tool_info"],
    command: &["command_line", "command"],
    cwd: &["tool_info.cwd", "cwd"],
    session: &["trajectory_id"],
    agent: &[],
    agent_type: &[],
    tool_use: &["execution_id"],
    deny: Deny::Text,
    ask: Ask::Never,
    ..Harness::UNKNOWN
};
