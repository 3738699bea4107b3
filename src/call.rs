//! The neutral form of a tool call. Owns `ToolCall`; must never know a harness's field names.

use std::path::PathBuf;

/// One call that a harness is about to make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The exact text that would go to the shell. Bytes: a command need not be UTF-8.
    pub command: Vec<u8>,
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
