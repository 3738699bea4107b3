//! `stanchion replay`: what is found in real transcripts, and what is counted of it.

use crate::child;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

const CLIENTS: [&str; 9] =
    ["claude", "codex", "codex-code", "copilot", "gemini", "grok", "opencode", "pi", "qwen"];

fn transcripts(client: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts").join(client)
}

fn replay(home: &Path, arguments: &[&str]) -> Output {
    let mut command = child::stanchion();
    command.arg("replay").args(arguments).env("HOME", home).env("XDG_STATE_HOME", home.join(".local/state"));
    for moved in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GROK_HOME", "COPILOT_HOME", "PI_CODING_AGENT_DIR"] {
        command.env_remove(moved);
    }
    for moved in ["GEMINI_CLI_HOME", "QWEN_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        command.env_remove(moved);
    }
    command.output().unwrap()
}

fn report(home: &Path, arguments: &[&str]) -> Value {
    let output = replay(home, &[arguments, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Writes a list of commands.
fn list(directory: &Path, commands: impl Iterator<Item = String>) -> String {
    let path = directory.join("list.jsonl");
    let lines: String = commands.map(|command| format!("{}\n", json!({ "command": command }))).collect();
    fs::write(&path, lines).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn every_command_of_real_clients_is_found_once() {
    for client in CLIENTS {
        let home = transcripts(client);
        let named = home.to_str().unwrap().to_owned();
        let mut ran: Vec<String> =
            serde_json::from_str(&fs::read_to_string(home.join("ran.json")).unwrap()).unwrap();
        assert!(ran.len() >= 5, "{client}");
        ran.sort();
        // In the usual places, and below a folder that is named.
        for arguments in [vec!["--calls"], vec!["--calls", &named]] {
            let output = replay(&home, &arguments);
            assert!(output.status.success(), "{client}: {output:?}");
            let calls: Vec<Value> =
                child::text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let shell = calls.iter().filter(|call| call["shell"] == true);
            // Codex keeps no newline at the end of what it ran.
            let mut found: Vec<String> =
                shell.map(|call| call["command"].as_str().unwrap().to_owned()).collect();
            found.sort();
            let trimmed =
                |all: &[String]| all.iter().map(|one| one.trim_end().to_owned()).collect::<Vec<_>>();
            assert_eq!(trimmed(&found), trimmed(&ran), "{client} {arguments:?}");
            let harness = client.strip_suffix("-code").unwrap_or(client);
            assert!(calls.iter().all(|call| call["harness"] == harness), "{client}: {calls:?}");
        }
    }
}

#[test]
fn rules_are_counted_and_two_policies_compared() {
    let home = tempfile::tempdir().unwrap();
    let commands = (0..1000).map(|number| match number {
        7 | 70 => format!("git reset --hard; echo {number}"),
        700 => "rm -rf /".to_owned(),
        _ => format!("cargo test number_{number}"),
    });
    let file = list(home.path(), commands);
    let told = report(home.path(), &[&file, "--policy=core", "--against=cwd", "--only"]);
    assert_eq!((&told["schema"], &told["calls"]), (&json!(1), &json!(1000)));
    let objected = told["denied"].as_u64().unwrap() + told["asked"].as_u64().unwrap();
    assert_eq!(objected, 3, "{told}");
    let rules = told["rules"].as_array().unwrap();
    let reset = rules.iter().find(|rule| rule["code"] == "git.reset-hard").unwrap();
    assert_eq!(reset["denied"].as_u64().unwrap() + reset["asked"].as_u64().unwrap(), 2);
    assert_eq!(reset["examples"][0], json!({"command": "git reset --hard; echo 7", "file": file, "line": 8}));
    assert_eq!(told["against"]["denied"], 0);
    let changed: u64 =
        told["against"]["changed"].as_array().unwrap().iter().map(|x| x["calls"].as_u64().unwrap()).sum();
    assert_eq!(changed, 3);
}

#[test]
fn a_bound_fails_a_check() {
    let home = tempfile::tempdir().unwrap();
    let commands = (0..100).map(|number| if number == 0 { "rm -rf /".to_owned() } else { "ls".to_owned() });
    let file = list(home.path(), commands);
    let status = |arguments: &[&str]| {
        replay(home.path(), &[&[file.as_str(), "--policy=core", "--only"], arguments].concat()).status.code()
    };
    assert_eq!(status(&[]), Some(0));
    assert_eq!(status(&["--fail-on=deny>1%"]), Some(0));
    assert_eq!(status(&["--fail-on=deny>0.5%"]), Some(1));
    assert_eq!(status(&["--fail-on=deny>0"]), Some(1));
    assert_eq!(status(&["--fail-on=new-deny>0", "--against=cwd"]), Some(1));
    assert_eq!(status(&["--fail-on=new-deny>0", "--against=core"]), Some(0));
    assert_eq!(status(&["--fail-on=new-deny>0"]), Some(64));
    assert_eq!(status(&["--fail-on=deny<1"]), Some(64));
}

#[test]
fn threads_change_nothing() {
    let home = tempfile::tempdir().unwrap();
    // More than one piece for each thread.
    let commands = (0..60_000).map(|number| match number % 10 {
        0 => format!("git reset --hard HEAD~{number}"),
        1 => format!("x=$(cat f{number}) && rm -rf \"$x\""),
        _ => format!("echo {number} | grep 1"),
    });
    let file = list(home.path(), commands);
    let with =
        |threads: &str| report(home.path(), &[&file, "--policy=core", "--against=cwd", "--only", threads]);
    let one = with("--threads=1");
    assert_eq!(one["calls"], 60_000);
    assert_eq!(with("--threads=2"), one);
    assert_eq!(with("--threads=7"), one);
}

#[test]
fn records_are_read_and_damage_is_told() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join(".local/state/stanchion");
    fs::create_dir_all(&state).unwrap();
    let record = |finding: u32, command: &str, bytes: usize| {
        json!({"schema": 1, "call": "a", "finding": finding, "guard": "rules", "command": command, "command_bytes": bytes,
            "harness": "claude", "evaluator": {"kind": "http", "outcome": "timeout"}, "tier": 2})
    };
    let lines = [
        record(0, "git reset --hard", 16).to_string(),
        record(1, "git reset --hard", 16).to_string(),
        record(0, "curl -H 'Authorization: [redacted]' x", 60).to_string(),
        "{\"finding\": 0, \"guard\": \"rules\", \"comm".to_owned(),
        "foreign".to_owned(),
        record(0, "rm -rf /", 8).to_string(),
    ];
    fs::write(state.join("decisions.jsonl"), lines.join("\n")).unwrap();
    let told = report(home.path(), &["--policy=core", "--only"]);
    assert_eq!(told["calls"], 2, "{told}");
    let expected = json!({"repeated": 1, "partial": 1, "damaged_lines": 1, "unreadable_files": 0});
    assert_eq!(told["not_judged"], expected);
}

#[test]
fn nothing_to_replay_is_told() {
    let home = tempfile::tempdir().unwrap();
    let output = replay(home.path(), &[]);
    assert_eq!(output.status.code(), Some(64));
    assert!(child::text(&output.stderr).contains("name one"), "{output:?}");
    let text = home.path().join("notes.txt");
    fs::write(&text, "rm -rf /\n").unwrap();
    let output = replay(home.path(), &[text.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(64));
    assert!(child::text(&output.stderr).contains("notes.txt"), "{output:?}");
    // A pipe would wait for a writer, and give its head only once.
    let pipe = home.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let output = replay(home.path(), &[pipe.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(64));
    assert!(child::text(&output.stderr).contains("no regular file"), "{output:?}");
}
