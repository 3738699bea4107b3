//! Questions, at every harness: put where the harness heeds them and, without a person, denies by itself;
//! a denial elsewhere, since some would run the call and one would hang. Nobody is ever told "allow".

use crate::child::{run, text};
use stanchion::harness::{ALL, Asking, Voice};
use stanchion::matrix::{self, Checker, Forms, Matrix, report};
use stanchion::span::Span;
use stanchion::verdict::{Decision, Finding, Verdict};

/// Harnesses that were seen, or are said, to deny by themselves where nobody is.
const BY_THEMSELVES: [&str; 4] = ["claude", "copilot", "qwen", "vscode"];
/// Harnesses that can ask, of which nobody knows what they do without a person.
const WITH_A_PERSON: [&str; 3] = ["pi", "droid", "antigravity"];

const POLICY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/policies/questions.toml");

/// Each payload of each harness, as a process: the matrix knows whom to ask, apart from the tables.
#[test]
fn every_form_asks_or_denies() {
    let rows =
        [("asks", "deploy now", "ask"), ("asks-behind", "ls; deploy", "ask"), ("passes", "ls", "allow")];
    let rows = rows.map(|(id, command, expect)| {
        let code = if expect == "ask" { "code = \"deploy.ask\"\n" } else { "" };
        format!("[[row]]\nid = \"{id}\"\ncommand = \"{command}\"\nexpect = \"{expect}\"\n{code}")
    });
    let text = format!("version = 1\npolicy = {POLICY:?}\n{}", rows.concat());
    let matrix = Matrix::parse("questions", &text).unwrap();
    let program = Checker::Stanchion(env!("CARGO_BIN_EXE_stanchion").into());
    let outcomes = matrix::run(&[matrix], &program, Forms::All, |_| {});
    assert_eq!(outcomes.len(), rows.len() * Forms::All.list().len());
    let failed = outcomes.iter().any(|outcome| outcome.failure.is_some());
    assert!(!failed, "{}", report::render(report::Format::Text, &outcomes));
}

fn verdict(decision: Decision) -> Verdict {
    Verdict::fold(vec![Finding {
        guard: "rules",
        decision,
        code: "deploy.ask".to_owned(),
        reason: "this deploys; let a person deploy".to_owned(),
        span: Span::new(0, 6),
        chain: Vec::new(),
        rank: 0,
    }])
}

#[test]
fn nobody_is_asked_where_that_would_run_or_hang_the_call() {
    for harness in ALL {
        for asking in [Asking::Safe, Asking::Never, Asking::Attended] {
            for attended in [false, true] {
                let tell = |decision| {
                    Voice::Of(harness).tell(&verdict(decision), b"deploy", asking, attended, Decision::Deny)
                };
                let name = harness.name;
                let person = attended || asking == Asking::Attended;
                let may = asking != Asking::Never
                    && (BY_THEMSELVES.contains(&name) || (person && WITH_A_PERSON.contains(&name)));
                let wanted = if may { Decision::Ask } else { Decision::Deny };
                assert_eq!(tell(Decision::Ask).decision, wanted, "{name}, {asking:?}, {attended}");
                assert_eq!(tell(Decision::Deny).decision, Decision::Deny, "{name}");
                assert_eq!(tell(Decision::Allow).reply, stanchion::harness::Reply::default(), "{name}");
                for decision in [Decision::Ask, Decision::Deny] {
                    let reply = tell(decision).reply;
                    let said = String::from_utf8([reply.stdout, reply.stderr].concat()).unwrap();
                    assert!(said.contains("[deploy.ask] ") && !said.contains("allow"), "{name}: {said}");
                    let asks = ["\"ask\"", "\"force_ask\""].iter().any(|word| said.contains(word));
                    assert_eq!(asks, may && decision == Decision::Ask, "{name}: {said}");
                }
            }
        }
    }
}

/// Cursor heeds a question for its shell alone.
#[test]
fn cursor_is_asked_about_commands_where_a_person_is() {
    let shell =
        r#"{"hook_event_name":"beforeShellExecution","cursor_version":"1","command":"deploy","cwd":"/"}"#;
    let other = r#"{"hook_event_name":"preToolUse","cursor_version":"1","tool_name":"Shell","tool_input":{"command":"deploy"}}"#;
    for (call, when, wanted) in [
        (shell, "attended", "\"permission\":\"ask\""),
        (shell, "safe", "\"permission\":\"deny\""),
        (other, "attended", "\"permission\":\"deny\""),
    ] {
        let output =
            run(&["hook", "--harness", "cursor", "--ask", when, "--policy", POLICY], call.as_bytes());
        assert!(text(&output.stdout).contains(wanted), "{when}: {output:?}");
    }
}
