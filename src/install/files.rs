//! Reading and writing configuration files. Owns atomic replacement, permissions, links and
//! backups; must never look at what the files say.

use std::fmt;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// What the name of a backup ends in.
const BACKUP: &str = ".stanchion-backup";

/// The byte-order mark.
const MARK: &str = "\u{feff}";

/// Why a file cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The file.
    pub path: PathBuf,
    /// Line and column, from 1, where there is such a place.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub remedy: String,
}

impl std::error::Error for Trouble {}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.path.display())?;
        if let Some((line, column)) = self.place {
            write!(out, ":{line}:{column}")?;
        }
        write!(out, ": {}; {}", self.message, self.remedy)
    }
}

impl Trouble {
    /// Trouble with a whole file.
    #[must_use]
    pub fn new(path: &Path, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path: path.to_owned(), place: None, message: message.into(), remedy: remedy.into() }
    }

    /// Trouble at a byte of a text.
    #[must_use]
    pub fn at(path: &Path, text: &str, offset: usize, message: &str) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        let remedy = "mend the file, then install again; it was not changed";
        Self { place: Some((line, column)), ..Self::new(path, message, remedy) }
    }
}

/// A text file, its byte-order mark taken off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// Whether it had a byte-order mark.
    pub mark: bool,
    /// What is written in it.
    pub body: String,
}

impl Text {
    /// The bytes with another body.
    #[must_use]
    pub fn with(&self, body: &str) -> Vec<u8> {
        format!("{}{body}", if self.mark { MARK } else { "" }).into_bytes()
    }
}

/// Reads a file; `None` when there is none.
///
/// # Errors
/// When it cannot be read or is no text.
pub fn read(path: &Path) -> Result<Option<Text>, Trouble> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(None),
        Err(error) => {
            return Err(Trouble::new(
                path,
                format!("cannot be read ({error})"),
                "mend the path or the permissions",
            ));
        }
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let known = String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default()).into_owned();
        Trouble::at(path, &known, good, "this byte is not UTF-8")
    })?;
    let body = text.strip_prefix(MARK).map(str::to_owned);
    Ok(Some(Text { mark: body.is_some(), body: body.unwrap_or(text) }))
}

/// The backup beside a file.
#[must_use]
pub fn backup(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(BACKUP);
    name.into()
}

/// Whether a file's owner has made it read-only.
#[must_use]
pub fn is_read_only(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o222 == 0)
}

/// Replaces a file in one step: readers see the old text or the new one. A link stays a link, and
/// permissions stay.
///
/// # Errors
/// When it cannot be written; then it is as it was.
pub fn write(path: &Path, bytes: &[u8], executable: bool) -> Result<(), Trouble> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let fail = |error: std::io::Error| {
        Trouble::new(path, format!("cannot be written ({error})"), "mend the permissions of its directory")
    };
    let directory = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(fail)?;
    let mut file = tempfile::Builder::new().prefix(".stanchion-").tempfile_in(directory).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    let old = fs::metadata(&target).ok().map(|meta| meta.permissions());
    let fresh = fs::Permissions::from_mode(if executable { 0o755 } else { 0o644 });
    file.as_file().set_permissions(old.unwrap_or(fresh)).map_err(fail)?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist(&target).map_err(|error| fail(error.error))?;
    Ok(())
}

/// Removes a file.
///
/// # Errors
/// When it is there and cannot be removed.
pub fn remove(path: &Path) -> Result<(), Trouble> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Trouble::new(
            path,
            format!("cannot be removed ({error})"),
            "mend the permissions of its directory",
        )),
        Ok(()) | Err(_) => Ok(()),
    }
}
