//! What every command of a script means, worked out once for all rules and policies. Must never object.

use super::given::Given;
use super::ground::{Ground, Set};
use crate::policy::facts;
use crate::policy::facts::meaning::{Happens, Meaning, Target, Value, blank, meaning_of, meanings};
use crate::policy::facts::types::{Effect, Facts, Prints};
use crate::shell::model::{Command, CommandId, Cooked, Place, PlaceId, PlaceKind, Script, Word};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// The meanings of a script's commands.
#[derive(Debug)]
pub struct Reading<'s> {
    /// The facts by which it was read.
    pub(crate) facts: &'static Facts,
    /// Every meaning of every command, in order.
    pub(crate) meanings: Vec<Meaning<'s>>,
    /// The first meaning of each command.
    first: Vec<usize>,
    /// Words that the text assigns to variables.
    variables: HashMap<&'s [u8], Vec<(&'s Word, usize, &'s Command)>>,
    /// Aliases that the text defines.
    aliases: HashMap<Vec<u8>, Vec<u8>>,
    /// Where things are.
    pub(super) ground: Rc<Ground>,
    /// Variables that are set for the commands behind.
    given: Given,
    /// Classes worked out before, by the place of the effect in memory.
    known: RefCell<HashMap<usize, Set>>,
    /// The meanings of each place's commands, worked out when first asked for.
    places: OnceCell<HashMap<PlaceId, Vec<usize>>>,
    /// The place of each stage of each pipeline, worked out when first asked for.
    stages: OnceCell<HashMap<(usize, usize), PlaceId>>,
}

/// How many assignments to one variable are looked at.
const MAX_ASSIGNED: usize = 16;

impl<'s> Reading<'s> {
    /// Reads a script by the shipped facts.
    /// `given` are the variables that the text around it sets.
    pub(super) fn new(script: &'s Script, ground: Rc<Ground>, given: Vec<Vec<u8>>) -> Self {
        let facts = facts::shipped();
        let mut reading = Self {
            facts,
            meanings: Vec::new(),
            first: Vec::new(),
            variables: HashMap::new(),
            aliases: HashMap::new(),
            ground,
            given: Given::new(given),
            known: RefCell::default(),
            places: OnceCell::new(),
            stages: OnceCell::new(),
        };
        for command in &script.commands {
            reading.first.push(reading.meanings.len());
            reading.assigned(command);
            let mut found = meanings(command, facts);
            for meaning in &mut found {
                reading.wrapped(meaning);
                reading.defines(meaning);
                reading.reads(meaning);
                reading.given.add(script, reading.first.len() - 1, meaning);
            }
            reading.meanings.append(&mut found);
        }
        reading.found();
        reading
    }

    /// `$(which NAME) …`: the program that a substitution finds.
    fn found(&mut self) {
        for index in 0..self.meanings.len() {
            let Some(meaning) = self.meanings.get(index).filter(|meaning| meaning.name.is_empty()) else {
                continue;
            };
            let command = meaning.command;
            let Some(name) = command.words.first().and_then(|word| self.finds(word)) else { continue };
            let meaning = meaning_of(blank(command), name, self.facts);
            if let Some(place) = self.meanings.get_mut(index) {
                *place = meaning;
            }
        }
    }

    /// The program whose place a word is, when it is the output of one command that looks for it.
    fn finds(&self, word: &Word) -> Option<&'s [u8]> {
        let ([place], [], Cooked::Opaque) =
            (word.substitutions.as_slice(), word.variables.as_slice(), &word.value)
        else {
            return None;
        };
        let mut within = self.within(*place);
        let (finder, None) = (within.next()?, within.next()) else { return None };
        let finds = finder.prints() == Prints::Program;
        finder.operands.last().filter(|_| finds).and_then(|value| value.text())
    }

    /// A command's first meaning.
    pub(crate) fn of(&self, id: CommandId) -> Option<&Meaning<'s>> {
        self.first.get(id).and_then(|at| self.meanings.get(*at))
    }

    /// The meanings of the commands that stand in a place itself.
    pub(super) fn within(&self, place: PlaceId) -> impl Iterator<Item = &Meaning<'s>> {
        let places = self.places.get_or_init(|| {
            let mut places: HashMap<PlaceId, Vec<usize>> = HashMap::new();
            for (index, meaning) in self.meanings.iter().enumerate() {
                places.entry(meaning.command.place).or_default().push(index);
            }
            places
        });
        let found = places.get(&place).map(Vec::as_slice).unwrap_or_default();
        found.iter().filter_map(|index| self.meanings.get(*index))
    }

    /// The place of a stage of a pipeline.
    pub(super) fn stage(&self, script: &Script, pipeline: usize, stage: usize) -> Option<PlaceId> {
        let stages = self.stages.get_or_init(|| {
            let stage = |(id, place): (PlaceId, &Place)| {
                let PlaceKind::Pipeline { pipeline, stage, .. } = place.kind else { return None };
                Some(((pipeline, stage), id))
            };
            script.places.iter().enumerate().filter_map(stage).collect()
        });
        stages.get(&(pipeline, stage)).copied()
    }

    /// Where the classes of a meaning's targets are kept; nowhere for one that is not of this reading.
    pub(super) fn known(&self, meaning: &Meaning<'_>) -> Option<&RefCell<HashMap<usize, Set>>> {
        let range = self.meanings.as_ptr_range();
        let at = std::ptr::from_ref(meaning).cast();
        (range.start <= at && at < range.end).then_some(&self.known)
    }

    /// The words that a variable is assigned, each with how many of its first bytes are not the value.
    pub(crate) fn assigned_to(&self, name: &[u8]) -> &[(&'s Word, usize, &'s Command)] {
        self.variables.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The variables that the text sets before a command and the command may see.
    pub(super) fn given(&self, script: &Script, command: &Command) -> impl Iterator<Item = &[u8]> {
        self.given.before(script, command)
    }

    fn assigned(&mut self, command: &'s Command) {
        let mut add = |name: &'s [u8], word: &'s Word, from: usize| {
            let list = self.variables.entry(name).or_default();
            if list.len() < MAX_ASSIGNED {
                list.push((word, from, command));
            }
        };
        for assignment in &command.assignments {
            if let [word] = assignment.value.as_slice() {
                add(&assignment.name, word, 0);
            }
        }
        // `export NAME=…` and its like.
        for word in command.words.iter().skip(1) {
            if let Cooked::Affix { head, .. } = &word.value
                && let Some(at) = head.iter().position(|byte| *byte == b'=')
                && let Some(name) = head.get(..at).filter(|name| is_name(name))
            {
                add(name, word, at + 1);
            }
        }
    }

    /// What a wrapper adds to the operands of the command that it runs.
    fn wrapped(&self, meaning: &mut Meaning<'s>) {
        let Some(outer) = meaning.command.outer.and_then(|id| self.of(id)) else { return };
        let prints = outer.prints();
        if !matches!(prints, Prints::Fed | Prints::Paths) {
            return;
        }
        let mark = outer.options.iter().find(|given| given.is("-I") || given.is("-J"));
        let mark = mark.and_then(|given| given.value).and_then(Value::text).unwrap_or(b"{}").to_vec();
        let mut marked = false;
        for happens in &mut meaning.effects {
            if let Target::Value(value) = happens.target
                && value.text().is_some_and(|text| holds(text, &mark))
            {
                happens.target = Target::Fed;
                marked = true;
            }
        }
        let slot = meaning.slots.iter().find(|slot| slot.many).or(meaning.slots.last());
        if !marked
            && prints == Prints::Fed
            && let Some(slot) = slot
            && let Some(effect) = slot.effect
        {
            meaning.effects.push(Happens { effect, target: Target::Fed, language: slot.language });
        }
    }

    fn defines(&mut self, meaning: &Meaning<'s>) {
        for happens in meaning.effects.iter().filter(|happens| happens.effect == Effect::Alias) {
            let Target::Value(value) = happens.target else { continue };
            let Some(text) = value.text() else { continue };
            if let Some(at) = text.iter().position(|byte| *byte == b'=') {
                let (name, text) = text.split_at(at);
                self.aliases.insert(name.to_vec(), text.get(1..).unwrap_or_default().to_vec());
            }
        }
    }

    /// `read NAME < …`: the variable comes from what the last input redirect opens.
    fn reads(&mut self, meaning: &Meaning<'s>) {
        let command = meaning.command;
        let Some(input) = command.redirects.iter().rev().find_map(|redirect| redirect.target.as_ref()) else {
            return;
        };
        for happens in meaning.effects.iter().filter(|happens| happens.effect == Effect::Assign) {
            let Target::Value(value) = happens.target else { continue };
            let Some(name) = value.text() else { continue };
            let list = self.variables.entry(name).or_default();
            if list.len() < MAX_ASSIGNED {
                list.push((input, 0, command));
            }
        }
    }

    /// The text that a command becomes through an alias of this script.
    pub(crate) fn aliased(&self, meaning: &Meaning<'_>) -> Option<Vec<u8>> {
        let mut text = self.aliases.get(meaning.name)?.clone();
        for word in meaning.command.words.iter().skip(1) {
            push_quoted(&mut text, word);
        }
        Some(text)
    }
}

/// Adds a word, quoted, to a text; one that is not known becomes an expansion that nobody knows.
pub(super) fn push_quoted(text: &mut Vec<u8>, word: &Word) {
    let Some(known) = Value::new(word).text() else {
        text.extend_from_slice(b" \"$_\"");
        return;
    };
    text.extend_from_slice(b" '");
    for byte in known {
        match byte {
            b'\'' => text.extend_from_slice(b"'\\''"),
            byte => text.push(*byte),
        }
    }
    text.push(b'\'');
}

fn holds(text: &[u8], mark: &[u8]) -> bool {
    !mark.is_empty() && text.windows(mark.len()).any(|window| window == mark)
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
