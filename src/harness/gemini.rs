//! Gemini CLI. Measured with 0.61.0.
//!
//! Reads stdout, or stderr when stdout is empty, as its answer; JSON without `decision` undoes exit
//! status 2. A question hangs it without a person. No mark tells a sub-agent's call.

use super::answer::{Ask, Deny};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "gemini",
    also: &["gemini-cli"],
    workdir: &["dir_path", "directory"],
    status_marks: &["Exit Code: "],
    deny: Deny::Everywhere,
    ask: Ask::Never,
    ..Harness::SNAKE
};
