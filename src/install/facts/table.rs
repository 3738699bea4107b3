//! The facts, one entry per harness; a new harness is a new entry of `ALL`. Owns data alone.

use super::{Directory, Form, Harness, Slot, Switch, Trust, Unit};

const CLAUDE_ENTRY: &str =
    r#"{"matcher": "*", "hooks": [{"type": "command", $CALL, "timeout": 10, "onFailure": "block"}]}"#;
const MATCH_ALL: &str =
    r#"{"matcher": "*", "hooks": [{"type": "command", "command": $LINE, "timeout": 10}]}"#;
const CLAUDE_CALL: &str = r#"{"session_id":"doctor","transcript_path":"$CWD/t.jsonl","cwd":"$CWD","prompt_id":"doctor","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":$COMMAND,"description":"doctor"},"tool_use_id":"toolu_doctor"}"#;

const DISABLE_ALL: &[Switch] = &[
    Switch { file: "settings.json", path: &["disableAllHooks"], off: "true" },
    Switch { file: "settings.local.json", path: &["disableAllHooks"], off: "true" },
];

/// A harness without peculiarities.
const PLAIN: Harness = Harness {
    name: "",
    title: "",
    program: "",
    directory: Directory { variable: "", below_variable: "", below_home: "" },
    user: "",
    project: "",
    form: Form::Json { ensure: &[], slots: &[Slot { path: &["hooks", "PreToolUse"], element: MATCH_ALL }] },
    beside: None,
    unit: Unit::Seconds,
    switches: &[],
    trust: None,
    by_hand: "",
    lodges: None,
    project_name: "",
    user_readers: &[],
    project_readers: &[],
    call: CLAUDE_CALL,
};

/// Every harness, the best known first.
pub const ALL: &[Harness] = &[
    Harness {
        name: "claude",
        title: "Claude Code",
        program: "claude",
        directory: Directory { variable: "CLAUDE_CONFIG_DIR", below_variable: "", below_home: ".claude" },
        user: "settings.json",
        project: ".claude/settings.json",
        form: Form::Json {
            ensure: &[],
            slots: &[Slot { path: &["hooks", "PreToolUse"], element: CLAUDE_ENTRY }],
        },
        switches: DISABLE_ALL,
        user_readers: &["grok", "cursor"],
        project_readers: &["grok", "cursor", "copilot", "vscode"],
        ..PLAIN
    },
    Harness {
        name: "codex",
        title: "Codex CLI",
        program: "codex",
        directory: Directory { variable: "CODEX_HOME", below_variable: "", below_home: ".codex" },
        user: "hooks.json",
        project: ".codex/hooks.json",
        switches: &[
            Switch { file: "config.toml", path: &["features", "hooks"], off: "false" },
            Switch { file: "config.toml", path: &["features", "codex_hooks"], off: "false" },
        ],
        trust: Some(Trust {
            file: "config.toml",
            only_if: &[],
            remedy: "start `codex` there and trust the folder",
        }),
        by_hand: "Codex runs a new or changed hook only after a person has approved it: start `codex`, \
                  type /hooks and approve the entry",
        call: r#"{"session_id":"doctor","turn_id":"doctor","transcript_path":null,"cwd":"$CWD","hook_event_name":"PreToolUse","model":"doctor","permission_mode":"default","tool_name":"Bash","tool_input":{"command":$COMMAND},"tool_use_id":"call_doctor"}"#,
        ..PLAIN
    },
    Harness {
        name: "grok",
        title: "Grok Build",
        program: "grok",
        directory: Directory { variable: "GROK_HOME", below_variable: "", below_home: ".grok" },
        user: "hooks/stanchion.json",
        project: ".grok/hooks/stanchion.json",
        form: Form::Json {
            ensure: &[],
            slots: &[Slot {
                path: &["hooks", "PreToolUse"],
                element: r#"{"matcher": "", "hooks": [{"type": "command", "command": $LINE, "timeout": 10}]}"#,
            }],
        },
        trust: Some(Trust {
            file: "trusted_folders.toml",
            only_if: &[],
            remedy: "start `grok` there and type /hooks-trust, or start it with --trust",
        }),
        call: r#"{"hookEventName":"pre_tool_use","sessionId":"doctor","cwd":"$CWD","workspaceRoot":"$CWD","timestamp":"2026-01-01T00:00:00Z","permissionMode":"default","toolName":"run_terminal_command","toolUseId":"call_doctor","toolInput":{"command":$COMMAND},"toolInputTruncated":false,"hook_event_name":"PreToolUse","session_id":"doctor","permission_mode":"default","tool_name":"run_terminal_command","tool_input":{"command":$COMMAND},"tool_use_id":"call_doctor"}"#,
        ..PLAIN
    },
    Harness {
        name: "opencode",
        title: "OpenCode",
        program: "opencode",
        directory: Directory {
            variable: "XDG_CONFIG_HOME",
            below_variable: "opencode",
            below_home: ".config/opencode",
        },
        user: "plugins/stanchion.js",
        project: ".opencode/plugins/stanchion.js",
        form: Form::Whole(concat!(include_str!("../shims/ask.js"), include_str!("../shims/opencode.js"))),
        unit: Unit::None,
        call: r#"{"tool":"bash","sessionID":"doctor","callID":"doctor","cwd":"$CWD","args":{"command":$COMMAND},"tool_name":"bash","tool_input":{"command":$COMMAND}}"#,
        ..PLAIN
    },
    Harness {
        name: "pi",
        title: "Pi",
        program: "pi",
        directory: Directory { variable: "PI_CODING_AGENT_DIR", below_variable: "", below_home: ".pi/agent" },
        user: "extensions/stanchion.js",
        project: ".pi/extensions/stanchion.js",
        form: Form::Whole(concat!(include_str!("../shims/ask.js"), include_str!("../shims/pi.js"))),
        unit: Unit::None,
        trust: Some(Trust {
            file: "trust.json",
            only_if: &[],
            remedy: "start `pi` there and trust the project; --approve trusts it for one process, not for the \
                     sub-agents that it starts",
        }),
        call: r#"{"type":"tool_call","toolName":"bash","toolCallId":"doctor","input":{"command":$COMMAND},"ctx":{"cwd":"$CWD","hasUI":false},"cwd":"$CWD","tool_name":"bash","tool_input":{"command":$COMMAND}}"#,
        ..PLAIN
    },
    Harness {
        name: "cursor",
        title: "Cursor",
        program: "cursor-agent",
        directory: Directory { variable: "", below_variable: "", below_home: ".cursor" },
        user: "hooks.json",
        project: ".cursor/hooks.json",
        form: Form::Json {
            ensure: &[("version", "1")],
            slots: &[
                Slot {
                    path: &["hooks", "beforeShellExecution"],
                    element: r#"{"command": $LINE, "timeout": 10, "failClosed": true}"#,
                },
                // The shell goes through the event above: here it would be asked twice.
                Slot {
                    path: &["hooks", "preToolUse"],
                    element: r#"{"command": $LINE, "matcher": "^(?!Shell$).*", "timeout": 10, "failClosed": true}"#,
                },
            ],
        },
        by_hand: "Cursor runs a project's hooks only in a workspace that you trust",
        call: r#"{"conversation_id":"doctor","generation_id":"doctor","model":"doctor","hook_event_name":"beforeShellExecution","cursor_version":"2026.10.08","workspace_roots":["$CWD"],"command":$COMMAND,"cwd":"$CWD"}"#,
        ..PLAIN
    },
    Harness {
        name: "gemini",
        title: "Gemini CLI",
        program: "gemini",
        directory: Directory { variable: "", below_variable: "", below_home: ".gemini" },
        user: "settings.json",
        project: ".gemini/settings.json",
        form: Form::Json {
            ensure: &[],
            slots: &[Slot {
                path: &["hooks", "BeforeTool"],
                element: r#"{"matcher": ".*", "hooks": [{"type": "command", "name": "stanchion", "command": $LINE, "timeout": 10000}]}"#,
            }],
        },
        unit: Unit::Milliseconds,
        switches: &[
            Switch { file: "settings.json", path: &["hooksConfig", "enabled"], off: "false" },
            Switch { file: "settings.json", path: &["tools", "enableHooks"], off: "false" },
        ],
        trust: Some(Trust {
            file: "trustedFolders.json",
            only_if: &["security", "folderTrust", "enabled"],
            remedy: "start `gemini` there and trust the folder",
        }),
        call: r#"{"session_id":"doctor","transcript_path":"$CWD/t.json","cwd":"$CWD","hook_event_name":"BeforeTool","timestamp":"2026-01-01T00:00:00Z","tool_name":"run_shell_command","tool_input":{"command":$COMMAND}}"#,
        ..PLAIN
    },
    Harness {
        name: "copilot",
        title: "Copilot CLI",
        program: "copilot",
        directory: Directory { variable: "COPILOT_HOME", below_variable: "", below_home: ".copilot" },
        user: "hooks/stanchion.json",
        project: ".github/hooks/stanchion.json",
        form: Form::Json {
            ensure: &[("version", "1")],
            slots: &[Slot {
                path: &["hooks", "preToolUse"],
                element: r#"{"type": "command", "bash": $LINE, "timeoutSec": 10}"#,
            }],
        },
        switches: &[
            Switch { file: "settings.json", path: &["disableAllHooks"], off: "true" },
            Switch { file: "config.json", path: &["disableAllHooks"], off: "true" },
        ],
        trust: Some(Trust {
            file: "config.json",
            only_if: &[],
            remedy: "start `copilot` there and trust the folder",
        }),
        // VS Code reads the same file.
        project_name: "auto",
        call: r#"{"sessionId":"doctor","timestamp":1796079387073,"cwd":"$CWD","toolName":"bash","toolArgs":{"command":$COMMAND}}"#,
        ..PLAIN
    },
    Harness {
        name: "vscode",
        title: "VS Code",
        program: "code",
        directory: Directory { variable: "", below_variable: "", below_home: ".claude" },
        // VS Code has no file of its own: it reads Claude Code's, and in a project Copilot's.
        lodges: Some(("claude", "copilot")),
        call: r#"{"timestamp":"2026-01-01T00:00:00Z","cwd":"$CWD","sessionId":"doctor","hookEventName":"PreToolUse","transcript_path":"$CWD/t.json","tool_name":"run_in_terminal","tool_input":{"command":$COMMAND},"tool_use_id":"doctor"}"#,
        ..PLAIN
    },
    Harness {
        name: "qwen",
        title: "Qwen Code",
        program: "qwen",
        directory: Directory { variable: "", below_variable: "", below_home: ".qwen" },
        user: "settings.json",
        project: ".qwen/settings.json",
        form: Form::Json {
            ensure: &[],
            slots: &[Slot {
                path: &["hooks", "PreToolUse"],
                element: r#"{"matcher": "*", "hooks": [{"type": "command", "name": "stanchion", "command": $LINE, "timeout": 10000}]}"#,
            }],
        },
        unit: Unit::Milliseconds,
        switches: &[
            Switch { file: "settings.json", path: &["disableAllHooks"], off: "true" },
            Switch { file: "settings.json", path: &["hooksConfig", "enabled"], off: "false" },
        ],
        trust: Some(Trust {
            file: "trustedFolders.json",
            only_if: &["security", "folderTrust", "enabled"],
            remedy: "start `qwen` there and trust the folder",
        }),
        call: r#"{"session_id":"doctor","transcript_path":"$CWD/t.jsonl","cwd":"$CWD","hook_event_name":"PreToolUse","timestamp":"2026-01-01T00:00:00Z","permission_mode":"yolo","tool_name":"run_shell_command","tool_input":{"command":$COMMAND},"tool_use_id":"toolu_doctor"}"#,
        ..PLAIN
    },
    Harness {
        name: "droid",
        title: "Factory Droid",
        program: "droid",
        directory: Directory { variable: "", below_variable: "", below_home: ".factory" },
        user: "settings.json",
        project: ".factory/settings.json",
        ..PLAIN
    },
    Harness {
        name: "kimi",
        title: "Kimi Code",
        program: "kimi",
        directory: Directory { variable: "", below_variable: "", below_home: ".kimi-code" },
        user: "config.toml",
        form: Form::Toml,
        ..PLAIN
    },
    Harness {
        name: "crush",
        title: "Crush",
        program: "crush",
        directory: Directory {
            variable: "XDG_CONFIG_HOME",
            below_variable: "crush",
            below_home: ".config/crush",
        },
        user: "crush.json",
        project: "crush.json",
        form: Form::Json {
            ensure: &[],
            slots: &[Slot {
                path: &["hooks", "PreToolUse"],
                element: r#"{"matcher": ".*", "command": $LINE, "timeout": 10}"#,
            }],
        },
        by_hand: "Crush does not call hooks for what its sub-agents do",
        call: r#"{"event":"PreToolUse","session_id":"doctor","cwd":"$CWD","tool_name":"bash","tool_input":{"command":$COMMAND}}"#,
        ..PLAIN
    },
    Harness {
        name: "goose",
        title: "Goose",
        program: "goose",
        directory: Directory { variable: "", below_variable: "", below_home: ".agents" },
        user: "plugins/stanchion/hooks/hooks.json",
        project: ".agents/plugins/stanchion/hooks/hooks.json",
        form: Form::Json {
            ensure: &[],
            slots: &[Slot {
                path: &["hooks", "PreToolUse"],
                // A bare `*` is no regular expression, and the rule would be skipped.
                element: r#"{"matcher": ".*", "on_failure": "block", "hooks": [{"type": "command", "command": $LINE, "timeout": 10}]}"#,
            }],
        },
        beside: Some((
            "../plugin.json",
            "{\n  \"name\": \"stanchion\",\n  \"description\": \"The gate between a coding agent and the shell\"\n}\n",
        )),
        call: r#"{"event":"PreToolUse","session_id":"doctor","matcher_context":"developer__shell","tool_name":"developer__shell","tool_input":{"command":$COMMAND},"working_dir":"$CWD","tool_call_id":"doctor"}"#,
        ..PLAIN
    },
    Harness {
        name: "kiro",
        title: "Kiro CLI",
        program: "kiro-cli",
        directory: Directory { variable: "", below_variable: "", below_home: ".kiro" },
        user: "hooks/stanchion.json",
        project: ".kiro/hooks/stanchion.json",
        form: Form::Json {
            ensure: &[("version", "\"v1\"")],
            slots: &[Slot {
                path: &["hooks"],
                element: r#"{"name": "stanchion", "trigger": "PreToolUse", "matcher": ".*", "action": {"type": "command", "command": $LINE}, "timeout": 10, "enabled": true}"#,
            }],
        },
        call: r#"{"hook_event_name":"preToolUse","cwd":"$CWD","tool_name":"execute_bash","tool_input":{"command":$COMMAND}}"#,
        ..PLAIN
    },
    Harness {
        name: "windsurf",
        title: "Windsurf",
        program: "windsurf",
        directory: Directory { variable: "", below_variable: "", below_home: ".codeium/windsurf" },
        user: "hooks.json",
        project: ".windsurf/hooks.json",
        form: Form::Json {
            ensure: &[],
            slots: &[
                Slot {
                    path: &["hooks", "pre_run_command"],
                    element: r#"{"command": $LINE, "show_output": true}"#,
                },
                Slot {
                    path: &["hooks", "pre_write_code"],
                    element: r#"{"command": $LINE, "show_output": true}"#,
                },
                Slot {
                    path: &["hooks", "pre_read_code"],
                    element: r#"{"command": $LINE, "show_output": true}"#,
                },
                Slot {
                    path: &["hooks", "pre_mcp_tool_use"],
                    element: r#"{"command": $LINE, "show_output": true}"#,
                },
            ],
        },
        unit: Unit::None,
        call: r#"{"agent_action_name":"pre_run_command","trajectory_id":"doctor","execution_id":"doctor","timestamp":"2026-01-01T00:00:00Z","tool_info":{"command_line":$COMMAND,"cwd":"$CWD"}}"#,
        ..PLAIN
    },
    Harness {
        name: "hermes",
        title: "Hermes Agent",
        program: "hermes",
        directory: Directory { variable: "HERMES_HOME", below_variable: "", below_home: ".hermes" },
        user: "config.yaml",
        form: Form::Yaml,
        by_hand: "Hermes asks once whether it may run the hook; without a terminal start it with \
                  --accept-hooks",
        call: r#"{"hook_event_name":"pre_tool_call","profile":"default","session_id":"doctor","cwd":"$CWD","tool_name":"terminal","tool_input":{"command":$COMMAND},"extra":{}}"#,
        ..PLAIN
    },
    Harness {
        name: "cline",
        title: "Cline",
        program: "cline",
        directory: Directory { variable: "", below_variable: "", below_home: ".cline" },
        user: "hooks/PreToolUse",
        project: ".cline/hooks/PreToolUse",
        form: Form::Whole(include_str!("../shims/cline.sh")),
        unit: Unit::None,
        by_hand: "A denial ends Cline's whole run: it has no answer that blocks one call",
        call: r#"{"hookName":"tool_call","clineVersion":"3","timestamp":"2026-01-01T00:00:00Z","taskId":"doctor","workspaceRoots":["$CWD"],"tool_call":{"id":"doctor","name":"run_commands","input":{"commands":[$COMMAND]}},"preToolUse":{"toolName":"run_commands","parameters":{}}}"#,
        ..PLAIN
    },
    Harness {
        name: "antigravity",
        title: "Antigravity CLI",
        program: "agy",
        directory: Directory { variable: "", below_variable: "", below_home: ".gemini/config" },
        user: "hooks.json",
        project: ".agents/hooks.json",
        form: Form::Json {
            ensure: &[],
            slots: &[Slot { path: &["stanchion", "PreToolUse"], element: MATCH_ALL }],
        },
        call: r#"{"toolCall":{"name":"run_command","args":{"CommandLine":$COMMAND,"Cwd":"$CWD"}},"conversationId":"doctor","stepIdx":1,"workspacePaths":["$CWD"]}"#,
        ..PLAIN
    },
];

/// The harness of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Harness> {
    ALL.iter().find(|harness| harness.name == name)
}
