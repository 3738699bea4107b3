//! What each harness sends, as templates: payloads recorded from real clients, and calls by the
//! documents. Owns what each must be told; must never take that from the tables that are under test.

use crate::harness::answer::{Deny, Question};
use crate::install::facts;

/// One payload of one harness.
#[derive(Debug)]
pub struct Template {
    /// The form's name.
    pub name: &'static str,
    /// For whom the hook is registered.
    pub harness: &'static str,
    /// The payload.
    pub call: Call,
    /// How a denial must be said.
    pub denies: Deny,
    /// How a question must be said; as a denial where this is none.
    pub asks: Option<Question>,
}

/// Where a payload comes from.
#[derive(Debug)]
pub enum Call {
    /// From a real client, which ran `RECORDED` in `PROJECT`.
    Recorded(&'static str),
    /// From the facts about the harness: what our own plugin sends, or what the documents say.
    Written,
}

/// The command of the recorded payloads.
const RECORDED: &str = "touch RAN_1";
/// Their directory.
const PROJECT: &str = "/home/user/project";

macro_rules! recorded {
    ($client:literal, $event:literal) => {
        Call::Recorded(include_str!(concat!("../../fixtures/captures/", $client, "/", $event, ".json")))
    };
}

const fn template(name: &'static str, harness: &'static str, call: Call, denies: Deny) -> Template {
    Template { name, harness, call, denies, asks: None }
}

const fn asking(template: Template, question: Question) -> Template {
    Template { asks: Some(question), ..template }
}

const fn written(name: &'static str, harness: &'static str, denies: Deny) -> Template {
    template(name, harness, Call::Written, denies)
}

/// Every payload.
pub static TEMPLATES: [Template; 25] = [
    asking(
        template("harness-claude", "claude", recorded!("claude", "pre-shell"), Deny::Everywhere),
        Question::Nested,
    ),
    template("harness-codex", "codex", recorded!("codex", "pre-shell"), Deny::Text),
    template("harness-grok", "grok", recorded!("grok", "pre-shell"), Deny::Everywhere),
    template("harness-grok-claude", "claude", recorded!("grok-claude", "pre-shell"), Deny::Everywhere),
    template("harness-opencode", "opencode", recorded!("opencode", "tool.execute.before-shell"), Deny::Text),
    written("harness-opencode-plugin", "opencode", Deny::Text),
    template("harness-pi", "pi", recorded!("pi", "tool_call-shell"), Deny::Text),
    written("harness-pi-extension", "pi", Deny::Text),
    template("harness-gemini", "gemini", recorded!("gemini", "pre-shell"), Deny::Everywhere),
    asking(
        template("harness-copilot", "copilot", recorded!("copilot", "pre-shell"), Deny::Everywhere),
        Question::Flat,
    ),
    template("harness-copilot-pascal", "copilot", recorded!("copilot-pascal", "pre-shell"), Deny::Nested),
    template("harness-copilot-claude", "claude", recorded!("copilot-claude", "pre-shell"), Deny::Nested),
    asking(
        template("harness-qwen", "qwen", recorded!("qwen", "pre-shell"), Deny::Everywhere),
        Question::Nested,
    ),
    written("harness-cursor", "cursor", Deny::Cursor),
    asking(written("harness-vscode", "vscode", Deny::Everywhere), Question::Nested),
    written("harness-droid", "droid", Deny::Text),
    written("harness-kimi", "kimi", Deny::Text),
    written("harness-crush", "crush", Deny::Text),
    written("harness-goose", "goose", Deny::Text),
    written("harness-kiro", "kiro", Deny::Text),
    written("harness-windsurf", "windsurf", Deny::Text),
    written("harness-hermes", "hermes", Deny::Hermes),
    written("harness-cline", "cline", Deny::Cline),
    written("harness-antigravity", "antigravity", Deny::Antigravity),
    // Whose payload it is shows in the payload alone.
    asking(
        template("harness-auto", "auto", recorded!("claude", "pre-shell"), Deny::Everywhere),
        Question::Nested,
    ),
];

impl Template {
    /// The payload with this command, in this directory.
    #[must_use]
    pub fn fill(&self, command: &str, directory: &str) -> String {
        let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
        let (command, directory) = (quoted(command), quoted(directory));
        let directory = directory.get(1..directory.len().saturating_sub(1)).unwrap_or_default();
        match self.call {
            Call::Recorded(text) => text.replace(PROJECT, directory).replace(&quoted(RECORDED), &command),
            Call::Written => {
                let call = facts::find(self.harness).map_or("", |facts| facts.call);
                call.replace("$CWD", directory).replace("$COMMAND", &command)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::ALL;
    use std::collections::HashSet;

    #[test]
    fn every_harness_has_a_template_that_carries_the_command() {
        for harness in ALL {
            assert!(TEMPLATES.iter().any(|template| template.harness == harness.name), "{}", harness.name);
        }
        let names: HashSet<&str> = TEMPLATES.iter().map(|template| template.name).collect();
        assert_eq!(names.len(), TEMPLATES.len());
        for template in &TEMPLATES {
            let call = template.fill("echo \"a\\b\"", "/some \"where\"");
            let read: Result<serde_json::Value, _> = serde_json::from_str(&call);
            assert!(read.is_ok(), "{call}");
            assert!(call.contains(r#""echo \"a\\b\"""#), "{call}");
            assert!(!call.contains(PROJECT) && !call.contains(RECORDED), "{call}");
            // OpenCode's plugin is told no directory.
            if !matches!(template.call, Call::Recorded(text) if !text.contains(PROJECT)) {
                assert!(call.contains(r#"/some \"where\""#), "{call}");
            }
        }
    }
}
