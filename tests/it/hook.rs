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
