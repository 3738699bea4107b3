//! The table `[cwd]`: its written form and its checks.

use super::super::types::{Cwd, DirectoryCommand, ShellText};
use super::{Problems, relative};
use serde::Deserialize;
use std::collections::BTreeSet;
use toml::Spanned;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCwd {
    #[serde(default)]
    plain_checkout: bool,
    #[serde(default)]
    entries: Vec<Spanned<String>>,
    #[serde(default)]
    commands: Vec<RawCommand>,
    #[serde(default)]
    keep: Vec<Spanned<String>>,
    #[serde(default)]
    texts: Vec<RawText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCommand {
    name: Spanned<String>,
    #[serde(default)]
    inert: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawText {
    program: Spanned<String>,
    #[serde(default)]
    conditions: Vec<String>,
}

impl RawCwd {
    /// Whether anything is guarded.
    pub(super) fn guards(&self) -> bool {
        !self.commands.is_empty()
    }

    pub(super) fn check(&self, problems: &mut Problems<'_>) {
        let scope = self.entries.first().map(Spanned::span).filter(|_| !self.guards());
        if let Some(at) = scope {
            let message = "a scope without commands guards nothing".to_owned();
            problems.add(at, message, "list the commands that change the directory under cwd.commands");
        }
        for entry in &self.entries {
            let name = entry.get_ref().strip_suffix('/').unwrap_or(entry.get_ref());
            relative(&Spanned::new(entry.span(), name.to_owned()), problems);
        }
        let commands = self.commands.iter().map(|command| &command.name);
        let texts = self.texts.iter().map(|text| &text.program);
        let mut seen = BTreeSet::new();
        for name in commands.chain(&self.keep).chain(texts) {
            builtin(name, problems);
            if !seen.insert(name.get_ref()) {
                let message = format!("{:?} stands twice", name.get_ref());
                problems.add(name.span(), message, "name each builtin once");
            }
        }
    }

    pub(super) fn meant(self) -> Cwd {
        let command = |raw: RawCommand| DirectoryCommand { name: raw.name.into_inner(), inert: raw.inert };
        let text = |raw: RawText| ShellText { program: raw.program.into_inner(), conditions: raw.conditions };
        Cwd {
            commands: self.commands.into_iter().map(command).collect(),
            keep: self.keep.into_iter().map(Spanned::into_inner).collect(),
            texts: self.texts.into_iter().map(text).collect(),
            plain_checkout: self.plain_checkout,
            entries: self.entries.into_iter().map(Spanned::into_inner).collect(),
        }
    }
}

/// A builtin is one word without a path.
fn builtin(name: &Spanned<String>, problems: &mut Problems<'_>) {
    let text = name.get_ref();
    if text.is_empty() || text.contains(|ch: char| ch == '/' || ch.is_whitespace()) {
        let message = format!("{text:?} is not the name of a builtin");
        problems.add(name.span(), message, "write it like cd: one word without a path");
    }
}
