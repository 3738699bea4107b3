//! What a project's file says when nobody trusts it: key by key, nothing that it says takes anything away.

use super::{World, rule};
use crate::child::{feed, run, text};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Keys of policies, of their settings and of rules; the loosest that a file can say by each; whether some of
/// it is left out, and told.
const ROWS: &[(&str, &str, bool)] = &[
    ("settings.profile", "[settings]\nprofile = \"attended\"\n", false),
    ("settings.unparsed", "[settings]\nunparsed = \"allow\"\n", false),
    ("settings.unknown_wrapper", "[settings]\nunknown_wrapper = \"ask\"\n", true),
    ("settings.on_ask", "[settings]\non_ask = { any = \"allow\", codex = \"allow\" }\n", true),
    (
        "settings.shadow",
        "[settings]\nshadow = [\"core\", \"firstmate\", \"mine.deploy\", \"git.force-push\"]\n",
        true,
    ),
    ("home_variable", "home_variable = \"ELSEWHERE\"\n", true),
    ("paths", "[paths]\nprotected = [\"docs/\"]\n", false),
    ("repair", "[repair]\ncommands = [\"git status\"]\n", false),
    ("repair", "[repair]\ncommands = [\"deployctl now\"]\n", true),
    ("repair", "[repair]\ncommands = [\"git push --force origin main\"]\n", true),
    ("task", "[task]\nmode = \"shadow\"\nallowed_tools = [\"*\"]\n", false),
    ("roles", "[roles.any]\nagent_types = [\"*\"]\ndeny_tools = [\"none\"]\n", false),
    ("records", "[records]\ndirectory = \"/elsewhere\"\n", true),
    ("protected", PROTECTED, false),
    (
        "kill",
        "[kill]\nnames = [\"fm-watch\"]\nkill = []\nfinders = []\nverbs = []\n\
        [reasons]\nbroad-watcher-kill = \"x\"\nunclassifiable-protected-command = \"x\"\n",
        false,
    ),
    (
        "reasons",
        "[kill]\nnames = [\"other\"]\nkill = []\nfinders = []\nverbs = []\n\
        [reasons]\nbroad-watcher-kill = \"x\"\nunclassifiable-protected-command = \"x\"\n",
        false,
    ),
    (
        "cwd",
        "[cwd]\nplain_checkout = true\nentries = [\"nowhere/\"]\ncommands = [{ name = \"popd\", inert = [] }]\nkeep = []\ntexts = []\n\
        [reasons]\npersistent-cd = \"x\"\n",
        false,
    ),
];

/// The scripts of the shipped policy, free to run.
const PROTECTED: &str = "[protected]\nexec = [\"nohup\"]\nbackground = []\nsetup_files = [\"any\"]\n\
    [[protected.script]]\nidentity = \"watch\"\npath = \"bin/fm-watch.sh\"\nblessed = true\n\
    [reasons]\nunclassifiable-protected-command = \"x\"\nwatcher-direct = \"x\"\nwatcher-nested = \"x\"\n\
    watcher-background = \"x\"\nwatcher-pipeline = \"x\"\nwatcher-redirection = \"x\"\nwatcher-bundled = \"x\"\n";

/// Commands to which the layers below object, each in a way that some key could lift.
const OBJECTED: &[&str] = &[
    "git push --force origin main",
    "GIT_SSH_COMMAND=/tmp/x git fetch",
    "deployctl now",
    "deployctl 'open",
    "sudo --frobnicate x deployctl now",
    "askctl now",
    "bin/fm-watch.sh",
    "nohup bin/fm-watch-arm.sh",
    "pkill -f fm-watch",
    "rm -rf ~",
    "echo x > .claude/settings.json",
    "rm .stanchion.toml",
];

fn world(settings: &str) -> World {
    let world = World::new();
    let (deny, ask) = (
        rule("mine.deploy", "deny", "deployctl", "unparsed = \"deny\""),
        rule("mine.ask", "ask", "askctl", ""),
    );
    world.user("mine", &format!("{settings}{deny}{ask}"));
    world
}

fn rank(decision: &str) -> usize {
    ["allow", "ask", "deny"].iter().position(|name| *name == decision).unwrap()
}

fn decisions(world: &World) -> Vec<usize> {
    let lines = OBJECTED.iter().map(|command| json!({ "id": command, "command": command }).to_string());
    let lines: Vec<String> = lines.collect();
    let arguments = ["check", "--jsonl", "--policy", "firstmate,core"];
    let output = feed(&mut world.command(&arguments), lines.join("\n").as_bytes());
    let told = text(&output.stdout);
    let found: Vec<usize> = told
        .lines()
        .map(|line| rank(serde_json::from_str::<Value>(line).unwrap()["decision"].as_str().unwrap()))
        .collect();
    assert_eq!(found.len(), OBJECTED.len(), "{told} {}", text(&output.stderr));
    found
}

/// What a harness that cannot ask is told of a question.
fn unasked(world: &World) -> Option<i32> {
    let payload = json!({ "cwd": world.path("project"), "tool_name": "Bash", "tool_input": { "command": "askctl now" } });
    let arguments = ["hook", "--harness", "codex", "--policy", "firstmate,core"];
    feed(&mut world.command(&arguments), payload.to_string().as_bytes()).status.code()
}

#[test]
fn no_key_of_an_untrusted_project_takes_anything_away() {
    for settings in
        ["", "[settings]\nprofile = \"unattended\"\n", "[settings]\non_ask = { codex = \"deny\" }\n"]
    {
        let world = world(settings);
        let (before, denied) = (decisions(&world), unasked(&world));
        assert!(before.iter().all(|decision| *decision > 0), "{before:?}");
        for (key, rest, left_out) in ROWS {
            world.project(rest);
            let after = decisions(&world);
            for ((command, before), after) in OBJECTED.iter().zip(&before).zip(&after) {
                assert!(after >= before, "{key} lifts {command}: {rest}");
            }
            assert_eq!(unasked(&world), denied, "{key}: {rest}");
            let check = world.run(&["policy", "check"]);
            let told = text(&check.stdout).contains("left out of the project layer");
            assert_eq!(told, *left_out, "{key}: {}", text(&check.stdout));
        }
    }
}

/// The same for a rule of the same name, by each key that weakens it.
#[test]
fn no_key_of_a_rule_of_the_same_name_takes_anything_away() {
    let world = world("");
    let before = decisions(&world);
    for weaker in [
        rule("mine.deploy", "ask", "deployctl", "unparsed = \"deny\""),
        rule("mine.deploy", "deny", "deployctl", "unparsed = \"allow\""),
        rule("mine.deploy", "deny", "deployctl", "unparsed = \"deny\"\nshadow = true"),
        rule("mine.deploy", "deny", "nothing", "unparsed = \"deny\""),
        rule("git.force-push", "ask", "nothing", ""),
    ] {
        world.project(&weaker);
        let after = decisions(&world);
        assert!(
            after.iter().zip(&before).all(|(after, before)| after >= before),
            "{before:?} {after:?} {weaker}"
        );
    }
}

/// What tightens is kept.
#[test]
fn what_tightens_is_kept() {
    let of = |command: &str, rest: &str| {
        let world = world("");
        world.project(rest);
        world.check(command).split(' ').next().map(ToOwned::to_owned)
    };
    let deny = Some("deny".to_owned());
    assert_eq!(of("askctl now", "[settings]\nprofile = \"unattended\"\n"), deny);
    assert_eq!(of("sudo --frobnicate x askctl now", "[settings]\nunknown_wrapper = \"deny\"\n"), deny);
    assert_eq!(of("rm docs/x", "[paths]\nprotected = [\"docs/\"]\n"), deny);
    let world = world("[settings]\non_ask = { any = \"allow\" }\n");
    assert_eq!(unasked(&world), Some(0));
    world.project("[settings]\non_ask = { codex = \"deny\" }\n");
    assert_eq!(unasked(&world), Some(2));
}

/// A key that is new must come into the table.
#[test]
fn every_key_is_tried() {
    let schema = run(&["policy", "schema"], b"");
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
    let mut wanted = keys(&schema["properties"]);
    // The first two say nothing, and rules and settings have rows of their own.
    ["version", "name", "rule", "settings"].iter().for_each(|key| assert!(wanted.remove(*key), "{key}"));
    let settings = keys(&schema["$defs"]["table-of-settings"]["properties"]);
    wanted.extend(settings.iter().map(|key| format!("settings.{key}")));
    let tried: BTreeSet<String> = ROWS.iter().map(|(key, ..)| (*key).to_owned()).collect();
    assert_eq!(tried, wanted);
    let rule = keys(&schema["$defs"]["rule"]["properties"]);
    let known = ["advice", "decision", "id", "match", "not_match", "reason", "shadow", "unparsed", "when"];
    assert_eq!(rule, known.map(ToOwned::to_owned).into(), "try what is new in a rule of the same name");
}
