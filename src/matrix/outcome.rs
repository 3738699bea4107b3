//! What a checker answered, held against what a row wants. Owns the comparison, byte for byte; must
//! never be lenient about a stream.

use super::file::Row;
use super::form::Form;
use crate::harness::Reply;
use crate::harness::reply::deny;
use crate::verdict::Decision;
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
    let wanted = if row.expect == Decision::Allow { 0 } else { 2 };
    if status != Some(wanted) {
        return differ(want(row), shown(status, reply));
    }
    if row.expect == Decision::Allow {
        let silent = reply.stdout.is_empty() && reply.stderr.is_empty();
        return if silent { None } else { differ(want(row), shown(status, reply)) };
    }
    let Some(message) = message(&reply.stderr) else {
        return differ(want(row), shown(status, reply));
    };
    if !right_code(row, &message) {
        return differ(want(row), message);
    }
    let exact = deny(&message, form.quiet());
    stream("stderr", &exact.stderr, &reply.stderr).or_else(|| stream("stdout", &exact.stdout, &reply.stdout))
}

/// `[code] reason` with a reason, and the wanted code where the row names one.
fn right_code(row: &Row, message: &str) -> bool {
    let parts = message.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    parts.is_some_and(|(code, reason)| {
        !reason.trim().is_empty() && row.code.as_ref().is_none_or(|wanted| wanted == code)
    })
}

fn message(stderr: &[u8]) -> Option<String> {
    let object: serde_json::Value = serde_json::from_slice(stderr).ok()?;
    object.get("systemMessage")?.as_str().map(ToOwned::to_owned)
}

fn stream(name: &str, wanted: &[u8], got: &[u8]) -> Option<Wanted> {
    if wanted == got {
        return None;
    }
    let say = |bytes: &[u8]| format!("{name} {:?}", String::from_utf8_lossy(bytes));
    differ(say(wanted), say(got))
}

fn want(row: &Row) -> String {
    match (row.expect, &row.code) {
        (Decision::Allow, _) => "exit 0, both streams empty".to_owned(),
        (Decision::Ask | Decision::Deny, Some(code)) => format!("exit 2, [{code}]"),
        (Decision::Ask | Decision::Deny, None) => "exit 2 with a reason".to_owned(),
    }
}

fn shown(status: Option<i32>, reply: &Reply) -> String {
    let status = status.map_or_else(|| "killed by a signal".to_owned(), |status| format!("exit {status}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match message(&reply.stderr) {
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
    use super::*;

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
    fn allowed_is_silent() {
        let wants = row(Decision::Allow, None);
        assert!(holds(&wants, Form::Pi, 0, &Reply::default()));
        let loud = Reply { stdout: b"{}".to_vec(), ..Reply::default() };
        assert!(!holds(&wants, Form::Pi, 0, &loud));
        assert!(!holds(&wants, Form::Pi, 1, &Reply::default()));
    }
}
