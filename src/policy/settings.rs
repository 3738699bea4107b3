//! How a policy answers, and what that means for the others that apply with it. Must never judge a command.

use super::rule::types::{Answer, Rule};
use super::source::{leak, source_struct};
use super::types::Policy;

/// How a policy answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What is answered to text behind an option that a wrapper is not known to have; without it, what each rule
    /// says of text that cannot be read.
    pub unknown_wrapper: Option<Answer>,
    /// What becomes of a question that a harness cannot put, by the harness's name or `any`.
    pub on_ask: &'static [(&'static str, Answer)],
    /// Rules and policies, this one or others, whose findings are only recorded.
    pub shadow: &'static [&'static str],
    /// Whether all findings of this policy are only recorded.
    pub shadowed: bool,
}

source_struct!(Settings { unknown_wrapper, on_ask, shadow, shadowed });

/// The names of harnesses, of which policies may speak.
pub const HARNESSES: [&str; 19] = [
    "claude",
    "codex",
    "grok",
    "opencode",
    "pi",
    "cursor",
    "gemini",
    "copilot",
    "vscode",
    "qwen",
    "droid",
    "kimi",
    "crush",
    "goose",
    "kiro",
    "windsurf",
    "hermes",
    "cline",
    "antigravity",
];

/// The name that stands for every harness.
pub const ANY_HARNESS: &str = "any";

impl Settings {
    /// The same without what would loosen other policies: for files that may only tighten. What is not the
    /// strictest answer may stand in the place of a stricter one.
    #[must_use]
    pub fn tightened(self) -> Self {
        let strictest = |answer: Answer| answer == Answer::Deny;
        let on_ask = self.on_ask.iter().filter(|(_, answer)| strictest(*answer)).copied().collect();
        let unknown_wrapper = self.unknown_wrapper.filter(|answer| strictest(*answer));
        Self { on_ask: leak(on_ask), unknown_wrapper, shadow: &[], ..self }
    }

    /// Whether a name in `shadow` stands for this policy: its own, or the first part of it.
    fn names(name: &str, policy: &Policy) -> bool {
        policy.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// Makes settings hold for all policies that apply together: the strictest profile and the strictest answer
/// behind unknown options, and what any of them puts into the shadow.
pub fn settle(policies: &mut [Policy]) {
    let unattended = policies.iter().any(|policy| policy.unattended);
    let unknown_wrapper = policies.iter().filter_map(|policy| policy.settings.unknown_wrapper).max();
    let shadow: Vec<&str> = policies.iter().flat_map(|policy| policy.settings.shadow).copied().collect();
    for policy in policies {
        policy.unattended = unattended;
        policy.settings.unknown_wrapper = unknown_wrapper;
        policy.settings.shadowed |= shadow.iter().any(|name| Settings::names(name, policy));
        if policy.rules.iter().any(|rule| shadow.contains(&rule.id)) {
            let in_shadow = |rule: &Rule| Rule { shadow: rule.shadow || shadow.contains(&rule.id), ..*rule };
            policy.rules = leak(policy.rules.iter().map(in_shadow).collect());
        }
    }
}

/// What becomes of a question that a harness cannot put: the strictest of what policies say of this harness,
/// else of any; a denial when none says anything.
pub fn on_ask(policies: &[Policy], harness: Option<&str>) -> Answer {
    let said = |name: &str| {
        let all = policies.iter().flat_map(|policy| policy.settings.on_ask);
        all.filter(|(of, _)| *of == name).map(|(_, answer)| *answer).max()
    };
    harness.and_then(said).or_else(|| said(ANY_HARNESS)).unwrap_or(Answer::Deny)
}
