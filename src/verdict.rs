//! The ordered decision and the fold over findings. Owns `Decision`, `Finding` and `Verdict`; must
//! never know which guard made a finding or which harness asks.

use crate::span::Span;
use serde::{Deserialize, Serialize};

/// What is answered. Ordered: the verdict of a call is the greatest over all findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// No objection. To a harness this is silence, never the word "allow".
    #[default]
    Allow,
    /// A person should decide.
    Ask,
    /// The call must not run.
    Deny,
}

impl Decision {
    /// The decision's name: `allow`, `ask` or `deny`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// One objection of one guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The guard's identifier.
    pub guard: &'static str,
    /// How strong the objection is.
    pub decision: Decision,
    /// The stable reason code.
    pub code: String,
    /// One sentence: the words that caused it and a way to do it right.
    pub reason: String,
    /// The words that caused it, in the submitted text.
    pub span: Span,
    /// How the position was reached, outermost first.
    pub chain: Vec<String>,
    /// Smaller comes first among findings of the same decision.
    #[serde(skip)]
    pub rank: u32,
}

/// All findings of all guards, the one that decides first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdict {
    findings: Vec<Finding>,
    shadowed: Vec<Finding>,
}

impl Verdict {
    /// Orders findings: strongest decision, then smallest rank, then position in the text.
    #[must_use]
    pub fn fold(findings: Vec<Finding>) -> Self {
        Self { findings: ordered(findings), shadowed: Vec::new() }
    }

    /// The same with findings that decide nothing: what a policy tries out.
    #[must_use]
    pub fn with_shadowed(self, shadowed: Vec<Finding>) -> Self {
        Self { shadowed: ordered(shadowed), ..self }
    }

    /// The decision: the greatest over all findings, allow when there is none.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.deciding().map_or(Decision::Allow, |finding| finding.decision)
    }

    /// The finding that decides, if any objects.
    #[must_use]
    pub fn deciding(&self) -> Option<&Finding> {
        self.findings.first()
    }

    /// Every finding, the deciding one first.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Findings that are only recorded, the strongest first.
    #[must_use]
    pub fn shadowed(&self) -> &[Finding] {
        &self.shadowed
    }
}

fn ordered(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| b.decision.cmp(&a.decision).then(a.rank.cmp(&b.rank)).then(a.span.cmp(&b.span)));
    findings.dedup();
    findings
}
