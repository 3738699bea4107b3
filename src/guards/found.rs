//! What finders of the guarded process feed, worked out once for a whole text in linear time. Must
//! never object to anything.

use crate::shell::model::{Command, Cooked, PlaceId, PlaceKind, Script, Word};
use std::collections::{BTreeMap, BTreeSet};

/// Builtins that read variables from their input.
const READERS: [&[u8]; 3] = [b"read", b"mapfile", b"readarray"];

/// Places, pipelines and variables that hold process ids of the guarded process.
#[derive(Default)]
pub(super) struct Found<'s> {
    places: Holders<PlaceId>,
    pipelines: Holders<usize>,
    variables: BTreeSet<&'s [u8]>,
}

/// What holds a finder, and what holds a word that names the process: both make it a source.
#[derive(Default)]
struct Holders<T> {
    finders: BTreeSet<T>,
    named: BTreeSet<T>,
}

impl<T: Ord> Holders<T> {
    fn hold(&self, id: &T) -> bool {
        self.finders.contains(id) && self.named.contains(id)
    }
}

impl<'s> Found<'s> {
    /// Reads a script, given which commands are finders and which words name the process.
    pub(super) fn new(
        script: &'s Script,
        finder: &dyn Fn(&Command) -> bool,
        names: &dyn Fn(&Word) -> bool,
    ) -> Self {
        let mut found = Self::default();
        for command in script.commands.iter().filter(|command| finder(command)) {
            climb(script, command.place, &mut found.places.finders, &mut found.pipelines.finders);
        }
        if found.places.finders.is_empty() {
            return found;
        }
        for command in script.commands.iter().filter(|command| command.words.iter().skip(1).any(names)) {
            climb(script, command.place, &mut found.places.named, &mut found.pipelines.named);
        }
        found.variables = found.tainted(script);
        found
    }

    /// Whether a command is fed: by substitution, by variable, through a pipe or by a loop.
    pub(super) fn feeds(&self, script: &Script, command: &Command) -> bool {
        if self.places.finders.is_empty() {
            return false;
        }
        let mut operands = command.words.iter().skip(1);
        let told = |word: &Word| self.told(word) || word.variables.iter().any(|name| self.holds(name));
        operands.any(told) || self.encloses(script, command)
    }

    fn holds(&self, variable: &[u8]) -> bool {
        self.variables.contains(variable)
    }

    /// Whether a substitution in the word is a source.
    fn told(&self, word: &Word) -> bool {
        word.substitutions.iter().any(|place| self.places.hold(place))
    }

    /// Whether the command stands in a pipeline or loop that holds a source.
    fn encloses(&self, script: &Script, command: &Command) -> bool {
        let mut next = Some(command.place);
        while let Some((id, place)) = next.and_then(|id| Some((id, script.places.get(id)?))) {
            let piped = if let PlaceKind::Pipeline { pipeline, .. } = &place.kind {
                self.pipelines.hold(pipeline)
            } else {
                false
            };
            let holds = piped || is_loop(&place.kind) && self.places.hold(&id);
            if holds {
                return true;
            }
            next = place.parent;
        }
        false
    }

    /// The variables that hold what a source told, also at second hand.
    fn tainted(&self, script: &'s Script) -> BTreeSet<&'s [u8]> {
        let mut users: BTreeMap<&[u8], Vec<&'s [u8]>> = BTreeMap::new();
        let mut queue = Vec::new();
        for (name, word) in script.commands.iter().flat_map(bindings) {
            if self.told(word) {
                queue.push(name);
            }
            for variable in &word.variables {
                users.entry(variable).or_default().push(name);
            }
        }
        let mut tainted = BTreeSet::new();
        while let Some(name) = queue.pop() {
            if tainted.insert(name) {
                queue.extend(users.get(name).into_iter().flatten());
            }
        }
        tainted
    }
}

fn is_loop(kind: &PlaceKind) -> bool {
    matches!(kind, PlaceKind::While | PlaceKind::For | PlaceKind::Select)
}

/// Adds a place and all that hold it; stops where that was done before.
fn climb(script: &Script, from: PlaceId, places: &mut BTreeSet<PlaceId>, pipelines: &mut BTreeSet<usize>) {
    let mut next = Some(from);
    while let Some(id) = next.filter(|id| places.insert(*id)) {
        let place = script.places.get(id);
        if let Some(PlaceKind::Pipeline { pipeline, .. }) = place.map(|place| &place.kind) {
            pipelines.insert(*pipeline);
        }
        next = place.and_then(|place| place.parent);
    }
}

/// The variables that a command sets, each with a word that its value comes from.
fn bindings(command: &Command) -> Vec<(&[u8], &Word)> {
    let mut bindings = Vec::new();
    for assignment in &command.assignments {
        bindings.extend(assignment.value.iter().map(|word| (assignment.name.as_slice(), word)));
    }
    for word in command.words.iter().skip(1) {
        // `export NAME=…` and its like.
        if let Cooked::Affix { head, .. } = &word.value
            && let Some(at) = head.iter().position(|byte| *byte == b'=')
        {
            bindings.push((head.get(..at).unwrap_or_default(), word));
        }
    }
    let name = command.words.first().and_then(|word| word.value.exact());
    if name.is_some_and(|name| READERS.contains(&name)) {
        let names = command.words.iter().skip(1).filter_map(Word::exact);
        // The last input redirect is the one that is read.
        if let Some(input) = command.redirects.iter().rev().find_map(|redirect| redirect.target.as_ref()) {
            bindings.extend(names.map(|name| (name, input)));
        }
    }
    bindings
}
