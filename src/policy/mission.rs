//! What a task and its roles may use, compiled. Must never judge a call, nor know a tool's name.

use super::source::{named_enum, source_struct};

named_enum! {
    /// Kinds of tools, by which policies name many tools at once: `@write`.
    Tools {
        /// Hands a text to a shell.
        Shell = "shell",
        /// Reads files.
        Read = "read",
        /// Writes, changes or deletes files.
        Write = "write",
        /// Starts a sub-agent.
        Agent = "agent",
        /// Everything else.
        Other = "other",
    }
}

/// What calls are held to besides rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mission {
    /// The tools of the task.
    pub task: Option<Task>,
    /// What roles may not use.
    pub roles: &'static [Role],
    /// Where the records of a guest are kept.
    pub records: Option<&'static str>,
}

/// The tools of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Whether it is only recorded what would be denied.
    pub shadow: bool,
    /// Names of tools, `*` in them for anything, or `@` and a kind.
    pub allowed_tools: &'static [&'static str],
    /// What to do in place of the call.
    pub advice: Option<&'static str>,
}

/// A role and what it may not use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: &'static str,
    /// The kinds of agents that have it, `*` in them for anything.
    pub agent_types: &'static [&'static str],
    /// Tools, as in a task.
    pub deny_tools: &'static [&'static str],
    /// What to do in place of the call.
    pub advice: Option<&'static str>,
}

source_struct!(Mission { task, roles, records });
source_struct!(Task { shadow, allowed_tools, advice });
source_struct!(Role { name, agent_types, deny_tools, advice });

impl Mission {
    /// Whether it says anything of who may use which tool.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.task.is_some() || !self.roles.is_empty()
    }
}
