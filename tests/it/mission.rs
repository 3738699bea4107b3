//! The mission gate inside a guest: the seed's steps, the records, the tap, batches and baked programs.

mod attempts;
mod baked;
mod batches;
mod guests;
mod killed;
mod policy;
mod records;
mod steps;
mod tap;

use crate::child::{feed, stanchion};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A hook event.
fn event(tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "s-1", "cwd": "/srv/project", "hook_event_name": "PreToolUse", "tool_name": tool,
        "tool_use_id": "toolu_1", "tool_input": input
    })
}

fn bash(command: &str) -> Value {
    event("Bash", &json!({ "command": command }))
}

fn write(path: &str) -> Value {
    event("Write", &json!({ "file_path": path, "content": "x" }))
}

/// The same from a sub-agent.
fn by(kind: &str, mut event: Value) -> Value {
    event["agent_id"] = json!("a-1");
    event["agent_type"] = json!(kind);
    event
}

/// A policy file for a task.
fn task(directory: &Path, mode: &str, tools: &[&str]) -> String {
    let path = directory.join(format!("task-{mode}.toml"));
    let text = format!("version = 1\nname = \"task\"\n[task]\nmode = {mode:?}\nallowed_tools = {tools:?}\n");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A hook of the mission's policy whose records go to a directory.
fn gate(records: &Path, arguments: &[&str], event: &Value) -> Output {
    let mut command = stanchion();
    command.args(["hook", "--harness", "claude", "--policy", "mission", "--record-dir"]).arg(records);
    feed(command.args(arguments), event.to_string().as_bytes())
}

/// The lines of a file in the record directory; none where there is no such file.
fn lines(records: &Path, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(records.join(file)).unwrap_or_default();
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn rules(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["rule"].as_str().unwrap()).collect()
}

fn is_silent(output: &Output) -> bool {
    output.status.code() == Some(0) && output.stdout.is_empty() && output.stderr.is_empty()
}

/// A baked program, made by the program under test.
fn bake(directory: &Path, policies: &[&str]) -> std::path::PathBuf {
    let out = directory.join("gate");
    let records = directory.join("records");
    let policies = policies.iter().flat_map(|policy| ["--policy", policy]);
    let mut command = stanchion();
    command.arg("bake").args(policies).arg("--record-dir").arg(records).arg("--out").arg(&out);
    let made = command.output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    out
}

/// Runs a program; one that was written a moment ago may be held open by a child of another test.
fn start(command: &mut Command, stdin: &[u8]) -> Output {
    use std::io::{ErrorKind, Write as _};
    use std::process::Stdio;
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    loop {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            child => {
                let mut child = child.unwrap();
                let _ = child.stdin.take().unwrap().write_all(stdin);
                return child.wait_with_output().unwrap();
            }
        }
    }
}
