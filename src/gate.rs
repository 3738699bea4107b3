//! Runs the guards over a call and folds what they find. Owns the prefilter and the isolation of
//! panics; must never know a harness, print, exit or read the environment.

use crate::call::{Origin, Tool, ToolCall};
use crate::guards::{self, Guard, Reading, Subject, mission, rules};
use crate::policy::rule::types::Answer;
use crate::policy::{Policy, settings};
use crate::shell;
use crate::shell::model::Script;
use crate::shell::query::Queries;
use crate::span::Span;
use crate::verdict::{Decision, Finding, Verdict};
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Policies and queries, ready to judge calls.
///
/// ```
/// use stanchion::{call::ToolCall, gate::Gate, policy, verdict::Decision};
/// let gate = Gate::new(policy::shipped("firstmate").into_iter().collect());
/// assert_eq!(gate.judge(&ToolCall::shell("cargo test")).decision(), Decision::Allow);
/// let verdict = gate.judge(&ToolCall::shell("bin/fm-watch-arm.sh &"));
/// assert_eq!(verdict.deciding().map(|finding| finding.code.as_str()), Some("watcher-background"));
/// ```
#[derive(Clone)]
pub struct Gate {
    policies: Vec<Policy>,
    queries: &'static Queries,
    guards: Guards,
}

type Guards = &'static [&'static (dyn Guard + Sync)];

impl std::fmt::Debug for Gate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let guards: Vec<_> = self.guards.iter().map(|guard| guard.id()).collect();
        formatter.debug_struct("Gate").field("policies", &self.policies).field("guards", &guards).finish()
    }
}

impl Gate {
    /// A gate for some policies, with the shipped queries.
    #[must_use]
    pub fn new(mut policies: Vec<Policy>) -> Self {
        settings::settle(&mut policies);
        Self { policies, queries: Queries::shipped(), guards: guards::all() }
    }

    /// The policies by which it judges.
    #[must_use]
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// The same gate with other queries.
    #[must_use]
    pub fn with_queries(mut self, queries: &'static Queries) -> Self {
        self.queries = queries;
        self
    }

    /// Whether a text may concern any guard. A strict superset: `false` means that no guard can
    /// object, whatever quoting, expansion or decoding the text goes through.
    #[must_use]
    pub fn may_concern(&self, text: &[u8]) -> bool {
        decodes(text)
            || self.policies.iter().any(|policy| names_guarded(policy, text) || moves(policy, text))
            || self.concerns_a_rule(text)
    }

    /// Whether a task or a role objects to a tool, whatever the call says.
    #[must_use]
    pub fn objects_to(&self, tool: Tool, origin: &Origin) -> bool {
        self.policies.iter().any(|policy| mission::objects(policy, tool, origin))
    }

    /// Whether a policy tells which tools may be called: then calls are judged that run no command.
    #[must_use]
    pub fn asks_tools(&self) -> bool {
        self.policies.iter().any(|policy| policy.mission.asks())
    }

    /// What a policy wants to know of the checkout in which a text would run: the entries at its
    /// root. `None` when no guard that asks can object to the text; then the caller need not look.
    #[must_use]
    pub fn asks_checkout(&self, text: &[u8]) -> Option<Vec<&str>> {
        let scoped = |policy: &&Policy| policy.cwd.is_scoped() && guards_directory(policy);
        let mut asking = self
            .policies
            .iter()
            .filter(scoped)
            .filter(|policy| decodes(text) || moves(policy, text))
            .peekable();
        asking.peek()?;
        Some(asking.flat_map(|policy| policy.cwd.entries).copied().collect())
    }

    fn concerns_a_rule(&self, text: &[u8]) -> bool {
        let mut asked: Option<&[&str]> = None;
        let unquoted = guards::normalised(text);
        self.policies.iter().filter(|policy| !policy.rules.is_empty()).any(|policy| {
            // The shipped packs share one list.
            let known = asked.is_some_and(|asked| std::ptr::eq(asked, policy.needles));
            asked = Some(policy.needles);
            !known && policy.concerns(&unquoted)
        })
    }

    /// Judges a call.
    #[must_use]
    pub fn judge(&self, call: &ToolCall) -> Verdict {
        if call.cut {
            return self.judge_cut(call);
        }
        if !self.may_concern(&call.command) && !self.objects_to(call.tool, &call.origin) {
            return Verdict::default();
        }
        match catch_unwind(AssertUnwindSafe(|| shell::read(&call.command, self.queries))) {
            Ok(script) => self.judge_script(call, &script),
            Err(_) => self.unread(call),
        }
    }

    /// Judges a call whose text was read already.
    #[must_use]
    pub fn judge_script(&self, call: &ToolCall, script: &Script) -> Verdict {
        let mut found = Found::default();
        let reading = OnceCell::new();
        for policy in &self.policies {
            let subject = self.subject(call, script, policy, &reading);
            for guard in self.guards.iter().filter(|guard| guard.applies(policy)) {
                match catch_unwind(AssertUnwindSafe(|| guard.check(&subject))) {
                    Ok(findings) => found.add(policy, findings),
                    Err(_) if guard.fails_closed() => found.add(policy, unjudged(policy, call)),
                    Err(_) => {}
                }
            }
        }
        found.verdict()
    }

    /// What becomes of a question that a harness cannot put.
    #[must_use]
    pub fn on_ask(&self, harness: Option<&str>) -> Decision {
        match settings::on_ask(&self.policies, harness) {
            Answer::Allow => Decision::Allow,
            Answer::Ask | Answer::Deny => Decision::Deny,
        }
    }

    /// Why each guard that was silent was silent.
    #[must_use]
    pub fn trace(&self, call: &ToolCall, script: &Script) -> Vec<(String, String)> {
        let mut silent = Vec::new();
        let reading = OnceCell::new();
        for policy in &self.policies {
            let subject = self.subject(call, script, policy, &reading);
            for guard in self.guards.iter().filter(|guard| guard.applies(policy)) {
                let why = || guard.check(&subject).is_empty().then(|| guard.silence(&subject));
                if let Ok(Some(why)) = catch_unwind(AssertUnwindSafe(why)) {
                    silent.push((guard.id().to_owned(), why));
                }
            }
        }
        silent
    }

    fn subject<'s>(
        &'s self,
        call: &'s ToolCall,
        script: &'s Script,
        policy: &'s Policy,
        reading: &'s OnceCell<Reading<'s>>,
    ) -> Subject<'s> {
        Subject { call, script, policy, policies: &self.policies, reading, queries: self.queries }
    }

    /// Judges the visible part of a call; the rest could be anything. A shell call of that size is
    /// longer than what a process can be given, so nothing that would work is denied.
    fn judge_cut(&self, call: &ToolCall) -> Verdict {
        let visible = self.judge(&ToolCall { cut: false, ..call.clone() });
        let mut found =
            Found { enforced: visible.findings().to_vec(), shadowed: visible.shadowed().to_vec() };
        if call.tool.is_shell() {
            let guarding = self.policies.iter().filter(|policy| guards_words(policy));
            guarding.for_each(|policy| found.add(policy, vec![opaque(policy, call)]));
        }
        found.verdict()
    }

    fn unread(&self, call: &ToolCall) -> Verdict {
        let mut found = Found::default();
        for policy in &self.policies {
            found.add(policy, mission::findings(policy, call));
            found.add(policy, unjudged(policy, call));
        }
        found.verdict()
    }
}

/// Findings, those that are only recorded apart.
#[derive(Default)]
struct Found {
    enforced: Vec<Finding>,
    shadowed: Vec<Finding>,
}

impl Found {
    fn add(&mut self, policy: &Policy, findings: Vec<Finding>) {
        for finding in findings {
            let list = if is_shadowed(policy, &finding) { &mut self.shadowed } else { &mut self.enforced };
            list.push(finding);
        }
    }

    fn verdict(self) -> Verdict {
        Verdict::fold(self.enforced).with_shadowed(self.shadowed)
    }
}

/// Whether a policy only tries out what made a finding.
fn is_shadowed(policy: &Policy, finding: &Finding) -> bool {
    let rule = |id: &str| policy.rules.iter().any(|rule| rule.shadow && rule.id == id);
    let tried = || policy.mission.task.is_some_and(|task| task.shadow);
    policy.settings.shadowed
        || (finding.guard == rules::ID && rule(&finding.code))
        || (finding.guard == mission::ID && finding.code == mission::TASK && tried())
}

/// What a text gets that could not be judged, when it mentions what is guarded.
fn unjudged(policy: &Policy, call: &ToolCall) -> Vec<Finding> {
    unclassifiable(policy, call).into_iter().chain(rules::unjudged(policy, call)).collect()
}

/// The same for scripts and processes.
fn unclassifiable(policy: &Policy, call: &ToolCall) -> Option<Finding> {
    names_guarded(policy, &call.command).then(|| opaque(policy, call))
}

fn opaque(policy: &Policy, call: &ToolCall) -> Finding {
    let code = "unclassifiable-protected-command";
    Finding {
        guard: "gate",
        decision: Decision::Deny,
        code: code.to_owned(),
        reason: policy.reason(code).to_owned(),
        span: Span::new(0, call.command.len()),
        chain: Vec::new(),
        rank: 1,
    }
}

/// Whether a policy guards scripts or processes at all.
fn guards_words(policy: &Policy) -> bool {
    let kill = &policy.kill;
    !(policy.protected.scripts.is_empty() && kill.names.is_empty() && kill.kill.is_empty())
}

/// Whether a text holds anything that could compose a word out of pieces: expansions, patterns,
/// braces, formats and escapes that a decoder would turn into other bytes.
fn decodes(text: &[u8]) -> bool {
    // Behind a parenthesis may stand a pattern such as `@(a|b)` or a process substitution.
    let pair = |pair: &[u8]| matches!(pair, [b'\\', byte] if byte.is_ascii_alphanumeric());
    text.iter().any(|byte| b"$`*?[{%(".contains(byte)) || text.windows(2).any(pair)
}

/// Whether a text names a builtin that changes the directory.
fn moves(policy: &Policy, text: &[u8]) -> bool {
    if !guards_directory(policy) {
        return false;
    }
    let text = guards::normalised(text);
    policy.cwd.commands.iter().any(|command| guards::mentions(&text, command.name))
}

fn guards_directory(policy: &Policy) -> bool {
    !policy.cwd.commands.is_empty()
}

/// Whether a text names a protected script, the guarded process or a program that could kill it.
fn names_guarded(policy: &Policy, text: &[u8]) -> bool {
    let kill = &policy.kill;
    if policy.protected.scripts.is_empty() && kill.names.is_empty() && kill.verbs.is_empty() {
        return false;
    }
    let text = guards::normalised(text);
    let scripts =
        policy.protected.scripts.iter().map(|script| script.path.rsplit('/').next().unwrap_or(script.path));
    let verbs = kill.verbs.iter().map(|verb| verb.program);
    let named = kill.names.iter().chain(kill.kill).copied();
    scripts.chain(verbs).chain(named).any(|word| guards::mentions(&text, word))
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "the fault is meant")]
mod tests {
    use super::*;
    use crate::policy::shipped;

    #[test]
    fn what_cannot_be_judged_is_denied_where_scripts_are_guarded_only() {
        let answer = |name, text: &str| {
            let gate = Gate::new(shipped(name).into_iter().collect());
            gate.unread(&ToolCall::shell(text)).decision()
        };
        assert_eq!(answer("firstmate", "bin/fm-watch-arm.sh"), Decision::Deny);
        assert_eq!(answer("firstmate", "cd src"), Decision::Allow);
        assert_eq!(answer("cwd", "cd src; bin/fm-watch-arm.sh"), Decision::Allow);
        let closed = guards::all().iter().filter(|guard| guard.fails_closed()).map(|guard| guard.id());
        assert_eq!(closed.collect::<Vec<_>>(), ["kill", "protected", "rules"]);
    }

    /// A guard with a fault in it.
    struct Faulty;

    impl Guard for Faulty {
        fn id(&self) -> &'static str {
            "faulty"
        }

        fn applies(&self, _: &Policy) -> bool {
            true
        }

        fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
            let words: Vec<usize> = Vec::new();
            vec![Finding { rank: words[subject.script.commands.len()] as u32, ..finding() }]
        }

        fn silence(&self, _: &Subject<'_>) -> String {
            String::new()
        }
    }

    fn finding() -> Finding {
        let (code, reason) = (String::new(), String::new());
        Finding {
            guard: "x",
            decision: Decision::Ask,
            code,
            reason,
            span: Span::default(),
            chain: vec![],
            rank: 0,
        }
    }

    fn gate(guards: Guards) -> Gate {
        Gate { guards, ..Gate::new(shipped("firstmate").into_iter().collect()) }
    }

    fn codes(gate: &Gate, text: &str) -> Vec<String> {
        let verdict = gate.judge(&ToolCall::shell(text));
        verdict.findings().iter().map(|finding| finding.code.clone()).collect()
    }

    #[test]
    fn a_panic_in_a_guard_is_answered_as_opaque_text() {
        let alone = gate(&[&Faulty]);
        for text in ["echo bin/fm-watch-arm.sh", "b\\in/fm-wa''tch-arm.sh", "pkill -f fm-watch"] {
            assert_eq!(codes(&alone, text), ["unclassifiable-protected-command"], "{text}");
            assert_eq!(alone.judge(&ToolCall::shell(text)).decision(), Decision::Deny);
        }
        assert!(codes(&alone, "echo $HOME").is_empty(), "nothing guarded is mentioned");
        // The same words in text that cannot be read have the same answer.
        assert_eq!(
            codes(&gate(guards::all()), "echo 'bin/fm-watch-arm.sh"),
            codes(&alone, "echo 'bin/fm-watch-arm.sh")
        );
    }

    #[test]
    fn a_panic_in_one_guard_takes_no_finding_of_another() {
        let both: Vec<&'static (dyn Guard + Sync)> =
            guards::all().iter().copied().chain([&Faulty as &(dyn Guard + Sync)]).collect();
        let both = gate(Vec::leak(both));
        assert_eq!(
            codes(&both, "pkill -f fm-watch"),
            ["broad-watcher-kill", "unclassifiable-protected-command"]
        );
    }
}
