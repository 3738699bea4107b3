//! The written form of rules and its checks. Nothing behind this file sees serde.

use super::types::{Answer, Class, Condition, Happening, Rule};
use super::words::Words;
use crate::policy::facts::types::{Effect, Facts};
use crate::policy::problems::Problems;
use crate::policy::rule::needles::needles;
use crate::policy::source::{leak, leak_text};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;

/// A rule as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawRule {
    id: Spanned<String>,
    decision: Spanned<String>,
    unparsed: Option<Spanned<String>>,
    #[serde(default)]
    shadow: bool,
    reason: Spanned<String>,
    advice: Spanned<String>,
    when: Spanned<RawCondition>,
    #[serde(rename = "match")]
    matches: Spanned<Vec<Spanned<String>>>,
    #[serde(rename = "not_match")]
    not_matches: Spanned<Vec<Spanned<String>>>,
}

/// A condition as written: all keys of a table must hold.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCondition {
    program: Option<Spanned<Words>>,
    subcommand: Option<Spanned<Words>>,
    option: Option<Spanned<Words>>,
    value: Option<BTreeMap<Spanned<String>, Words>>,
    operand: Option<Spanned<Words>>,
    operands: Option<Spanned<(u16, u16)>>,
    effect: Option<Spanned<Words>>,
    path: Option<Spanned<Words>>,
    text: Option<Words>,
    fed_by: Option<Box<Spanned<RawCondition>>>,
    environment: Option<Spanned<Words>>,
    all: Option<Vec<Spanned<RawCondition>>>,
    any: Option<Vec<Spanned<RawCondition>>>,
    not: Option<Box<Spanned<RawCondition>>>,
}

/// How many examples of each kind a shipped or a user's rule must have.
const EXAMPLES: usize = 3;

/// Compiles rules, noting everything that is wrong with them.
pub fn compile(
    raw: &[RawRule],
    unparsed: Option<&Spanned<String>>,
    facts: &Facts,
    problems: &mut Problems<'_>,
) -> &'static [Rule] {
    let unparsed = unparsed.map_or(Answer::Ask, |text| answer(text, problems));
    let mut seen = BTreeSet::new();
    let mut rules = Vec::new();
    for raw in raw {
        if !seen.insert(raw.id.get_ref().clone()) {
            let message = format!("the rule {:?} stands twice", raw.id.get_ref());
            problems.add(raw.id.span(), message, "give each rule its own id");
        }
        rules.push(Rule { unparsed: own_unparsed(raw, unparsed, problems), ..rule(raw, facts, problems) });
    }
    leak(rules)
}

fn rule(raw: &RawRule, facts: &Facts, problems: &mut Problems<'_>) -> Rule {
    let id = raw.id.get_ref();
    let plain = |ch: char| ch.is_ascii_lowercase() || ch.is_ascii_digit() || matches!(ch, '-' | '.');
    if id.is_empty() || !id.chars().all(plain) {
        problems.add(raw.id.span(), format!("{id:?} is not an id"), "use small letters, digits, . and -");
    }
    for (text, what) in [(&raw.reason, "reason"), (&raw.advice, "advice")] {
        if text.get_ref().trim().is_empty() {
            let message = format!("the {what} of {id} is blank");
            problems.add(text.span(), message, "say what is wrong, and how to do it right");
        }
    }
    for (list, what) in [(&raw.matches, "match"), (&raw.not_matches, "not_match")] {
        if list.get_ref().len() < EXAMPLES {
            let message = format!("{id} has {} examples in {what}", list.get_ref().len());
            problems.add(list.span(), message, "give at least three whole command lines");
        }
    }
    let answer = answer(&raw.decision, problems);
    if answer == Answer::Allow {
        problems.add(raw.decision.span(), "a rule that allows".to_owned(), "write ask or deny");
    }
    let when = condition(&raw.when, facts, problems);
    let texts = |list: &[Spanned<String>]| leak(list.iter().map(|text| leak_text(text.get_ref())).collect());
    Rule {
        id: leak_text(id),
        answer,
        unparsed: Answer::Ask,
        shadow: raw.shadow,
        reason: leak_text(raw.reason.get_ref().trim()),
        advice: leak_text(raw.advice.get_ref().trim()),
        when,
        matches: texts(raw.matches.get_ref()),
        not_matches: texts(raw.not_matches.get_ref()),
        needles: needles(&when, facts),
    }
}

/// What a rule says of text that cannot be read, or else what the policy says.
fn own_unparsed(raw: &RawRule, policy: Answer, problems: &mut Problems<'_>) -> Answer {
    raw.unparsed.as_ref().map_or(policy, |text| answer(text, problems))
}

fn answer(text: &Spanned<String>, problems: &mut Problems<'_>) -> Answer {
    Answer::named(text.get_ref()).unwrap_or_else(|| {
        let message = format!("unknown decision {:?}", text.get_ref());
        problems.add(text.span(), message, "write ask or deny");
        Answer::Deny
    })
}

fn condition(raw: &Spanned<RawCondition>, facts: &Facts, problems: &mut Problems<'_>) -> Condition {
    let (span, raw) = (raw.span(), raw.get_ref());
    let mut all = Vec::new();
    if let Some(names) = &raw.program {
        known_programs(names, facts, problems);
        all.push(Condition::Program(names.get_ref().leak()));
    }
    if let Some(names) = &raw.subcommand {
        known_subcommands(raw, names, facts, problems);
        all.push(Condition::Subcommand(names.get_ref().leak()));
    }
    if let Some(names) = &raw.option {
        known_options(raw, names, facts, problems);
        all.push(Condition::Option(names.get_ref().leak()));
    }
    if let Some(values) = &raw.value {
        let pair = |(name, globs): (&Spanned<String>, &Words)| (leak_text(name.get_ref()), globs.leak());
        all.push(Condition::Value(leak(values.iter().map(pair).collect())));
    }
    if let Some(globs) = &raw.operand {
        all.push(Condition::Operand(globs.get_ref().leak()));
    }
    if let Some(count) = &raw.operands {
        all.push(Condition::Count(count.get_ref().0, count.get_ref().1));
    }
    if let Some(names) = &raw.environment {
        all.push(Condition::Environment(names.get_ref().leak()));
    }
    let fed_by = raw.fed_by.as_ref().map(|inner| condition(inner, facts, problems));
    match &raw.effect {
        Some(effects) => all.push(happening(raw, effects, fed_by, problems)),
        None => {
            if let Some(path) = &raw.path {
                problems.add(
                    path.span(),
                    "a path without an effect".to_owned(),
                    "say with effect what happens to it",
                );
            }
            all.extend(fed_by.map(|inner| Condition::FedBy(leak_one(inner))));
        }
    }
    let list = |list: &[Spanned<RawCondition>], problems: &mut Problems<'_>| {
        leak(list.iter().map(|inner| condition(inner, facts, problems)).collect())
    };
    all.extend(raw.all.as_ref().map(|inner| Condition::All(list(inner, problems))));
    all.extend(raw.any.as_ref().map(|inner| Condition::Any(list(inner, problems))));
    all.extend(raw.not.as_ref().map(|inner| Condition::Not(leak_one(condition(inner, facts, problems)))));
    match all.as_slice() {
        [] => {
            problems.add(
                span,
                "a condition that says nothing".to_owned(),
                "name a program, an effect or an option",
            );
            Condition::All(&[])
        }
        [one] => *one,
        _ => Condition::All(leak(all)),
    }
}

fn leak_one<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn happening(
    raw: &RawCondition,
    effects: &Spanned<Words>,
    fed_by: Option<Condition>,
    problems: &mut Problems<'_>,
) -> Condition {
    let effects = named(effects, Effect::named, Effect::ALL, Effect::name, "effect", problems);
    let classes =
        raw.path.as_ref().map(|path| named(path, Class::named, Class::ALL, Class::name, "path", problems));
    let text = raw.text.as_ref().map(Words::leak).unwrap_or_default();
    let classes = classes.unwrap_or_default();
    Condition::Effect(leak_one(Happening { effects: leak(effects), classes: leak(classes), fed_by, text }))
}

fn named<T: Copy>(
    words: &Spanned<Words>,
    find: fn(&str) -> Option<T>,
    all: &[T],
    name: fn(T) -> &'static str,
    what: &str,
    problems: &mut Problems<'_>,
) -> Vec<T> {
    let mut found = Vec::new();
    for word in &words.get_ref().0 {
        match find(word) {
            Some(value) => found.push(value),
            None => {
                let names: Vec<&str> = all.iter().map(|value| name(*value)).collect();
                let remedy = format!("use one of {}", names.join(", "));
                problems.add(words.span(), format!("unknown {what} {word:?}"), &remedy);
            }
        }
    }
    found
}

fn known_programs(names: &Spanned<Words>, facts: &Facts, problems: &mut Problems<'_>) {
    for name in &names.get_ref().0 {
        if name.contains('/') || name.is_empty() {
            let message = format!("{name:?} is not a base name");
            problems.add(names.span(), message, "name the program without its directory");
        } else if let Some(program) = facts.program(name.as_bytes())
            && program.name() != name
        {
            let message = format!("{name:?} is another name of {:?}", program.name());
            problems.add(names.span(), message, "use the name that the facts use");
        }
    }
}

/// The programs that a condition names, where facts know all of them.
fn programs(raw: &RawCondition, facts: &Facts) -> Vec<&'static crate::policy::facts::types::Program> {
    let names = raw.program.iter().flat_map(|names| &names.get_ref().0);
    let known: Vec<_> = names.map(|name| facts.program(name.as_bytes())).collect();
    if known.iter().any(Option::is_none) { Vec::new() } else { known.into_iter().flatten().collect() }
}

fn known_subcommands(raw: &RawCondition, names: &Spanned<Words>, facts: &Facts, problems: &mut Problems<'_>) {
    let programs = programs(raw, facts);
    for name in names.get_ref().0.iter().filter(|_| !programs.is_empty()) {
        let words: Vec<&str> = name.split_whitespace().collect();
        let known = |program: &&crate::policy::facts::types::Program| {
            program.commands.iter().any(|command| command.words == words.as_slice())
        };
        if !programs.iter().any(known) {
            let message =
                format!("no program named here has the subcommand {name:?}; the condition can never hold");
            problems.add(names.span(), message, "add it to policies/programs, or mend its name");
        }
    }
}

fn known_options(raw: &RawCondition, names: &Spanned<Words>, facts: &Facts, problems: &mut Problems<'_>) {
    let programs = programs(raw, facts);
    for name in names.get_ref().0.iter().filter(|name| !programs.is_empty() && *name != "--") {
        if !programs.iter().any(|program| program.knows(name)) {
            let message =
                format!("no program named here has the option {name:?}; the condition can never hold");
            problems.add(names.span(), message, "add it to policies/programs, or mend its name");
        }
    }
}
