//! The commands for people.

use crate::child::{run, text};
use serde_json::Value;

const DENIED: &str = "bin/fm-watch-arm.sh &";

fn status(arguments: &[&str]) -> Option<i32> {
    run(arguments, b"").status.code()
}

#[test]
fn exit_codes() {
    assert_eq!(status(&["check", "ls"]), Some(0));
    assert_eq!(status(&["check", DENIED]), Some(2));
    assert_eq!(run(&["check"], DENIED.as_bytes()).status.code(), Some(2));
    assert_eq!(status(&["check", "--nope", "x", "y"]), Some(64));
    assert_eq!(status(&["check", "ls", "--policy", "nope"]), Some(64));
    assert_eq!(status(&["nope"]), Some(64));
    assert_eq!(status(&[]), Some(64));
    assert_eq!(status(&["--version"]), Some(0));
    assert_eq!(status(&["explain", DENIED]), Some(0));
    assert_eq!(status(&["dump-tree", "a; b"]), Some(0));
}

#[test]
fn check_json_has_a_schema() {
    let report: Value = serde_json::from_slice(&run(&["check", "--json", DENIED], b"").stdout).unwrap();
    assert_eq!(report["schema"], 1);
    assert_eq!(report["decision"], "deny");
    assert_eq!(report["code"], "watcher-background");
    assert!(report["executions"].is_array() && report["opaque"].is_array());
}

#[test]
fn jsonl_goes_on_after_a_bad_line() {
    let lines = b"{\"id\":1,\"command\":\"ls\"}\nnonsense\n{\"id\":\"b\"}\n{\"id\":\"c\",\"command\":\"bin/fm-watch-arm.sh &\",\"cwd\":\"/tmp\"}";
    let output = run(&["check", "--jsonl"], lines);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], r#"{"id":1,"decision":"allow","code":null,"reason":null}"#);
    assert!(lines[1].starts_with(r#"{"id":null,"error":"line 2: "#), "{}", lines[1]);
    assert!(lines[2].starts_with(r#"{"id":"b","error":"line 3: "#), "{}", lines[2]);
    assert!(lines[3].starts_with(r#"{"id":"c","decision":"deny","code":"watcher-background","reason":""#));
    let listed = run(&["check", "--jsonl", "--executions"], b"{\"id\":1,\"command\":\"ls\"}\n");
    assert!(text(&listed.stdout).contains(r#""executions":["#));
}

#[test]
fn explain_is_plain_when_nobody_looks() {
    let output = run(&["explain", DENIED], b"");
    let shown = text(&output.stdout);
    assert!(shown.starts_with("deny [watcher-background]\n1 | bin/fm-watch-arm.sh &\n"), "{shown}");
    assert!(!shown.contains('\x1b'));
    let report: Value = serde_json::from_slice(&run(&["explain", "--json", DENIED], b"").stdout).unwrap();
    assert_eq!(report["schema"], 1);
}

#[test]
fn trees_have_fields_and_ranges() {
    let shown = run(&["dump-tree", "--raw", "echo a"], b"");
    assert!(text(&shown.stdout).contains("name: command_name 0..4"));
    let both: Value = serde_json::from_slice(&run(&["dump-tree", "--json", "echo a"], b"").stdout).unwrap();
    assert_eq!(both["trees"][0]["form"], "raw");
    assert_eq!(both["trees"][1]["form"], "normalised");
}

fn matrix(code: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let rows = format!(
        "version = 1\npolicy = \"firstmate\"\nroot = \"/srv/x\"\n[[row]]\nid = \"a\"\ncommand = \"ls\"\nexpect = \"allow\"\n\
         [[row]]\nid = \"<b>\"\ncommand = \"{DENIED}\"\nexpect = \"deny\"\ncode = \"{code}\"\n"
    );
    std::fs::write(file.path(), rows).unwrap();
    file
}

#[test]
fn matrices_hold_and_fail() {
    let good = matrix("watcher-background");
    let output = run(&["matrix", good.path().to_str().unwrap()], b"");
    assert_eq!(text(&output.stdout), "60 passed, 0 failed\n");
    assert_eq!(output.status.code(), Some(0));
    let output = run(&["matrix", "--forms", "harness", good.path().to_str().unwrap()], b"");
    assert_eq!(text(&output.stdout), "50 passed, 0 failed\n");

    let bad = matrix("watcher-nested");
    let path = bad.path().to_str().unwrap();
    let run = |rest: &[&str]| run(&[&["matrix", "--forms", "seed"], rest, &[path]].concat(), b"");
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    assert!(shown.contains(&format!("FAIL {path}:8 <b> (claude)")), "{shown}");
    assert!(shown.contains("wanted  exit 2, [watcher-nested]"), "{shown}");

    let tap = run(&["--format", "tap"]);
    assert!(text(&tap.stdout).starts_with("TAP version 14\n1..10\nok 1 - "));
    let junit = run(&["--format", "junit"]);
    assert!(text(&junit.stdout).contains("classname=\"&lt;b&gt;\" name=\"codex\""));
    let json: Value = serde_json::from_slice(&run(&["--format", "json"]).stdout).unwrap();
    assert_eq!((&json["passed"], &json["failed"]), (&5.into(), &5.into()));
}

#[test]
fn another_checker_can_be_held_against_a_matrix() {
    let rows = matrix("watcher-background");
    let path = rows.path().to_str().unwrap();
    let hook = format!("'{}' hook", env!("CARGO_BIN_EXE_stanchion"));
    assert_eq!(status(&["matrix", "--checker", &hook, path]), Some(0));
    assert_eq!(status(&["matrix", "--checker", "false", path]), Some(1));
    assert_eq!(status(&["matrix", "/nonexistent.toml"]), Some(64));
}

#[test]
fn the_version_names_the_policies() {
    let long = run(&["--version"], b"").stdout;
    let long = String::from_utf8(long).unwrap();
    let first = format!("stanchion {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(long.lines().next(), Some(first.as_str()), "what tools look for comes first");
    assert!(long.lines().nth(1).is_some_and(|line| line.starts_with("policies ")), "{long}");
    let shown = String::from_utf8(run(&["policy", "show"], b"").stdout).unwrap();
    for name in stanchion::policy::NAMES {
        let digest = stanchion::policy::shipped(name).unwrap().digest;
        assert!(long.contains(&format!("\n  {name} {digest:016x}")), "{long}");
        assert!(shown.contains(&format!("policy {name} {digest:016x} (shipped")), "{shown}");
    }
}
