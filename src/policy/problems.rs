//! Problems of a policy file, collected with their places. Must never stop at the first.

use super::types::{PolicyError, PolicyErrors};
use serde::de::DeserializeOwned;
use std::ops::Range;

/// Collects problems with their places.
pub struct Problems<'t> {
    file: &'t str,
    text: &'t str,
    found: Vec<PolicyError>,
}

impl<'t> Problems<'t> {
    /// None yet.
    pub fn new(file: &'t str, text: &'t str) -> Self {
        Self { file, text, found: Vec::new() }
    }

    /// Adds one.
    pub fn add(&mut self, at: Range<usize>, message: String, remedy: &str) {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.len() - before.rfind('\n').map_or(0, |newline| newline + 1);
        let (file, remedy) = (self.file.to_owned(), remedy.to_owned());
        let excerpt = self.text.lines().nth(line - 1).unwrap_or_default().to_owned();
        self.found.push(PolicyError { file, line, column, excerpt, message, remedy });
    }

    /// Reads the text as TOML.
    pub fn read<T: DeserializeOwned>(&mut self, remedy: &str) -> Option<T> {
        match toml::from_str(self.text) {
            Ok(raw) => Some(raw),
            Err(error) => {
                let at = error.span().unwrap_or(0..0);
                self.add(at, error.message().replace('\n', " "), remedy);
                None
            }
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All of them, in the order of the text.
    pub fn errors(mut self) -> PolicyErrors {
        self.found.sort_by_key(|error| (error.line, error.column));
        PolicyErrors(self.found)
    }

    /// The value, when nothing is wrong.
    pub fn finish<T>(self, value: T) -> Result<T, PolicyErrors> {
        if self.is_empty() { Ok(value) } else { Err(self.errors()) }
    }
}
