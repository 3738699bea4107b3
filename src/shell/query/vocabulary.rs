//! The names that queries may use: captures, predicates and `#set!` keys. Owns the lists alone; must
//! decide nothing. Shared with `build.rs`, so it must use nothing of this crate.

/// Captures for structure.
pub const CAPTURES: &[&str] = &[
    "assignment",
    "assignment.name",
    "assignment.value",
    "command",
    "command.argument",
    "command.name",
    "context.background",
    "context.case",
    "context.case_item",
    "context.command_substitution",
    "context.for",
    "context.function",
    "context.group",
    "context.if",
    "context.list",
    "context.negated",
    "context.pipeline",
    "context.process_substitution",
    "context.select",
    "context.subshell",
    "context.test",
    "context.while",
    "operator",
    "redirect",
    "redirect.heredoc",
    "redirect.herestring",
    "redirect.target",
    "unmodelled",
];

/// Captures that name a program.
pub const PROGRAMS: &[&str] = &["wrapper", "sink"];

/// Predicates on a capture's cooked text.
pub const PREDICATES: &[&str] = &["eq?", "not-eq?", "any-of?", "not-any-of?", "match?", "not-match?"];

/// What the value of a `#set!` key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Words, separated by blanks. A key that is set again adds words.
    Words,
    /// Option names, separated by blanks; each starts with `-` or `+`.
    Options,
    /// A number.
    Number,
    /// One of these.
    One(&'static [&'static str]),
}

/// `true` or `false`.
const BOOLEAN: Value = Value::One(&["true", "false"]);

/// The `#set!` keys.
pub const KEYS: &[(&str, Value)] = &[
    ("subcommand", Value::Words),
    ("flags", Value::Options),
    ("options", Value::Options),
    ("attached", Value::Options),
    ("text", Value::Options),
    ("exec", Value::Options),
    ("inert", Value::Options),
    ("until", Value::Words),
    ("rest", BOOLEAN),
    ("runs", Value::Words),
    ("arguments", Value::Words),
    ("replaces", Value::Options),
    ("feeds", BOOLEAN),
    ("skip", Value::Number),
    ("assignments", BOOLEAN),
    ("operands", Value::One(&["command", "join", "first", "file", "nothing"])),
    ("stdin", BOOLEAN),
    ("locality", Value::One(&["local", "remote", "container"])),
    ("lenient", BOOLEAN),
];
