//! The compiled form of a query: plain tables that can stand in the binary's read-only data. Owns
//! the types only. Shared with `build.rs`, so it must use nothing of this crate.

use std::borrow::Cow;

/// A list that is either part of the binary or was read at run time.
pub type List<T> = Cow<'static, [T]>;
/// A text that is either part of the binary or was read at run time.
pub type Text = Cow<'static, str>;

/// One element of a pattern: what a single node must be.
#[derive(Clone, Debug)]
pub struct Item {
    /// The kind of node.
    pub shape: Shape,
    /// The field by which its parent must hold it; 0 for any.
    pub field: u16,
    /// Whether no named sibling may stand between it and the element before (`.` before it).
    pub anchored: bool,
    /// Whether no named sibling may follow the last of its children (`.` at the end).
    pub last: bool,
    /// Names under which the node is captured.
    pub captures: List<Text>,
    /// What must hold of the node's cooked text.
    pub tests: List<Test>,
    /// Patterns that some of its children match, in this order.
    pub children: List<Item>,
}

/// What kind of node an [`Item`] wants.
#[derive(Clone, Debug)]
pub enum Shape {
    /// `(kind)` or `"token"`, as grammar symbol; `(ERROR)` is `u16::MAX`.
    Kind(u16),
    /// `(_)`
    Named,
    /// `_`
    Any,
    /// `(MISSING)`
    Missing,
    /// `(MISSING kind)` or `(MISSING "token")`
    MissingKind(u16),
    /// `[a b]`
    Choice(List<Item>),
}

/// A predicate on the cooked text of one node. A node whose text is not known passes none.
#[derive(Clone, Debug)]
pub struct Test {
    /// Whether the text must fail the test (`#not-…`).
    pub negated: bool,
    /// The test itself.
    pub check: Check,
}

/// The tests there are.
#[derive(Clone, Debug)]
pub enum Check {
    /// Equal to one of these (`#eq?`, `#any-of?`).
    OneOf(List<Text>),
    /// Contains the literal, at the start, at the end or both (`#match?`).
    Match {
        /// The literal, escapes resolved.
        literal: Text,
        /// `^`
        start: bool,
        /// `$`
        end: bool,
    },
}

/// What one pattern of `wrappers.scm` or `sinks.scm` says, its `#set!` pairs as written.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Whether the pattern captured `@sink` (otherwise `@wrapper`).
    pub sink: bool,
    /// Keys and values, both valid.
    pub settings: List<(Text, Text)>,
}

/// A program name and the index of one entry about it.
#[derive(Clone, Debug)]
pub struct Named {
    /// Base name of the program.
    pub name: Text,
    /// Index into [`Tables::facts`].
    pub facts: usize,
}

/// `(command name: (command_name))`
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The symbol of `command`.
    pub command: u16,
    /// The field `name`.
    pub field: u16,
    /// The symbol of `command_name`.
    pub name: u16,
}

/// All tables of a query set.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Patterns on structure.
    pub patterns: List<Item>,
    /// Root symbol and index of pattern, sorted.
    pub roots: List<(u16, usize)>,
    /// Patterns whose root has no fixed symbol.
    pub anywhere: List<usize>,
    /// What is known of programs.
    pub facts: List<Facts>,
    /// Program names, sorted; entries of one name stand together in file order.
    pub names: List<Named>,
    /// Where a program's name stands.
    pub name: Place,
}
