//! Where each harness keeps its transcripts, and how a call looks in them: data alone. Taken from transcripts of
//! real clients (`tests/e2e/history.py`; versions in `fixtures/transcripts/README.md`).

use super::find::Place;

/// One kind of file.
#[derive(Debug)]
pub struct Format {
    /// The harness's name; `stanchion` for the program's own records, `list` for lists of commands.
    pub name: &'static str,
    /// Where such files are by default, the first that is there.
    pub places: &'static [Place],
    /// How names of such files end, with the folder where that tells.
    pub ends: &'static [&'static str],
    /// One of these stands in every line with a call.
    pub marks: &'static [&'static str],
    /// How a call looks.
    pub shapes: &'static [Shape],
}

/// How a call looks: an object with some members.
#[derive(Debug)]
pub struct Shape {
    /// Members it has, with their text where that matters.
    pub has: &'static [(&'static str, Option<&'static str>)],
    /// The member with the tool's name; none when the input is the command itself.
    pub tool: Option<&'static str>,
    /// Where the input is.
    pub input: &'static str,
    /// The member with the call's name.
    pub id: &'static str,
}

/// A call of a tool.
const fn shape(
    has: &'static [(&'static str, Option<&'static str>)],
    tool: &'static str,
    input: &'static str,
    id: &'static str,
) -> Shape {
    Shape { has, tool: Some(tool), input, id }
}

/// A command.
const fn command(
    has: &'static [(&'static str, Option<&'static str>)],
    input: &'static str,
    id: &'static str,
) -> Shape {
    Shape { has, tool: None, input, id }
}

impl Format {
    /// Whether a text may hold a call.
    pub(super) fn may_hold(&self, text: &str) -> bool {
        self.marks.iter().any(|mark| text.contains(mark))
    }
}

/// Programs by which harnesses run a text, as the last of three words.
pub(super) const SHELLS: [&str; 3] = ["bash", "sh", "zsh"];

/// Every format.
pub static FORMATS: [Format; 10] = [
    Format {
        name: "claude",
        places: &[Place::new("CLAUDE_CONFIG_DIR", ".claude", "projects")],
        ends: &[".jsonl"],
        marks: &["\"tool_use\""],
        shapes: &[shape(&[("type", Some("tool_use"))], "name", "input", "id")],
    },
    Format {
        name: "codex",
        places: &[
            Place::new("CODEX_HOME", ".codex", "sessions"),
            Place::new("CODEX_HOME", ".codex", "archived_sessions"),
        ],
        ends: &[".jsonl"],
        marks: &["\"call_id\"", "\"CommandExecution\""],
        shapes: &[
            shape(&[("type", Some("function_call"))], "name", "arguments", "call_id"),
            shape(
                &[("type", Some("custom_tool_call")), ("name", Some("apply_patch"))],
                "name",
                "input",
                "call_id",
            ),
            // What ran: also what a program of the model (`exec`) called.
            command(&[("type", Some("CommandExecution"))], "command", "id"),
            command(&[("type", Some("exec_command_end"))], "command", "call_id"),
            command(&[("type", Some("local_shell_call"))], "action.command", "call_id"),
        ],
    },
    Format {
        name: "grok",
        places: &[Place::new("GROK_HOME", ".grok", "sessions")],
        ends: &["/chat_history.jsonl"],
        marks: &["\"tool_calls\""],
        shapes: &[shape(&[("name", None), ("arguments", None), ("id", None)], "name", "arguments", "id")],
    },
    Format {
        name: "gemini",
        places: &[Place::new("GEMINI_CLI_HOME", "", ".gemini/tmp")],
        ends: &[".jsonl", ".json"],
        marks: &["\"toolCalls\""],
        shapes: &[shape(&[("name", None), ("args", None), ("status", None)], "name", "args", "id")],
    },
    Format {
        name: "qwen",
        places: &[Place::new("QWEN_HOME", ".qwen", "projects"), Place::new("QWEN_HOME", ".qwen", "tmp")],
        ends: &[".jsonl", ".json"],
        marks: &["\"functionCall\""],
        shapes: &[shape(&[("name", None), ("args", None)], "name", "args", "id")],
    },
    Format {
        name: "copilot",
        places: &[Place::new("COPILOT_HOME", ".copilot", "session-state")],
        ends: &[".jsonl"],
        marks: &["\"toolCallId\""],
        shapes: &[
            shape(
                &[("type", Some("function")), ("toolCallId", None), ("name", None)],
                "name",
                "arguments",
                "toolCallId",
            ),
            shape(
                &[("toolCallId", None), ("toolName", None), ("arguments", None)],
                "toolName",
                "arguments",
                "toolCallId",
            ),
        ],
    },
    Format {
        name: "pi",
        places: &[Place::new("PI_CODING_AGENT_DIR", ".pi/agent", "sessions")],
        ends: &[".jsonl"],
        marks: &["\"toolCall\""],
        shapes: &[shape(&[("type", Some("toolCall"))], "name", "arguments", "id")],
    },
    Format {
        name: "opencode",
        places: &[Place::new("XDG_DATA_HOME", ".local/share", "opencode")],
        ends: &["opencode.db", ".json"],
        marks: &["\"callID\""],
        shapes: &[shape(&[("type", Some("tool")), ("callID", None)], "tool", "state.input", "callID")],
    },
    Format {
        name: "stanchion",
        places: &[Place::new("XDG_STATE_HOME", ".local/state", "stanchion")],
        ends: &[".jsonl"],
        marks: &["\"finding\""],
        shapes: &[command(&[("guard", None), ("finding", None), ("command", None)], "command", "tool_use")],
    },
    Format {
        name: "list",
        places: &[],
        ends: &[],
        marks: &["\"command\""],
        shapes: &[command(&[("command", None)], "command", "id")],
    },
];
