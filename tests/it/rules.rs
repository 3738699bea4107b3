//! The rules engine: reported command lines, the rules' own examples, ordinary commands, the document.

use serde::Deserialize;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy;
use stanchion::verdict::{Decision, Verdict};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const HOME: &str = "/home/user";
const WORKSPACE: &str = "/home/user/project";

#[derive(Deserialize)]
struct Row {
    id: String,
    expect: String,
    command: String,
    why: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every shipped pack, and a file besides.
fn gate(file: Option<&str>) -> Gate {
    let packs = policy::NAMES.iter().filter(|name| name.starts_with("core."));
    let mut policies: Vec<_> = packs.filter_map(|name| policy::shipped(name)).collect();
    assert!(policies.len() >= 7, "the packs are shipped");
    policies
        .extend(file.map(|file| policy::load(&root().join(file)).unwrap_or_else(|error| panic!("{error}"))));
    Gate::new(policies)
}

fn judge(gate: &Gate, command: &str) -> Verdict {
    let mut call = ToolCall::shell(command.as_bytes());
    call.cwd = Some(WORKSPACE.into());
    call.root = Some(WORKSPACE.into());
    call.home = Some(HOME.into());
    call.user_home = Some(HOME.into());
    gate.judge(&call)
}

fn told(verdict: &Verdict) -> String {
    let code = verdict.deciding().map(|finding| finding.code.clone());
    format!("{} {}", verdict.decision().name(), code.unwrap_or_default())
}

/// Rows are a command and `allow`, or the decision and the rule.
fn table(rows: &[(&str, &str)]) {
    let gate = gate(None);
    let wrong: Vec<String> = rows
        .iter()
        .map(|(command, expect)| (command, expect, told(&judge(&gate, command))))
        .filter(|(_, expect, got)| got.trim() != **expect)
        .map(|(command, expect, got)| format!("{command}\n    wanted {expect}, got {got}"))
        .collect();
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_reported_line_holds() {
    let gate = gate(Some("fixtures/policies/cases.toml"));
    let text = std::fs::read_to_string(root().join("fixtures/cases/dev.jsonl")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        let row: Row = serde_json::from_str(line).expect(line);
        let verdict = judge(&gate, &row.command);
        let holds = match row.expect.as_str() {
            "deny-or-ask" => verdict.decision() >= Decision::Ask,
            expect => verdict.decision().name() == expect,
        };
        if !holds {
            let (id, expect, why) = (row.id, row.expect, row.why);
            wrong.push(format!("{id}: wanted {expect}, got {}: {:?} ({why})", told(&verdict), row.command));
        }
        count += 1;
    }
    assert!(count >= 240, "{count} rows");
    assert!(wrong.is_empty(), "{} of {count} rows\n{}", wrong.len(), wrong.join("\n"));
}

/// With the place of a row alone: without a directory that the call runs in.
#[test]
fn reported_lines_hold_without_a_place() {
    let gate = gate(Some("fixtures/policies/cases.toml"));
    let text = std::fs::read_to_string(root().join("fixtures/cases/dev.jsonl")).unwrap();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let row: Row = serde_json::from_str(line).expect(line);
        let verdict = gate.judge(&ToolCall::shell(row.command.as_bytes()));
        if (row.expect == "allow") != (verdict.decision() == Decision::Allow) {
            wrong.push(format!(
                "{}: wanted {}, got {}: {:?}",
                row.id,
                row.expect,
                told(&verdict),
                row.command
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wide_working_directory_is_no_workspace() {
    let gate = gate(None);
    let judged = |directory: &str, command: &str| {
        let mut call = ToolCall::shell(command.as_bytes());
        call.cwd = Some(directory.into());
        told(&gate.judge(&call))
    };
    assert_eq!(judged("/", "dd if=x of=/dev/sda"), "deny filesystem.overwrite-device");
    assert_eq!(judged("/", "rm -rf etc"), "deny filesystem.delete-system");
    assert_eq!(judged("/home/user", "rm -rf Documents"), "ask filesystem.delete-personal");
    assert_eq!(judged("/srv/app", "rm -rf etc").trim(), "allow");
}

fn stanchion(arguments: &[&str]) -> (bool, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_stanchion")).args(arguments).current_dir(root()).output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn every_example_holds_in_every_spelling() {
    let (holds, report) = stanchion(&["policy", "test"]);
    assert!(holds, "{report}");
    assert!(report.contains(" 0 missing, 0 noisy"), "{report}");
}

#[test]
fn the_document_says_what_the_policies_say() {
    let (_, text) = stanchion(&["policy", "docs"]);
    let written = std::fs::read_to_string(root().join("docs/rules.md")).unwrap_or_default();
    assert!(text == written, "run `stanchion policy docs > docs/rules.md`");
}

#[test]
fn a_scaffold_is_a_rule_that_loads_and_holds() {
    let (_, rule) = stanchion(&["policy", "new", "team.example"]);
    let file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    std::fs::write(file.path(), format!("version = 1\nname = \"team\"\n{rule}")).unwrap();
    let (holds, report) = stanchion(&["policy", "test", file.path().to_str().unwrap()]);
    assert!(holds, "{report}");
}

/// What makes a command line's shape: programs, subcommands, options, the signs in other words.
fn shape(line: &str) -> String {
    let script = stanchion::shell::read(line.as_bytes(), stanchion::shell::query::Queries::shipped());
    let mut shape = format!("{} ", script.places.len());
    for command in &script.commands {
        for (index, word) in command.words.iter().enumerate() {
            let text =
                String::from_utf8_lossy(word.value.exact().unwrap_or(word.span.slice(line.as_bytes())))
                    .into_owned();
            let plain = text.chars().all(|ch| ch.is_ascii_alphanumeric() || "-_:".contains(ch));
            let named = index == 0 || text.starts_with('-') || (index < 3 && plain);
            let signs = || text.chars().filter(|ch| !ch.is_alphanumeric()).collect::<String>();
            shape += &if named { text.clone() } else { signs() };
            shape.push(' ');
        }
        shape += &format!("<{}={}; ", command.redirects.len(), command.assignments.len());
    }
    shape +=
        &line.split_once('\n').map(|(_, rest)| rest.replace(char::is_alphanumeric, "")).unwrap_or_default();
    shape
}

fn benign() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(root().join("fixtures/benign")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        // A block of several lines is indented behind its first one, which says `:`.
        let mut block: Option<String> = None;
        for line in text.lines().filter(|line| !line.starts_with("##")) {
            if let Some(rest) = line.strip_prefix("\t") {
                let block = block.get_or_insert_default();
                block.push_str(rest);
                block.push('\n');
            } else {
                all.extend(block.take().map(|block| (name.clone(), block)));
                all.extend((!line.is_empty()).then(|| (name.clone(), line.to_owned())));
            }
        }
        all.extend(block.take().map(|block| (name, block)));
    }
    all
}

#[test]
fn ordinary_commands_pass() {
    let gate = gate(None);
    let lines = benign();
    let (mut denied, mut asked) = (Vec::new(), Vec::new());
    for (file, line) in &lines {
        let verdict = judge(&gate, line);
        let told = || format!("{file}: {}: {line}", told(&verdict));
        match verdict.decision() {
            Decision::Deny => denied.push(told()),
            Decision::Ask => asked.push(told()),
            Decision::Allow => {}
        }
    }
    let shapes: HashSet<String> = lines.iter().map(|(_, line)| shape(line)).collect();
    println!("{} lines, {} shapes, {} asked\n{}", lines.len(), shapes.len(), asked.len(), asked.join("\n"));
    assert!(denied.is_empty(), "{} denied\n{}", denied.len(), denied.join("\n"));
    assert!(asked.len() * 1000 <= lines.len() * 5, "{} of {} asked", asked.len(), lines.len());
    assert!(lines.len() >= 2000, "only {} lines", lines.len());
    assert_eq!(shapes.len(), lines.len(), "two lines of one shape:\n{}", twins(&lines).join("\n"));
}

fn twins(lines: &[(String, String)]) -> Vec<String> {
    let mut seen = HashSet::new();
    lines
        .iter()
        .filter(|(_, line)| !seen.insert(shape(line)))
        .map(|(file, line)| format!("{file}: {line}"))
        .collect()
}

#[test]
fn paths_are_seen_through() {
    table(&[
        ("rm -rf //", "deny filesystem.delete-root"),
        ("rm -rf /./", "deny filesystem.delete-root"),
        ("rm -rf /tmp/../", "deny filesystem.delete-root"),
        ("rm -rf /usr/../home", "deny filesystem.delete-root"),
        ("rm -rf ..", "deny filesystem.delete-root"),
        ("rm -rf ../../..", "deny filesystem.delete-root"),
        ("rm -rf ./*", "deny filesystem.delete-root"),
        ("rm -rf *", "deny filesystem.delete-root"),
        ("rm -rf .[!.]*", "deny filesystem.delete-root"),
        ("rm -rf {a,/}", "deny filesystem.delete-root"),
        ("rm -rf \"$HOME\"/*", "deny filesystem.delete-root"),
        ("rm -rf ${HOME}", "deny filesystem.delete-root"),
        ("rm -rf \"$PWD\"", "deny filesystem.delete-root"),
        ("rm -rf \"$(pwd)\"", "deny filesystem.delete-root"),
        ("rm -rf \"$(git rev-parse --show-toplevel)\"", "deny filesystem.delete-root"),
        ("cd / && rm -rf usr", "deny filesystem.delete-system"),
        ("cd src && rm -rf ../..", "deny filesystem.delete-root"),
        ("d=/; rm -rf $d", "deny filesystem.delete-root"),
        ("d=$HOME; rm -rf \"$d\"", "deny filesystem.delete-root"),
        ("rm -rf ~/project", "deny filesystem.delete-root"),
        ("rm -rf '~'", "allow"),
        ("rm -rf build/*", "allow"),
        ("rm -rf \"$(pwd)/build\"", "allow"),
        ("rm -rf \"$(git rev-parse --show-toplevel)/build\"", "allow"),
        ("t=$(mktemp -d) && trap 'rm -rf \"$t\"' EXIT", "allow"),
        ("export T=$(mktemp -d); rm -rf \"$T\"/x", "allow"),
        ("for d in build dist; do rm -rf \"$d\"; done", "allow"),
        ("ls | while read d; do rm -rf \"$d\"; done", "ask filesystem.delete-unknown"),
        ("rm -rf $x/y", "ask filesystem.delete-unknown"),
        ("cd \"$x\"; rm -rf ./*", "ask filesystem.delete-unknown"),
        ("rm -rf ~/$x", "ask filesystem.delete-unknown"),
        ("find . -type d -name target | xargs rm -rf", "allow"),
        ("find / -type d -name target | xargs rm -rf", "deny filesystem.delete-root"),
        ("find src -exec rm -rf {} +", "allow"),
        ("find . -exec rm -rf {} +", "deny filesystem.delete-root"),
        ("echo / | xargs -I% rm -rf %", "deny filesystem.delete-root"),
    ]);
}

#[test]
fn guarded_files_cannot_be_tampered_with() {
    table(&[
        ("vim -c wq .claude/settings.json", "deny self.change"),
        ("echo > ~/.Claude/Settings.json", "deny self.change"),
        ("cat > .claude/hooks/x.sh <<'E'\nx\nE", "deny self.change"),
        ("install -m 755 x .claude/hooks/guard.sh", "deny self.change"),
        ("cp settings.json .claude/", "deny self.change"),
        ("cp -t .git/hooks a", "deny self.change"),
        ("d=.claude; echo x > $d/settings.json", "deny self.change"),
        ("cd .git && rm hooks/pre-commit", "deny self.change"),
        ("dd if=x of=.codex/hooks.json", "deny self.change"),
        ("ruby -e 'File.write(\".claude/settings.json\", \"{}\")'", "deny self.change"),
        ("perl -i -pe 's/a/b/' ~/.config/stanchion/policy.toml", "deny self.change"),
        ("find .claude -name 'settings*' -delete", "deny self.remove-directory"),
        ("rm -rf .cl*", "deny self.remove-directory"),
        ("echo .claude/settings.json | xargs rm", "deny self.change"),
        ("sort -o .stanchion.toml .stanchion.toml", "deny self.change"),
        ("cat .claude/settings.json > /tmp/copy", "allow"),
        ("jq . .claude/settings.json", "allow"),
        ("stanchion explain 'rm -rf / > .claude/settings.json'", "allow"),
        ("stanchion check --json \"stanchion grant x\"", "allow"),
    ]);
}

#[test]
fn what_cannot_be_read_asks() {
    table(&[
        ("ls; rm -rf / ${", "ask filesystem.delete-unknown"),
        ("sudo --new-option x git push -f", "ask git.force-push"),
        ("echo ${", "allow"),
    ]);
}

#[test]
fn other_machines_and_doubtful_names_ask() {
    table(&[
        ("ssh host 'git push --force'", "ask git.force-push"),
        ("docker exec c git reset --hard", "ask git.reset-hard"),
        ("r${x}m -rf /", "ask filesystem.delete-root"),
        ("$D/rm -rf /", "ask filesystem.delete-root"),
        ("$CMD -rf /", "allow"),
    ]);
}

/// What the prefilter passes over, no rule may object to.
#[test]
fn the_prefilter_loses_nothing() {
    let gate = gate(Some("fixtures/policies/cases.toml"));
    let rules = policy::NAMES.iter().filter_map(|name| policy::shipped(name)).flat_map(|policy| policy.rules);
    let mut lines: Vec<String> = rules
        .flat_map(|rule| rule.matches.iter().chain(rule.not_matches))
        .map(|line| (*line).to_owned())
        .collect();
    lines.extend(benign().into_iter().map(|(_, line)| line));
    let rows = std::fs::read_to_string(root().join("fixtures/cases/dev.jsonl")).unwrap();
    lines.extend(rows.lines().map(|line| serde_json::from_str::<Row>(line).expect(line).command));
    let lost = |line: &&String| {
        let call = ToolCall::shell(line.as_bytes());
        let script = stanchion::shell::read(&call.command, stanchion::shell::query::Queries::shipped());
        !gate.may_concern(line.as_bytes()) && !gate.judge_script(&call, &script).findings().is_empty()
    };
    let lost: Vec<&String> = lines.iter().filter(lost).collect();
    assert!(lost.is_empty(), "{lost:#?}");
    assert!(!gate.may_concern(b"ls -la src"), "an ordinary call costs nothing");
}

#[test]
fn every_problem_of_a_policy_is_told() {
    let text = "version = 1\nname = \"x\"\n[[rule]]\nid = \"A b\"\ndecision = \"maybe\"\nreason = \" \"\n\
                advice = \"a\"\nwhen = { program = \"git\", subcommand = \"psuh\", option = \"--nope\" }\n\
                match = []\nnot_match = []\n";
    let file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let errors = policy::load(file.path()).unwrap_err();
    let told: Vec<String> =
        errors.0.iter().map(|error| format!("{}:{} {}", error.line, error.column, error.message)).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn the_directory_of_facts_loads() {
    let facts = policy::facts::load(Path::new(&root().join("policies/programs"))).unwrap();
    assert_eq!(&facts, policy::facts::shipped());
}

/// Where `stanchion install` writes, an agent may not.
#[test]
fn registrations_are_protected() {
    let gate = gate(None);
    let judged = |text: String| {
        let call =
            ToolCall { cwd: Some(WORKSPACE.into()), user_home: Some(HOME.into()), ..ToolCall::shell(text) };
        gate.judge(&call).decision()
    };
    for harness in stanchion::install::facts::ALL.iter().filter(|harness| harness.lodges.is_none()) {
        let user = format!("{HOME}/{}/{}", harness.directory.below_home, harness.user);
        assert_eq!(judged(format!("echo > {user}")), Decision::Deny, "{}", harness.name);
        assert_eq!(judged(format!("rm {user}.stanchion-backup")), Decision::Deny, "{}", harness.name);
        // A project's file with a common name and no directory of its own is told from others by its place alone.
        if harness.project.contains('/') {
            assert_eq!(judged(format!("echo > {}", harness.project)), Decision::Deny, "{}", harness.name);
        }
    }
}
