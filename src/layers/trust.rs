//! Which projects' files the user trusts, each by its path and exact content. Owns the file of pins;
//! must never ask anybody, and a file of pins that cannot be read trusts nothing.

use super::files;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The version of the file.
const SCHEMA: u32 = 1;

/// What the user trusts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    /// The version of this form.
    pub schema: u32,
    /// Each trusted file once.
    pub pins: Vec<Pin>,
}

/// A trusted file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// Its path, links followed.
    pub file: PathBuf,
    /// The SHA-256 of its content in hexadecimal.
    pub sha256: String,
}

/// The SHA-256 of a text in hexadecimal.
#[must_use]
pub fn sha256(text: &str) -> String {
    let mut hex = String::new();
    for byte in Sha256::digest(text) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

fn place(file: &Path) -> PathBuf {
    fs::canonicalize(file).unwrap_or_else(|_| file.to_owned())
}

impl Default for Pins {
    fn default() -> Self {
        Self { schema: SCHEMA, pins: Vec::new() }
    }
}

impl Pins {
    /// Reads the file of pins; none when there is no file.
    ///
    /// # Errors
    /// When it cannot be read or means nothing.
    pub fn read(path: &Path) -> io::Result<Self> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            bytes => bytes?,
        };
        let pins: Self = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
        if pins.schema == SCHEMA { Ok(pins) } else { Err(io::Error::other("it has an unknown version")) }
    }

    /// Writes the file of pins in one step.
    ///
    /// # Errors
    /// When it cannot be written; then it is as it was.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        bytes.push(b'\n');
        files::replace(path, &bytes)
    }

    /// Whether a file with this text is trusted.
    #[must_use]
    pub fn has(&self, file: &Path, text: &str) -> bool {
        let file = place(file);
        self.pins.iter().any(|pin| pin.file == file && pin.sha256 == sha256(text))
    }

    /// Trusts a file with this text, and with no other.
    pub fn add(&mut self, file: &Path, text: &str) {
        self.remove(file);
        self.pins.push(Pin { file: place(file), sha256: sha256(text) });
    }

    /// Trusts a file no more. Tells whether it was trusted.
    pub fn remove(&mut self, file: &Path) -> bool {
        let (before, file) = (self.pins.len(), place(file));
        self.pins.retain(|pin| pin.file != file);
        self.pins.len() < before
    }
}
