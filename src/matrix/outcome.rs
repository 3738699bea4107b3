//! What a checker answered, held against what a row wants. Owns the comparison, byte for byte; must
//! never be lenient about a stream.

use super::file::Row;
use super::form::{Answer, Form};
use crate::harness::Reply;
use crate::harness::answer::{self, Deny, Question};
use crate::harness::reply::deny;
use serde::Serialize;

/// How one row went through one form.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The matrix.
    pub matrix: String,
    /// The row.
    pub id: String,
    /// The row's line in the matrix.
    pub line: usize,
    /// The form's name.
    pub form: &'static str,
    /// The row's command line.
    pub command: String,
    /// What is wrong; `None` when the row holds.
    pub failure: Option<Wanted>,
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wanted {
    /// What the row wants.
    pub wanted: String,
    /// What came.
    pub got: String,
}

/// Compares an answer (`status` as the parent saw it: `exit 2`, `signal 9`) with a row.
#[must_use]
pub fn compare(row: &Row, form: Form, status: Option<i32>, reply: &Reply) -> Option<Wanted> {
    let answer = form.answer(row.expect);
    let Some(message) = message(answer, reply) else {
        return differ(want(row, answer), shown(answer, status, reply));
    };
    let exact = exact(answer, &message);
    if status != Some(i32::from(exact.status)) {
        return differ(want(row, answer), shown(answer, status, reply));
    }
    if answer != Answer::Silence && !right_code(row, &message) {
        return differ(want(row, answer), message);
    }
    stream("stderr", &exact.stderr, &reply.stderr).or_else(|| stream("stdout", &exact.stdout, &reply.stdout))
}

/// The bytes that say a message.
fn exact(answer: Answer, message: &str) -> Reply {
    match answer {
        Answer::Silence => Reply::default(),
        Answer::First { quiet } => deny(message, quiet),
        Answer::Deny(how) => answer::deny(how, message),
        Answer::Ask(how) => answer::ask(how, message),
    }
}

/// `[code] reason` with a reason, and the wanted code where the row names one.
fn right_code(row: &Row, message: &str) -> bool {
    let parts = message.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    parts.is_some_and(|(code, reason)| {
        !reason.trim().is_empty() && row.code.as_ref().is_none_or(|wanted| wanted == code)
    })
}

/// What a reply says, read where the harness would; `None` when it says nothing there.
fn message(answer: Answer, reply: &Reply) -> Option<String> {
    let plain = || std::str::from_utf8(&reply.stderr).ok()?.strip_suffix('\n').map(ToOwned::to_owned);
    match answer {
        Answer::Silence => (reply.stdout.is_empty() && reply.stderr.is_empty()).then(String::new),
        Answer::First { .. } => member(&reply.stderr, &["systemMessage"]),
        Answer::Deny(Deny::Nested) | Answer::Ask(Question::Nested) => {
            member(&reply.stdout, &["hookSpecificOutput", "permissionDecisionReason"])
        }
        Answer::Deny(Deny::Cline) => member(&reply.stdout, &["errorMessage"]),
        Answer::Ask(Question::Flat) => member(&reply.stdout, &["permissionDecisionReason"]),
        Answer::Ask(Question::Cursor) => member(&reply.stdout, &["agent_message"]),
        Answer::Ask(Question::Antigravity) => member(&reply.stdout, &["reason"]),
        Answer::Deny(Deny::Everywhere | Deny::Text | Deny::Cursor | Deny::Hermes | Deny::Antigravity)
        | Answer::Ask(Question::Plugin) => plain(),
    }
}

fn member(stream: &[u8], names: &[&str]) -> Option<String> {
    let object: serde_json::Value = serde_json::from_slice(stream).ok()?;
    let found = names.iter().try_fold(&object, |value, name| value.get(name))?;
    found.as_str().map(ToOwned::to_owned)
}

fn stream(name: &str, wanted: &[u8], got: &[u8]) -> Option<Wanted> {
    if wanted == got {
        return None;
    }
    let say = |bytes: &[u8]| format!("{name} {:?}", String::from_utf8_lossy(bytes));
    differ(say(wanted), say(got))
}

fn want(row: &Row, answer: Answer) -> String {
    if answer == Answer::Silence {
        return "exit 0, both streams empty".to_owned();
    }
    let status = exact(answer, "").status;
    match &row.code {
        Some(code) => format!("exit {status}, [{code}]"),
        None => format!("exit {status} with a reason"),
    }
}

fn shown(answer: Answer, status: Option<i32>, reply: &Reply) -> String {
    let status = status.map_or_else(|| "killed by a signal".to_owned(), |status| format!("exit {status}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = match answer {
        Answer::Silence => member(&reply.stderr, &["systemMessage"]),
        Answer::First { .. } | Answer::Deny(_) | Answer::Ask(_) => message(answer, reply),
    };
    match said {
        Some(message) => format!("{status}, {message}"),
        None => format!("{status}, stdout {:?}, stderr {:?}", text(&reply.stdout), text(&reply.stderr)),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "every caller gives an optional difference")]
fn differ(wanted: String, got: String) -> Option<Wanted> {
    Some(Wanted { wanted, got })
}

#[cfg(test)]
mod tests {
    use super::super::template::TEMPLATES;
    use super::*;
    use crate::verdict::Decision;

    fn row(expect: Decision, code: Option<&str>) -> Row {
        Row {
            id: "a".to_owned(),
            command: "x".to_owned(),
            expect,
            code: code.map(ToOwned::to_owned),
            cwd: None,
            directory: None,
            home: None,
            root: None,
            policy: None,
            note: None,
            line: 1,
        }
    }

    fn holds(row: &Row, form: Form, status: i32, reply: &Reply) -> bool {
        compare(row, form, Some(status), reply).is_none()
    }

    #[test]
    fn denials_are_compared_byte_for_byte() {
        let wants = row(Decision::Deny, Some("c"));
        assert!(holds(&wants, Form::Grok, 2, &deny("[c] why", false)));
        assert!(holds(&wants, Form::Claude, 2, &deny("[c] why", true)));
        assert!(!holds(&wants, Form::Claude, 2, &deny("[c] why", false)));
        assert!(!holds(&wants, Form::Grok, 2, &deny("[c] why", true)));
        assert!(!holds(&wants, Form::Grok, 2, &deny("[d] why", false)));
        assert!(!holds(&wants, Form::Grok, 2, &deny("[c] ", false)));
        assert!(!holds(&wants, Form::Grok, 0, &deny("[c] why", false)));
        let mut spaced = deny("[c] why", false);
        spaced.stderr.push(b'\n');
        assert!(!holds(&wants, Form::Grok, 2, &spaced));
    }

    #[test]
    fn each_harness_must_be_told_in_its_own_way() {
        let form = |name: &str| TEMPLATES.iter().find(|template| template.name == name).map(Form::Harness);
        let wants = row(Decision::Deny, Some("c"));
        for (name, status, how) in [
            ("harness-claude", 2, Deny::Everywhere),
            ("harness-codex", 2, Deny::Text),
            ("harness-copilot-claude", 0, Deny::Nested),
            ("harness-cline", 0, Deny::Cline),
        ] {
            let Some(form) = form(name) else { unreachable!() };
            assert!(holds(&wants, form, status, &answer::deny(how, "[c] why")), "{name}");
            assert!(!holds(&wants, form, status, &answer::deny(how, "[d] why")), "{name}");
            assert!(!holds(&wants, form, 1, &answer::deny(how, "[c] why")), "{name}");
            assert!(!holds(&wants, form, status, &Reply::default()), "{name}");
            let other = if how == Deny::Text { Deny::Hermes } else { Deny::Text };
            assert!(!holds(&wants, form, status, &answer::deny(other, "[c] why")), "{name}");
        }
        let question = row(Decision::Ask, None);
        let Some(claude) = form("harness-claude") else { unreachable!() };
        assert!(holds(&question, claude, 0, &answer::ask(Question::Nested, "[c] why")));
        assert!(!holds(&question, claude, 2, &answer::deny(Deny::Everywhere, "[c] why")));
        let Some(grok) = form("harness-grok") else { unreachable!() };
        assert!(holds(&question, grok, 2, &answer::deny(Deny::Everywhere, "[c] why")));
    }

    #[test]
    fn allowed_is_silent() {
        let wants = row(Decision::Allow, None);
        assert!(holds(&wants, Form::Pi, 0, &Reply::default()));
        let loud = Reply { stdout: b"{}".to_vec(), ..Reply::default() };
        assert!(!holds(&wants, Form::Pi, 0, &loud));
        assert!(!holds(&wants, Form::Pi, 1, &Reply::default()));
    }
}
