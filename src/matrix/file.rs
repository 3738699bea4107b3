//! Matrix files. Owns their format; must never run anything.

use crate::verdict::Decision;
use serde::Deserialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A matrix that can be run.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The file's name, for reports.
    pub name: String,
    /// Its rows, in order.
    pub rows: Vec<Row>,
}

/// One command line and the answer that it must get.
#[derive(Clone, Debug)]
pub struct Row {
    /// Unique name within the matrix.
    pub id: String,
    /// The command line.
    pub command: String,
    /// The wanted decision.
    pub expect: Decision,
    /// The wanted reason code; `None` accepts every code.
    pub code: Option<String>,
    /// The directory that the harness names.
    pub cwd: Option<PathBuf>,
    /// `--home`.
    pub home: Option<PathBuf>,
    /// `--root`.
    pub root: Option<PathBuf>,
    /// `--policy`.
    pub policy: Option<PathBuf>,
    /// Why the row is there.
    pub note: Option<String>,
    /// The line on which the row starts, from 1.
    pub line: usize,
}

/// A matrix file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct MatrixError {
    /// `file:line`.
    place: String,
    /// What is wrong and what to do.
    problem: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMatrix {
    version: Spanned<u32>,
    policy: Option<PathBuf>,
    root: Option<PathBuf>,
    home: Option<PathBuf>,
    cwd: Option<PathBuf>,
    #[serde(default)]
    row: Vec<Spanned<RawRow>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRow {
    id: String,
    command: String,
    expect: RawDecision,
    code: Option<String>,
    cwd: Option<PathBuf>,
    home: Option<PathBuf>,
    root: Option<PathBuf>,
    policy: Option<PathBuf>,
    note: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawDecision {
    Allow,
    Ask,
    Deny,
}

/// Where a text came from.
struct Source<'a> {
    name: &'a str,
    text: &'a str,
    directory: Option<&'a Path>,
}

impl Matrix {
    /// Reads a file. A policy that names a file beside it means that file.
    ///
    /// # Errors
    /// When it cannot be read or is not a matrix.
    pub fn load(path: &Path) -> Result<Self, MatrixError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| MatrixError { place: name.clone(), problem: error.to_string() })?;
        Source { name: &name, text: &text, directory: path.parent() }.compile()
    }

    /// Reads a text.
    ///
    /// # Errors
    /// When it is not a matrix.
    pub fn parse(name: &str, text: &str) -> Result<Self, MatrixError> {
        Source { name, text, directory: None }.compile()
    }
}

impl Source<'_> {
    fn compile(&self) -> Result<Matrix, MatrixError> {
        let raw: RawMatrix = toml::from_str(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.error(at, error.message().trim())
        })?;
        if *raw.version.get_ref() != 1 {
            return Err(self.error(raw.version.span().start, "only `version = 1` is known"));
        }
        let mut ids = HashSet::new();
        let rows = raw.row.iter().map(|row| self.row(row, &raw, &mut ids)).collect::<Result<_, _>>()?;
        Ok(Matrix { name: self.name.to_owned(), rows })
    }

    fn row(
        &self,
        spanned: &Spanned<RawRow>,
        matrix: &RawMatrix,
        ids: &mut HashSet<String>,
    ) -> Result<Row, MatrixError> {
        let (row, at) = (spanned.get_ref(), spanned.span().start);
        if !ids.insert(row.id.clone()) {
            return Err(self.error(at, &format!("a row with the id `{}` exists already", row.id)));
        }
        let expect = row.expect.meant();
        if expect == Decision::Allow && row.code.is_some() {
            return Err(self.error(at, &format!("row `{}`: an allowed command has no code", row.id)));
        }
        let or = |own: &Option<PathBuf>, all: &Option<PathBuf>| own.clone().or_else(|| all.clone());
        Ok(Row {
            id: row.id.clone(),
            command: row.command.clone(),
            expect,
            code: row.code.clone(),
            cwd: or(&row.cwd, &matrix.cwd),
            home: or(&row.home, &matrix.home),
            root: or(&row.root, &matrix.root),
            policy: or(&row.policy, &matrix.policy).map(|policy| self.policy(policy)),
            note: row.note.clone(),
            line: self.line(at),
        })
    }

    fn policy(&self, policy: PathBuf) -> PathBuf {
        let beside = self.directory.map(|directory| directory.join(&policy));
        beside.filter(|path| path.is_file()).unwrap_or(policy)
    }

    fn line(&self, at: usize) -> usize {
        1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count()
    }

    fn error(&self, at: usize, problem: &str) -> MatrixError {
        MatrixError { place: format!("{}:{}", self.name, self.line(at)), problem: problem.to_owned() }
    }
}

impl RawDecision {
    fn meant(self) -> Decision {
        match self {
            Self::Allow => Decision::Allow,
            Self::Ask => Decision::Ask,
            Self::Deny => Decision::Deny,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        Matrix::parse("m.toml", text).map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn defaults_reach_rows() {
        let text = "version = 1\nroot = \"/r\"\n[[row]]\nid = \"a\"\ncommand = \"ls\"\nexpect = \"allow\"\n";
        let matrix = Matrix::parse("m.toml", text).ok();
        let row = matrix.as_ref().and_then(|matrix| matrix.rows.first());
        assert_eq!(row.and_then(|row| row.root.clone()), Some(PathBuf::from("/r")));
        assert_eq!(row.map(|row| row.line), Some(3));
    }

    #[test]
    fn errors_have_a_line() {
        assert!(problem("version = 2\n").starts_with("m.toml:1: "));
        let unknown = "version = 1\n[[row]]\nid = \"a\"\ncommand = \"ls\"\nexpect = \"allow\"\nwhy = 1\n";
        assert!(problem(unknown).starts_with("m.toml:6: unknown field `why`"), "{}", problem(unknown));
        let row = "[[row]]\nid = \"a\"\ncommand = \"ls\"\nexpect = \"allow\"\n";
        assert!(problem(&format!("version = 1\n{row}{row}")).contains("m.toml:6: a row with the id"));
    }
}
