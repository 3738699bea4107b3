//! The guards: each reads the `Script` and objects or is silent. Must never see a syntax tree, a
//! harness or a byte that the policy does not name.

mod cwd;
mod found;
mod kill;
mod matching;
pub(crate) mod mission;
mod parent;
mod protected;
mod regex;
pub(crate) mod rules;

use crate::call::ToolCall;
use crate::policy::{CODES, Policy};
use crate::shell::model::{Command, Script};
use crate::shell::query::Queries;
use crate::span::Span;
use crate::verdict::{Decision, Finding};
use std::cell::OnceCell;

/// What a guard looks at.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The call.
    pub call: &'s ToolCall,
    /// What its text executes.
    pub script: &'s Script,
    /// What is guarded.
    pub policy: &'s Policy,
    /// All policies that apply, this one among them.
    pub policies: &'s [Policy],
    /// What the commands mean, worked out when first asked for.
    pub reading: &'s OnceCell<Reading<'s>>,
    /// Which programs are wrappers and sinks.
    pub queries: &'s Queries,
}

/// One guard.
pub trait Guard {
    /// Its identifier.
    fn id(&self) -> &'static str;
    /// Whether a policy says anything about it.
    fn applies(&self, policy: &Policy) -> bool;
    /// Whether its failure is answered as text that cannot be read; otherwise it is silence.
    fn fails_closed(&self) -> bool {
        true
    }
    /// Its objections.
    fn check(&self, subject: &Subject<'_>) -> Vec<Finding>;
    /// Why it was silent, for explanation.
    fn silence(&self, subject: &Subject<'_>) -> String;
}

/// All guards.
#[must_use]
pub fn all() -> &'static [&'static (dyn Guard + Sync)] {
    &[&kill::Kill, &protected::Protected, &cwd::Cwd, &mission::Mission, &rules::Rules]
}

pub(crate) use matching::{mentions, normalised};
pub use rules::Reading;

/// A denial with a code of the policy.
fn deny(
    subject: &Subject<'_>,
    guard: &'static str,
    code: &'static str,
    span: Span,
    command: Option<&Command>,
) -> Finding {
    let words = String::from_utf8_lossy(span.slice(&subject.script.source)).into_owned();
    let words: String = words.chars().take(80).collect();
    let rank = CODES.iter().position(|known| *known == code).unwrap_or(CODES.len());
    Finding {
        guard,
        decision: Decision::Deny,
        code: code.to_owned(),
        reason: format!("{} (here: `{}`)", subject.policy.reason(code), words.replace('\n', " ").trim()),
        span,
        chain: command.map(|command| subject.script.chain(command)).unwrap_or_default(),
        rank: u32::try_from(rank).unwrap_or(u32::MAX),
    }
}
