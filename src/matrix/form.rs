//! The forms in which harnesses call the hook. Owns the arguments and payloads; must never run them.

use super::file::Row;
use serde_json::json;

/// One way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 5] = [Self::Codex, Self::Claude, Self::Grok, Self::Opencode, Self::Pi];

    /// The form's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "claude",
            Self::Grok => "grok",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
        }
    }

    /// Whether a denial must leave stdout empty.
    #[must_use]
    pub fn quiet(self) -> bool {
        self == Self::Claude
    }

    /// The arguments that carry the call.
    #[must_use]
    pub fn arguments(self, row: &Row) -> Vec<String> {
        match self {
            Self::Codex | Self::Grok => Vec::new(),
            Self::Claude => vec!["--claude".to_owned()],
            Self::Opencode => vec!["--command".to_owned(), row.command.clone()],
            Self::Pi => vec![format!("--command={}", row.command)],
        }
    }

    /// What the harness writes to stdin; nothing for forms that pass the command as an argument.
    #[must_use]
    pub fn payload(self, row: &Row) -> Option<String> {
        let cwd = row.cwd.as_ref().or(row.root.as_ref());
        let cwd = cwd.map_or_else(|| ".".into(), |path| path.to_string_lossy());
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
            Self::Opencode | Self::Pi => return None,
        };
        Some(payload.to_string())
    }
}
