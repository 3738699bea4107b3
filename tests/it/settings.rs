//! The settings of policies: profiles, the shadow, unknown wrappers, questions that cannot be put.

use crate::child::{feed, stanchion, text};
use serde_json::json;
use stanchion::audit::{Entry, Record, Store};
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy::{self, Policy};
use stanchion::verdict::{Decision, Finding, Verdict};
use std::path::{Path, PathBuf};
use std::process::Output;

const RULES: &str = include_str!("../../fixtures/policies/questions.toml");

/// A policy file with these settings and two rules.
fn file(directory: &Path, settings: &str) -> PathBuf {
    let path = directory.join("own.toml");
    let text = RULES.replacen("[[rule]]", &format!("[settings]\n{settings}\n\n[[rule]]"), 1);
    std::fs::write(&path, text).unwrap();
    path
}

fn own(settings: &str) -> Policy {
    let directory = tempfile::tempdir().unwrap();
    policy::load(&file(directory.path(), settings)).unwrap_or_else(|errors| panic!("{errors}"))
}

fn shipped(name: &str) -> Policy {
    policy::shipped(name).expect(name)
}

fn judge(policies: &[Policy], command: &str) -> Verdict {
    let mut call = ToolCall::shell(command);
    (call.cwd, call.root) = (Some("/home/user/project".into()), Some("/home/user/project".into()));
    Gate::new(policies.to_vec()).judge(&call)
}

fn told(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| format!("{} {}", finding.decision.name(), finding.code)).collect()
}

#[test]
fn unattended_makes_every_question_of_every_policy_a_denial() {
    let all = ["core.git", "core.filesystem", "core.secrets"].map(shipped);
    let with = |settings: &str| all.iter().cloned().chain([own(settings)]).collect::<Vec<_>>();
    // Questions of rules, of text that cannot be read, behind unknown options, and of shipped policies.
    let questions =
        ["deploy", "deploy 'open", "timeout --frobnicate 5 wipe", "cat .env", "cat ~/.ssh/id_rsa"];
    for question in questions {
        for settings in ["", "profile = \"attended\""] {
            assert_eq!(judge(&with(settings), question).decision(), Decision::Ask, "{question}");
        }
        let verdict = judge(&with("profile = \"unattended\""), question);
        assert!(verdict.deciding().is_some(), "{question}");
        assert!(verdict.findings().iter().all(|finding| finding.decision == Decision::Deny), "{verdict:?}");
    }
    assert_eq!(judge(&with("profile = \"unattended\""), "ls -la").decision(), Decision::Allow);
}

#[test]
fn what_is_in_the_shadow_is_found_and_decides_nothing() {
    let policies = [own("shadow = \"wipe.deny\"")];
    let verdict = judge(&policies, "wipe; deploy");
    assert_eq!(
        (told(verdict.findings()), told(verdict.shadowed())),
        (vec!["ask deploy.ask".into()], vec!["deny wipe.deny".into()])
    );
    assert_eq!(verdict.decision(), Decision::Ask);
    let verdict = judge(&policies, "wipe");
    assert_eq!((verdict.decision(), verdict.deciding()), (Decision::Allow, None));
    assert_eq!(told(verdict.shadowed()), ["deny wipe.deny"]);
    // A rule may say it itself.
    let directory = tempfile::tempdir().unwrap();
    let path = file(directory.path(), "");
    let text = std::fs::read_to_string(&path)
        .unwrap()
        .replace("id = \"wipe.deny\"", "id = \"wipe.deny\"\nshadow = true");
    std::fs::write(&path, text).unwrap();
    let verdict = judge(&[policy::load(&path).unwrap()], "wipe");
    assert_eq!(
        (verdict.decision(), told(verdict.shadowed())),
        (Decision::Allow, vec!["deny wipe.deny".to_owned()])
    );
}

#[test]
fn a_pack_can_be_put_into_the_shadow_by_its_name_or_its_first_part() {
    let force = "git push --force";
    let denied = judge(&[shipped("core.git"), own("")], force);
    assert_eq!(denied.decision(), Decision::Deny);
    for shadow in ["core", "core.git", denied.deciding().unwrap().code.as_str()] {
        let verdict = judge(&[shipped("core.git"), own(&format!("shadow = [\"{shadow}\"]"))], force);
        assert_eq!(verdict.findings(), [], "{shadow}");
        assert_eq!(verdict.shadowed(), denied.findings(), "{shadow}");
    }
    let other = judge(&[shipped("core.git"), own("shadow = [\"core.network\"]")], force);
    assert_eq!(other.findings(), denied.findings());
    // Guards other than rules, too, and what could not be read.
    for command in ["bin/fm-watch-arm.sh &", "echo 'bin/fm-watch-arm.sh"] {
        let verdict = judge(&[shipped("firstmate"), own("shadow = \"firstmate\"")], command);
        assert!(verdict.findings().is_empty() && !verdict.shadowed().is_empty(), "{command}: {verdict:?}");
    }
}

/// A rule in the shadow must not stand in the place of one that is enforced.
#[test]
fn a_shadow_takes_no_finding_of_another_rule() {
    let text = r#"
unparsed = "deny"
shadow = "wipe.deny"
"#;
    let verdict = judge(&[own(text)], "wipe deploy 'open");
    assert_eq!(
        (told(verdict.findings()), told(verdict.shadowed())),
        (vec!["deny deploy.ask".into()], vec!["deny wipe.deny".into()])
    );
    let mut call = ToolCall::shell("wipe; deploy");
    call.cut = true;
    let verdict = Gate::new(vec![own("shadow = \"wipe.deny\"")]).judge(&call);
    assert_eq!(
        (told(verdict.findings()), told(verdict.shadowed())),
        (vec!["ask deploy.ask".into()], vec!["deny wipe.deny".into()])
    );
}

/// `within` is told by the place of the command, as bash would reach it.
#[test]
fn a_condition_sees_in_what_a_command_stands() {
    let rows = [
        ("background", "wipe &", "wipe; ls &"),
        ("background", "{ sleep 1; wipe; } &", "{ ls & wipe; }"),
        ("pipeline", "wipe | cat", "wipe; ls | cat"),
        ("negated", "! wipe", "! ls || wipe"),
        ("subshell", "(cd x && wipe)", "(cd x) && wipe"),
        ("group", "{ wipe; }", "{ ls; }; wipe"),
        ("if", "if ls; then wipe; fi", "if ls; then ls; fi; wipe"),
        ("while", "until wipe; do ls; done", "until ls; do ls; done; wipe"),
        ("for", "for x in a b; do wipe $x; done", "for x in wipe; do ls; done; wipe"),
        ("case", "case x in x) wipe;; esac", "case x in wipe) ls;; esac; wipe"),
        ("command_substitution", "echo \"$(wipe)\"", "echo '$(wipe)'; wipe"),
        ("process_substitution", "cat <(wipe)", "cat <(ls); wipe"),
        ("wrapper", "sudo -n wipe", "sudo -n ls; wipe"),
        ("sink", "bash -c 'wipe now'", "bash -c ls; wipe"),
        ("function", "f() { wipe; }; f", "f() { ls; }; f; wipe"),
    ];
    let directory = tempfile::tempdir().unwrap();
    for (context, holds, fails) in rows {
        let path = file(directory.path(), "");
        let text = std::fs::read_to_string(&path).unwrap();
        let when = format!("when = {{ program = \"wipe\", within = \"{context}\" }}");
        std::fs::write(&path, text.replace("when = { program = \"wipe\" }", &when)).unwrap();
        let policies = [policy::load(&path).unwrap_or_else(|errors| panic!("{errors}"))];
        assert_eq!(judge(&policies, holds).decision(), Decision::Deny, "{context}: {holds}");
        assert_eq!(judge(&policies, fails).decision(), Decision::Allow, "{context}: {fails}");
    }
}

#[test]
fn unparsed_says_what_unreadable_text_is_answered() {
    for (answer, decision) in [("allow", Decision::Allow), ("ask", Decision::Ask), ("deny", Decision::Deny)] {
        let policies = [own(&format!("unparsed = \"{answer}\""))];
        assert_eq!(judge(&policies, "wipe 'open").decision(), decision, "{answer}");
        assert_eq!(judge(&policies, "harmless 'open").decision(), Decision::Allow, "{answer}");
    }
}

#[test]
fn unknown_wrapper_says_what_is_answered_behind_an_unknown_option() {
    let behind =
        ["timeout --frobnicate 5 wipe", "sudo --frobnicate x wipe", "nice --frobnicate 3 wipe --all"];
    for command in behind {
        assert_eq!(judge(&[own("")], command).decision(), Decision::Ask, "{command}");
        let lenient = "unparsed = \"allow\"";
        assert_eq!(judge(&[own(lenient)], command).decision(), Decision::Allow, "{command}");
        assert_eq!(
            judge(&[own("unknown_wrapper = \"ask\"")], command).decision(),
            Decision::Ask,
            "{command}"
        );
        let strict = "unknown_wrapper = \"deny\"";
        assert_eq!(judge(&[own(strict)], command).decision(), Decision::Deny, "{command}");
        // Over what a rule says of text that cannot be read, and for the rules of all policies.
        let both = format!("{strict}\n{lenient}");
        assert_eq!(judge(&[own(&both)], command).decision(), Decision::Deny, "{command}");
        let command = command.replace("wipe", "git push --mirror");
        let reported = judge(&[shipped("core.git"), own(strict)], &command);
        assert_eq!(reported.decision(), Decision::Deny, "{command}");
    }
    let strict = [own("unknown_wrapper = \"deny\"")];
    for (command, decision) in [
        ("timeout --frobnicate 5 6 wipe", Decision::Deny),
        ("timeout --frobnicate 5 bash -c 'wipe all'", Decision::Deny),
        ("sudo --frobnicate 5 ls", Decision::Allow),
        ("sudo deploy", Decision::Ask),
        ("wipe 'open", Decision::Ask),
    ] {
        assert_eq!(judge(&strict, command).decision(), decision, "{command}");
    }
}

/// Behind an unknown option a command may begin at any later word: each is judged as if it did.
#[test]
fn a_command_may_begin_anywhere_behind_an_unknown_option() {
    let core: Vec<Policy> = ["core.git", "core.filesystem", "core.network"].map(shipped).into();
    for command in [
        "timeout --frobnicate 5 git push --force",
        "sudo --frob x git push --force",
        "xargs --foo 3 rm -rf /",
        "nice --frobnicate 3 dd if=/dev/zero of=/dev/sda",
        "sudo --frob x truncate -s 0 /etc/passwd",
        "timeout --frobnicate 5 sudo rm -rf /",
        "timeout --frobnicate 5 bash -c 'git push --force'",
        "timeout --frobnicate 5 nice --frobnicate 5 git push --force",
    ] {
        assert!(judge(&core, command).decision() >= Decision::Ask, "{command}");
    }
    for command in ["timeout --frobnicate 5 git push", "sudo --frob x ls -la /etc", "xargs --foo 3 rm -f a b"]
    {
        assert_eq!(judge(&core, command).decision(), Decision::Allow, "{command}");
    }
}

/// Text that cannot be read mentions an option by whichever of its names.
#[test]
fn an_option_is_mentioned_by_any_of_its_names() {
    let core = [shipped("core.git")];
    for command in ["git push --force 'open", "git push -f 'open", "git push -uf 'open"] {
        assert_eq!(judge(&core, command).decision(), Decision::Ask, "{command}");
    }
    assert_eq!(judge(&core, "git push --quiet 'open").decision(), Decision::Allow);
}

#[test]
fn on_ask_is_the_strictest_of_what_policies_say() {
    let gate = |settings: &[&str]| Gate::new(settings.iter().map(|settings| own(settings)).collect());
    let allow = "on_ask = { any = \"allow\" }";
    assert_eq!(gate(&[""]).on_ask(None), Decision::Deny);
    assert_eq!(gate(&["", allow]).on_ask(None), Decision::Allow);
    assert_eq!(gate(&["", allow]).on_ask(Some("codex")), Decision::Allow);
    let both = gate(&[allow, "on_ask = { codex = \"deny\" }"]);
    assert_eq!((both.on_ask(Some("codex")), both.on_ask(Some("grok"))), (Decision::Deny, Decision::Allow));
    assert_eq!(gate(&[allow, "on_ask = { any = \"deny\" }"]).on_ask(None), Decision::Deny);
}

#[test]
fn policies_know_the_harnesses() {
    let names: Vec<&str> = stanchion::harness::ALL.iter().map(|harness| harness.name).collect();
    assert_eq!(names, policy::settings::HARNESSES);
}

/// What a hook says of a command, and its records.
fn hook(settings: &str, arguments: &[&str], command: &str) -> (Output, Vec<Record>) {
    let state = tempfile::tempdir().unwrap();
    let policy = file(state.path(), settings);
    let payload = json!({
        "session_id": "s", "cwd": "/srv", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": command }
    });
    let mut process = stanchion();
    process.arg("hook").args(arguments).arg("--policy").arg(&policy).env("XDG_STATE_HOME", state.path());
    let output = feed(&mut process, payload.to_string().as_bytes());
    let faults = Store::faults(&state.path().join("stanchion")).recorded_faults().unwrap();
    assert_eq!(faults.count(), 0);
    let entries = Store::decisions(&state.path().join("stanchion")).records().unwrap();
    let record = |entry| match entry {
        Entry::Record(record) => *record,
        Entry::Damaged(damage) => panic!("{damage:?}"),
    };
    (output, entries.map(|entry| record(entry.unwrap())).collect())
}

#[test]
fn a_hook_records_the_shadow_and_says_nothing() {
    let (output, records) = hook("shadow = \"own\"", &["--harness", "claude"], "wipe now; deploy");
    assert_eq!((output.status.code(), text(&output.stdout), text(&output.stderr)), (Some(0), "", ""));
    let told: Vec<_> = records
        .iter()
        .map(|record| (record.code.as_str(), record.decision, record.answered, record.shadow, record.finding))
        .collect();
    assert_eq!(
        told,
        [
            ("wipe.deny", Decision::Deny, Decision::Allow, true, 0),
            ("deploy.ask", Decision::Ask, Decision::Allow, true, 1)
        ]
    );
    assert!(records.iter().all(|record| record.policies[0].name == "own" && record.rule.is_some()));
    assert_eq!(&records[0].command[records[0].span[0]..records[0].span[1]], "wipe now");
    // Beside what is enforced, and behind it.
    let (output, records) = hook("shadow = \"wipe.deny\"", &["--harness", "codex"], "wipe; deploy");
    assert!(text(&output.stdout).contains("deploy.ask") || text(&output.stderr).contains("deploy.ask"));
    assert!(!text(&output.stdout).contains("wipe.deny") && !text(&output.stderr).contains("wipe.deny"));
    let told: Vec<_> = records.iter().map(|record| (record.code.as_str(), record.shadow)).collect();
    assert_eq!(told, [("deploy.ask", false), ("wipe.deny", true)]);
    assert!(hook("shadow = \"own\"", &[], "ls").1.is_empty());
}

#[test]
fn a_hook_puts_no_question_where_nobody_is_there() {
    let claude = &["--harness", "claude", "--ask", "attended"][..];
    let (output, records) = hook("profile = \"attended\"", claude, "deploy");
    assert!(text(&output.stdout).contains("\"ask\""), "{}", text(&output.stdout));
    assert_eq!((records[0].decision, records[0].answered), (Decision::Ask, Decision::Ask));
    let (output, records) = hook("profile = \"unattended\"", claude, "deploy");
    assert!(text(&output.stdout).contains("\"deny\""), "{}", text(&output.stdout));
    assert_eq!((records[0].decision, records[0].answered), (Decision::Deny, Decision::Deny));
}

#[test]
fn a_question_that_cannot_be_put_is_a_denial_unless_the_policy_says_otherwise() {
    for harness in [
        &["--harness", "codex"][..],
        &["--harness", "auto"],
        &[],
        &["--claude"],
        &["--harness", "claude", "--ask", "never"],
    ] {
        let (output, records) = hook("", harness, "deploy");
        let said = [output.stdout.as_slice(), &output.stderr].concat();
        assert!(text(&said).contains("deploy.ask"), "{harness:?}");
        assert_eq!(
            (records[0].decision, records[0].answered),
            (Decision::Ask, Decision::Deny),
            "{harness:?}"
        );
        let (output, records) = hook("on_ask = { any = \"allow\" }", harness, "deploy");
        assert_eq!(
            (output.status.code(), text(&output.stdout), text(&output.stderr)),
            (Some(0), "", ""),
            "{harness:?}"
        );
        assert_eq!(
            (records[0].decision, records[0].answered),
            (Decision::Ask, Decision::Allow),
            "{harness:?}"
        );
        // A denial is no question.
        let (output, _) = hook("on_ask = { any = \"allow\" }", harness, "wipe");
        assert!(text(&[output.stdout, output.stderr].concat()).contains("wipe.deny"), "{harness:?}");
    }
    let codex = &["--harness", "codex"][..];
    let (output, _) = hook("on_ask = { any = \"allow\", codex = \"deny\" }", codex, "deploy");
    assert!(!(output.stdout.is_empty() && output.stderr.is_empty()));
}

#[test]
fn people_are_shown_what_is_only_recorded() {
    let directory = tempfile::tempdir().unwrap();
    let policy = file(directory.path(), "shadow = \"own\"");
    let run = |arguments: &[&str]| {
        let output = stanchion().args(arguments).arg("--policy").arg(&policy).output().unwrap();
        (output.status.code(), text(&output.stdout).to_owned())
    };
    let (status, said) = run(&["check", "wipe"]);
    assert_eq!(status, Some(0));
    assert!(said.starts_with("allow\nonly recorded: deny [wipe.deny]"), "{said}");
    assert!(run(&["explain", "wipe"]).1.contains("only recorded: deny [wipe.deny]"));
    let report: serde_json::Value = serde_json::from_str(&run(&["check", "--json", "wipe"]).1).unwrap();
    assert_eq!((&report["decision"], &report["shadowed"][0]["code"]), (&json!("allow"), &json!("wipe.deny")));
    // The examples of rules in the shadow are tried all the same.
    let output = stanchion().args(["policy", "test"]).arg(&policy).output().unwrap();
    assert!(text(&output.stdout).contains(" 0 missing, 0 noisy"), "{}", text(&output.stdout));
}
