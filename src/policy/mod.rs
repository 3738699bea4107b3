//! Stand-in until the policy module lands.

use std::path::Path;

/// A policy.
#[derive(Clone, Debug, Default)]
pub struct Policy {}

/// What is wrong with a policy file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PolicyErrors(String);

impl Policy {
    /// The variable that names the home of the guarded system.
    #[must_use]
    pub fn home_variable(&self) -> Option<&str> {
        Some("FM_HOME")
    }
}

/// A shipped policy by name.
#[must_use]
pub fn shipped(name: &str) -> Option<Policy> {
    (name == "firstmate").then(Policy::default)
}

/// Reads a policy file.
///
/// # Errors
/// When the file cannot be read.
pub fn load(path: &Path) -> Result<Policy, PolicyErrors> {
    let text = std::fs::read_to_string(path).map_err(|error| PolicyErrors(format!("{}: {error}", path.display())))?;
    if text.contains('=') { Ok(Policy::default()) } else { Err(PolicyErrors("not a policy".to_owned())) }
}
