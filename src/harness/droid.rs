//! Factory Droid, by the documents (0.245).

use super::answer::{Ask, Deny, Question};
use super::table::Harness;

/// The table. What a question does without a person is not told.
pub const HARNESS: Harness = Harness {
    name: "droid",
    also: &["factory", "factory-droid"],
    deny: Deny::Text,
    ask: Ask::Attended(Question::Nested),
    ..Harness::SNAKE
};
