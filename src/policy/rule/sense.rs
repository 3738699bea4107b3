//! Whether conditions make sense: names that facts do not know, conditions that can never hold, rules that
//! others leave nothing to say. Must never judge a command.

use super::raw::{RawCondition, Words};
use super::types::{Condition, Happening, Rule};
use crate::policy::facts::types::{Argument, Facts, Program};
use crate::policy::form::near::nearest;
use crate::policy::form::table::Written;
use crate::policy::problems::Problems;
use crate::policy::rule::needles::makers;
use std::collections::BTreeSet;
use std::ops::Range;

/// Tells of names in a condition that the facts do not know.
pub fn known(raw: &RawCondition, intact: bool, facts: &Facts, problems: &mut Problems<'_>) {
    let programs = programs(raw, facts);
    raw.program.iter().flat_map(|names| names.get_ref()).for_each(|name| spelling(name, facts, problems));
    if !programs.is_empty() {
        raw.subcommand.iter().for_each(|names| subcommands(&programs, names.get_ref(), problems));
        raw.option.iter().for_each(|names| options(&programs, names.get_ref(), problems));
        let values = raw.value.iter().flat_map(|values| values.keys());
        values.for_each(|name| argument(&programs, name, problems));
    }
    for (key, there) in [("path", &raw.path), ("text", &raw.text)] {
        if let Some(there) = there.as_ref().filter(|_| intact && raw.effect.is_none()) {
            let message = format!("{key} without effect says nothing");
            problems.of_value(there.span(), message, "say with effect what happens to it");
        }
    }
}

fn spelling(name: &Written<String>, facts: &Facts, problems: &mut Problems<'_>) {
    if let Some(program) = facts.program(name.get_ref().as_bytes())
        && program.name() != name.get_ref()
    {
        let message = format!("{:?} is another name of {:?}", name.get_ref(), program.name());
        problems.of_value(name.span(), message, "use the name that the facts use");
    }
}

/// The programs that a condition names, where facts know all of them.
fn programs(raw: &RawCondition, facts: &Facts) -> Vec<&'static Program> {
    let names = raw.program.iter().flat_map(|names| names.get_ref());
    let known: Vec<_> = names.map(|name| facts.program(name.get_ref().as_bytes())).collect();
    if known.iter().any(Option::is_none) { Vec::new() } else { known.into_iter().flatten().collect() }
}

fn subcommands(programs: &[&'static Program], names: &Words, problems: &mut Problems<'_>) {
    let known: Vec<String> =
        programs.iter().flat_map(|program| program.commands).map(|command| command.words.join(" ")).collect();
    for name in names {
        let words = name.get_ref().split_whitespace().collect::<Vec<_>>().join(" ");
        if !known.contains(&words) {
            never(name, "subcommand", &known, problems);
        }
    }
}

fn options(programs: &[&'static Program], names: &Words, problems: &mut Problems<'_>) {
    for name in names.iter().filter(|name| name.get_ref() != "--") {
        if !programs.iter().any(|program| program.knows(name.get_ref())) {
            never(name, "option", &all_options(programs), problems);
        }
    }
}

/// An option whose argument is asked for must take one.
fn argument(programs: &[&'static Program], name: &Written<String>, problems: &mut Problems<'_>) {
    let forms = programs.iter().flat_map(|program| {
        std::iter::once(&program.form).chain(program.commands.iter().map(|command| &command.form))
    });
    let mut called =
        forms.flat_map(|form| form.options).filter(|option| option.names.contains(&name.get_ref().as_str()));
    if !programs.iter().any(|program| program.knows(name.get_ref())) {
        never(name, "option", &all_options(programs), problems);
    } else if !called.clone().any(|option| option.argument != Argument::None) && called.next().is_some() {
        let message = format!("{} takes no argument; the condition can never hold", name.get_ref());
        problems.of_value(name.span(), message, "ask for it with option");
    }
}

fn all_options(programs: &[&'static Program]) -> Vec<String> {
    let forms = programs.iter().flat_map(|program| {
        std::iter::once(&program.form).chain(program.commands.iter().map(|command| &command.form))
    });
    forms.flat_map(|form| form.options).flat_map(|option| option.names).map(ToString::to_string).collect()
}

fn never(name: &Written<String>, what: &str, known: &[String], problems: &mut Problems<'_>) {
    let message =
        format!("no program named here has the {what} {:?}; the condition can never hold", name.get_ref());
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let remedy = match nearest(name.get_ref(), &known) {
        Some(near) => format!("did you mean {near:?}? Otherwise add it to policies/programs"),
        None => "mend its name, or add it to policies/programs".to_owned(),
    };
    problems.of_value(name.span(), message, &remedy);
}

/// Tells of a condition that says nothing, or that can never hold as a whole.
pub fn whole(when: &Condition, at: Range<usize>, facts: &Facts, problems: &mut Problems<'_>) {
    let Condition::All(all) = when else { return };
    if all.is_empty() {
        let message = "a condition that says nothing holds for every command".to_owned();
        problems.of_value(at, message, "name a program, an effect or an option");
    } else if let Some(why) = contradiction(all, facts) {
        let message = format!("{why}; the condition can never hold");
        problems.of_value(at, message, "take one of them out, or write any = [ … ]");
    }
}

/// Why conditions can never hold together.
fn contradiction(all: &[Condition], facts: &Facts) -> Option<&'static str> {
    let refused =
        all.iter().filter_map(|part| if let Condition::Not(refused) = part { Some(refused) } else { None });
    if refused.into_iter().any(|refused| all.iter().any(|part| covers(refused, part))) {
        return Some("one part asks for what another refuses");
    }
    let programs = together(all)?;
    if programs.is_empty() {
        return Some("its parts ask for different programs");
    }
    let effects = all.iter().find_map(|part| {
        if let Condition::Effect(happening) = part { Some(happening.effects) } else { None }
    })?;
    let able = makers(effects, facts);
    // Redirects read and write for every program.
    let free = able.contains(">") || able.contains("<");
    let unknown = programs.iter().any(|name| facts.program(name.as_bytes()).is_none());
    let idle = !free && !unknown && programs.iter().all(|name| !able.contains(name));
    idle.then_some("no program named here does that, as far as facts know")
}

/// The programs to which a condition is bound; `None` when to none in particular.
fn bound(when: &Condition) -> Option<BTreeSet<String>> {
    match when {
        Condition::Program(names) => Some(names.iter().map(|name| (*name).to_owned()).collect()),
        Condition::All(all) => together(all),
        Condition::Any(any) => {
            let each: Option<Vec<_>> = any.iter().map(bound).collect();
            each.map(|each| each.into_iter().flatten().collect())
        }
        Condition::Not(_)
        | Condition::Subcommand(_)
        | Condition::Option(_)
        | Condition::Value(_)
        | Condition::Operand(_)
        | Condition::Effect(_)
        | Condition::FedBy(_)
        | Condition::Environment(_)
        | Condition::Count(..)
        | Condition::Within(_) => None,
    }
}

/// The programs to which all of some conditions are bound.
fn together(all: &[Condition]) -> Option<BTreeSet<String>> {
    all.iter().filter_map(bound).reduce(|one, other| one.intersection(&other).cloned().collect())
}

/// Whether a rule leaves nothing for a later one to decide.
pub fn shadows(earlier: &Rule, later: &Rule) -> bool {
    earlier.answer >= later.answer
        && earlier.unparsed >= later.unparsed
        && (later.shadow || !earlier.shadow)
        && covers(&earlier.when, &later.when)
}

/// Whether the first condition holds wherever the second does, as far as their forms tell.
fn covers(wide: &Condition, narrow: &Condition) -> bool {
    let within = |narrow: &[&str], wide: &[&str]| narrow.iter().all(|name| wide.contains(name));
    match (wide, narrow) {
        (Condition::All(all), _) => !all.is_empty() && all.iter().all(|part| covers(part, narrow)),
        (_, Condition::Any(any)) => !any.is_empty() && any.iter().all(|part| covers(wide, part)),
        (Condition::Any(any), _) if any.iter().any(|part| covers(part, narrow)) => true,
        (_, Condition::All(all)) => all.iter().any(|part| covers(wide, part)),
        (Condition::Not(wide), Condition::Not(narrow)) => covers(narrow, wide),
        (Condition::Program(wide), Condition::Program(narrow))
        | (Condition::Subcommand(wide), Condition::Subcommand(narrow))
        | (Condition::Option(wide), Condition::Option(narrow))
        | (Condition::Operand(wide), Condition::Operand(narrow))
        | (Condition::Environment(wide), Condition::Environment(narrow)) => within(narrow, wide),
        (Condition::Value(wide), Condition::Value(narrow)) => narrow
            .iter()
            .all(|(name, globs)| wide.iter().any(|(other, wide)| other == name && within(globs, wide))),
        (Condition::Count(least, most), Condition::Count(from, to)) => least <= from && to <= most,
        (Condition::Within(wide), Condition::Within(narrow)) => {
            narrow.iter().all(|context| wide.contains(context))
        }
        (Condition::FedBy(wide), Condition::FedBy(narrow)) => covers(wide, narrow),
        (Condition::Effect(wide), Condition::Effect(narrow)) => happens(wide, narrow),
        _ => false,
    }
}

fn happens(wide: &Happening, narrow: &Happening) -> bool {
    let free_or = |free: bool, within: bool| free || within;
    narrow.effects.iter().all(|effect| wide.effects.contains(effect))
        && free_or(
            wide.classes.is_empty(),
            !narrow.classes.is_empty() && narrow.classes.iter().all(|class| wide.classes.contains(class)),
        )
        && free_or(
            wide.text.is_empty(),
            !narrow.text.is_empty() && narrow.text.iter().all(|text| wide.text.contains(text)),
        )
        && wide
            .fed_by
            .as_ref()
            .is_none_or(|wide| narrow.fed_by.as_ref().is_some_and(|narrow| covers(wide, narrow)))
}
