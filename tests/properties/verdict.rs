//! The verdict: without a policy no objection, with one always the same, and no guard objects to what
//! the prefilter lets pass.

use super::ensure;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::guards::{self, Subject};
use stanchion::policy;
use stanchion::shell::{self, query::Queries};
use stanchion::verdict::{Decision, Verdict};

/// Checks the verdicts on a text.
pub fn check(text: &[u8]) -> Result<(), String> {
    let call = ToolCall::shell(text);
    let free = Gate::new(Vec::new());
    let script = shell::read(text, Queries::shipped());
    for verdict in [free.judge(&call), free.judge_script(&call, &script)] {
        ensure(verdict == Verdict::default(), || format!("an objection without a policy: {verdict:?}"))?;
    }
    let Some(policy) = policy::shipped("firstmate") else { return Err("no policy".to_owned()) };
    let subject = Subject { call: &call, script: &script, policy: &policy, queries: Queries::shipped() };
    // The gate would turn a panic into a finding; here it must be seen.
    let findings = Verdict::fold(
        guards::all()
            .iter()
            .filter(|guard| guard.applies(&policy))
            .flat_map(|guard| guard.check(&subject))
            .collect(),
    );
    for finding in findings.findings() {
        ensure(finding.span.end <= text.len(), || format!("a finding outside of the text: {finding:?}"))?;
    }
    let gate = Gate::new(vec![policy.clone()]);
    let (first, second) = (gate.judge(&call), gate.judge(&call));
    ensure(first == second, || format!("two verdicts: {first:?}, {second:?}"))?;
    ensure(first == findings, || format!("the gate judges {first:?}, the guards find {findings:?}"))?;
    let concerns = gate.may_concern(text) || findings.decision() == Decision::Allow;
    ensure(concerns, || format!("the prefilter lets pass {findings:?}"))
}
