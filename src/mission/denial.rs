//! The lines of `denied.jsonl`, `would-deny.jsonl` and `inert`. Owns their form; must never hold a secret in
//! clear.

use super::{SCHEMA, payload};
use crate::audit::{Applied, applied, call_id, line, redacted, rfc3339};
use crate::call::Origin;
use crate::policy::Policy;
use crate::verdict::{Decision, Finding, Verdict};
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::Path;
use std::time::SystemTime;

/// What every line has.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Common {
    schema: u32,
    time: String,
    version: &'static str,
    call: String,
    #[serde(flatten)]
    origin: Origin,
    cwd: Option<String>,
}

impl Common {
    pub(super) fn new(time: SystemTime, process: u32, origin: Origin, cwd: Option<&Path>) -> Self {
        Self {
            schema: SCHEMA,
            time: rfc3339(time),
            version: env!("CARGO_PKG_VERSION"),
            call: call_id(time, process),
            origin,
            cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
        }
    }
}

/// A judged call.
#[derive(Clone, Debug)]
pub struct Judged<'a> {
    /// When the answer was given.
    pub time: SystemTime,
    /// The process that gave it.
    pub process: u32,
    /// Who asked.
    pub origin: Origin,
    /// Where the call would have run.
    pub cwd: Option<&'a Path>,
    /// The hook event as it came.
    pub event: &'a [u8],
    /// The verdict.
    pub verdict: &'a Verdict,
    /// What the harness was told.
    pub answered: Decision,
    /// What it was judged by.
    pub policies: &'a [Policy],
}

/// A finding in a line.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The rule or the code that objected.
    pub rule: String,
    /// The guard.
    pub guard: &'static str,
    /// What it calls for.
    pub decision: Decision,
    /// Whether it is only tried out.
    pub shadow: bool,
    /// Why, and how to do it right.
    pub reason: String,
    /// The words that caused it, in the command as it came.
    pub span: [usize; 2],
    /// How they are reached, outermost first.
    pub chain: Vec<String>,
}

/// One line of `denied.jsonl` or `would-deny.jsonl`.
#[derive(Clone, Debug, Serialize)]
pub struct Denial {
    rule: String,
    payload: Box<RawValue>,
    #[serde(flatten)]
    common: Common,
    decision: Decision,
    answered: Decision,
    policies: Vec<Applied>,
    findings: Vec<Found>,
}

impl Judged<'_> {
    /// The line of a call that was not allowed.
    #[must_use]
    pub fn denied(&self) -> Option<Denial> {
        let told = self.answered > Decision::Allow;
        told.then(|| self.verdict.deciding().map(|deciding| self.denial(deciding)))?
    }

    /// The line of a call to which something objected that decides nothing: it is tried out, or the harness
    /// cannot be asked and need not be.
    #[must_use]
    pub fn would_deny(&self) -> Option<Denial> {
        let unheard = self.verdict.deciding().filter(|_| self.answered == Decision::Allow);
        let deciding = unheard.or_else(|| self.verdict.shadowed().first())?;
        Some(self.denial(deciding))
    }

    fn denial(&self, deciding: &Finding) -> Denial {
        let all = self.verdict.findings().iter().map(|finding| found(finding, false));
        let shadowed = self.verdict.shadowed().iter().map(|finding| found(finding, true));
        Denial {
            rule: deciding.code.clone(),
            payload: payload::kept(self.event),
            common: Common::new(self.time, self.process, self.origin.clone(), self.cwd),
            decision: deciding.decision,
            answered: self.answered,
            policies: self.policies.iter().map(applied).collect(),
            findings: all.chain(shadowed).collect(),
        }
    }
}

fn found(finding: &Finding, shadow: bool) -> Found {
    Found {
        rule: finding.code.clone(),
        guard: finding.guard,
        decision: finding.decision,
        shadow,
        reason: redacted(&finding.reason),
        span: [finding.span.start, finding.span.end],
        chain: finding.chain.iter().map(|step| redacted(step)).collect(),
    }
}

impl Denial {
    /// The line.
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        line(self)
    }
}

/// A call that could not be judged.
#[derive(Clone, Debug, Serialize)]
pub struct Inert {
    why: String,
    payload: Box<RawValue>,
    #[serde(flatten)]
    common: Common,
}

impl Inert {
    /// A call that could not be judged now, by this process.
    #[must_use]
    pub fn new(why: &str, event: &[u8], origin: Origin, time: SystemTime, process: u32) -> Self {
        let common = Common::new(time, process, origin, None);
        Self { why: payload::clean(why, 4 << 10), payload: payload::kept(event), common }
    }

    /// The line.
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        line(self)
    }
}
