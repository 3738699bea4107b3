//! What a harness is told when it was named or recognised. Owns the bytes of these replies; must
//! never say "allow" to a harness, and must never ask where a question would run or hang the call.

use super::reply::Reply;
use super::table::Harness;
use crate::verdict::{Decision, Finding, Verdict};
use serde_json::json;

/// How a harness hears a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deny {
    /// Status 2, the reason on stderr, and on stdout the one object that blocks in every harness that
    /// was measured.
    Everywhere,
    /// Status 2 and the reason on stderr.
    Text,
    /// Status 0 and `hookSpecificOutput`.
    Nested,
    /// Status 2, the reason on stderr and Cursor's object.
    Cursor,
    /// Status 2, the reason on stderr and Hermes' object.
    Hermes,
    /// Status 2, the reason on stderr and Antigravity's object.
    Antigravity,
    /// Status 0 and Cline's object.
    Cline,
}

/// How a harness hears a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// `hookSpecificOutput`.
    Nested,
    /// `permissionDecision` at the top.
    Flat,
    /// Cursor's `permission`.
    Cursor,
    /// Antigravity's `force_ask`.
    Antigravity,
    /// A mark for a plugin of ours; with status 2, so that one which does not look there blocks.
    Plugin,
}

/// When a harness is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Never: it would run the call, or hang.
    Never,
    /// Always: where nobody can answer, it denies by itself.
    Itself(Question),
    /// Only where the payload or the user says that a person is there.
    Attended(Question),
}

/// What the user wants of questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asking {
    /// Ask where it is known to be safe.
    #[default]
    Safe,
    /// Deny in place of asking.
    Never,
    /// A person sits before the harness: ask wherever it can.
    Attended,
}

/// How the reply is said.
#[derive(Clone, Copy, Debug)]
pub enum Voice {
    /// As in the first forms.
    First {
        /// Whether stdout stays empty.
        quiet: bool,
    },
    /// As a harness wants it.
    Of(&'static Harness),
}

/// A reply, and what it tells the harness: a verdict of `ask` may be told as a denial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The reply.
    pub reply: Reply,
    /// What the harness makes of it.
    pub decision: Decision,
}

impl Voice {
    /// The harness's name, when it is known.
    #[must_use]
    pub fn harness(self) -> Option<&'static str> {
        match self {
            Self::First { .. } => None,
            Self::Of(harness) => harness.known(),
        }
    }

    /// Renders a verdict. `text` is what the findings' spans point into; `attended` what the payload
    /// says of a person; `unasked` what becomes of a question that cannot be put.
    #[must_use]
    pub fn tell(
        self,
        verdict: &Verdict,
        text: &[u8],
        asking: Asking,
        attended: bool,
        unasked: Decision,
    ) -> Told {
        let Some(finding) = verdict.deciding().filter(|finding| finding.decision > Decision::Allow) else {
            return Told::default();
        };
        let may_ask = finding.decision == Decision::Ask;
        let harness = match self {
            Self::First { .. } if may_ask && unasked == Decision::Allow => return Told::default(),
            Self::First { quiet } => {
                return Told { reply: super::reply(verdict, quiet), decision: Decision::Deny };
            }
            Self::Of(harness) => harness,
        };
        let message = message(finding, text, harness.limit);
        match question(harness, asking, attended).filter(|_| may_ask) {
            Some(question) => Told { reply: ask(question, &message), decision: Decision::Ask },
            None if may_ask && unasked == Decision::Allow => Told::default(),
            None => Told { reply: deny(harness.deny, &message), decision: Decision::Deny },
        }
    }
}

fn question(harness: &Harness, asking: Asking, attended: bool) -> Option<Question> {
    match (harness.ask, asking) {
        (Ask::Never, _) | (_, Asking::Never) => None,
        (Ask::Itself(question), _) | (Ask::Attended(question), Asking::Attended) => Some(question),
        (Ask::Attended(question), Asking::Safe) => attended.then_some(question),
    }
}

/// The denial with this message.
#[must_use]
pub fn deny(how: Deny, message: &str) -> Reply {
    let stderr = format!("{message}\n").into_bytes();
    let with = |object: serde_json::Value| Reply { status: 2, stdout: line(&object), stderr: stderr.clone() };
    match how {
        Deny::Everywhere => Reply { status: 2, stdout: everywhere(message), stderr },
        Deny::Text => Reply { status: 2, stdout: Vec::new(), stderr },
        Deny::Nested => Reply { status: 0, stdout: line(&nested("deny", message)), stderr: Vec::new() },
        Deny::Cursor => {
            with(json!({ "permission": "deny", "user_message": message, "agent_message": message }))
        }
        Deny::Hermes => with(json!({ "action": "block", "message": message })),
        Deny::Antigravity => with(json!({ "decision": "deny", "reason": message })),
        Deny::Cline => {
            let stdout = line(&json!({ "cancel": true, "errorMessage": message }));
            Reply { status: 0, stdout, stderr: Vec::new() }
        }
    }
}

/// The question with this message.
#[must_use]
pub fn ask(how: Question, message: &str) -> Reply {
    let said = |object: serde_json::Value| Reply { status: 0, stdout: line(&object), stderr: Vec::new() };
    match how {
        Question::Nested => said(nested("ask", message)),
        Question::Flat => said(json!({ "permissionDecision": "ask", "permissionDecisionReason": message })),
        Question::Cursor => {
            said(json!({ "permission": "ask", "user_message": message, "agent_message": message }))
        }
        Question::Antigravity => said(json!({ "decision": "force_ask", "reason": message })),
        Question::Plugin => {
            let stdout = line(&json!({ "decision": "ask", "reason": message }));
            Reply { status: 2, stdout, stderr: format!("{message}\n").into_bytes() }
        }
    }
}

/// The order of the members is the measured one.
fn everywhere(message: &str) -> Vec<u8> {
    let reason = serde_json::to_string(message).unwrap_or_default();
    let nested = format!(
        "{{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":{reason}}}"
    );
    format!(
        "{{\"decision\":\"block\",\"reason\":{reason},\"permissionDecision\":\"deny\",\
         \"permissionDecisionReason\":{reason},\"hookSpecificOutput\":{nested}}}\n"
    )
    .into_bytes()
}

fn nested(decision: &str, message: &str) -> serde_json::Value {
    json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": message,
    } })
}

fn line(object: &serde_json::Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(object).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// `[code] reason` on one line. Where little of it is shown, the words that caused it and the way
/// out, which reasons name last, come first.
fn message(finding: &Finding, text: &[u8], limit: Option<usize>) -> String {
    let whole = one_line(&super::reply::message(finding));
    match limit {
        Some(limit) if whole.chars().count() > limit => short(finding, text, limit),
        Some(_) | None => whole,
    }
}

fn short(finding: &Finding, text: &[u8], limit: usize) -> String {
    let reason = one_line(&finding.reason);
    let reason = reason.rsplit_once(" (here: `").map_or(reason.as_str(), |(reason, _)| reason);
    let words = one_line(&String::from_utf8_lossy(finding.span.slice(text)));
    let words: String = words.chars().take(60).collect();
    let (why, way) = reason.split_once("; ").unwrap_or(("", reason));
    let said = format!("[{}] `{}`: {way}; {why}", finding.code, words.trim());
    let said = said.trim_end_matches("; ");
    if said.chars().count() <= limit {
        return said.to_owned();
    }
    let kept: String = said.chars().take(limit.saturating_sub(1)).collect();
    format!("{kept}…")
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
