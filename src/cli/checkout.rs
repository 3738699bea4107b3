//! Which git checkout holds a directory. Owns the reading of git's own files (gitrepository-layout(5));
//! must never run git, write or heed an environment variable.

use stanchion::call::{Checkout, CheckoutKind};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Looks up the checkout of a directory, and which of `entries` exist at its root.
pub fn find(directory: &Path, entries: &[&str]) -> Checkout {
    let Some((root, git)) = fs::canonicalize(directory).ok().and_then(|directory| above(&directory)) else {
        return Checkout::default();
    };
    let kind = if common(&git) == git { CheckoutKind::Plain } else { CheckoutKind::Linked };
    let entries = entries.iter().filter(|entry| stands(&root, entry)).map(|entry| (*entry).to_owned());
    Checkout { kind, entries: entries.collect() }
}

/// The nearest root above a directory, and its git directory. As git does, this stops in a bare
/// repository (also within `.git` itself) and at a `.git` file that names no repository.
fn above(directory: &Path) -> Option<(PathBuf, PathBuf)> {
    for root in directory.ancestors() {
        let named = root.join(".git");
        if named.is_file() {
            let git = fs::canonicalize(root.join(link(&named)?)).ok()?;
            return is_repository(&git).then(|| (root.to_owned(), git));
        }
        if is_repository(&named) {
            return Some((root.to_owned(), fs::canonicalize(named).ok()?));
        }
        if is_repository(root) {
            return None;
        }
    }
    None
}

/// The path in a `.git` file: `gitdir: PATH`.
fn link(file: &Path) -> Option<PathBuf> {
    line(file)?.strip_prefix(b"gitdir: ").map(path)
}

/// Where the repository's shared part is: the directory that `commondir` names, else the git
/// directory itself.
fn common(git: &Path) -> PathBuf {
    let named = line(&git.join("commondir")).and_then(|name| fs::canonicalize(git.join(path(&name))).ok());
    named.unwrap_or_else(|| git.to_owned())
}

fn is_repository(git: &Path) -> bool {
    // HEAD may be a link to a branch that has no commit yet.
    if fs::symlink_metadata(git.join("HEAD")).is_err() {
        return false;
    }
    let common = common(git);
    common.join("objects").is_dir() && common.join("refs").is_dir()
}

fn stands(root: &Path, entry: &str) -> bool {
    match entry.strip_suffix('/') {
        Some(directory) => root.join(directory).is_dir(),
        None => root.join(entry).is_file(),
    }
}

/// A file's text without the newlines at its end.
fn line(file: &Path) -> Option<Vec<u8>> {
    let mut bytes = fs::read(file).ok()?;
    while bytes.last().is_some_and(|byte| b"\r\n".contains(byte)) {
        bytes.pop();
    }
    Some(bytes)
}

fn path(bytes: impl AsRef<[u8]>) -> PathBuf {
    std::ffi::OsStr::from_bytes(bytes.as_ref()).into()
}
