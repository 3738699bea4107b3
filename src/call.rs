//! The neutral form of a tool call. Owns `ToolCall`; must never know a harness's field names.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::PathBuf;

/// One call that a harness is about to make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// What kind of tool is called.
    pub tool: Tool,
    /// The exact text that would go to the shell; for file tools a shell text that does the same to the
    /// same paths, so that one policy judges both. Bytes: a command need not be UTF-8.
    pub command: Vec<u8>,
    /// What a file tool would do to which paths, as the harness wrote them; relative ones start at `cwd`.
    pub paths: Vec<(Effect, PathBuf)>,
    /// Whether the harness cut the call's input off: what follows the visible part is unknown.
    pub cut: bool,
    /// The directory in which it would run, where it is known.
    pub cwd: Option<PathBuf>,
    /// The project's root: the anchor of absolute protected paths.
    pub root: Option<PathBuf>,
    /// The home of the guarded system: the anchor of its setup files.
    pub home: Option<PathBuf>,
    /// The home of the user who runs it, where it is known.
    pub user_home: Option<PathBuf>,
    /// The git checkout in which it would run, as far as the caller looked.
    pub checkout: Checkout,
    /// Who makes the call with which tool. For records, and for tasks and roles.
    pub origin: Origin,
}

/// Kinds of tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tool {
    /// A shell command.
    #[default]
    Shell,
    /// A shell command that goes on while the agent does.
    BackgroundShell,
    /// A shell command whose output comes back line by line.
    Monitor,
    /// Reads a file.
    Read,
    /// Writes a whole file.
    Write,
    /// Changes a part of a file.
    Edit,
    /// Changes any number of files by a patch.
    Patch,
    /// Changes a notebook.
    Notebook,
    /// Deletes files.
    Delete,
    /// Starts a sub-agent.
    Agent,
    /// Everything else.
    Other,
}

impl Tool {
    /// Whether it hands a text to a shell.
    #[must_use]
    pub fn is_shell(self) -> bool {
        matches!(self, Self::Shell | Self::BackgroundShell | Self::Monitor)
    }
}

/// What a file tool does to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Reads it.
    Read,
    /// Creates, replaces or changes it.
    Write,
    /// Removes it, also by moving it away.
    Delete,
}

/// Who makes a call, where the payload tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The harness, by this program's name for it.
    pub harness: Option<Cow<'static, str>>,
    /// The harness's session.
    pub session: Option<String>,
    /// The sub-agent.
    pub agent: Option<String>,
    /// The sub-agent's kind.
    pub agent_type: Option<String>,
    /// The hook's event.
    pub event: Option<String>,
    /// The tool, by the harness's name for it.
    pub tool: Option<String>,
    /// The harness's own name for the call.
    pub tool_use: Option<String>,
}

/// What a caller found out about the git checkout of a call. Judging reads no file system, so a
/// guard that is for some checkouts only can ask nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkout {
    /// Which kind it is.
    pub kind: CheckoutKind,
    /// Which of the entries that were asked about exist at its root: `name` a file, `name/` a
    /// directory.
    pub entries: Vec<String>,
}

/// Kinds of checkout (git-worktree(1)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckoutKind {
    /// There is none, or nobody looked.
    #[default]
    None,
    /// Its git directory is the repository's own: the main worktree, or a submodule.
    Plain,
    /// Its git directory is a part of another checkout's repository (`git worktree add`).
    Linked,
}

impl ToolCall {
    /// A shell command with nothing else known.
    #[must_use]
    pub fn shell(command: impl Into<Vec<u8>>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }
}
