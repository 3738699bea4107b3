//! Pi and pi-signed, through an extension that hands the call to the hook. Measured with 1.6.0 and
//! 0.74.2.
//!
//! The extension sends the event with `cwd`, or `{"event":{…},"ctx":{"cwd":"…","hasUI":…}}`. It blocks with the text of stderr
//! when the status is not 0. Where `hasUI` says that a person is there, a question is marked as one on
//! stdout; an extension that does not look there blocks.

use super::answer::{Ask, Deny, Question};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "pi",
    also: &["pi-signed"],
    event: &["event.type", "type"],
    tool: &["event.toolName", "toolName"],
    input: &["event.input", "input"],
    cwd: &["ctx.cwd", "cwd"],
    session: &["ctx.sessionId", "session"],
    agent: &[],
    agent_type: &[],
    tool_use: &["event.toolCallId", "toolCallId"],
    response: &["event.content", "content"],
    status: &["event.structuredContent.exit_code", "structuredContent.exit_code"],
    status_marks: &["Command exited with code "],
    failed: &["event.isError", "isError"],
    attended: &["ctx.hasUI"],
    deny: Deny::Text,
    ask: Ask::Attended(Question::Plugin),
    ..Harness::UNKNOWN
};
