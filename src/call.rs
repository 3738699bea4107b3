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
}

impl ToolCall {
    /// A shell command with nothing else known.
    #[must_use]
    pub fn shell(command: impl Into<Vec<u8>>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }
}
