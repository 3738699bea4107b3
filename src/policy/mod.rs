//! What is guarded, as data: the written form (`raw`) becomes `Policy`, valid by construction. Owns
//! loading and its messages; must never judge a command.

pub mod binary;
mod digest;
pub mod facts;
mod form;
pub mod mission;
mod problems;
mod raw;
pub mod rule;
pub mod settings;
mod shipped;
#[allow(dead_code, reason = "build.rs writes tables with it")]
pub(crate) mod source;
mod types;

pub use digest::digest;
pub use form::texts::is_id as is_rule_id;
pub(crate) use problems::Problems;
pub use shipped::{BUILD, NAMES, shipped};
use std::path::Path;
pub use types::{
    CODES, Cwd, DirectoryCommand, Kill, KillVerb, Policy, PolicyError, PolicyErrors, Protected,
    ProtectedScript, ShellText,
};

/// Reads a policy file.
///
/// # Errors
/// When the file cannot be read, or with everything that is wrong in it.
pub fn load(path: &Path) -> Result<Policy, PolicyErrors> {
    let file = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&file, &text),
        Err(error) => Err(PolicyErrors(vec![PolicyError {
            file,
            line: 1,
            column: 1,
            excerpt: String::new(),
            message: format!("cannot be read: {error}"),
            remedy: "name a readable UTF-8 file".to_owned(),
        }])),
    }
}

/// Compiles the text of a policy file; `file` is its name in messages.
///
/// # Errors
/// With everything that is wrong in it.
pub fn parse(file: &str, text: &str) -> Result<Policy, PolicyErrors> {
    raw::compile(file, text, facts::shipped(), &known())
}

/// The names of the shipped policies, of their packs and of their rules.
fn known() -> Vec<&'static str> {
    let packs = NAMES.iter().filter_map(|name| name.split_once('.')).map(|(pack, _)| pack);
    let rules = NAMES.iter().filter_map(|name| shipped(name)).flat_map(|policy| policy.rules);
    NAMES.iter().copied().chain(packs).chain(rules.map(|rule| rule.id)).collect()
}

/// The JSON Schema of policy files.
#[must_use]
pub fn schema() -> serde_json::Value {
    form::schema(raw::description(), "stanchion policy")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_digest_names_the_source() {
        // As `printf abc | sha256sum` tells it.
        assert_eq!(super::digest::digest("abc"), 0xba78_16bf_8f01_cfea);
        let source = include_str!("../../policies/cwd.toml");
        assert_eq!(super::shipped("cwd").map(|policy| policy.digest), Some(super::digest::digest(source)));
    }

    #[test]
    fn the_shipped_policy_loads() {
        assert!(super::shipped("firstmate").is_some_and(|policy| policy.protected.scripts.len() == 3));
    }
}
