//! The tap: what every harness's events after a call become, and that nothing makes it speak or fail.

use super::{is_silent, lines};
use crate::captures::files;
use crate::child::{feed, stanchion};
use serde_json::{Value, json};
use std::path::Path;

fn tap(records: &Path, event: &[u8]) -> Vec<Value> {
    let before = lines(records, "tools.jsonl").len();
    let output = feed(stanchion().args(["tap", "--record-dir"]).arg(records), event);
    assert!(is_silent(&output));
    lines(records, "tools.jsonl").split_off(before)
}

/// What a harness tells of a shell command that failed with status 7: the status, and whether it failed.
fn failure(client: &str) -> (Value, Value) {
    let told = !client.starts_with("codex");
    (if told { json!(7) } else { Value::Null }, if told { json!(false) } else { Value::Null })
}

#[test]
fn every_harness_s_event_after_a_call_becomes_a_line() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path();
    let (mut before, mut after) = (0, 0);
    for (client, path) in files() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let event = std::fs::read(&path).unwrap();
        let done = name.starts_with("post-")
            || name.starts_with("tool.execute.after")
            || name.starts_with("tool_result");
        let found = tap(records, &event);
        if !done {
            assert!(found.is_empty(), "{client} {name} is no event after a call");
            before += 1;
            continue;
        }
        after += 1;
        let [line] = found.as_slice() else { panic!("{client} {name}: {found:?}") };
        let harness = client.split('-').next().unwrap();
        assert_eq!(line["harness"], json!(harness), "{client} {name}");
        assert!(line["tool"].is_string() && line["kind"].is_string(), "{client} {name}");
        assert!(line["session"].is_string() || harness == "pi", "{client} {name}");
        let is_shell =
            name.ends_with("shell") || name.ends_with("shell-failed") || name.ends_with("shell-odd");
        assert_eq!(line["kind"] == json!("shell"), is_shell, "{client} {name}");
        for member in ["command", "response", "response_bytes"] {
            assert_eq!(line[member].is_null(), !is_shell, "{client} {name} {member}");
        }
        if name.ends_with("shell-failed") {
            assert_eq!((line["exit_status"].clone(), line["ok"].clone()), failure(&client), "{client}");
            let said = line["response"].as_str().unwrap();
            assert!(said.contains("out") && said.contains("err"), "{client}: {said}");
        }
        if name.ends_with("write") || name.ends_with("edit") {
            assert!(line["path"].as_str().unwrap().ends_with("new.txt"), "{client} {name}");
            assert_eq!(line["paths"][0]["effect"], json!("write"), "{client} {name}");
        }
        if name.ends_with("subagent-shell") && !["gemini", "opencode"].contains(&harness) {
            assert!(line["agent_type"].is_string(), "{client} {name}: {line}");
        }
    }
    assert!(before > 50 && after > 80, "{before} {after}");
}

#[test]
fn whatever_comes_in_it_is_silent_and_ends_with_0() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let deep = format!("{{\"tool_response\":{}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let events: Vec<&[u8]> = vec![
        b"",
        b"\n",
        b"{",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"{}",
        b"{\"hook_event_name\":\"PostToolUse\"",
        b"{\"a\":1}",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}",
    ];
    for event in events {
        assert!(tap(&records, event).is_empty(), "{}", String::from_utf8_lossy(event));
    }
    assert!(!records.exists());
    let odd: [&[u8]; 4] = [
        deep.as_bytes(),
        b"{\"hook_event_name\":\"PostToolUse\"}",
        b"{\"hook_event_name\":\"PostToolUse\",\"tool_name\":7,\"tool_input\":\"x\",\"tool_response\":[null,{},1]}",
        b"{\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"\\ud800\"}}",
    ];
    for event in odd {
        assert_eq!(tap(&records, event).len(), 1, "{}", String::from_utf8_lossy(event));
    }
    // Nor does a place that cannot be written, an option that nobody knows, or no place at all.
    let event = odd[0];
    for arguments in [
        vec!["tap", "--record-dir", "/proc/no/such"],
        vec!["tap", "--record-dir", "relative"],
        vec!["tap", "--record-dir"],
        vec!["tap", "--frobnicate", "--harness", "nobody", "--record-dir=/dev/null/x"],
    ] {
        assert!(is_silent(&feed(stanchion().args(&arguments), event)), "{arguments:?}");
    }
    let mut nowhere = stanchion();
    nowhere.arg("tap").env_remove("HOME").env_remove("XDG_STATE_HOME");
    assert!(is_silent(&feed(&mut nowhere, event)));
}

#[test]
fn an_answer_is_bounded_and_without_secrets() {
    let directory = tempfile::tempdir().unwrap();
    let long = format!("start {} end", "é".repeat(100_000));
    let event = |response: &str| {
        json!({
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": { "command": "export API_KEY=hunter2; env" },
            "tool_response": { "stdout": response, "stderr": "oops" }
        })
        .to_string()
    };
    let line = tap(directory.path(), event(&long).as_bytes()).pop().unwrap();
    let kept = line["response"].as_str().unwrap();
    assert!(
        kept.len() < 5000 && kept.starts_with("start é") && kept.ends_with("end\noops"),
        "{}",
        kept.len()
    );
    assert_eq!(line["response_bytes"], json!(long.len() + 5));
    let line = tap(directory.path(), event("API_KEY=hunter2\nPATH=/bin").as_bytes()).pop().unwrap();
    let text = line.to_string();
    assert!(!text.contains("hunter2") && text.contains("PATH=/bin") && text.contains("[redacted]"), "{text}");
}
