//! OpenCode, through a plugin that hands the call to the hook. v1 measured with 1.18.33, v2 by its
//! source.
//!
//! The plugin sends `tool`, `sessionID`, the input as `args` or `input`, and `cwd`; or what v1 called it
//! with: `{"input":{…},"output":{"args":{…}},"cwd":"…"}`. It throws the text of stderr when the status is not 0. A question cannot be put in
//! v1, and in v2 only by another hook, so it is a denial.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness { twin: Some(("input.tool", &V1)), ..BASE };

/// v2.
const BASE: Harness = Harness {
    name: "opencode",
    also: &["opencode-v1", "opencode-v2"],
    event: &["event"],
    tool: &["tool"],
    input: &["input", "args"],
    workdir: &["workdir"],
    session: &["sessionID"],
    agent: &[],
    agent_type: &["agent"],
    tool_use: &["id", "callID"],
    done: &["output.output", "output.metadata"],
    response: &["output.output"],
    status: &["output.metadata.exit"],
    deny: Deny::Text,
    ask: Ask::Never,
    ..Harness::UNKNOWN
};

/// v1.
const V1: Harness = Harness {
    tool: &["input.tool"],
    input: &["output.args", "input.args"],
    session: &["input.sessionID"],
    agent_type: &[],
    tool_use: &["input.callID"],
    ..BASE
};
