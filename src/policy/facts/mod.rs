//! Facts: what programs and their options mean. Owns the tables and the reading of a command by them;
//! must never say what is allowed.

pub mod meaning;
mod raw;
pub mod types;

use crate::policy::types::PolicyErrors;
#[cfg(test)]
pub(super) use raw::{RawFacts, description};
use std::path::Path;
use types::{
    Argument, Effect, Facts, Form, Key, Language, Opt, Places, Prints, Program, Slot, Style, Sub, Variant,
};

include!(concat!(env!("OUT_DIR"), "/facts.rs"));

/// The shipped facts.
#[must_use]
pub fn shipped() -> &'static Facts {
    &FACTS
}

/// Reads a directory of facts, edited ones for instance.
///
/// # Errors
/// With everything that is wrong in its files.
pub fn load(directory: &Path) -> Result<Facts, PolicyErrors> {
    let mut parts = Vec::new();
    let mut errors = Vec::new();
    let mut files: Vec<_> =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "toml")) {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        match raw::compile(&file.display().to_string(), &text) {
            Ok(part) => parts.push(part),
            Err(found) => errors.extend(found.0),
        }
    }
    if errors.is_empty() { Ok(raw::join(parts)) } else { Err(PolicyErrors(errors)) }
}

/// The JSON Schema of files of facts.
#[must_use]
pub fn schema() -> serde_json::Value {
    crate::policy::form::schema(raw::description(), "stanchion facts")
}
