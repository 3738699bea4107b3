//! The forms in which harnesses call the hook. Owns the arguments and payloads; must never run them.

use super::file::Row;
use super::template::{TEMPLATES, Template};
use crate::harness::answer::{Deny, Question};
use crate::verdict::Decision;
use serde_json::json;
use std::borrow::Cow;

/// One way in.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// JSON on stdin with `tool_input`.
    Codex,
    /// JSON on stdin with `tool_input`; `--claude`.
    Claude,
    /// JSON on stdin with `toolInput`.
    Grok,
    /// `--command CMD`.
    Opencode,
    /// `--command=CMD`.
    Pi,
    /// `--harness NAME`, with a payload of that harness.
    Harness(&'static Template),
}

/// Some of the forms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forms {
    /// The first five, which name no harness: what every checker with the hook's interface has.
    Seed,
    /// One for each payload of each harness.
    Harness,
    /// Both.
    #[default]
    All,
}

impl Forms {
    /// The forms, in order.
    #[must_use]
    pub fn list(self) -> Vec<Form> {
        let mut forms = Vec::new();
        if self != Self::Harness {
            forms.extend(Form::SEED);
        }
        if self != Self::Seed {
            forms.extend(TEMPLATES.iter().map(Form::Harness));
        }
        forms
    }
}

/// What a harness must be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    Silence,
    /// A denial of the first forms.
    First {
        /// Whether stdout must stay empty.
        quiet: bool,
    },
    /// A harness's denial.
    Deny(Deny),
    /// A harness's question.
    Ask(Question),
}

impl Form {
    /// The forms that name no harness.
    pub const SEED: [Self; 5] = [Self::Codex, Self::Claude, Self::Grok, Self::Opencode, Self::Pi];

    /// The form's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "claude",
            Self::Grok => "grok",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
            Self::Harness(template) => template.name,
        }
    }

    /// What a decision must be told as.
    #[must_use]
    pub fn answer(self, decision: Decision) -> Answer {
        match (self, decision) {
            (_, Decision::Allow) => Answer::Silence,
            (Self::Harness(Template { asks: Some(question), .. }), Decision::Ask) => Answer::Ask(*question),
            (Self::Harness(template), _) => Answer::Deny(template.denies),
            (Self::Claude, _) => Answer::First { quiet: true },
            (Self::Codex | Self::Grok | Self::Opencode | Self::Pi, _) => Answer::First { quiet: false },
        }
    }

    /// The arguments that carry the call.
    #[must_use]
    pub fn arguments(self, row: &Row) -> Vec<String> {
        match self {
            Self::Codex | Self::Grok => Vec::new(),
            Self::Claude => vec!["--claude".to_owned()],
            Self::Opencode => vec!["--command".to_owned(), row.command.clone()],
            Self::Pi => vec![format!("--command={}", row.command)],
            Self::Harness(template) => vec!["--harness".to_owned(), template.harness.to_owned()],
        }
    }

    /// What the harness writes to stdin; nothing for forms that pass the command as an argument.
    #[must_use]
    pub fn payload(self, row: &Row) -> Option<String> {
        let cwd = row.cwd.as_ref().or(row.root.as_ref());
        let cwd: Cow<'_, str> = cwd.map_or_else(|| ".".into(), |path| path.to_string_lossy());
        let input = json!({ "command": row.command, "description": "matrix row" });
        let payload = match self {
            Self::Codex => json!({
                "session_id": "matrix", "turn_id": "matrix", "cwd": cwd, "hook_event_name": "PreToolUse",
                "permission_mode": "bypassPermissions", "tool_name": "Bash", "tool_input": input,
                "tool_use_id": "call_000001",
            }),
            Self::Claude => json!({
                "session_id": "matrix", "transcript_path": "/dev/null", "cwd": cwd,
                "permission_mode": "bypassPermissions", "hook_event_name": "PreToolUse",
                "tool_name": "Bash", "tool_input": input, "tool_use_id": "toolu_000001",
            }),
            Self::Grok => json!({
                "hookEventName": "pre_tool_use", "sessionId": "matrix", "cwd": cwd,
                "toolName": "run_terminal_command", "toolUseId": "call_000001", "toolInput": input,
                "toolInputTruncated": false,
            }),
            Self::Harness(template) => return Some(template.fill(&row.command, &cwd)),
            Self::Opencode | Self::Pi => return None,
        };
        Some(payload.to_string())
    }
}
