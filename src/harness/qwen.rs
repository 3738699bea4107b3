//! Qwen Code. Measured with 0.24.4.
//!
//! Exit status 2 blocks with the text of stderr; with empty stderr it runs the tool. An "allow" of one
//! hook undoes the denial of every other. Without a person it answers a question with a denial itself.

use super::answer::{Ask, Deny, Question};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "qwen",
    also: &["qwen-code"],
    workdir: &["directory"],
    kind_in_agent: Some("-call_"),
    status_marks: &["Exit Code: "],
    fails_apart: true,
    deny: Deny::Everywhere,
    ask: Ask::Itself(Question::Nested),
    ..Harness::SNAKE
};
