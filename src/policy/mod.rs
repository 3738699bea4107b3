//! What is guarded, as data: the written form (`raw`) becomes `Policy`, valid by construction. Owns
//! loading and its messages; must never judge a command.

mod raw;

use std::fmt;
use std::path::Path;

/// The codes of the protected and kill guards, in order of precedence.
pub const CODES: [&str; 8] = [
    "broad-watcher-kill",
    "unclassifiable-protected-command",
    "watcher-direct",
    "watcher-nested",
    "watcher-background",
    "watcher-pipeline",
    "watcher-redirection",
    "watcher-bundled",
];

/// A compiled policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Its name.
    pub name: String,
    home_variable: Option<String>,
    /// Protected scripts and the shape in which they may run.
    pub protected: Protected,
    /// What counts as a broad kill.
    pub kill: Kill,
    reasons: Vec<String>,
}

/// Protected scripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protected {
    /// The scripts.
    pub scripts: Vec<ProtectedScript>,
    /// Commands that put a script into the background.
    pub background: Vec<String>,
    /// Wrappers that may stand before the final node.
    pub exec: Vec<String>,
    /// Files that may be sourced before it, relative to the home.
    pub setup_files: Vec<String>,
}

/// One protected script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProtectedScript {
    /// Its short name.
    pub identity: String,
    /// The path suffix that names it, relative and folded.
    pub path: String,
    /// Whether there is a shape in which it may run.
    pub blessed: bool,
}

/// Broad kills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kill {
    /// What names the process.
    pub names: Vec<String>,
    /// Programs that kill by pattern.
    pub verbs: Vec<KillVerb>,
    /// Programs that kill by process id.
    pub kill: Vec<String>,
    /// Programs that find processes.
    pub finders: Vec<String>,
}

/// A program that kills by pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KillVerb {
    /// Its base name.
    pub program: String,
    /// Its options with an argument.
    pub options: Vec<String>,
    /// Options without which it does not kill; empty when it always does.
    pub only: Vec<String>,
}

/// One thing that is wrong with a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub remedy: String,
}

/// Everything that is wrong with a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyErrors(pub Vec<PolicyError>);

impl std::error::Error for PolicyErrors {}

impl fmt::Display for PolicyErrors {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let PolicyError { file, line, column, message, remedy } = error;
            let break_ = if index > 0 { "\n" } else { "" };
            write!(out, "{break_}{file}:{line}:{column}: {message}; {remedy}")?;
        }
        Ok(())
    }
}

impl Policy {
    /// The variable that names the home of the guarded system.
    #[must_use]
    pub fn home_variable(&self) -> Option<&str> {
        self.home_variable.as_deref()
    }

    /// A code's reason text.
    #[must_use]
    pub fn reason(&self, code: &str) -> &str {
        let at = CODES.iter().position(|known| *known == code);
        at.and_then(|at| self.reasons.get(at)).map_or("", String::as_str)
    }
}

/// A shipped policy by name.
#[must_use]
pub fn shipped(name: &str) -> Option<Policy> {
    let text = match name {
        "firstmate" => include_str!("../../policies/firstmate.toml"),
        _ => return None,
    };
    raw::compile(name, text).ok()
}

/// Reads a policy file.
///
/// # Errors
/// When the file cannot be read, or with everything that is wrong in it.
pub fn load(path: &Path) -> Result<Policy, PolicyErrors> {
    let file = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => raw::compile(&file, &text),
        Err(error) => Err(PolicyErrors(vec![PolicyError {
            file,
            line: 1,
            column: 1,
            message: format!("cannot be read: {error}"),
            remedy: "name a readable UTF-8 file".to_owned(),
        }])),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_shipped_policy_loads() {
        assert!(super::shipped("firstmate").is_some_and(|policy| policy.protected.scripts.len() == 3));
    }
}
