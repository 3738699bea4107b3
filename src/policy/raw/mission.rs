//! The tables `[task]`, `[roles]` and `[records]`: their written form.

use super::{leak, leak_text, written};
use crate::policy::form::table::{Fits, Shape, Text, Written, table};
use crate::policy::form::texts::SENTENCE;
use crate::policy::mission::{Mission, Role, Task};
use std::collections::BTreeMap;

/// The roles of a policy, by their names.
pub type RawRoles = BTreeMap<Written<String>, RawRole>;

table! {
    /// Which tools the task needs.
    pub RawTask as "task" {
        /// What becomes of a call of another tool: `enforce` (it is denied, the default) or `shadow` (it is only
        /// recorded that it would be).
        optional mode: Option<Written<String>> = Shape::Text(&MODE);
        /// The tools that may be called: names as harnesses tell them, in which `*` stands for anything, or kinds:
        /// `@shell`, `@read`, `@write`, `@agent`, `@other`.
        required allowed_tools: Vec<Written<String>> = Shape::List(&Shape::Text(&TOOL), 0);
        /// What to do in place of such a call, in one sentence without a full stop.
        optional advice: Option<Written<String>> = Shape::Text(&SENTENCE);
    }
}

table! {
    /// What agents of some kinds may not use.
    pub RawRole as "role" {
        /// The kinds of agents that have the role, as harnesses tell them; `*` stands for anything. It is the role's
        /// name when left out.
        optional agent_types: Vec<Written<String>> = Shape::List(&Shape::Text(&AGENT), 1);
        /// The tools that they may not call, written as for a task.
        required deny_tools: Vec<Written<String>> = Shape::List(&Shape::Text(&TOOL), 1);
        /// What to do in place of such a call, in one sentence without a full stop.
        optional advice: Option<Written<String>> = Shape::Text(&SENTENCE);
    }
}

table! {
    /// Where the records of a guest are kept.
    pub RawRecords as "table of records" {
        /// The directory, an absolute path.
        required directory: Written<String> = Shape::Text(&DIRECTORY);
    }
}

static MODE: Text = Text { what: "a mode", remedy: "", fits: Fits::Names(|| vec!["enforce", "shadow"]) };

static TOOL: Text = Text {
    what: "the name of a tool",
    remedy: "write it as the harness tells it, or a kind: @shell, @read, @write, @agent, @other",
    fits: Fits::Pattern(r"^(@(shell|read|write|agent|other)|[^@\s]\S*)$", is_tool),
};

static AGENT: Text = Text {
    what: "a kind of agents",
    remedy: "write it as the harness tells it, such as verifier",
    fits: Fits::Pattern(r"\S", |text| !text.trim().is_empty()),
};

/// What a role is called: a part of the code of its findings.
pub static ROLE: Text = Text {
    what: "the name of a role",
    remedy: "use small letters, digits, . and -",
    fits: Fits::Pattern("^[a-z0-9.-]+$", crate::policy::form::texts::is_id),
};

static DIRECTORY: Text = Text {
    what: "an absolute path",
    remedy: "write the directory from the root on, and not the root itself",
    fits: Fits::Pattern("^/.*[^/]", |text| text.starts_with('/') && !text.trim_matches('/').is_empty()),
};

fn is_tool(text: &str) -> bool {
    use crate::policy::mission::Tools;
    match text.strip_prefix('@') {
        Some(kind) => Tools::named(kind).is_some(),
        None => !text.is_empty() && !text.contains(char::is_whitespace),
    }
}

/// What the three tables say.
pub(super) fn meant(task: Option<&RawTask>, roles: &RawRoles, records: Option<&RawRecords>) -> Mission {
    let advice = |text: &Option<Written<String>>| text.as_ref().map(|text| leak_text(text.get_ref().trim()));
    let task = task.map(|raw| Task {
        shadow: raw.mode.as_ref().is_some_and(|mode| mode.get_ref() == "shadow"),
        allowed_tools: written(&raw.allowed_tools),
        advice: advice(&raw.advice),
    });
    let role = |(name, raw): (&Written<String>, &RawRole)| {
        let name = leak_text(name.get_ref());
        let agent_types =
            if raw.agent_types.is_empty() { leak(vec![name]) } else { written(&raw.agent_types) };
        Role { name, agent_types, deny_tools: written(&raw.deny_tools), advice: advice(&raw.advice) }
    };
    let records = records.map(|raw| leak_text(raw.directory.get_ref()));
    Mission { task, roles: leak(roles.iter().map(role).collect()), records }
}
