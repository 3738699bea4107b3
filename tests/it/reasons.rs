//! Reasons where little of them is shown: every rule's, at every harness with a limit.

use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::harness::{ALL, Asking, Harness, Voice};
use stanchion::policy;
use stanchion::verdict::{Decision, Finding};
use std::path::Path;

/// Policy, rule, advice and examples.
fn rules() -> Vec<(String, String, String, Vec<String>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies/core");
    let mut found = Vec::new();
    for file in std::fs::read_dir(directory).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let table: toml::Table = toml::from_str(&text).unwrap();
        for rule in table.get("rule").and_then(toml::Value::as_array).into_iter().flatten() {
            let text = |name: &str| rule[name].as_str().unwrap().to_owned();
            let examples = rule["match"].as_array().unwrap().iter();
            let examples = examples.map(|example| example.as_str().unwrap().to_owned()).collect();
            found.push((table["name"].as_str().unwrap().to_owned(), text("id"), text("advice"), examples));
        }
    }
    assert!(found.len() >= 40, "{}", found.len());
    found
}

fn limited() -> Vec<(&'static Harness, usize)> {
    let found: Vec<_> = ALL.iter().filter_map(|harness| Some((*harness, harness.limit?))).collect();
    assert!(found.iter().any(|(harness, limit)| harness.name == "grok" && *limit == 256));
    found
}

/// What the model sees of the reason.
fn seen(harness: &'static Harness, gate: &Gate, text: &str) -> (Finding, String) {
    let verdict = gate.judge(&ToolCall::shell(text));
    let finding = verdict.deciding().filter(|finding| finding.decision > Decision::Allow);
    let finding = finding.unwrap_or_else(|| panic!("{text} is allowed")).clone();
    let told = Voice::Of(harness).tell(&verdict, text.as_bytes(), Asking::Safe, false, Decision::Deny);
    let stderr = String::from_utf8(told.reply.stderr).unwrap();
    (finding, stderr.strip_suffix('\n').unwrap().to_owned())
}

/// Code first, then the words that caused it, then the way out, all of it within the limit.
fn check(text: &str, code: &str, way: &str, (finding, said): &(Finding, String), limit: usize) {
    assert!(said.chars().count() <= limit, "{said}");
    assert!(!said.contains('\n'), "{said}");
    assert!(said.starts_with(&format!("[{code}] ")), "{said}");
    assert!(said.contains(way), "`{way}` is not in: {said}");
    let words = String::from_utf8_lossy(finding.span.slice(text.as_bytes())).into_owned();
    let words = words.lines().next().unwrap_or_default().trim();
    let words: String = words.chars().take(40).collect();
    assert!(said.contains(words.trim()), "`{words}` is not in: {said}");
}

#[test]
fn every_rule_says_code_words_and_way_out_within_the_limit() {
    for (harness, limit) in limited() {
        for (name, id, advice, examples) in rules() {
            let gate = Gate::new(policy::shipped(&name).into_iter().collect());
            for example in examples {
                let said = seen(harness, &gate, &example);
                if said.0.code == id {
                    check(&example, &id, &advice, &said, limit);
                }
            }
        }
    }
}

#[test]
fn long_commands_leave_room_for_the_way_out() {
    let long = "x".repeat(600);
    for (harness, limit) in limited() {
        for (name, command, code, way) in [
            ("core.git", format!("git push --force origin {long}"), "git.force-push", "push without force"),
            ("core.git", format!("cd {long} && git reset --hard"), "git.reset-hard", "commit or stash first"),
            ("core.self", format!("echo é{long} > .claude/settings.json"), "self.change", "ask the user"),
            (
                "firstmate",
                format!("bin/fm-watch-arm.sh --name {long} &"),
                "watcher-background",
                "in the foreground",
            ),
            ("firstmate", format!("pkill -f fm-watch{long}"), "broad-watcher-kill", ""),
        ] {
            let gate = Gate::new(policy::shipped(name).into_iter().collect());
            check(&command, code, way, &seen(harness, &gate, &command), limit);
        }
    }
}
