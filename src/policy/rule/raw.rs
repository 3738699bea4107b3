//! The written form of rules and how they are compiled. Nothing behind this file sees TOML.

use super::sense;
use super::types::{Answer, Class, Condition, Context, Happening, Rule};
use crate::policy::facts::types::{Effect, Facts};
use crate::policy::form::table::{Fits, Shape, Text, Written, table};
use crate::policy::form::texts::{ANY, ID, LINE, PROGRAM, SENTENCE};
use crate::policy::problems::Problems;
use crate::policy::rule::needles::needles;
use crate::policy::source::{leak, leak_text};
use std::collections::{BTreeMap, BTreeSet};

/// One text or a list of texts, as policies write them.
pub type Words = Vec<Written<String>>;

table! {
    /// A rule: to what it objects, and why.
    pub RawRule as "rule" {
        /// The rule's id, such as `git.force-push`. It is the code of its findings.
        required id: Written<String> = Shape::Text(&ID);
        /// What it answers: `deny`, or `ask` when a person should decide.
        required decision: Written<String> = Shape::Text(&DECISION);
        /// What it answers to text that cannot be read and mentions what it guards: `ask`, `deny` or `allow`. It is
        /// what the settings say when left out.
        optional unparsed: Option<Written<String>> = Shape::Text(&UNPARSED);
        /// Whether it is only recorded what it would answer.
        optional shadow: bool = Shape::Bool;
        /// What is wrong, in one sentence without a full stop.
        required reason: Written<String> = Shape::Text(&SENTENCE);
        /// How to do it right, in one sentence without a full stop.
        required advice: Written<String> = Shape::Text(&SENTENCE);
        /// When it objects.
        required when: Written<RawCondition> = Shape::Table(RawCondition::table);
        /// Whole command lines to which it objects, at least three.
        required r#match: Words = Shape::List(&Shape::Text(&LINE), EXAMPLES);
        /// Whole command lines to which it does not, at least three.
        required not_match: Words = Shape::List(&Shape::Text(&LINE), EXAMPLES);
    }
}

table! {
    /// A condition. All keys of it must hold; a list means any of its entries.
    pub RawCondition as "condition" {
        /// The program is one of these, by base name.
        optional program: Option<Written<Words>> = Shape::OneOrMore(&Shape::Text(&PROGRAM));
        /// The subcommand is one of these, words joined with blanks.
        optional subcommand: Option<Written<Words>> = Shape::OneOrMore(&Shape::Text(&LINE));
        /// One of these options is given, in any spelling.
        optional option: Option<Written<Words>> = Shape::OneOrMore(&Shape::Text(&LINE));
        /// An option's argument matches a glob, such as `{ "-X" = ["POST"] }`.
        optional value: Option<BTreeMap<Written<String>, Words>> = Shape::Map(&ANY, &WORDS);
        /// An operand matches one of these globs.
        optional operand: Option<Words> = WORDS;
        /// The number of operands is within these bounds, `[least, most]`.
        optional operands: Option<(u16, u16)> = Shape::Bounds;
        /// One of these happens. With `path`, `text` or `fed_by` it happens to something that fits.
        optional effect: Option<Written<Words>> = Shape::OneOrMore(&Shape::Text(&EFFECT));
        /// The class of what the effect happens to. It needs `effect`.
        optional path: Option<Written<Words>> = Shape::OneOrMore(&Shape::Text(&CLASS));
        /// Globs one of which the text of what the effect happens to matches. They need `effect`.
        optional text: Option<Written<Words>> = WORDS;
        /// What feeds the command, or what the effect happens to: a stage before it, a substitution, a variable, a
        /// loop.
        optional fed_by: Option<Box<Written<RawCondition>>> = Shape::Table(RawCondition::table);
        /// One of these variables (globs) is assigned before the command, by a wrapper such as `env`, or exported
        /// by it.
        optional environment: Option<Words> = WORDS;
        /// The command stands in one of these, however deep: what `queries/contexts.scm` captures, the operands of a
        /// `wrapper`, or the text of a `sink`.
        optional within: Option<Words> = Shape::OneOrMore(&Shape::Text(&CONTEXT));
        /// All of these hold.
        optional all: Option<Written<Vec<Written<RawCondition>>>> = Shape::List(&Shape::Table(RawCondition::table), 1);
        /// One of these holds.
        optional any: Option<Written<Vec<Written<RawCondition>>>> = Shape::List(&Shape::Table(RawCondition::table), 1);
        /// This does not hold.
        optional not: Option<Box<Written<RawCondition>>> = Shape::Table(RawCondition::table);
    }
}

const WORDS: Shape = Shape::OneOrMore(&Shape::Text(&ANY));

static DECISION: Text = Text { what: "a decision", remedy: "", fits: Fits::Names(|| vec!["ask", "deny"]) };

/// What may be answered to text that cannot be read.
pub static UNPARSED: Text = Text {
    what: "an answer",
    remedy: "",
    fits: Fits::Names(|| Answer::ALL.iter().map(|answer| answer.name()).collect()),
};

static EFFECT: Text = Text {
    what: "an effect",
    remedy: "",
    fits: Fits::Names(|| Effect::ALL.iter().map(|effect| effect.name()).collect()),
};

static CONTEXT: Text = Text {
    what: "a context",
    remedy: "",
    fits: Fits::Names(|| Context::ALL.iter().map(|context| context.name()).collect()),
};

static CLASS: Text = Text {
    what: "a class of paths",
    remedy: "",
    fits: Fits::Names(|| Class::ALL.iter().map(|class| class.name()).collect()),
};

/// How many examples of each kind a rule must have.
const EXAMPLES: usize = 3;

/// Compiles rules, noting everything that is wrong with them.
pub fn compile(
    raw: &[RawRule],
    unparsed: Answer,
    facts: &Facts,
    problems: &mut Problems<'_>,
) -> &'static [Rule] {
    let mut seen = BTreeSet::new();
    let mut rules = Vec::new();
    let mut sound = Vec::new();
    for raw in raw {
        if !seen.insert(raw.id.get_ref()) {
            let message = format!("the rule {:?} stands twice", raw.id.get_ref());
            problems.of_value(raw.id.span(), message, "give each rule its own id");
        }
        let before = problems.count();
        let rule = Rule { unparsed: answer(raw.unparsed.as_ref(), unparsed), ..rule(raw, facts, problems) };
        if problems.count() == before && raw.when.span() != (0..0) && problems.intact(&raw.when.span()) {
            sound.push((raw, rule));
        }
        rules.push(rule);
    }
    for (place, (raw, rule)) in sound.iter().enumerate() {
        let earlier = sound.iter().take(place).find(|(_, earlier)| sense::shadows(earlier, rule));
        if let Some((first, _)) = earlier {
            let line = problems.line(&first.id.span());
            let message = format!(
                "the rule {} can never decide: {} in line {line} objects to all that it objects to",
                rule.id,
                first.id.get_ref()
            );
            problems.of_value(raw.id.span(), message, "take it out, narrow the other, or put it before it");
        }
    }
    leak(rules)
}

fn rule(raw: &RawRule, facts: &Facts, problems: &mut Problems<'_>) -> Rule {
    let when = condition(&raw.when, facts, problems);
    let texts = |list: &Words| leak(list.iter().map(|text| leak_text(text.get_ref())).collect());
    Rule {
        id: leak_text(raw.id.get_ref()),
        answer: answer(Some(&raw.decision), Answer::Deny),
        unparsed: Answer::Ask,
        shadow: raw.shadow,
        reason: leak_text(raw.reason.get_ref().trim()),
        advice: leak_text(raw.advice.get_ref().trim()),
        when,
        matches: texts(&raw.r#match),
        not_matches: texts(&raw.not_match),
        needles: needles(&when, facts),
    }
}

/// An answer by its name, or the one that holds without it.
pub fn answer(written: Option<&Written<String>>, otherwise: Answer) -> Answer {
    written.and_then(|name| Answer::named(name.get_ref())).unwrap_or(otherwise)
}

fn condition(raw: &Written<RawCondition>, facts: &Facts, problems: &mut Problems<'_>) -> Condition {
    let (span, raw) = (raw.span(), raw.get_ref());
    let before = problems.count();
    let intact = problems.intact(&span);
    sense::known(raw, intact, facts, problems);
    let mut all = simple(raw);
    let fed_by = raw.fed_by.as_ref().map(|inner| condition(inner, facts, problems));
    match &raw.effect {
        Some(effects) => all.push(happening(raw, effects.get_ref(), fed_by)),
        None => all.extend(fed_by.map(|inner| Condition::FedBy(leak_one(inner)))),
    }
    let list = |list: &Written<Vec<Written<RawCondition>>>, problems: &mut Problems<'_>| {
        leak(list.get_ref().iter().map(|inner| condition(inner, facts, problems)).collect())
    };
    all.extend(raw.all.as_ref().map(|inner| Condition::All(list(inner, problems))));
    all.extend(raw.any.as_ref().map(|inner| Condition::Any(list(inner, problems))));
    all.extend(raw.not.as_ref().map(|inner| Condition::Not(leak_one(condition(inner, facts, problems)))));
    let whole = match all.as_slice() {
        [one] => *one,
        _ => Condition::All(leak(all)),
    };
    // What is wrong within is told there.
    if intact && problems.count() == before {
        sense::whole(&whole, span, facts, problems);
    }
    whole
}

/// The conditions on the command itself.
fn simple(raw: &RawCondition) -> Vec<Condition> {
    let mut all = Vec::new();
    all.extend(raw.program.as_ref().map(|names| Condition::Program(words(names.get_ref()))));
    all.extend(raw.subcommand.as_ref().map(|names| Condition::Subcommand(words(names.get_ref()))));
    all.extend(raw.option.as_ref().map(|names| Condition::Option(words(names.get_ref()))));
    if let Some(values) = &raw.value {
        let pair = |(name, globs): (&Written<String>, &Words)| (leak_text(name.get_ref()), words(globs));
        all.push(Condition::Value(leak(values.iter().map(pair).collect())));
    }
    all.extend(raw.operand.as_ref().map(|globs| Condition::Operand(words(globs))));
    if let Some(names) = &raw.within {
        let contexts = names.iter().filter_map(|name| Context::named(name.get_ref())).collect();
        all.push(Condition::Within(leak(contexts)));
    }
    all.extend(raw.operands.map(|(least, most)| Condition::Count(least, most)));
    all.extend(raw.environment.as_ref().map(|names| Condition::Environment(words(names))));
    all
}

fn words(list: &Words) -> &'static [&'static str] {
    leak(list.iter().map(|text| leak_text(text.get_ref())).collect())
}

fn leak_one<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn happening(raw: &RawCondition, effects: &Words, fed_by: Option<Condition>) -> Condition {
    let effects = effects.iter().filter_map(|name| Effect::named(name.get_ref())).collect();
    let classes = raw.path.iter().flat_map(|path| path.get_ref());
    let classes = classes.filter_map(|name| Class::named(name.get_ref())).collect();
    let text = raw.text.as_ref().map(|text| words(text.get_ref())).unwrap_or_default();
    Condition::Effect(leak_one(Happening { effects: leak(effects), classes: leak(classes), fed_by, text }))
}
