//! Reads query files at run time (`--queries DIR`). Owns the run-time errors; must never be reached
//! from the hook path, because tree-sitter's own check is slow.

use super::compile::{Compiler, Grammar};
use super::parse::{Fault, parse, position};
use super::table::Tables;
use crate::shell::syntax;
use std::fmt;
use std::path::{Path, PathBuf};

/// What is wrong with a query file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, remedy } = self;
        write!(f, "{}:{line}:{column}: {message}; {remedy}", file.display())
    }
}

impl std::error::Error for QueryError {}

/// The grammar that this program is linked with.
struct Linked;

impl Grammar for Linked {
    fn kind(&self, name: &str, named: bool) -> Option<u16> {
        syntax::kind_id(name, named)
    }

    fn field(&self, name: &str) -> Option<u16> {
        syntax::field_id(name)
    }
}

/// Compiles all `.scm` files of a directory.
pub(super) fn load(dir: &Path) -> Result<Tables, Vec<QueryError>> {
    let files = files(dir).map_err(|error| vec![unreadable(dir, &error.to_string())])?;
    if files.is_empty() {
        return Err(vec![unreadable(dir, "there is no `.scm` file here")]);
    }
    let mut compiler = Compiler::default();
    let mut errors = Vec::new();
    for file in &files {
        match std::fs::read_to_string(file) {
            Ok(text) => errors.extend(add(&mut compiler, file, &text)),
            Err(error) => errors.push(unreadable(file, &error.to_string())),
        }
    }
    if errors.is_empty() { Ok(compiler.finish(&Linked)) } else { Err(errors) }
}

fn files(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "scm") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn add(compiler: &mut Compiler, file: &Path, text: &str) -> Vec<QueryError> {
    let mut faults = match parse(text) {
        Ok(patterns) => compiler.add(&patterns, &Linked),
        Err(fault) => vec![fault],
    };
    if faults.is_empty() {
        let refused = syntax::check_query(text).err();
        faults.extend(refused.map(|(at, message)| Fault::new(at, message, "see the tree with `stanchion dump-tree`")));
    }
    faults.into_iter().map(|fault| located(file, text, fault)).collect()
}

fn located(file: &Path, text: &str, fault: Fault) -> QueryError {
    let (line, column) = position(text, fault.at);
    QueryError { file: file.to_owned(), line, column, message: fault.message, remedy: fault.remedy }
}

fn unreadable(file: &Path, message: &str) -> QueryError {
    let remedy = "give a directory with readable `.scm` files in UTF-8".to_owned();
    QueryError { file: file.to_owned(), line: 1, column: 1, message: message.to_owned(), remedy }
}
