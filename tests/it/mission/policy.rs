//! The tables of a mission's policy: what they take, and what they do with others.

use super::{bash, by, event, gate, is_silent, lines, rules, task, write};
use crate::child::{feed, stanchion, text};
use serde_json::json;
use stanchion::call::{Origin, Tool, ToolCall};
use stanchion::gate::Gate;
use stanchion::policy;

fn problems(tables: &str) -> String {
    let text = format!("version = 1\nname = \"x\"\n{tables}");
    policy::parse("x.toml", &text).map(|_| String::new()).unwrap_or_else(|errors| errors.to_string())
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (tables, message) in [
        ("[task]\nmode = \"enforced\"\nallowed_tools = []\n", "x.toml:4:8: \"enforced\" is not a mode"),
        ("[task]\nmode = \"shadow\"\n", "x.toml:3:1: this task has no allowed_tools"),
        ("[task]\nallowed_tools = [\"@wrte\"]\n", "x.toml:4:18: "),
        ("[task]\nallowed_tools = [\"a b\"]\n", "x.toml:4:18: "),
        ("[roles.verifier]\nagent_types = [\"v\"]\n", "this role has no deny_tools"),
        ("[roles.\"The Verifier\"]\ndeny_tools = [\"@write\"]\n", "x.toml:3:8: "),
        ("[records]\ndirectory = \"records\"\n", "x.toml:4:13: "),
        ("[records]\ndirectory = \"/\"\n", "x.toml:4:13: "),
    ] {
        let said = problems(tables);
        assert!(said.contains(message), "{tables}: {said}");
    }
    assert_eq!(
        problems(
            "[task]\nallowed_tools = []\n[roles.a]\ndeny_tools = [\"*\"]\n[records]\ndirectory = \"/x\"\n"
        ),
        ""
    );
}

#[test]
fn a_role_is_known_by_its_kinds_of_agents() {
    let policy = policy::parse(
        "x.toml",
        "version = 1\nname = \"x\"\n[roles.reader]\nagent_types = [\"review-*\", \"audit\"]\ndeny_tools = [\"@shell\", \"@agent\", \"Web*\"]\nadvice = \"read, and tell\"\n",
    );
    let gate = Gate::new(vec![policy.unwrap()]);
    let denied = |kind: Option<&str>, tool: Tool, name: &str| {
        let origin = Origin {
            tool: Some(name.to_owned()),
            agent_type: kind.map(ToOwned::to_owned),
            ..Origin::default()
        };
        let verdict = gate.judge(&ToolCall { tool, origin, ..ToolCall::default() });
        verdict.deciding().map(|finding| finding.reason.clone())
    };
    for kind in ["review-1", "audit"] {
        for (tool, name) in [(Tool::Monitor, "x"), (Tool::Agent, "Task"), (Tool::Other, "WebSearch")] {
            let said = denied(Some(kind), tool, name).unwrap();
            assert!(said.contains("reader") && said.contains("read, and tell"), "{said}");
        }
        assert_eq!(denied(Some(kind), Tool::Read, "Read"), None);
    }
    assert_eq!(denied(Some("auditor"), Tool::Shell, "Bash"), None);
    assert_eq!(denied(None, Tool::Shell, "Bash"), None);
}

/// A text alone is no call of a tool: `check`, and repair commands, which are proved so.
#[test]
fn a_text_without_a_tool_is_judged_by_rules_alone() {
    let directory = tempfile::tempdir().unwrap();
    let policy = task(directory.path(), "enforce", &["Read"]);
    let check = |command: &str| {
        let output = stanchion()
            .args(["check", "--policy", "mission", "--policy", &policy, command])
            .output()
            .unwrap();
        output.status.code()
    };
    assert_eq!(check("ls"), Some(0));
    assert_ne!(check("rm -rf /"), Some(0));
    let mut hook = stanchion();
    hook.args(["hook", "--policy", "mission", "--policy", &policy, "--command", "ls"]);
    assert!(is_silent(&feed(&mut hook, b"")));
}

#[test]
fn several_tasks_hold_all() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let (one, two) =
        (task(directory.path(), "enforce", &["Bash", "Read"]), directory.path().join("two.toml"));
    std::fs::write(&two, "version = 1\nname = \"two\"\n[task]\nallowed_tools = [\"Bash\"]\n").unwrap();
    let policies = ["--policy", one.as_str(), "--policy", two.to_str().unwrap()];
    assert!(is_silent(&gate(&records, &policies, &bash("ls"))));
    assert_eq!(
        gate(&records, &policies, &event("Read", &json!({ "file_path": "a" }))).status.code(),
        Some(2)
    );
}

/// Nobody is there to ask: what other policies ask about is denied, and recorded as that.
#[test]
fn a_question_of_another_policy_is_a_denial() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let output = gate(&records, &["--policy", "core"], &bash("git push origin :main"));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("[git.delete-remote] "));
    assert_eq!(rules(&lines(&records, "denied.jsonl")), ["git.delete-remote"]);
}

/// A policy may say itself where records are kept; the option is stronger; a project's file may not say it.
#[test]
fn records_are_kept_where_the_option_or_the_policy_says() {
    let directory = tempfile::tempdir().unwrap();
    let (told, chosen) = (directory.path().join("told"), directory.path().join("chosen"));
    let file = directory.path().join("records.toml");
    let text =
        |place: &std::path::Path| format!("version = 1\nname = \"r\"\n[records]\ndirectory = {place:?}\n");
    std::fs::write(&file, text(&told)).unwrap();
    let call = by("verifier", write("a")).to_string();
    let hook = |arguments: &[&str]| {
        let mut command = stanchion();
        command.args(["hook", "--policy", "mission", "--policy"]).arg(&file).args(arguments);
        assert_eq!(feed(&mut command, call.as_bytes()).status.code(), Some(2));
    };
    hook(&[]);
    assert_eq!(lines(&told, "denied.jsonl").len(), 1);
    hook(&["--record-dir", chosen.to_str().unwrap()]);
    assert_eq!((lines(&told, "denied.jsonl").len(), lines(&chosen, "denied.jsonl").len()), (1, 1));
    let project = directory.path().join("project");
    let moved = directory.path().join("moved");
    std::fs::create_dir(&project).unwrap();
    std::fs::write(project.join(".stanchion.toml"), text(&moved)).unwrap();
    hook(&["--root", project.to_str().unwrap()]);
    assert_eq!(lines(&told, "denied.jsonl").len(), 2);
    assert!(!moved.exists());
}
