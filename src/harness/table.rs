//! What one harness sends and understands, as data. Owns the shape of the tables; must never hold
//! the facts of one harness.

use super::answer::{Ask, Deny};

/// Names to try in order; the first that is there counts.
pub type Names = &'static [&'static str];

/// One harness: where it puts what, and which answers it obeys.
///
/// A place is a path of member names from the payload's top, joined by dots; the empty path is the
/// payload itself.
#[derive(Debug)]
pub struct Harness {
    /// The name for `--harness`.
    pub name: &'static str,
    /// Other names that mean the same.
    pub also: Names,
    /// Whether it also calls hooks that were registered for another harness.
    pub reads_others: bool,
    /// Whether hooks that were registered for it are also called by others.
    pub read_by_others: bool,
    /// Places of the event's name.
    pub event: Names,
    /// Places of the tool's name.
    pub tool: Names,
    /// Places of the tool's input.
    pub input: Names,
    /// Members of the input that hold a command.
    pub command: Names,
    /// Whether the input may be or hold a list of commands.
    pub lists: bool,
    /// Places of the working directory.
    pub cwd: Names,
    /// Members of the input that name another directory for this one call.
    pub workdir: Names,
    /// Places of the session's name.
    pub session: Names,
    /// Places of the sub-agent's name.
    pub agent: Names,
    /// Places of the sub-agent's kind.
    pub agent_type: Names,
    /// Places of the call's name.
    pub tool_use: Names,
    /// Places that only a call has that was made already, where its event's name does not tell.
    pub done: Names,
    /// Places that say whether a person can be asked.
    pub attended: Names,
    /// How a denial is said.
    pub deny: Deny,
    /// How and when a question is said.
    pub ask: Ask,
    /// How many characters of a reason the model sees, where there are few.
    pub limit: Option<usize>,
    /// The other shape of its payloads: where this place is there, that table holds.
    pub twin: Option<(&'static str, &'static Self)>,
}

impl Harness {
    /// A payload of nobody known: every spelling is tried, and the answer blocks everywhere.
    pub const UNKNOWN: Self = Self {
        name: "unknown",
        also: &[],
        reads_others: false,
        read_by_others: false,
        event: &["hook_event_name", "hookEventName"],
        tool: &["tool_name", "toolName"],
        input: &["tool_input", "toolInput", "toolArgs"],
        command: &["command"],
        lists: false,
        cwd: &["cwd"],
        workdir: &[],
        session: &["session_id", "sessionId"],
        agent: &["agent_id", "agentId"],
        agent_type: &["agent_type", "agentType", "subagentType"],
        tool_use: &["tool_use_id", "toolUseId", "tool_call_id"],
        done: &[],
        attended: &[],
        deny: Deny::Everywhere,
        ask: Ask::Never,
        limit: None,
        twin: None,
    };

    /// Its name; none for a payload of nobody known.
    #[must_use]
    pub fn known(&self) -> Option<&'static str> {
        (self.name != Self::UNKNOWN.name).then_some(self.name)
    }

    /// The names with underscores that Claude Code began with and most others took over.
    pub const SNAKE: Self = Self {
        event: &["hook_event_name"],
        tool: &["tool_name"],
        input: &["tool_input"],
        session: &["session_id"],
        agent: &["agent_id"],
        agent_type: &["agent_type"],
        tool_use: &["tool_use_id"],
        ..Self::UNKNOWN
    };
}
