//! The verdict: without a policy no objection, with one always the same, and no guard objects to what
//! the prefilter lets pass.

use super::ensure;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::guards::{self, Subject};
use stanchion::policy;
use stanchion::shell::{self, query::Queries};
use stanchion::verdict::{Decision, Verdict};
use std::cell::OnceCell;

/// Checks the verdicts on a text.
pub fn check(text: &[u8]) -> Result<(), String> {
    let call = ToolCall::shell(text);
    let free = Gate::new(Vec::new());
    let script = shell::read(text, Queries::shipped());
    for verdict in [free.judge(&call), free.judge_script(&call, &script)] {
        ensure(verdict == Verdict::default(), || format!("an objection without a policy: {verdict:?}"))?;
    }
    // What one of them says of the others holds for all.
    let gate = Gate::new(policy::NAMES.iter().filter_map(|name| policy::shipped(name)).collect());
    let policies = gate.policies();
    ensure(policies.len() > 7, || "no policies".to_owned())?;
    let reading = OnceCell::new();
    let subject = |policy| Subject {
        call: &call,
        script: &script,
        policy,
        policies,
        reading: &reading,
        queries: Queries::shipped(),
    };
    // The gate would turn a panic into a finding; here it must be seen.
    let check = |policy| {
        let applies = guards::all().iter().filter(move |guard| guard.applies(policy));
        applies.flat_map(|guard| guard.check(&subject(policy))).collect::<Vec<_>>()
    };
    let findings = Verdict::fold(policies.iter().flat_map(check).collect());
    for finding in findings.findings() {
        ensure(finding.span.end <= text.len(), || format!("a finding outside of the text: {finding:?}"))?;
    }
    let (first, second) = (gate.judge(&call), gate.judge(&call));
    ensure(first == second, || format!("two verdicts: {first:?}, {second:?}"))?;
    ensure(first == findings, || format!("the gate judges {first:?}, the guards find {findings:?}"))?;
    let concerns = gate.may_concern(text) || findings.decision() == Decision::Allow;
    ensure(concerns, || format!("the prefilter lets pass {findings:?}"))
}
