//! Variables that a text sets for the commands behind: exported, or assigned where they may be exported
//! already. Must never know a variable or a program by name.

use crate::policy::facts::meaning::{Meaning, Target};
use crate::policy::facts::types::Effect;
use crate::shell::model::{Command, Cooked, PlaceId, PlaceKind, Script, Word};

/// How many are kept; what comes after is lost.
const MAX_GIVEN: usize = 1024;

/// The variables.
#[derive(Debug)]
pub(super) struct Given {
    /// Those that the text around this one sets.
    outer: Vec<Vec<u8>>,
    own: Vec<Variable>,
}

/// A variable and which commands may see it.
#[derive(Debug)]
struct Variable {
    name: Vec<u8>,
    /// The command that sets it, by its place in the script; none when what runs first cannot be told.
    by: Option<usize>,
    /// The innermost place from which a change does not come out.
    scope: Option<PlaceId>,
}

impl Given {
    pub(super) fn new(outer: Vec<Vec<u8>>) -> Self {
        Self { outer, own: Vec::new() }
    }

    /// Adds what a command sets.
    pub(super) fn add(&mut self, script: &Script, index: usize, meaning: &Meaning<'_>) {
        let command = meaning.command;
        // Assignments before a program are for it alone.
        let bare = command.words.is_empty();
        let plain = command.assignments.iter().filter(|_| bare).map(|assignment| assignment.name.clone());
        // What may export assigns also where it does not.
        let operands = meaning.operands.iter().filter(|_| may_export(meaning));
        let declared = operands.filter_map(|value| assigned(value.word));
        let read = meaning.effects.iter().filter_map(|happens| match happens.target {
            Target::Value(value) if happens.effect == Effect::Assign => value.text().map(<[u8]>::to_vec),
            Target::Value(_) | Target::Whole | Target::Input | Target::Fed => None,
        });
        let names: Vec<Vec<u8>> = plain.chain(declared).chain(read).collect();
        if names.is_empty() {
            return;
        }
        let again = script.kinds(command.place).any(runs_again);
        let (by, scope) = ((!again).then_some(index), scope(script, command.place));
        let left = MAX_GIVEN.saturating_sub(self.own.len());
        self.own.extend(names.into_iter().take(left).map(|name| Variable { name, by, scope }));
    }

    /// The variables that are set before a command where it may see them.
    pub(super) fn before(&self, script: &Script, command: &Command) -> impl Iterator<Item = &[u8]> {
        let index = script.commands.iter().position(|other| std::ptr::eq(other, command));
        // The body of a function runs when it is called.
        let later = script.kinds(command.place).any(|kind| matches!(kind, PlaceKind::Function { .. }));
        let seen = move |variable: &&Variable| {
            let earlier = later || variable.by.is_none_or(|by| index.is_none_or(|index| by < index));
            earlier && variable.scope.is_none_or(|scope| script.within(command.place, scope))
        };
        let own = self.own.iter().filter(seen).map(|variable| variable.name.as_slice());
        self.outer.iter().map(Vec::as_slice).chain(own)
    }
}

/// Whether some form of the program exports what its operands assign.
fn may_export(meaning: &Meaning<'_>) -> bool {
    meaning.program.is_some_and(|program| {
        let slots = program.form.variants.iter().flat_map(|variant| variant.operands);
        slots.chain(program.form.operands).any(|slot| slot.effect == Some(Effect::Environment))
    })
}

/// The name in a word `NAME=…`.
pub(super) fn assigned(word: &Word) -> Option<Vec<u8>> {
    let (Cooked::Exact(text) | Cooked::Pattern(text) | Cooked::Affix { head: text, .. }) = &word.value else {
        return None;
    };
    let at = text.iter().position(|byte| *byte == b'=')?;
    let name = text.get(..at)?;
    Some(name.strip_suffix(b"+").unwrap_or(name).to_vec())
}

/// Whether what stands in such a place may run before what stands in front of it.
fn runs_again(kind: &PlaceKind) -> bool {
    matches!(kind, PlaceKind::While | PlaceKind::For | PlaceKind::Select | PlaceKind::Function { .. })
}

/// The innermost place around that has variables of its own.
fn scope(script: &Script, place: PlaceId) -> Option<PlaceId> {
    let forks = |kind: &PlaceKind| {
        matches!(
            kind,
            PlaceKind::Subshell
                | PlaceKind::Pipeline { .. }
                | PlaceKind::Background
                | PlaceKind::Coproc
                | PlaceKind::CommandSubstitution
                | PlaceKind::ProcessSubstitution
        )
    };
    let mut next = Some(place);
    while let Some(id) = next {
        let place = script.places.get(id)?;
        if forks(&place.kind) {
            return Some(id);
        }
        next = place.parent;
    }
    None
}
