//! `stanchion policy test` and `new`.

use crate::child::{run, stanchion, text};
use serde_json::Value;
use std::path::Path;

/// A policy with one rule that has an example of every outcome.
const EVERY_OUTCOME: &str = r#"
version = 1
name = "outcomes"

[[rule]]
id = "wipe.all"
decision = "deny"
reason = "this wipes the store"
advice = "wipe one entry"
when = { program = "wipe", operand = "all" }
match = ["wipe all", "wipe -v all", "wipe everything"]
not_match = ["wipe one", "echo wipe all", "wipe 'all' --but one"]
"#;

fn tested(policy: &Path, json: bool) -> (Option<i32>, String) {
    let mut command = stanchion();
    command.args(["policy", "test"]).arg(policy);
    if json {
        command.arg("--json");
    }
    let output = command.output().unwrap();
    (output.status.code(), text(&output.stdout).to_owned())
}

#[test]
fn a_test_tells_matched_quiet_missing_and_noisy() {
    let directory = tempfile::tempdir().unwrap();
    let policy = directory.path().join("outcomes.toml");
    std::fs::write(&policy, EVERY_OUTCOME).unwrap();
    let (status, said) = tested(&policy, false);
    assert_eq!(status, Some(1));
    // Each example in six spellings: as written, bash -c, subshell, quotes, assignment, sudo.
    assert!(said.ends_with("1 rules: 12 matched, 12 quiet, 6 missing, 6 noisy\n"), "{said}");
    assert!(said.contains("wipe.all: missing (as written): \"wipe everything\""), "{said}");
    assert!(said.contains("wipe.all: noisy (sudo): \"sudo wipe 'all' --but one\""), "{said}");
    let (status, said) = tested(&policy, true);
    assert_eq!(status, Some(1));
    let report: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (&report["schema"], &report["matched"], &report["quiet"]),
        (&1.into(), &12.into(), &12.into())
    );
    assert_eq!(report["missing"].as_array().unwrap().len(), 6);
    assert_eq!(report["noisy"][0]["rule"], "wipe.all");
    // An edit needs no rebuild.
    let mended = EVERY_OUTCOME.replace("wipe everything", "wipe all now").replace("'all'", "'most'");
    std::fs::write(&policy, mended).unwrap();
    assert_eq!(
        tested(&policy, false),
        (Some(0), "1 rules: 18 matched, 18 quiet, 0 missing, 0 noisy\n".to_owned())
    );
}

#[test]
fn a_new_rule_loads_and_its_examples_hold() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("team.toml");
    let name = file.to_str().unwrap();
    for (id, program) in [("deploy.friday", "deploy"), ("release.friday", "release-it"), ("x", "example")] {
        let output = run(&["policy", "new", id, "--program", program, "--file", name], b"");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(run(&["policy", "check", name], b"").status.code(), Some(0));
        let (status, said) = tested(&file, false);
        assert_eq!(status, Some(0), "{said}");
    }
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.starts_with("version = 1\nname = \"team\"\n"), "{written}");
    assert_eq!(written.matches("[[rule]]").count(), 3);
    // What is there is not changed.
    let again = run(&["policy", "new", "x", "--file", name], b"");
    assert_eq!(again.status.code(), Some(64));
    assert!(text(&again.stderr).contains("has a rule x already"), "{}", text(&again.stderr));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
    std::fs::write(&file, "nonsense").unwrap();
    assert_eq!(run(&["policy", "new", "y", "--file", name], b"").status.code(), Some(64));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "nonsense");
}

#[test]
fn a_printed_rule_loads_behind_a_head() {
    let printed = run(&["policy", "new", "deploy.friday"], b"");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("own.toml");
    std::fs::write(&file, format!("version = 1\nname = \"own\"\n{}", text(&printed.stdout))).unwrap();
    let (status, said) = tested(&file, false);
    assert_eq!(status, Some(0), "{said}");
    for wrong in [&["policy", "new", "Deploy Friday"][..], &["policy", "new", "a", "--program", "/bin/x y"]] {
        assert_eq!(run(wrong, b"").status.code(), Some(64));
    }
}
