//! Rules (CONTRACT 8): interprets rule data over what commands mean. Owns the findings; must never know
//! a program, an option or a path by name.

mod code;
mod condition;
mod feeds;
mod given;
mod ground;
mod locate;
mod reading;
mod unread;

use super::{Guard, Subject};
use crate::call::ToolCall;
use crate::policy::Policy;
use crate::policy::facts::meaning::{Happens, Meaning, Target};
use crate::policy::facts::types::Effect;
use crate::policy::rule::types::{Answer, Rule};
use crate::shell;
use crate::shell::model::{Command, Locality, Opaque, PlaceKind, Script};
use crate::shell::query::Queries;
use crate::span::Span;
use crate::verdict::{Decision, Finding};
use condition::Judge;
use ground::Ground;
pub use reading::Reading;
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

/// The guard.
pub(super) struct Rules;

/// Its identifier.
pub(crate) const ID: &str = "rules";

/// The ranks of findings: in a mission's policy, rules that keep protected paths come before the others.
const PATHS: u32 = 90;
const RULES: u32 = 100;

/// How deep texts in other programs' arguments are followed.
const MAX_TEXTS: usize = 4;

/// How many such texts of one call are followed; what comes after counts as text that cannot be read.
const MAX_FOLLOWED: usize = 1000;

impl Guard for Rules {
    fn id(&self) -> &'static str {
        ID
    }

    fn applies(&self, policy: &Policy) -> bool {
        !policy.rules.is_empty()
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let ground = || Rc::new(Ground::new(subject.call, subject.policies));
        let reading = subject.reading.get_or_init(|| Reading::new(subject.script, ground(), Vec::new()));
        let texts = Cell::new(MAX_FOLLOWED);
        let (policy, queries) = (subject.policy, subject.queries);
        let check = Check { policy, queries, depth: 0, texts: &texts };
        check.script(subject.script, reading)
    }

    fn silence(&self, subject: &Subject<'_>) -> String {
        match subject.policy.rules.len() {
            1 => "its rule does not apply".to_owned(),
            count => format!("none of the {count} rules of {} applies", subject.policy.name),
        }
    }
}

/// One script under the rules of one policy.
struct Check<'c> {
    policy: &'c Policy,
    queries: &'c Queries,
    depth: usize,
    /// How many texts may still be followed.
    texts: &'c Cell<usize>,
}

impl Check<'_> {
    fn script(&self, script: &Script, reading: &Reading<'_>) -> Vec<Finding> {
        let judge = Judge::new(script, reading);
        let mut findings = Vec::new();
        for meaning in &reading.meanings {
            self.command(&judge, meaning, &mut findings);
        }
        for opaque in &script.opaque {
            findings.extend(unread::findings(self.policy, &reading.ground, opaque));
        }
        findings
    }

    fn command(&self, judge: &Judge<'_, '_>, meaning: &Meaning<'_>, findings: &mut Vec<Finding>) {
        if meaning.dry {
            return;
        }
        for rule in self.policy.rules {
            if judge.holds(&rule.when, meaning) {
                let sure = meaning.certain && meaning.command.locality == Locality::Local;
                findings.extend(self.finding(rule, judge.script, meaning.command, sure));
            }
        }
        if self.depth < MAX_TEXTS {
            self.texts(judge, meaning, findings);
        }
    }

    /// A rule's finding on a command; a doubtful one is at most a question.
    fn finding(&self, rule: &Rule, script: &Script, command: &Command, sure: bool) -> Option<Finding> {
        let guessed = || script.kinds(command.place).any(|kind| *kind == PlaceKind::Guessed);
        let answer = if guessed() {
            unread::behind_unknown_option(self.policy, rule)
        } else if sure {
            rule.answer
        } else {
            rule.answer.min(Answer::Ask)
        };
        let words = command.span.slice(&script.source);
        made(self.policy, rule, answer, command.span, words, script.chain(command))
    }

    /// Texts among the arguments: shell text, code, the text of an alias.
    fn texts(&self, judge: &Judge<'_, '_>, meaning: &Meaning<'_>, findings: &mut Vec<Finding>) {
        for happens in &meaning.effects {
            let text = match happens.target {
                Target::Value(value) => value.text().map(Cow::Borrowed),
                Target::Input => judge.input(meaning.command),
                Target::Whole | Target::Fed => None,
            };
            let Some(text) = text else { continue };
            let text = &*text;
            if let Some(text) = shell_text(meaning, happens, text) {
                self.nested(judge, meaning, &text, false, findings);
            }
            if happens.effect == Effect::Code {
                self.code(judge, meaning, happens.language, text, findings);
            }
        }
        if let Some(text) = judge.reading.aliased(meaning) {
            self.nested(judge, meaning, &text, false, findings);
        }
    }

    /// A text that a program reads as shell.
    fn nested(
        &self,
        judge: &Judge<'_, '_>,
        meaning: &Meaning<'_>,
        text: &[u8],
        doubtful: bool,
        findings: &mut Vec<Finding>,
    ) {
        let Some(left) = self.texts.get().checked_sub(1) else {
            let (span, reason) = (meaning.command.span, "too many texts in arguments");
            let opaque = Opaque { span, reason, bytes: text.to_vec(), unread: None };
            findings.extend(unread::findings(self.policy, &judge.reading.ground, &opaque));
            return;
        };
        self.texts.set(left);
        let inner = shell::read(text, self.queries);
        let given = judge.reading.given(judge.script, meaning.command).map(<[u8]>::to_vec).collect();
        let reading = Reading::new(&inner, Rc::clone(&judge.reading.ground), given);
        let check = Check { depth: self.depth + 1, ..*self };
        let name = String::from_utf8_lossy(meaning.name).into_owned();
        for mut finding in check.script(&inner, &reading) {
            let mut chain = judge.script.chain(meaning.command);
            chain.push(format!("text for {name}"));
            chain.extend(finding.chain.into_iter().skip(1));
            finding.chain = chain;
            finding.span = meaning.command.span;
            if doubtful {
                finding.decision = finding.decision.min(Decision::Ask);
            }
            findings.push(finding);
        }
    }

    /// Code in another language: what its marks say that it runs and writes.
    fn code(
        &self,
        judge: &Judge<'_, '_>,
        meaning: &Meaning<'_>,
        language: &str,
        text: &[u8],
        findings: &mut Vec<Finding>,
    ) {
        let Some(language) = judge.reading.facts.language(language) else { return };
        for run in code::runs(language, text) {
            self.nested(judge, meaning, &run.text, !run.sure, findings);
        }
        let words = code::paths(language, text);
        let written = code::meaning(meaning.command, language, text, &words);
        for rule in self.policy.rules {
            if !words.is_empty() && judge.holds(&rule.when, &written) {
                findings.extend(self.finding(rule, judge.script, meaning.command, true));
            }
        }
    }
}

/// What a shell makes of an argument, when it gets to a shell.
fn shell_text(meaning: &Meaning<'_>, happens: &Happens<'_>, text: &[u8]) -> Option<Vec<u8>> {
    let expands = || text.iter().any(|byte| b"$`".contains(byte));
    if happens.effect == Effect::Shell {
        return Some(text.to_vec());
    }
    if happens.effect == Effect::Command {
        return Some(with_rest(meaning, happens.target, text));
    }
    (matches!(happens.effect, Effect::Expand | Effect::Assign) && expands())
        .then(|| [b": \"", text, b"\""].concat())
}

/// A text with the words that follow it, each quoted.
fn with_rest(meaning: &Meaning<'_>, target: Target<'_>, text: &[u8]) -> Vec<u8> {
    let Target::Value(value) = target else { return text.to_vec() };
    let words = &meaning.command.words;
    let at = words.iter().position(|word| std::ptr::eq(word, value.word)).unwrap_or(words.len());
    let mut line = text.to_vec();
    for word in words.iter().skip(at + 1) {
        reading::push_quoted(&mut line, word);
    }
    line
}

/// A finding of a rule; none when it allows. The gate keeps those apart that are only recorded.
fn made(
    policy: &Policy,
    rule: &Rule,
    answer: Answer,
    span: Span,
    words: &[u8],
    chain: Vec<String>,
) -> Option<Finding> {
    let decision = match answer {
        Answer::Allow => return None,
        // Where nobody is there to ask, a question is a denial.
        Answer::Ask if !policy.unattended => Decision::Ask,
        Answer::Ask | Answer::Deny => Decision::Deny,
    };
    let words = String::from_utf8_lossy(words).into_owned();
    let words: String = words.chars().take(80).collect();
    Some(Finding {
        guard: ID,
        decision,
        code: rule.id.to_owned(),
        reason: format!("{}; {} (here: `{}`)", rule.reason, rule.advice, words.replace('\n', " ").trim()),
        span,
        chain,
        rank: if policy.mission.asks() && rule.when.speaks_of_protected() { PATHS } else { RULES },
    })
}

/// What a text gets that could not be judged at all, when it mentions what a policy's rules guard.
pub(crate) fn unjudged(policy: &Policy, call: &ToolCall) -> Vec<Finding> {
    let ground = Ground::new(call, std::slice::from_ref(policy));
    let opaque = Opaque {
        span: Span::new(0, call.command.len()),
        reason: "it could not be judged",
        bytes: call.command.clone(),
        unread: Some(0),
    };
    unread::findings(policy, &ground, &opaque)
}
