//! The files of a history: in the usual places, or below paths that a person names. Owns which format a file has;
//! must never read more of a file than its head.

use super::table::{FORMATS, Format};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// How much of a file is looked at to tell its format.
const HEAD: u64 = 1 << 20;

/// How deep folders are looked through.
const DEPTH: usize = 16;

/// A usual place.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The variable that moves it.
    pub variable: &'static str,
    /// What the variable stands for, below the home.
    pub home: &'static str,
    /// The folder below that.
    pub folder: &'static str,
}

impl Place {
    /// A folder below a home that a variable may move.
    #[must_use]
    pub const fn new(variable: &'static str, home: &'static str, folder: &'static str) -> Self {
        Self { variable, home, folder }
    }
}

/// A file with a format.
#[derive(Clone, Debug)]
pub struct Source {
    /// The format.
    pub format: &'static Format,
    /// The file.
    pub path: PathBuf,
}

/// The files in the usual places. `place` gives the folder for which a place stands, where there is one.
///
/// # Errors
/// When a folder that exists cannot be listed.
pub fn usual(place: impl Fn(&Place) -> Option<PathBuf>) -> io::Result<Vec<Source>> {
    let mut found = Vec::new();
    for format in &FORMATS {
        for folder in format.places.iter().filter_map(&place).filter(|folder| folder.is_dir()) {
            let mut files = Vec::new();
            walk(&folder, DEPTH, &mut files)?;
            let own = files.into_iter().filter(|file| is_named(file, format));
            found.extend(own.map(|path| Source { format, path }));
        }
    }
    Ok(found)
}

/// The files that a path names: itself, or what lies below it and has a known format.
///
/// # Errors
/// When it cannot be read, or is a file of no known format.
pub fn below(path: &Path) -> io::Result<Vec<Source>> {
    let found = fs::metadata(path)?;
    if !found.is_dir() {
        // Its head is read to tell the format, and then all of it: a pipe gives that only once.
        if !found.is_file() {
            return Err(io::Error::other("it is no regular file: name a file or a folder"));
        }
        let format = format(path)?;
        let format =
            format.ok_or_else(|| io::Error::other("it is no transcript and no record that is known"))?;
        return Ok(vec![Source { format, path: path.to_owned() }]);
    }
    let mut files = Vec::new();
    walk(path, DEPTH, &mut files)?;
    let mut found = Vec::new();
    for path in files {
        if FORMATS.iter().any(|format| is_named(&path, format))
            && let Some(format) = format(&path)?
        {
            found.push(Source { format, path });
        }
    }
    Ok(found)
}

/// Files below a folder, by name. Links are not followed: a loop would never end.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(&entry.path(), depth, files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn is_named(path: &Path, format: &Format) -> bool {
    let text = path.to_string_lossy();
    format.ends.iter().any(|end| text.ends_with(end)) && !text.ends_with(".meta.json")
}

/// The format of a file: by its place, else by what stands in it.
fn format(path: &Path) -> io::Result<Option<&'static Format>> {
    let text = path.to_string_lossy();
    let placed = |format: &&Format| {
        let folder = |place: &Place| {
            let below = Path::new(place.home).join(place.folder);
            text.contains(&format!("/{}/", below.display()))
        };
        is_named(path, format) && format.places.iter().any(folder)
    };
    if let Some(format) = FORMATS.iter().find(placed) {
        return Ok(Some(format));
    }
    let mut head = Vec::new();
    fs::File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    if head.starts_with(b"SQLite format 3\0") {
        return Ok(FORMATS.iter().find(|format| is_named(path, format)));
    }
    let head = String::from_utf8_lossy(&head);
    let holds = |format: &'static Format| {
        let lines = head.lines().chain([&*head]).filter(|line| format.may_hold(line));
        lines.take(64).any(|line| super::shape::has_call(format, line))
    };
    Ok(FORMATS.iter().find(|format| holds(format)))
}
