//! Whether a rule's condition holds for a command. Must never know a program, an option or a path by name.

use super::feeds::Feeders;
use super::ground::Set;
use super::locate::Locator;
use super::reading::Reading;
use crate::policy::facts::meaning::{Given, Happens, Meaning, Target, Value};
use crate::policy::facts::types::Effect;
use crate::policy::facts::types::Prints;
use crate::policy::rule::types::{Condition, Context, Happening};
use crate::shell::glob::glob_matches;
use crate::shell::model::{Command, Cooked, PlaceKind, RedirectKind, Script, Word};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What a place is in the words of rules.
fn context(kind: &PlaceKind) -> Option<Context> {
    Some(match kind {
        PlaceKind::Background | PlaceKind::Coproc => Context::Background,
        PlaceKind::Pipeline { .. } => Context::Pipeline,
        PlaceKind::Negated => Context::Negated,
        PlaceKind::Subshell => Context::Subshell,
        PlaceKind::Group => Context::Group,
        PlaceKind::If => Context::If,
        PlaceKind::While => Context::While,
        PlaceKind::For => Context::For,
        PlaceKind::Select => Context::Select,
        PlaceKind::Case => Context::Case,
        PlaceKind::Function { .. } => Context::Function,
        PlaceKind::CommandSubstitution => Context::CommandSubstitution,
        PlaceKind::ProcessSubstitution => Context::ProcessSubstitution,
        PlaceKind::Wrapper { .. } => Context::Wrapper,
        PlaceKind::Payload { .. } => Context::Sink,
        PlaceKind::Text
        | PlaceKind::Timed
        | PlaceKind::File { .. }
        | PlaceKind::Variable { .. }
        | PlaceKind::MayVanish
        | PlaceKind::Guessed
        | PlaceKind::Reprinted => return None,
    })
}

/// Judges the commands of one script.
pub(super) struct Judge<'s, 'c> {
    pub(super) script: &'s Script,
    pub(super) reading: &'c Reading<'s>,
    locator: Locator<'s, 'c>,
    feeders: RefCell<HashMap<*const Condition, Rc<Feeders>>>,
}

impl<'s, 'c> Judge<'s, 'c> {
    pub(super) fn new(script: &'s Script, reading: &'c Reading<'s>) -> Self {
        let locator = Locator { script, reading, ground: &reading.ground };
        Self { script, reading, locator, feeders: RefCell::default() }
    }

    /// Whether a condition holds.
    pub(super) fn holds(&self, condition: &'static Condition, meaning: &Meaning<'_>) -> bool {
        match condition {
            Condition::All(all) => {
                // What the text sets for all that follows is held against the programs that are named, not
                // against every command.
                let bound = all.iter().any(|inner| matches!(inner, Condition::Program(_)));
                all.iter().all(|inner| {
                    self.holds(inner, meaning) || (bound && self.environment_before(inner, meaning))
                })
            }
            Condition::Any(any) => any.iter().any(|inner| self.holds(inner, meaning)),
            Condition::Not(inner) => !self.holds(inner, meaning),
            Condition::Program(names) => is_program(meaning, names),
            Condition::Subcommand(names) => is_subcommand(meaning, names),
            Condition::Option(names) => given(meaning, names).next().is_some(),
            Condition::Value(pairs) => pairs.iter().any(|(name, globs)| has_value(meaning, name, globs)),
            Condition::Operand(globs) => meaning.operands.iter().any(|value| fits(*value, globs)),
            Condition::Effect(happening) => {
                meaning.effects.iter().any(|happens| self.happens(happening, happens, meaning))
            }
            Condition::FedBy(inner) => self.fed_by(inner, meaning),
            Condition::Environment(names) => {
                let named = |name: &[u8]| names.iter().any(|glob| glob_matches(glob.as_bytes(), name));
                self.environment(meaning).any(named)
            }
            Condition::Within(contexts) => {
                let kinds = self.script.kinds(meaning.command.place);
                kinds.filter_map(context).any(|context| contexts.contains(&context))
            }
            Condition::Count(least, most) => {
                (usize::from(*least)..=usize::from(*most)).contains(&meaning.operands.len())
            }
        }
    }

    fn happens(&self, wanted: &'static Happening, happens: &Happens<'_>, meaning: &Meaning<'_>) -> bool {
        wanted.effects.contains(&happens.effect)
            && (wanted.text.is_empty()
                || matches!(happens.target, Target::Value(value) if fits(value, wanted.text)))
            && (wanted.classes.is_empty() || self.known_classes(happens, meaning).any(wanted.classes))
            && wanted.fed_by.as_ref().is_none_or(|inner| self.target_fed_by(inner, happens.target, meaning))
    }

    /// The classes of a target, worked out once however many rules ask.
    fn known_classes(&self, happens: &Happens<'_>, meaning: &Meaning<'_>) -> Set {
        let key = std::ptr::from_ref(happens).cast::<()>() as usize;
        let Some(known) = self.reading.known(meaning) else { return self.classes(happens, meaning) };
        if let Some(set) = known.borrow().get(&key) {
            return *set;
        }
        let set = self.classes(happens, meaning);
        known.borrow_mut().insert(key, set);
        set
    }

    fn classes(&self, happens: &Happens<'_>, meaning: &Meaning<'_>) -> Set {
        match happens.target {
            Target::Value(value) => {
                let set = self.locator.classes(value, meaning.command);
                set.with(self.locator.in_directory(value, happens.effect, meaning))
            }
            Target::Fed => self.locator.fed(meaning),
            Target::Whole | Target::Input => Set::default(),
        }
    }

    /// The variables that a command is given, or gives to the commands behind it.
    fn environment<'m>(&'m self, meaning: &'m Meaning<'_>) -> impl Iterator<Item = &'m [u8]> {
        let command = meaning.command;
        let before = command.assignments.iter().map(|assignment| assignment.name.as_slice());
        let exported = meaning.effects.iter().filter_map(|happens| match happens.target {
            Target::Value(value) if happens.effect == Effect::Environment => assigned(value.word),
            Target::Value(_) | Target::Whole | Target::Input | Target::Fed => None,
        });
        let wrapper = command.outer.and_then(|id| self.script.commands.get(id));
        // `env NAME=… command`: the words of the wrapper up to the command.
        let given = wrapper.into_iter().flat_map(|wrapper| {
            let own = command.words.first().map(|word| word.span);
            let at = wrapper.words.iter().position(|word| Some(word.span) == own).unwrap_or_default();
            wrapper.words.iter().take(at).skip(1).filter_map(assigned)
        });
        before.chain(exported).chain(given)
    }

    /// Whether a condition on the environment holds for what the text sets before a command.
    fn environment_before(&self, condition: &'static Condition, meaning: &Meaning<'_>) -> bool {
        let Condition::Environment(names) = condition else { return false };
        let named = |name: &[u8]| names.iter().any(|glob| glob_matches(glob.as_bytes(), name));
        self.reading.given(self.script, meaning.command).any(named)
    }

    /// Whether the command as a whole is fed by one that fits.
    fn fed_by(&self, condition: &'static Condition, meaning: &Meaning<'_>) -> bool {
        let feeders = self.feeders(condition);
        if feeders.is_empty() {
            return false;
        }
        let command = meaning.command;
        let mut words = command.words.iter().skip(1);
        words.clone().any(|word| feeders.word(self.reading, word))
            || feeders.input(self.script, command)
            || (words.any(|word| !word.variables.is_empty()) && feeders.loops(self.script, command))
    }

    fn target_fed_by(
        &self,
        condition: &'static Condition,
        target: Target<'_>,
        meaning: &Meaning<'_>,
    ) -> bool {
        let feeders = self.feeders(condition);
        match target {
            _ if feeders.is_empty() => false,
            Target::Value(value) => feeders.word(self.reading, value.word) || feeders.file(value),
            Target::Input | Target::Fed => feeders.input(self.script, meaning.command),
            Target::Whole => self.fed_by(condition, meaning),
        }
    }

    fn feeders(&self, condition: &'static Condition) -> Rc<Feeders> {
        let key = std::ptr::from_ref(condition);
        if let Some(known) = self.feeders.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut feeders = Feeders::default();
        for meaning in self.reading.meanings.iter().filter(|meaning| !meaning.dry) {
            if self.holds(condition, meaning) {
                feeders.add(self.script, meaning);
            }
        }
        let feeders = Rc::new(feeders);
        self.feeders.borrow_mut().insert(key, Rc::clone(&feeders));
        feeders
    }

    /// The text that a command gets on standard input, where it stands in the script.
    pub(super) fn input<'w>(&self, command: &'w Command) -> Option<Cow<'w, [u8]>> {
        self.input_text(command).map(Cow::Borrowed).or_else(|| self.piped_text(command).map(Cow::Owned))
    }

    /// What one command that prints its operands, all of them known, pipes into another.
    fn piped_text(&self, command: &Command) -> Option<Vec<u8>> {
        let mut before = self.reading.within(self.locator.stage_before(command)?);
        let (printer, None) = (before.next()?, before.next()) else { return None };
        let prints = printer.prints() == Prints::Operands;
        let words: Option<Vec<&[u8]>> = printer.operands.iter().map(|value| value.text()).collect();
        words.filter(|words| prints && !words.is_empty()).map(|words| words.join(&b' '))
    }

    /// The text that a command gets on standard input from a here-document or here-string.
    fn input_text<'w>(&self, command: &'w Command) -> Option<&'w [u8]> {
        let here =
            command.redirects.iter().rev().find(|redirect| {
                matches!(redirect.kind, RedirectKind::HereDocument | RedirectKind::HereString)
            });
        here.and_then(|redirect| redirect.target.as_ref()).and_then(|word: &Word| word.value.exact())
    }
}

/// The name in a word `NAME=…`.
fn assigned(word: &Word) -> Option<&[u8]> {
    let (Cooked::Exact(text) | Cooked::Pattern(text) | Cooked::Affix { head: text, .. }) = &word.value else {
        return None;
    };
    text.iter().position(|byte| *byte == b'=').and_then(|at| text.get(..at))
}

fn is_program(meaning: &Meaning<'_>, names: &[&str]) -> bool {
    match meaning.program {
        Some(program) => names.contains(&program.name()),
        None => names.iter().any(|name| name.as_bytes() == meaning.name),
    }
}

fn is_subcommand(meaning: &Meaning<'_>, names: &[&str]) -> bool {
    let words = meaning.subcommand();
    !words.is_empty() && names.iter().any(|name| name.split(' ').eq(words.iter().copied()))
}

fn given<'m, 's>(meaning: &'m Meaning<'s>, names: &'m [&str]) -> impl Iterator<Item = &'m Given<'s>> {
    meaning.options.iter().filter(|given| names.iter().any(|name| given.is(name)))
}

fn has_value(meaning: &Meaning<'_>, name: &str, globs: &[&str]) -> bool {
    let mut values = meaning.options.iter().filter(|given| given.is(name)).filter_map(|given| given.value);
    values.any(|value| fits(value, globs))
}

/// Whether a value's text, in any reading, matches one of some globs.
fn fits(value: Value<'_>, globs: &[&str]) -> bool {
    value.values().any(|known| {
        let matches = |text: &[u8]| globs.iter().any(|glob| glob_matches(glob.as_bytes(), text));
        match known {
            Cooked::Exact(text) | Cooked::Pattern(text) => matches(&text),
            // What is not known might be anything; a neutral byte stands for it.
            Cooked::Affix { head, tail } => matches(&[head.as_slice(), b"~", &tail].concat()),
            Cooked::Opaque => false,
        }
    })
}
