//! The record of one finding. Owns the schema of `decisions.jsonl`; must never hold a secret in clear
//! or a reason's text, which quotes the command.

use super::redact::{Recorded, recorded, redacted};
use super::{SCHEMA, time};
use crate::call::Origin;
use crate::policy::Policy;
use crate::span::Span;
use crate::verdict::{Decision, Finding};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The guard whose codes are the ids of rules.
const RULES: &str = "rules";

/// A judged call.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// When the answer was given.
    pub time: SystemTime,
    /// How long it took.
    pub latency: Duration,
    /// The process that gave it.
    pub process: u32,
    /// Who asked.
    pub source: Origin,
    /// Where the command would have run.
    pub cwd: Option<&'a Path>,
    /// The command.
    pub command: &'a [u8],
    /// What the harness was told: weaker than a finding that is only recorded.
    pub answered: Decision,
    /// Whether a person had allowed it once.
    pub granted: bool,
    /// What it was judged by.
    pub policies: &'a [Policy],
}

/// One line of `decisions.jsonl`: one finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The version of this form.
    pub schema: u32,
    /// When the answer was given (RFC 3339, UTC).
    pub time: String,
    /// The version of the program.
    pub version: String,
    /// Names the call: findings of one call have the same.
    pub call: String,
    /// The place among the call's findings, from 0: the one that decided.
    pub finding: usize,
    /// Who asked.
    #[serde(flatten)]
    pub source: Origin,
    /// Where the command would have run.
    pub cwd: Option<String>,
    /// The command, secrets and the middle of a very long one left out.
    pub command: String,
    /// How many bytes the command had.
    pub command_bytes: usize,
    /// What the finding calls for.
    pub decision: Decision,
    /// What the harness was told.
    pub answered: Decision,
    /// Whether a person had allowed it once, so that the harness was told nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub granted: bool,
    /// Whether the finding is only recorded.
    #[serde(default)]
    pub shadow: bool,
    /// The guard.
    pub guard: String,
    /// The stable code.
    pub code: String,
    /// The rule's id, where a rule of a policy objected.
    pub rule: Option<String>,
    /// The words that caused it: bytes of `command` as it stands here.
    pub span: [usize; 2],
    /// How they are reached, outermost first.
    pub chain: Vec<String>,
    /// What the call was judged by.
    pub policies: Vec<Applied>,
    /// How long the answer took, in microseconds.
    pub latency_us: u64,
}

/// A policy that was applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// Its name.
    pub name: String,
    /// The first 64 bits of its source's SHA-256, in hexadecimal.
    pub digest: String,
}

impl Call<'_> {
    /// The records of the findings, the deciding one first, and behind them of those that decide nothing.
    #[must_use]
    pub fn records(&self, findings: &[Finding], shadowed: &[Finding]) -> Vec<Record> {
        let deciding = findings.iter().chain(shadowed).next().map_or(Span::default(), |finding| finding.span);
        let command = recorded(self.command, deciding);
        let all = findings.iter().map(|finding| (finding, false));
        let all = all.chain(shadowed.iter().map(|finding| (finding, true))).enumerate();
        all.map(|(place, (finding, shadow))| Record { shadow, ..self.record(&command, place, finding) })
            .collect()
    }

    /// The same as lines.
    #[must_use]
    pub fn lines(&self, findings: &[Finding], shadowed: &[Finding]) -> Vec<u8> {
        self.records(findings, shadowed).iter().map(line).collect::<Vec<_>>().concat()
    }

    fn record(&self, command: &Recorded, place: usize, finding: &Finding) -> Record {
        let span = command.span(finding.span);
        Record {
            schema: SCHEMA,
            time: time::rfc3339(self.time),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            call: call_id(self.time, self.process),
            finding: place,
            source: self.source.clone(),
            cwd: self.cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
            command: command.text.clone(),
            command_bytes: self.command.len(),
            decision: finding.decision,
            answered: self.answered,
            granted: self.granted,
            shadow: false,
            guard: finding.guard.to_owned(),
            code: finding.code.clone(),
            rule: (finding.guard == RULES).then(|| finding.code.clone()),
            span: [span.start, span.end],
            chain: finding.chain.iter().map(|step| redacted(step)).collect(),
            policies: self.policies.iter().map(applied).collect(),
            latency_us: u64::try_from(self.latency.as_micros()).unwrap_or(u64::MAX),
        }
    }
}

/// Names a call. No two have the same: no process answers two calls in one nanosecond.
#[must_use]
pub fn call_id(time: SystemTime, process: u32) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{process:x}", since.as_nanos())
}

/// What names a policy in records.
#[must_use]
pub fn applied(policy: &Policy) -> Applied {
    Applied { name: policy.name.to_owned(), digest: format!("{:016x}", policy.digest) }
}

/// One JSON value as a line.
#[must_use]
pub fn line(value: &impl Serialize) -> Vec<u8> {
    // Strings and numbers only: nothing that JSON could not hold.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}
