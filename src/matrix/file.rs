//! Matrix files. Owns their format; must never run anything.

use super::directory::Directory;
use crate::verdict::Decision;
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A matrix that can be run.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The file's name, for reports.
    pub name: String,
    /// Its rows, in order.
    pub rows: Vec<Row>,
    /// The directories that its rows name.
    pub directories: BTreeMap<String, Directory>,
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
    /// In place of `cwd`: the name of one that is made for the run.
    pub directory: Option<String>,
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
    directory: Option<Spanned<String>>,
    #[serde(default)]
    directories: BTreeMap<Spanned<String>, Directory>,
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
    directory: Option<Spanned<String>>,
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
        let directories = self.directories(&raw)?;
        let mut ids = HashSet::new();
        let rows = raw.row.iter().map(|row| self.row(row, &raw, &mut ids)).collect::<Result<_, _>>()?;
        Ok(Matrix { name: self.name.to_owned(), rows, directories })
    }

    /// The directories by name. Every name that is used has one.
    fn directories(&self, raw: &RawMatrix) -> Result<BTreeMap<String, Directory>, MatrixError> {
        for (name, directory) in &raw.directories {
            if let Some(path) = directory.odd_path() {
                let problem = format!("directory `{}`: `{path}` is not a path below it", name.get_ref());
                return Err(self.error(name.span().start, &problem));
            }
        }
        let rows = raw.row.iter().filter_map(|row| row.get_ref().directory.as_ref());
        for used in raw.directory.iter().chain(rows) {
            if !raw.directories.keys().any(|name| name.get_ref() == used.get_ref()) {
                let problem = format!("there is no [directories.{}]", used.get_ref());
                return Err(self.error(used.span().start, &problem));
            }
        }
        let named = raw.directories.iter().map(|(name, made)| (name.get_ref().clone(), made.clone()));
        Ok(named.collect())
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
        if row.cwd.is_some() && row.directory.is_some() {
            let problem = format!("row `{}`: either `cwd` or `directory`", row.id);
            return Err(self.error(at, &problem));
        }
        let or = |own: &Option<PathBuf>, all: &Option<PathBuf>| own.clone().or_else(|| all.clone());
        let directory = row.directory.as_ref().or(matrix.directory.as_ref());
        Ok(Row {
            id: row.id.clone(),
            command: row.command.clone(),
            expect,
            code: row.code.clone(),
            cwd: or(&row.cwd, &matrix.cwd),
            directory: directory.filter(|_| row.cwd.is_none()).map(|name| name.get_ref().clone()),
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
        let both = format!("version = 1\n[directories.d]\n{row}cwd = \"/\"\ndirectory = \"d\"\n");
        assert!(problem(&both).contains("m.toml:3: row `a`: either"), "{}", problem(&both));
        let unknown = format!("version = 1\n{row}directory = \"d\"\n");
        assert!(
            problem(&unknown).starts_with("m.toml:6: there is no [directories.d]"),
            "{}",
            problem(&unknown)
        );
        for path in ["../x", "/x", "x//y", ""] {
            let odd = format!("version = 1\n[directories.d.files]\n\"{path}\" = \"\"\n");
            assert!(problem(&odd).contains(&format!("`{path}` is not a path below it")), "{}", problem(&odd));
        }
    }

    #[test]
    fn rows_name_directories() {
        let text = "version = 1\ndirectory = \"d\"\n[directories.d]\ncwd = \"e\"\nfiles = { \"a/b\" = \"c\" }\n[directories.f]\n\
                    [[row]]\nid = \"a\"\ncommand = \"ls\"\nexpect = \"allow\"\n\
                    [[row]]\nid = \"b\"\ncommand = \"ls\"\nexpect = \"allow\"\ndirectory = \"f\"\n\
                    [[row]]\nid = \"c\"\ncommand = \"ls\"\nexpect = \"allow\"\ncwd = \"/\"\n";
        let matrix = Matrix::parse("m.toml", text).ok();
        let rows = matrix.iter().flat_map(|matrix| &matrix.rows);
        let named: Vec<Option<String>> = rows.map(|row| row.directory.clone()).collect();
        assert_eq!(named, [Some("d".to_owned()), Some("f".to_owned()), None]);
        let made = matrix.and_then(|matrix| matrix.directories.get("d")?.make().ok());
        let beside = made.as_ref().map(|made| made.cwd.join("../a/b"));
        assert_eq!(beside.and_then(|file| std::fs::read(file).ok()), Some(b"c".to_vec()));
    }
}
