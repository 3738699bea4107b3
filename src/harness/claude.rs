//! Claude Code. Measured with 2.1.332 and 2.1.197.
//!
//! Obeys `hookSpecificOutput` and exit status 2. Up to 2.1.212 an object that breaks its schema on
//! stdout (`"decision":"deny"`) makes it ignore the status, so the denial says `"block"`. Without a
//! person (`-p`) it answers a question with a denial itself. `cwd` follows `cd`.

use super::answer::{Ask, Deny, Question};
use super::table::Harness;

/// The table.
pub const HARNESS: Harness = Harness {
    name: "claude",
    also: &["claude-code"],
    read_by_others: true,
    status_marks: &["^Exit code "],
    fails_apart: true,
    deny: Deny::Everywhere,
    ask: Ask::Itself(Question::Nested),
    ..Harness::SNAKE
};
