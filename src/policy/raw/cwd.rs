//! The table `[cwd]`: its written form and its checks.

use super::super::types::{Cwd, DirectoryCommand, ShellText};
use super::{Problems, leak, leak_text, texts, written};
use crate::policy::form::table::{Shape, Written, table};
use crate::policy::form::texts::{ANY, BUILTIN, ENTRY};
use std::collections::BTreeSet;

table! {
    /// Changes of the directory that outlast the call.
    pub RawCwd as "table of directories" {
        /// Whether it is guarded in plain git checkouts only, not in worktrees.
        optional plain_checkout: bool = Shape::Bool;
        /// What must exist at the checkout's root. A directory ends in `/`.
        optional entries: Vec<Written<String>> = Shape::List(&Shape::Text(&ENTRY), 0);
        /// Builtins that change the directory of the shell in which they run.
        optional commands: Vec<RawCommand> = Shape::List(&Shape::Table(RawCommand::table), 0);
        /// Builtins that run their operands in the same shell.
        optional keep: Vec<Written<String>> = Shape::List(&Shape::Text(&BUILTIN), 0);
        /// Builtins that read text in the same shell.
        optional texts: Vec<RawText> = Shape::List(&Shape::Table(RawText::table), 0);
    }
}

table! {
    /// A builtin that changes the directory.
    pub RawCommand as "builtin" {
        /// Its name.
        required name: Written<String> = Shape::Text(&BUILTIN);
        /// Options with which it does not.
        optional inert: Vec<String> = Shape::List(&Shape::Text(&ANY), 0);
    }
}

table! {
    /// A builtin that reads text in the shell in which it runs.
    pub RawText as "text builtin" {
        /// Its name.
        required program: Written<String> = Shape::Text(&BUILTIN);
        /// Operands of which it needs one, in upper or lower case. Without them it always reads the text.
        optional conditions: Vec<String> = Shape::List(&Shape::Text(&ANY), 0);
    }
}

impl RawCwd {
    /// Whether anything is guarded.
    pub(super) fn guards(&self) -> bool {
        !self.commands.is_empty()
    }

    pub(super) fn check(&self, problems: &mut Problems<'_>) {
        let scope = self.entries.first().map(Written::span).filter(|_| !self.guards());
        if let Some(at) = scope {
            let message = "a scope without commands guards nothing".to_owned();
            problems.of_value(at, message, "list the commands that change the directory under cwd.commands");
        }
        let commands = self.commands.iter().map(|command| &command.name);
        let texts = self.texts.iter().map(|text| &text.program);
        let mut seen = BTreeSet::new();
        for name in commands.chain(&self.keep).chain(texts) {
            if !seen.insert(name.get_ref()) {
                let message = format!("{:?} stands twice", name.get_ref());
                problems.of_value(name.span(), message, "name each builtin once");
            }
        }
    }

    pub(super) fn meant(&self) -> Cwd {
        let command = |raw: &RawCommand| DirectoryCommand {
            name: leak_text(raw.name.get_ref()),
            inert: texts(&raw.inert),
        };
        let text = |raw: &RawText| ShellText {
            program: leak_text(raw.program.get_ref()),
            conditions: texts(&raw.conditions),
        };
        Cwd {
            commands: leak(self.commands.iter().map(command).collect()),
            keep: written(&self.keep),
            texts: leak(self.texts.iter().map(text).collect()),
            plain_checkout: self.plain_checkout,
            entries: written(&self.entries),
        }
    }
}
