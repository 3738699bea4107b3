//! The records of `stanchion hook`: what is written, what is not, and that nothing of it is lost.

mod writers;

use crate::child::{feed, stanchion, text};
use serde_json::{Value, json};
use stanchion::audit::{Damage, Entry, Fault, FaultKind, Record, Store, What};
use stanchion::call::Origin;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

const DENIED: &str = "bin/fm-watch-arm.sh --token hunter2 &";

fn payload(command: &str) -> String {
    json!({
        "session_id": "s-1", "cwd": "/srv/project", "agent_id": "a-1", "agent_type": "explore",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": { "command": command }
    })
    .to_string()
}

/// A hook whose records go to a directory of their own.
fn hook(state: &Path, arguments: &[&str], stdin: &str) -> Output {
    feed(stanchion().arg("hook").args(arguments).env("XDG_STATE_HOME", state), stdin.as_bytes())
}

fn decisions(state: &Path) -> Vec<Record> {
    let entries = Store::decisions(&state.join("stanchion")).records().unwrap();
    entries.map(|entry| record(entry.unwrap())).collect()
}

fn faults(state: &Path) -> Vec<Fault> {
    let entries = Store::faults(&state.join("stanchion")).recorded_faults().unwrap();
    entries.map(|entry| record(entry.unwrap())).collect()
}

fn record<T: std::fmt::Debug>(entry: Entry<T>) -> T {
    match entry {
        Entry::Record(record) => *record,
        Entry::Damaged(damage) => panic!("{damage:?}"),
    }
}

#[test]
fn a_denial_is_one_line() {
    let state = tempfile::tempdir().unwrap();
    assert_eq!(hook(state.path(), &["--claude"], &payload(DENIED)).status.code(), Some(2));
    let directory = state.path().join("stanchion");
    let file = directory.join("decisions.jsonl");
    let line = fs::read_to_string(&file).unwrap();
    assert!(line.ends_with("}\n") && line.matches('\n').count() == 1 && !line.contains("hunter2"), "{line}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&directory), mode(&file)), (0o700, 0o600));
    let mut value: Value = serde_json::from_str(&line).unwrap();
    assert!(value["latency_us"].as_u64().is_some_and(|micros| micros < 60_000_000));
    let time = value["time"].as_str().unwrap();
    assert!(time.starts_with("20") && time.ends_with('Z') && time.len() == 27, "{time}");
    let command = value["command"].as_str().unwrap().to_owned();
    let place = |at: usize| usize::try_from(value["span"][at].as_u64().unwrap()).unwrap();
    assert!(command[place(0)..place(1)].contains("bin/fm-watch-arm.sh"), "{command}");
    for varies in ["time", "call", "latency_us", "version"] {
        value[varies] = json!("-");
    }
    for policy in value["policies"].as_array_mut().unwrap() {
        assert_eq!(policy["digest"].as_str().unwrap().len(), 16);
        policy["digest"] = json!("-");
    }
    let text = serde_json::to_string_pretty(&value).unwrap();
    insta::assert_snapshot!("a_record", text);
}

#[test]
fn every_finding_is_recorded_and_nothing_else() {
    let state = tempfile::tempdir().unwrap();
    for silent in ["ls -la", "grep 'bin/fm-watch-arm.sh &' notes", "cd bin && ./fm-watch-arm.sh"] {
        assert_eq!(hook(state.path(), &[], &payload(silent)).status.code(), Some(0));
    }
    assert_eq!(hook(state.path(), &[], "{").status.code(), Some(0));
    assert!(!state.path().join("stanchion").exists());
    assert_eq!(
        hook(state.path(), &[], &payload("bin/fm-watch-arm.sh & pkill fm-watch")).status.code(),
        Some(2)
    );
    let records = decisions(state.path());
    assert!(records.len() >= 2, "{records:?}");
    assert!(records.iter().enumerate().all(|(place, record)| record.finding == place));
    assert!(records.iter().all(|record| record.call == records[0].call));
    assert_eq!(records[0].code, "broad-watcher-kill");
}

#[test]
fn only_the_hook_records() {
    let state = tempfile::tempdir().unwrap();
    for command in ["check", "explain"] {
        let output = feed(stanchion().args([command, DENIED]).env("XDG_STATE_HOME", state.path()), b"");
        assert!(text(&output.stdout).contains("watcher-background"));
    }
    assert!(fs::read_dir(state.path()).unwrap().next().is_none());
}

#[test]
fn the_place_is_the_state_directory_of_the_user() {
    let home = tempfile::tempdir().unwrap();
    let run = |command: &mut Command| feed(command, payload(DENIED).as_bytes()).status.code();
    let mut command = stanchion();
    assert_eq!(run(command.arg("hook").env_remove("XDG_STATE_HOME").env("HOME", home.path())), Some(2));
    assert!(home.path().join(".local/state/stanchion/decisions.jsonl").exists());
    // A relative one is none (XDG Base Directory Specification).
    let mut command = stanchion();
    command.arg("hook").env("XDG_STATE_HOME", "state").env("HOME", home.path()).current_dir(home.path());
    assert_eq!(run(&mut command), Some(2));
    assert!(!home.path().join("state").exists());
    let mut command = stanchion();
    command.arg("hook").env_remove("XDG_STATE_HOME").env_remove("HOME").current_dir(home.path());
    assert_eq!(run(&mut command), Some(2));
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}

/// The same answer, byte for byte, whatever stands in the place of the records.
#[test]
fn a_record_that_cannot_be_written_changes_nothing() {
    let state = tempfile::tempdir().unwrap();
    let wanted = hook(state.path(), &[], &payload(DENIED));
    assert_eq!(wanted.status.code(), Some(2));
    let same = |output: Output| {
        assert_eq!(
            (output.status.code(), &output.stdout, &output.stderr),
            (Some(2), &wanted.stdout, &wanted.stderr)
        );
    };
    same(hook(Path::new("/dev/null"), &[], &payload(DENIED)));
    same(hook(Path::new("/proc"), &[], &payload(DENIED)));
    let directory = state.path().join("stanchion");
    let file = directory.join("decisions.jsonl");
    let whole = fs::read(&file).unwrap();
    // No file may grow: the limit comes as a signal.
    let script = "ulimit -f 0; exec \"$STANCHION\" hook";
    let mut shell = Command::new("bash");
    shell
        .args(["-c", script])
        .env("STANCHION", env!("CARGO_BIN_EXE_stanchion"))
        .env("XDG_STATE_HOME", state.path());
    same(feed(&mut shell, payload(DENIED).as_bytes()));
    assert_eq!(fs::read(&file).unwrap(), whole);
    fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    same(hook(state.path(), &[], &payload(DENIED)));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    same(hook(state.path(), &[], &payload(DENIED)));
}

/// A half that fitted on the disk is taken back.
#[test]
fn a_partial_record_is_taken_back() {
    let state = tempfile::tempdir().unwrap();
    let directory = state.path().join("stanchion");
    fs::create_dir(&directory).unwrap();
    let file = directory.join("decisions.jsonl");
    let filler = format!("{}\n", "x".repeat(1000));
    fs::write(&file, &filler).unwrap();
    let mut shell = Command::new("bash");
    shell.args(["-c", "ulimit -f 1; exec \"$STANCHION\" hook"]);
    shell.env("STANCHION", env!("CARGO_BIN_EXE_stanchion")).env("XDG_STATE_HOME", state.path());
    assert_eq!(feed(&mut shell, payload(DENIED).as_bytes()).status.code(), Some(2));
    assert_eq!(fs::read_to_string(&file).unwrap(), filler);
}

#[test]
fn who_holds_the_lock_holds_nobody_up() {
    let state = tempfile::tempdir().unwrap();
    hook(state.path(), &[], &payload(DENIED));
    let directory = state.path().join("stanchion");
    let file = fs::File::open(directory.join("decisions.jsonl")).unwrap();
    file.lock().unwrap();
    let started = std::time::Instant::now();
    assert_eq!(hook(state.path(), &[], &payload(DENIED)).status.code(), Some(2));
    assert!(started.elapsed().as_secs() < 10);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
    assert_eq!(decisions(state.path()).len(), 2);
}

#[test]
fn what_cannot_be_used_is_recorded_once() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("p.toml");
    let run = |arguments: &[&str]| {
        let output = hook(state.path(), arguments, &payload(DENIED));
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{arguments:?}");
        faults(state.path())
    };
    let policy = ["--policy", file.to_str().unwrap()];
    assert_eq!(run(&policy).len(), 1);
    assert_eq!(run(&policy).len(), 1);
    fs::write(&file, "version = 2\nname = \"x\"\n").unwrap();
    let found = run(&policy);
    assert_eq!(run(&policy), found);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].kind, found[0].digest.as_ref()), (FaultKind::Policy, None));
    assert!(found[1].message.contains("unknown version 2") && found[1].digest.is_some(), "{found:?}");
    assert_eq!(found[1].source.session.as_deref(), Some("s-1"));
    assert_eq!(found[1].file, file.to_string_lossy());
    let found = run(&["--queries", "/nonexistent"]);
    assert_eq!(found.last().map(|fault| fault.kind), Some(FaultKind::Queries));
    assert!(decisions(state.path()).is_empty());
}

#[test]
fn faults_are_the_same_by_what_and_where() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::faults(state.path());
    let fault = |message: &str, session: &str| {
        let source = Origin { session: Some(session.to_owned()), ..Origin::default() };
        let time = std::time::SystemTime::now();
        Fault::new(FaultKind::Panic, "src/x.rs:1:2", message, time, source).record(&store).unwrap()
    };
    assert!(fault("one", "a"));
    assert!(!fault("one", "b"));
    assert!(fault("one more", "a"));
    assert!(fault("TOKEN=hunter2", "a"));
    assert!(!fs::read_to_string(store.current()).unwrap().contains("hunter2"));
}

#[test]
fn a_torn_end_is_reported_and_harms_nobody() {
    let state = tempfile::tempdir().unwrap();
    hook(state.path(), &[], &payload(DENIED));
    let store = Store::decisions(&state.path().join("stanchion"));
    let whole = fs::read(store.current()).unwrap();
    let torn = [&whole[..], &whole[..40]].concat();
    fs::write(store.current(), &torn).unwrap();
    hook(state.path(), &[], &payload(DENIED));
    let entries: Vec<_> = store.records().unwrap().map(Result::unwrap).collect();
    let damage = Damage { file: store.current(), line: 2, bytes: 41, what: What::Torn };
    assert!(
        matches!(&entries[..], [Entry::Record(_), Entry::Damaged(found), Entry::Record(_)] if *found == damage)
    );
    fs::write(store.current(), b"{\"schema\":99}\n\n{}\n{\"schema\":1,\"ti").unwrap();
    let what = |entry| match entry {
        Entry::Damaged(damage) => damage.what,
        Entry::Record(record) => panic!("{record:?}"),
    };
    let found: Vec<What> = store.records().unwrap().map(|entry| what(entry.unwrap())).collect();
    assert_eq!(found, [What::Newer, What::Strange, What::Torn]);
}

/// What is recorded is what the harness makes of the answer, whatever the exit status.
#[test]
fn the_answer_is_recorded_as_it_was_told() {
    let rule = "version = 1\nname = \"t\"\n[[rule]]\nid = \"t.ask\"\ndecision = \"ask\"\nreason = \"r\"\nadvice = \"a\"\n\
                when = { program = \"rm\" }\n\
                match = [\"rm a\", \"rm b\", \"rm c\"]\nnot_match = [\"ls\", \"cat a\", \"echo rm\"]\n";
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("t.toml");
    fs::write(&file, rule).unwrap();
    let told = |harness: &str, asking: &str| {
        let state = tempfile::tempdir().unwrap();
        let policy = file.to_str().unwrap();
        hook(state.path(), &["--policy", policy, "--harness", harness, "--ask", asking], &payload("rm x"));
        let found = decisions(state.path());
        (found[0].decision.name(), found[0].answered.name())
    };
    assert_eq!(told("claude", "safe"), ("ask", "ask"));
    assert_eq!(told("claude", "never"), ("ask", "deny"));
    assert_eq!(told("codex", "attended"), ("ask", "deny"));
    let cline = |state: &Path| {
        let call = json!({ "hookName": "tool_call", "tool_call": { "name": "execute_command", "input": { "command": DENIED } } });
        let output = hook(state, &["--harness", "cline"], &call.to_string());
        assert_eq!(output.status.code(), Some(0));
        decisions(state)
    };
    let found = cline(state.path());
    assert_eq!((found[0].answered.name(), found[0].source.harness.as_deref()), ("deny", Some("cline")));
}
