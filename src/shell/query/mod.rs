//! The maintainers' queries, compiled. Owns which nodes are commands, which contexts there are and
//! which programs run their operands or read text as shell; must never call `Query::new`.

use super::syntax::{NodeId, Tree};
use crate::span::Span;

/// A set of compiled query files.
#[derive(Debug, Default)]
pub struct Queries {}

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Words that must follow the name, in order, before anything else (`git bisect run`).
    pub subcommand: Vec<String>,
    /// Options without argument.
    pub flags: Vec<String>,
    /// Options with an argument.
    pub options: Vec<String>,
    /// Options whose argument is shell text (`-c`).
    pub text: Vec<String>,
    /// Options that are followed by a command, up to a word of `until` (`find -exec`).
    pub exec: Vec<String>,
    /// The words that end such a command.
    pub until: Vec<String>,
    /// How many operands stand before the command (`timeout DURATION cmd`); also skipped for sinks.
    pub skip: usize,
    /// Whether `NAME=VALUE` operands before the command are assignments (`env`, `sudo`).
    pub assignments: bool,
    /// What the operands are.
    pub operands: Operands,
    /// Whether, without a file operand, standard input is read as shell text (`bash`, `sh -s`).
    pub stdin: bool,
    /// Where the operands run: `local`, `remote` or `container`.
    pub locality: crate::shell::model::Locality,
    /// Whether an unknown option leaves the rest readable (false: the rest is opaque).
    pub lenient: bool,
    /// Whether it is a sink (reads text as shell) rather than a wrapper (runs words).
    pub sink: bool,
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
        static SHIPPED: Queries = Queries {};
        &SHIPPED
    }

    /// All captures in a tree, in node order. `text` gives a node's cooked text by its range.
    #[must_use]
    pub fn captures<'q>(&'q self, tree: &Tree, text: &dyn Fn(Span) -> Option<Vec<u8>>) -> Vec<Capture<'q>> {
        let _ = (tree, text);
        Vec::new()
    }

    /// What is known of a program by its base name; several entries where subcommands differ.
    #[must_use]
    pub fn programs(&self, name: &[u8]) -> &[Program] {
        let _ = name;
        &[]
    }
}

/// A mistake in a query file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct QueryError(String);

impl Queries {
    /// Stand-in until the query loader lands.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn load(directory: &std::path::Path) -> Result<Self, Vec<QueryError>> {
        match std::fs::read_dir(directory) {
            Ok(_) => Ok(Self {}),
            Err(error) => Err(vec![QueryError(format!("{}: {error}", directory.display()))]),
        }
    }
}
