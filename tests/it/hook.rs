//! `stanchion hook` as a harness sees it.

use crate::child::{feed, run, stanchion, state, text};
use serde_json::{Value, json};
use std::process::Output;

const DENIED: &str = "bin/fm-watch-arm.sh &";

fn silent(output: &Output) -> bool {
    output.status.code() == Some(0) && output.stdout.is_empty() && output.stderr.is_empty()
}

fn payload(command: &str) -> Vec<u8> {
    json!({ "tool_name": "Bash", "tool_input": { "command": command } }).to_string().into_bytes()
}

fn assert_denied(output: &Output, quiet: bool) {
    assert_eq!(output.status.code(), Some(2));
    let object: Value = serde_json::from_slice(&output.stderr).unwrap();
    let message = object["systemMessage"].as_str().unwrap();
    assert!(message.starts_with("[watcher-background] "), "{message}");
    let message = serde_json::to_string(message).unwrap();
    let hook = format!(
        "{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\"}},\"systemMessage\":{message}}}\n"
    );
    assert_eq!(text(&output.stderr), hook);
    let flat = format!("{{\"decision\":\"deny\",\"reason\":{message}}}\n");
    assert_eq!(text(&output.stdout), if quiet { "" } else { &flat });
}

#[test]
fn every_form_denies() {
    let grok = json!({ "toolInput": { "command": DENIED } }).to_string();
    assert_denied(&run(&["hook"], &payload(DENIED)), false);
    assert_denied(&run(&["hook", "--claude"], &payload(DENIED)), true);
    assert_denied(&run(&["hook"], grok.as_bytes()), false);
    assert_denied(&run(&["hook", "--command", DENIED], b""), false);
    assert_denied(&run(&["hook", &format!("--command={DENIED}")], b""), false);
    assert_denied(&run(&["hook", "--background", "true", "--command", DENIED, "--claude"], b""), true);
    assert_denied(
        &run(&["hook", "--root=/r", "--home", "/h", "--policy", "firstmate"], &payload(DENIED)),
        false,
    );
}

#[test]
fn no_objection_is_silence() {
    assert!(silent(&run(&["hook"], &payload("ls -l"))));
    assert!(silent(&run(&["hook", "--claude"], &payload("ls -l"))));
    assert!(silent(&run(&["hook", "--command=ls"], b"")));
}

#[test]
fn what_is_not_a_call_is_silence() {
    let denied = text(&payload(DENIED)).to_owned();
    for stdin in [
        "",
        "\n",
        "{",
        "null",
        "[]",
        "{}",
        "not json",
        r#"{"tool_input":{}}"#,
        r#"{"tool_input":{"command":""}}"#,
        r#"{"tool_input":{"command":7}}"#,
        r#"{"tool_input":{"command":["bin/fm-watch-arm.sh &"]}}"#,
        &format!("{denied} x"),
    ] {
        assert!(silent(&run(&["hook"], stdin.as_bytes())), "{stdin}");
    }
    assert!(silent(&run(&["hook"], b"{\"tool_input\":{\"command\":\"\xff bin/fm-watch-arm.sh &\"}}")));
    assert!(silent(&run(&["hook", "--command", ""], b"")));
    assert!(silent(&run(&["hook", "--command="], &payload(DENIED))));
}

#[test]
fn an_odd_command_is_still_judged() {
    let surrogate = format!(r#"{{"tool_input":{{"command":"echo '\ud800'; {DENIED}"}}}}"#);
    assert_eq!(run(&["hook"], surrogate.as_bytes()).status.code(), Some(2));
}

#[test]
fn a_policy_that_cannot_be_used_is_silence() {
    assert!(silent(&run(&["hook", "--policy", "/nonexistent/policy.toml"], &payload(DENIED))));
    assert!(silent(&run(&["hook", "--queries", "/nonexistent"], &payload(DENIED))));
}

#[test]
fn wrong_usage_is_said_on_stderr() {
    for arguments in
        [&["hook", "--nope"][..], &["hook", "word"], &["hook", "--command"], &["hook", "--claude=x"]]
    {
        let output = run(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        assert!(text(&output.stderr).contains("Usage: stanchion hook"));
    }
}

#[test]
fn help_is_an_answer() {
    let output = run(&["hook", "--help"], b"");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("--background <BOOL>"));
}

#[test]
fn closed_streams_do_no_harm() {
    let program = env!("CARGO_BIN_EXE_stanchion");
    let shell = |script: &str| {
        let mut command = std::process::Command::new("sh");
        let command = command.arg("-c").arg(script).env("STANCHION", program).env("XDG_STATE_HOME", state());
        feed(command, &payload(DENIED))
    };
    assert!(silent(&shell("exec \"$STANCHION\" hook <&-")));
    // Nobody can be told on a full device.
    if std::path::Path::new("/dev/full").exists() {
        assert!(silent(&shell("exec \"$STANCHION\" hook >/dev/full")));
    }
    assert!(silent(&shell("exec \"$STANCHION\" hook >&-")));
    assert!(silent(&shell("exec \"$STANCHION\" hook <&- >&-")));
    assert!(silent(&shell("exec \"$STANCHION\" hook --command 'bin/fm-watch-arm.sh &' <&- >&-")));
    // Here a pipe takes the free number of stdin, too.
    assert!(silent(&shell("exec \"$STANCHION\" hook --command='bin/fm-watch-arm.sh &' <&- >&- 2>&-")));
    // Claude's form needs stderr alone, and a discarded stream is not a closed one.
    assert_denied(&shell("exec \"$STANCHION\" hook --claude >&-"), true);
    assert_eq!(shell("exec \"$STANCHION\" hook >/dev/null").status.code(), Some(2));
}

#[test]
fn the_payload_directory_may_be_missing() {
    let call = json!({ "cwd": "/nonexistent", "tool_input": { "command": DENIED } }).to_string();
    assert_denied(&feed(stanchion().arg("hook"), call.as_bytes()), false);
}

/// Each installed registration calls the hook with its harness's name and the payload of that harness.
#[test]
fn every_harness_blocks_in_its_own_form() {
    for facts in stanchion::install::facts::ALL {
        let call = |command: &str| {
            let command = serde_json::to_string(command).unwrap();
            facts.call.replace("$COMMAND", &command).replace("$CWD", "/nonexistent").into_bytes()
        };
        for name in [facts.name, "auto"] {
            assert!(silent(&run(&["hook", "--harness", name], &call("ls -l"))), "{} {name}", facts.name);
            let output = run(&["hook", "--harness", name], &call(DENIED));
            let said = [text(&output.stdout), text(&output.stderr)].concat();
            assert!(said.contains("[watcher-background] "), "{} {name}: {output:?}", facts.name);
            // Cline heeds stdout alone.
            let wanted = if facts.name == "cline" { 0 } else { 2 };
            assert_eq!(output.status.code(), Some(wanted), "{} {name}", facts.name);
            assert!(!said.contains("allow"), "{said}");
        }
    }
}

/// Who sends it does not show: the answer is the measured one that blocks in all of them.
#[test]
fn a_payload_of_nobody_known_is_answered_as_all_obey() {
    for call in [
        json!({ "tool_input": { "command": DENIED } }),
        json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": DENIED } }),
        json!({ "tool_name": "some_new_shell", "tool_input": { "command": DENIED } }),
    ] {
        let output = run(&["hook", "--harness", "auto"], call.to_string().as_bytes());
        assert_eq!(output.status.code(), Some(2), "{call}");
        let reason = text(&output.stderr).strip_suffix('\n').unwrap();
        assert!(reason.starts_with("[watcher-background] ") && !reason.contains('\n'), "{reason}");
        let nested = format!(
            "{{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":{reason:?}}}"
        );
        let wanted = format!(
            "{{\"decision\":\"block\",\"reason\":{reason:?},\"permissionDecision\":\"deny\",\
             \"permissionDecisionReason\":{reason:?},\"hookSpecificOutput\":{nested}}}\n"
        );
        assert_eq!(text(&output.stdout), wanted, "{call}");
    }
}

#[test]
fn every_recorded_shell_call_is_judged() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/captures");
    let mut seen = 0;
    for client in std::fs::read_dir(directory).unwrap() {
        for file in std::fs::read_dir(client.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let before = ["pre-", "tool.execute.before-", "tool_call-"];
            if !name.ends_with("-shell.json") || !before.iter().any(|start| name.starts_with(start)) {
                continue;
            }
            let call = std::fs::read_to_string(&path).unwrap();
            // Cline sends a list and heeds stdout alone: see `captures.rs`.
            if call.contains("clineVersion") {
                continue;
            }
            assert!(silent(&run(&["hook", "--harness", "auto"], call.as_bytes())), "{path:?}");
            let command = command_of(&call);
            let denied = call.replace(&command, &serde_json::to_string(DENIED).unwrap());
            let output = run(&["hook", "--harness", "auto"], denied.as_bytes());
            assert_eq!(output.status.code(), Some(2), "{path:?}");
            assert!(text(&output.stderr).starts_with("[watcher-background] "), "{path:?}");
            seen += 1;
        }
    }
    assert!(seen >= 35, "{seen}");
}

/// The JSON string behind the first `"command":`.
fn command_of(call: &str) -> String {
    let rest = call.split("\"command\":").nth(1).unwrap().trim_start();
    let end = rest[1..].find('"').unwrap() + 2;
    rest[..end].to_owned()
}

#[test]
fn an_input_that_was_cut_off_is_no_way_past() {
    let padded = format!("ls {}", "a".repeat(131_072));
    let cut = format!("{} [truncated]", &json!({ "command": padded }).to_string()[..131_072]);
    let call = |tool: &str| json!({ "toolName": tool, "toolInput": cut, "toolInputTruncated": true });
    for form in [&["hook"][..], &["hook", "--harness", "grok"], &["hook", "--harness", "auto"]] {
        let output = run(form, call("run_terminal_command").to_string().as_bytes());
        assert_eq!(output.status.code(), Some(2), "{form:?}");
        assert!(text(&output.stderr).contains("[unclassifiable-protected-command]"), "{form:?}");
        assert!(silent(&run(form, call("write").to_string().as_bytes())), "{form:?}");
    }
}

#[test]
fn a_patch_is_no_command() {
    let patch = format!("*** Begin Patch\n*** Add File: n\n+{DENIED}\n*** End Patch\n");
    let call = json!({ "turn_id": "t", "tool_name": "apply_patch", "tool_input": { "command": patch } });
    for form in [&["hook"][..], &["hook", "--harness", "codex"]] {
        assert!(silent(&run(form, call.to_string().as_bytes())), "{form:?}");
    }
}

#[test]
fn a_call_that_was_made_is_not_judged_again() {
    let call =
        json!({ "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": { "command": DENIED } });
    assert!(silent(&run(&["hook", "--harness", "claude"], call.to_string().as_bytes())));
}

/// Copilot calls the hooks of Claude Code, and shows a reason only where the status is 0.
#[test]
fn a_guest_of_another_registration_gets_its_own_answer() {
    let call = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "2026-11-30T23:05:44.301Z",
        "cwd": "/", "tool_name": "Bash", "tool_input": { "command": DENIED }
    });
    let output = run(&["hook", "--harness", "claude"], call.to_string().as_bytes());
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    // Another's registration is not read by it: there the answer is that of who is named.
    let output = run(&["hook", "--harness", "kimi"], call.to_string().as_bytes());
    assert_eq!(output.status.code(), Some(2));
}

/// The same policy judges file tools and shell commands.
#[test]
fn file_tools_are_judged_as_shell_writes_are() {
    let ask = |harness: &str, call: serde_json::Value| {
        run(&["hook", "--harness", harness, "--policy", "core"], call.to_string().as_bytes())
    };
    let denied = |harness: &str, call: serde_json::Value| {
        let output = ask(harness, call.clone());
        let said = [text(&output.stdout), text(&output.stderr)].concat();
        assert!(said.contains("[self.change] "), "{harness} {call}: {output:?}");
    };
    let guarded = ".claude/settings.json";
    denied(
        "claude",
        json!({ "tool_name": "Write", "tool_input": { "file_path": guarded, "content": "{}" } }),
    );
    denied(
        "claude",
        json!({ "tool_name": "Edit", "cwd": "/srv/p/.claude", "tool_input": { "file_path": "settings.json" } }),
    );
    denied(
        "gemini",
        json!({ "hook_event_name": "BeforeTool", "tool_name": "replace", "tool_input": { "file_path": guarded } }),
    );
    let windsurf = |action: &str, info: serde_json::Value| json!({ "agent_action_name": action, "trajectory_id": "t", "tool_info": info });
    denied("windsurf", windsurf("pre_write_code", json!({ "file_path": guarded, "edits": [] })));
    let shell = json!({ "command": format!("echo > {guarded}") });
    denied(
        "windsurf",
        windsurf("pre_mcp_tool_use", json!({ "mcp_tool_name": "run", "mcp_tool_arguments": shell })),
    );
    denied("copilot", json!({ "toolName": "create", "toolArgs": { "path": guarded, "file_text": "" } }));
    denied("opencode", json!({ "tool": "write", "sessionID": "s", "args": { "filePath": guarded } }));
    denied(
        "pi",
        json!({ "type": "tool_call", "toolName": "edit", "toolCallId": "c", "input": { "path": "~/.claude/settings.json" } }),
    );
    let patch =
        "*** Begin Patch\n*** Update File: a.txt\n*** Move to: .git/hooks/pre-commit\n*** End Patch\n";
    denied("codex", json!({ "tool_name": "apply_patch", "tool_input": { "command": patch } }));
    denied(
        "claude",
        json!({ "tool_name": "NotebookEdit", "tool_input": { "notebook_path": guarded, "new_source": "" } }),
    );
    denied(
        "cursor",
        json!({ "cursor_version": "1", "tool_name": "Delete", "tool_input": { "path": guarded } }),
    );
    for (tool, path) in [("Write", "/srv/p/src/main.rs"), ("Edit", "notes/it's.md"), ("Read", guarded)] {
        let call = json!({ "tool_name": tool, "cwd": "/srv/p", "tool_input": { "file_path": path } });
        assert!(silent(&ask("claude", call)), "{tool} {path}");
    }
}
