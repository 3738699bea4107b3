//! What feeds what: pipelines, substitutions, variables and loops. Worked out once for each condition, in
//! linear time. Must never object.

use super::reading::Reading;
use crate::policy::facts::meaning::{Meaning, Target, Value};
use crate::policy::facts::types::Effect;
use crate::shell::model::{Command, PlaceId, PlaceKind, Script, Word};
use crate::shell::path::fold;
use std::collections::{HashMap, HashSet};

/// The places and pipelines that hold commands of some kind.
#[derive(Debug, Default)]
pub(super) struct Feeders {
    places: HashSet<PlaceId>,
    /// For each pipeline, the first stage that holds one.
    stages: HashMap<usize, usize>,
    /// The files that they fetch, as far as their names are known.
    files: HashSet<Vec<u8>>,
}

/// How many variables are followed from one to the next.
const MAX_STEPS: usize = 8;

impl Feeders {
    /// Adds a command that feeds.
    pub(super) fn add(&mut self, script: &Script, meaning: &Meaning<'_>) {
        // A file that comes from elsewhere still does when it is read again; one that was made here is known.
        let fetches = meaning.has(Effect::Network);
        for happens in meaning.effects.iter().filter(|happens| fetches && happens.effect == Effect::Write) {
            let Target::Value(value) = happens.target else { continue };
            self.files.extend(value.text().map(fold).filter(|path| !path.is_empty() && path != b"/dev/null"));
        }
        self.place(script, meaning.command);
    }

    fn place(&mut self, script: &Script, command: &Command) {
        let mut next = Some(command.place);
        while let Some(id) = next {
            let place = script.places.get(id);
            if let Some(PlaceKind::Pipeline { pipeline, stage, .. }) = place.map(|place| &place.kind) {
                let first = self.stages.entry(*pipeline).or_insert(*stage);
                *first = (*first).min(*stage);
            }
            if !self.places.insert(id)
                && !matches!(place.map(|place| &place.kind), Some(PlaceKind::Pipeline { .. }))
            {
                return;
            }
            next = place.and_then(|place| place.parent);
        }
    }

    /// Whether nothing feeds.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether a value names a file that one fetches.
    pub(super) fn file(&self, value: Value<'_>) -> bool {
        !self.files.is_empty() && value.text().is_some_and(|text| self.files.contains(&fold(text)))
    }

    /// Whether a word's value comes from one.
    pub(super) fn word(&self, reading: &Reading<'_>, word: &Word) -> bool {
        let mut seen: HashSet<&[u8]> = HashSet::new();
        let mut open = vec![word];
        while let Some(word) = open.pop() {
            if word.substitutions.iter().any(|place| self.places.contains(place)) {
                return true;
            }
            for name in &word.variables {
                if seen.len() < MAX_STEPS && seen.insert(name) {
                    open.extend(reading.assigned_to(name).iter().map(|(word, ..)| *word));
                }
            }
        }
        false
    }

    /// Whether a command's standard input comes from one.
    pub(super) fn input(&self, script: &Script, command: &Command) -> bool {
        let redirected = command.redirects.iter().filter_map(|redirect| redirect.target.as_ref());
        let told = |word: &Word| word.substitutions.iter().any(|place| self.places.contains(place));
        let mut redirected = redirected.filter(|word| told(word));
        redirected.next().is_some() || self.piped(script, command)
    }

    fn piped(&self, script: &Script, command: &Command) -> bool {
        self.above(script, command, |kind, _| {
            let PlaceKind::Pipeline { pipeline, stage, .. } = kind else { return false };
            self.stages.get(pipeline).is_some_and(|first| first < stage)
        })
    }

    /// Whether a loop around the command may read from one.
    pub(super) fn loops(&self, script: &Script, command: &Command) -> bool {
        self.above(script, command, |kind, id| {
            matches!(kind, PlaceKind::While | PlaceKind::For | PlaceKind::Select) && self.places.contains(&id)
        })
    }

    fn above(&self, script: &Script, command: &Command, holds: impl Fn(&PlaceKind, PlaceId) -> bool) -> bool {
        let mut next = Some(command.place);
        while let Some((id, place)) = next.and_then(|id| Some((id, script.places.get(id)?))) {
            if holds(&place.kind, id) {
                return true;
            }
            next = place.parent;
        }
        false
    }
}
