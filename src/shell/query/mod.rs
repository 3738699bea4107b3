//! The maintainers' queries, compiled. Owns which nodes are commands, which contexts there are and
//! which programs run their operands or read text as shell; must never call `Query::new`.

mod compile;
mod load;
mod matcher;
mod parse;
mod program;
mod shipped;
mod table;
mod vocabulary;

use super::syntax::{NodeId, Tree};
use crate::span::Span;
pub use load::QueryError;
use std::path::Path;
use table::{Facts, Tables};

/// A set of compiled query files.
#[derive(Clone, Debug)]
pub struct Queries {
    tables: std::borrow::Cow<'static, Tables>,
}

/// A node that a pattern captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture<'q> {
    /// The capture's name, without `@`.
    pub name: &'q str,
    /// The node.
    pub node: NodeId,
}

/// How a wrapper or sink treats its words (one pattern of `wrappers.scm` or `sinks.scm`). Option
/// names are as written, `-u` or `--user`; short ones may be clustered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Program<'q> {
    /// Words that must follow the name, in order (`git bisect run`). `flags` and `options` may stand
    /// between the name and these words (`git -C DIR bisect run`).
    pub subcommand: Names<'q>,
    /// Options without argument.
    pub flags: Names<'q>,
    /// Options with an argument.
    pub options: Names<'q>,
    /// Options whose argument, if there is one, is part of the same word (`-i[R]`, `--eof[=END]`).
    pub attached: Names<'q>,
    /// Options whose argument is shell text (`-c`).
    pub text: Names<'q>,
    /// Words that are followed by a command, up to a word of `until` or the end (`find -exec`,
    /// `kubectl exec POD --`).
    pub exec: Names<'q>,
    /// Options with which nothing is executed (`command -v`).
    pub inert: Names<'q>,
    /// The words that end such a command.
    pub until: Names<'q>,
    /// How many operands stand before the command (`timeout DURATION cmd`); also skipped for sinks.
    pub skip: usize,
    /// Whether `NAME=VALUE` operands before the command are assignments (`env`, `sudo`).
    pub assignments: bool,
    /// What the operands are.
    pub operands: Operands,
    /// Whether, without a file operand, standard input is read as shell text (`bash`, `sh -s`).
    pub stdin: bool,
    /// Whether the words behind a text are further words of it (`env -S TEXT A B`).
    pub rest: bool,
    /// Beginnings of operands whose rest is a program that is run (`make SHELL=`).
    pub runs: Names<'q>,
    /// Words behind which arguments of the text follow (`parallel TEXT ::: A B`).
    pub arguments: Names<'q>,
    /// Whether words read from standard input are put behind the operands (`xargs`).
    pub feeds: bool,
    /// Options whose argument names what such a word replaces (`xargs -I {}`).
    pub replaces: Names<'q>,
    /// Where the operands run: `local`, `remote` or `container`.
    pub locality: crate::shell::model::Locality,
    /// Whether an unknown option leaves the rest readable (false: the rest is opaque).
    pub lenient: bool,
    /// Whether it is a sink (reads text as shell) rather than a wrapper (runs words).
    pub sink: bool,
}

/// Names as a query file writes them, with blanks between them. Borrowed: looking up a program on the
/// hook path allocates nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Names<'q>(pub(super) &'q str);

impl<'q> Names<'q> {
    /// The names in order.
    pub fn iter(self) -> impl Iterator<Item = &'q str> + Clone {
        self.0.split_ascii_whitespace()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Whether a word is one of them.
    #[must_use]
    pub fn contains(self, word: &[u8]) -> bool {
        self.iter().any(|name| name.as_bytes() == word)
    }
}

/// What the operands of a wrapper or sink are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operands {
    /// A command and its words (`sudo`, `env`).
    #[default]
    Command,
    /// Shell text: all words joined with blanks (`eval`, `watch`, `ssh`).
    Join,
    /// Shell text: the first operand alone (`trap`).
    First,
    /// A file that is executed, then its arguments (`bash FILE`, `source FILE`).
    File,
    /// Nothing that is executed.
    Nothing,
}

impl Queries {
    /// The shipped queries.
    #[must_use]
    pub fn shipped() -> &'static Self {
        static SHIPPED: Queries = Queries { tables: std::borrow::Cow::Borrowed(&shipped::TABLES) };
        &SHIPPED
    }

    /// Whether these are the shipped queries.
    #[must_use]
    pub fn are_shipped(&self) -> bool {
        matches!(self.tables, std::borrow::Cow::Borrowed(_))
    }

    /// Reads and checks all `.scm` files of a directory, in the order of their names. They replace
    /// the shipped ones.
    ///
    /// # Errors
    /// Everything that is wrong with the files.
    pub fn load(dir: &Path) -> Result<Self, Vec<QueryError>> {
        load::load(dir).map(|tables| Self { tables: std::borrow::Cow::Owned(tables) })
    }

    /// All captures in a tree, in node order. `text` gives a node's cooked text by its range; where
    /// it gives none, no predicate holds and no program is recognised.
    #[must_use]
    pub fn captures<'q>(&'q self, tree: &Tree, text: &dyn Fn(Span) -> Option<Vec<u8>>) -> Vec<Capture<'q>> {
        let mut matcher = matcher::Matcher { tables: &self.tables, tree, text, found: Vec::new() };
        matcher.run();
        matcher.found
    }

    /// What is known of a program by its base name; several entries where subcommands differ, in
    /// file order.
    pub fn programs<'q>(&'q self, name: &[u8]) -> impl Iterator<Item = Program<'q>> + use<'q> {
        facts(&self.tables, name).map(program::program)
    }
}

/// The entries about a program.
fn facts<'q>(tables: &'q Tables, name: &[u8]) -> impl Iterator<Item = &'q Facts> + use<'q> {
    let names = tables.names.as_ref();
    let from = names.partition_point(|named| named.name.as_bytes() < name);
    let here = names.get(from..).unwrap_or_default().iter();
    let count = here.clone().take_while(|named| named.name.as_bytes() == name).count();
    here.take(count).filter_map(|named| tables.facts.get(named.facts))
}
