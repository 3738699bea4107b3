//! Words without which a rule cannot object, for the prefilter. Must never leave one out: too many
//! cost time, too few cost a finding.

use super::types::Condition;
use crate::policy::facts::types::{Effect, Facts, Form};
use crate::policy::source::{leak, leak_text};
use std::collections::BTreeSet;

/// The needles of a condition. Empty when nothing bounds it: then every text concerns the rule.
pub fn needles(when: &Condition, facts: &Facts) -> &'static [&'static str] {
    let found = bound(when, facts).unwrap_or_default();
    leak(found.iter().map(|word| leak_text(word)).collect())
}

fn bound(when: &Condition, facts: &Facts) -> Option<BTreeSet<String>> {
    match when {
        Condition::All(all) => all.iter().filter_map(|inner| bound(inner, facts)).min_by_key(cost),
        Condition::Any(any) => {
            let each: Option<Vec<_>> = any.iter().map(|inner| bound(inner, facts)).collect();
            each.map(|each| each.into_iter().flatten().collect())
        }
        Condition::Program(names) => Some(names.iter().flat_map(|name| spellings(name, facts)).collect()),
        Condition::Environment(names) => {
            Some(names.iter().map(|name| name.trim_matches('*').to_owned()).collect())
        }
        Condition::Effect(happening) => {
            let fed_by = happening.fed_by.as_ref().and_then(|inner| bound(inner, facts));
            fed_by.into_iter().chain([makers(happening.effects, facts)]).min_by_key(cost)
        }
        Condition::Operand(globs) => literals(globs),
        Condition::Not(_)
        | Condition::Subcommand(_)
        | Condition::Option(_)
        | Condition::Value(_)
        | Condition::Count(..)
        | Condition::Within(_) => None,
        Condition::FedBy(inner) => bound(inner, facts),
    }
}

/// The longest literal part of each glob, when all have a telling one.
fn literals(globs: &[&str]) -> Option<BTreeSet<String>> {
    let longest = |glob: &&str| {
        let part = glob.split(['*', '?', '[', ']']).max_by_key(|part| part.len()).unwrap_or_default();
        (part.len() > 3).then(|| part.to_owned())
    };
    globs.iter().map(longest).collect()
}

/// How often needles hit for nothing: short ones stand in every text, many cost time.
fn cost(needles: &BTreeSet<String>) -> (bool, bool, usize) {
    let shortest = needles.iter().map(String::len).min().unwrap_or_default();
    (needles.iter().any(|needle| needle.len() < 2 && needle.as_str() != ">"), shortest < 4, needles.len())
}

/// The needles of many rules together, none of which starts another. `None` when a rule has none.
pub fn union<'n>(rules: impl Iterator<Item = &'n [&'static str]>) -> Option<Vec<&'static str>> {
    let mut all = BTreeSet::new();
    for needles in rules {
        if needles.is_empty() {
            return None;
        }
        all.extend(needles.iter().copied());
    }
    let mut kept: Vec<&'static str> = Vec::new();
    for needle in all {
        if !kept.last().is_some_and(|last| needle.starts_with(last)) {
            kept.push(needle);
        }
    }
    Some(kept)
}

fn spellings(name: &str, facts: &Facts) -> Vec<String> {
    let names = facts.program(name.as_bytes()).map(|program| program.names);
    names.map_or_else(|| vec![name.to_owned()], |names| names.iter().map(ToString::to_string).collect())
}

/// What can have one of these effects: programs, and redirects.
pub fn makers(effects: &[Effect], facts: &Facts) -> BTreeSet<String> {
    let changes = [Effect::Write, Effect::Delete, Effect::Move, Effect::Mode, Effect::Link];
    let by_code = effects.iter().any(|effect| changes.contains(effect));
    let wanted = |effect: Effect| effects.contains(&effect) || (by_code && effect == Effect::Code);
    let mut found = BTreeSet::new();
    for program in facts.programs {
        let mut forms = std::iter::once(&program.form).chain(program.commands.iter().map(|sub| &sub.form));
        if forms.any(|form| has(form, &wanted)) {
            found.extend(program.names.iter().map(ToString::to_string));
        }
    }
    if effects.contains(&Effect::Write) {
        found.insert(">".to_owned());
    }
    if effects.contains(&Effect::Read) {
        found.insert("<".to_owned());
    }
    found
}

fn has(form: &Form, wanted: &impl Fn(Effect) -> bool) -> bool {
    let options = form.options.iter().filter_map(|option| option.effect);
    let slots = form.variants.iter().flat_map(|variant| variant.operands).chain(form.operands);
    let operands = slots.filter_map(|slot| slot.effect);
    let keys = form.keys.iter().map(|key| key.effect);
    let others = form.effects.iter().copied().chain(form.input);
    options.chain(operands).chain(keys).chain(others).any(wanted)
}
