//! Copilot CLI. Measured with 1.0.102.
//!
//! Every status but 0 blocks; the reason is read from stdout. Hooks under Claude Code's event names get
//! Claude Code's names and show a reason only with status 0. Without a person it answers a question with
//! a denial itself. Also calls hooks of Claude Code.

use super::answer::{Ask, Deny, Question};
use super::table::Harness;

/// The last line of what a shell answers.
const MARKS: &[&str] = &[" completed with exit code "];

/// `preToolUse`. The input was a string of JSON in earlier versions.
pub const HARNESS: Harness = Harness {
    name: "copilot",
    also: &["copilot-cli"],
    reads_others: true,
    event: &[],
    tool: &["toolName"],
    input: &["toolArgs"],
    session: &["sessionId"],
    agent: &["agentId"],
    agent_type: &["agentType"],
    tool_use: &[],
    done: &["toolResult"],
    status_marks: MARKS,
    deny: Deny::Everywhere,
    ask: Ask::Itself(Question::Flat),
    twin: Some(("tool_input", &CLAUDE)),
    ..Harness::UNKNOWN
};

/// `PreToolUse`.
const CLAUDE: Harness = Harness {
    name: "copilot",
    also: &["copilot-cli"],
    reads_others: true,
    tool_use: &[],
    status_marks: MARKS,
    deny: Deny::Nested,
    ask: Ask::Never,
    ..Harness::SNAKE
};
