//! Directories that rows need: what is in them, and the making of them. Must never leave the
//! temporary directory.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A directory as a matrix describes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Directory {
    /// Paths and contents; a path that ends in `/` is a directory.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Where in it rows run; the directory itself when left out.
    cwd: Option<String>,
}

/// A directory that exists until this is dropped.
#[derive(Debug)]
pub struct Made {
    _directory: TempDir,
    /// Where rows run.
    pub cwd: PathBuf,
}

impl Directory {
    /// The first path that is not plain, relative and below the directory.
    pub(super) fn odd_path(&self) -> Option<&str> {
        let odd = |path: &str| path.split('/').any(|part| matches!(part, "" | "." | ".."));
        let files = self.files.keys().map(|path| (path.as_str(), path.strip_suffix('/').unwrap_or(path)));
        let mut paths = files.chain(self.cwd.iter().map(|path| (path.as_str(), path.as_str())));
        paths.find(|(_, plain)| odd(plain)).map(|(path, _)| path)
    }

    /// Makes it anew.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn make(&self) -> std::io::Result<Made> {
        let directory = TempDir::new()?;
        for (path, content) in &self.files {
            write(&directory.path().join(path), path.ends_with('/'), content)?;
        }
        let cwd =
            self.cwd.as_ref().map_or_else(|| directory.path().to_owned(), |at| directory.path().join(at));
        fs::create_dir_all(&cwd)?;
        Ok(Made { _directory: directory, cwd })
    }
}

fn write(path: &Path, directory: bool, content: &str) -> std::io::Result<()> {
    if directory {
        return fs::create_dir_all(path);
    }
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, content)
}
