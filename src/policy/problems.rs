//! Problems of a policy file, collected with their places. Must never stop at the first.

use super::form::table::Described;
use super::form::walk;
use super::types::{PolicyError, PolicyErrors};
use std::ops::Range;
use toml::de::{DeTable, Deserializer};

/// Collects problems with their places.
pub struct Problems<'t> {
    file: &'t str,
    text: &'t str,
    found: Vec<PolicyError>,
    /// Keys whose values did not fit: they count as there.
    refused: Vec<String>,
    /// Tables out of which something was taken.
    maimed: Vec<Range<usize>>,
}

impl<'t> Problems<'t> {
    /// None yet.
    pub fn new(file: &'t str, text: &'t str) -> Self {
        Self { file, text, found: Vec::new(), refused: Vec::new(), maimed: Vec::new() }
    }

    /// Adds one of a value. A value that is missing has no place: that it is missing was told.
    pub fn of_value(&mut self, at: Range<usize>, message: String, remedy: &str) {
        if at != (0..0) {
            self.add(at, message, remedy);
        }
    }

    /// Adds one of a place.
    pub fn add(&mut self, at: Range<usize>, message: String, remedy: &str) {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.len() - before.rfind('\n').map_or(0, |newline| newline + 1);
        let (file, remedy) = (self.file.to_owned(), remedy.to_owned());
        let excerpt = self.text.lines().nth(line - 1).unwrap_or_default().to_owned();
        self.found.push(PolicyError { file, line, column, excerpt, message, remedy });
    }

    /// The line of a place.
    pub fn line(&self, at: &Range<usize>) -> usize {
        1 + self.text.get(..at.start).unwrap_or(self.text).matches('\n').count()
    }

    /// Reads the text: all that fits the description. Nothing when it is no TOML.
    pub fn read<T: Described>(&mut self) -> Option<T> {
        let text: &'t str = self.text;
        let (mut table, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let message = error.message().replace('\n', " ");
            self.add(error.span().unwrap_or(0..0), message, "mend the TOML (see https://toml.io)");
        }
        if !errors.is_empty() {
            return None;
        }
        let at = table.span();
        walk::table(table.get_mut(), &at, T::table(), self);
        match T::deserialize(Deserializer::from(table)) {
            Ok(read) => Some(read),
            Err(error) => {
                let message = error.message().replace('\n', " ");
                self.add(error.span().unwrap_or(0..0), message, "write it as the schema says");
                None
            }
        }
    }

    /// Notes that a key's value was told not to fit.
    pub fn refuse(&mut self, key: &str) {
        self.refused.push(key.to_owned());
    }

    /// Whether a key is there with a value that does not fit.
    pub fn refused(&self, key: &str) -> bool {
        self.refused.iter().any(|refused| refused == key)
    }

    /// Notes that something was taken out of a table, or is missing in it.
    pub fn maim(&mut self, at: &Range<usize>) {
        self.maimed.push(at.clone());
    }

    /// Whether what is read of a table is all that is written: only then its meaning can be judged.
    pub fn intact(&self, at: &Range<usize>) -> bool {
        !self.maimed.contains(at)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// All of them, in the order of the text.
    pub fn errors(mut self) -> PolicyErrors {
        self.found.sort_by_key(|error| (error.line, error.column));
        PolicyErrors(self.found)
    }

    /// The value, when nothing is wrong.
    pub fn finish<T>(self, value: T) -> Result<T, PolicyErrors> {
        if self.found.is_empty() { Ok(value) } else { Err(self.errors()) }
    }
}
