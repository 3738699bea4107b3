//! Which files of a family there are, by their names. Must never open one.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The numbered files of a family, the oldest first.
pub(super) fn numbered(directory: &Path, stem: &str) -> io::Result<Vec<(u64, PathBuf)>> {
    let number = |name: &str| name.strip_suffix(".jsonl")?.parse().ok();
    let mut found: Vec<(u64, PathBuf)> = members(directory, stem, ".")?
        .into_iter()
        .filter_map(|(rest, path)| number(&rest).map(|number| (number, path)))
        .collect();
    found.sort();
    Ok(found)
}

/// The spills of a family, the oldest first.
///
/// # Errors
/// When the directory cannot be read.
pub fn spills(directory: &Path, stem: &str) -> io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = members(directory, stem, ".spill-")?
        .into_iter()
        .filter(|(rest, _)| rest.ends_with(".jsonl"))
        .map(|(_, path)| path)
        .collect();
    found.sort();
    Ok(found)
}

/// The files whose names start with the stem and a mark: the rest of the name, and the path.
fn members(directory: &Path, stem: &str, mark: &str) -> io::Result<Vec<(String, PathBuf)>> {
    let rest = |name: &OsStr| Some(name.to_str()?.strip_prefix(stem)?.strip_prefix(mark)?.to_owned());
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        found.extend(rest(&entry.file_name()).map(|rest| (rest, entry.path())));
    }
    Ok(found)
}
