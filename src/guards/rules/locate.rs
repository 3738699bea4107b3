//! Words to paths: `~`, `$HOME`, `$PWD`, tracked `cd` and variables, substitutions that print a known
//! place. Must never guess: what is not known is unknown.

use super::ground::{Ground, Located, Set};
use super::reading::Reading;
use crate::policy::facts::meaning::{Happens, Meaning, Target, Value, base_name};
use crate::policy::facts::types::{Effect, Prints};
use crate::policy::rule::types::Class;
use crate::shell::model::{Command, Cooked, Directory, PlaceKind, Script, Word};

/// How many variables are followed from one to the next.
const MAX_STEPS: usize = 4;

/// How many sources of one copy are looked at.
const MAX_COPIED: usize = 1024;

/// A temporary path whose name is not known.
const SOME_TEMPORARY: &[u8] = b"/tmp/~";

/// Where a program is found, when nothing else is known of it.
const SOME_BIN: &[u8] = b"/usr/local/bin/";

/// Finds out where words point.
pub(super) struct Locator<'s, 'c> {
    pub(super) script: &'s Script,
    pub(super) reading: &'c Reading<'s>,
    pub(super) ground: &'c Ground,
}

/// Where a word may point.
enum Spot {
    /// Here.
    At(Located),
    /// Somewhere; only the end is known.
    Somewhere { tail: Vec<u8>, glob: bool },
}

impl Locator<'_, '_> {
    /// The classes of the path that a value names.
    pub(super) fn classes(&self, value: Value<'_>, command: &Command) -> Set {
        if value.word.exact() == Some(b"{}") {
            return Set::one(Class::Unknown);
        }
        self.spots(value, command, MAX_STEPS).iter().fold(Set::default(), |set, spot| {
            set.with(match spot {
                Spot::At(located) => self.ground.classes(located),
                Spot::Somewhere { tail, glob } => {
                    Set::one(Class::Unknown).with(self.ground.tail_classes(tail, *glob))
                }
            })
        })
    }

    /// `cp a dir` makes `dir/a`: whether the last operand is a directory cannot be told, so both count.
    pub(super) fn in_directory(&self, value: Value<'_>, effect: Effect, meaning: &Meaning<'_>) -> Set {
        let copied =
            |happens: &&Happens<'_>| matches!(happens.effect, Effect::Read | Effect::Move | Effect::Link);
        let mut set = Set::default();
        if effect != Effect::Write {
            return set;
        }
        let spots = self.spots(value, meaning.command, MAX_STEPS);
        for source in meaning.effects.iter().filter(copied).take(MAX_COPIED) {
            let Target::Value(source) = source.target else { continue };
            let Some(name) = source.text().map(base_name).filter(|name| !name.is_empty()) else { continue };
            for spot in &spots {
                if let Spot::At(Located { path, glob }) = spot {
                    let inner = Located { path: [path.as_slice(), b"/", name].concat(), glob: *glob };
                    if self.ground.classes(&inner).has(Class::Protected) {
                        set = set.with(Set::one(Class::Protected));
                    }
                }
            }
        }
        set
    }

    /// The classes of what a wrapper hands to a command: what `find` finds, what `xargs` is fed.
    pub(super) fn fed(&self, meaning: &Meaning<'_>) -> Set {
        let Some(outer) = meaning.command.outer.and_then(|id| self.reading.of(id)) else {
            return Set::one(Class::Unknown);
        };
        if outer.prints() == Prints::Paths {
            return self.found(outer);
        }
        self.producer(outer.command)
    }

    /// The classes of what a program finds below its operands.
    fn found(&self, finder: &Meaning<'_>) -> Set {
        let mut set = Set::default();
        for value in &finder.operands {
            set = set.with(self.classes(*value, finder.command));
        }
        if finder.operands.is_empty() {
            set = set.with(Set::one(Class::Workspace));
        }
        if finder.has(Effect::Filter) { set.instead(Class::Workspace, Class::Inside) } else { set }
    }

    /// The classes of what the stage before a command writes.
    fn producer(&self, command: &Command) -> Set {
        let unknown = Set::one(Class::Unknown);
        let Some(place) = self.input_place(command).or_else(|| self.stage_before(command)) else {
            return unknown;
        };
        let mut set = Set::default();
        for meaning in self.reading.within(place) {
            set = set.with(match meaning.prints() {
                Prints::Operands => self.printed(meaning),
                Prints::Paths => self.found(meaning),
                Prints::Nothing
                | Prints::Temporary
                | Prints::Directory
                | Prints::Workspace
                | Prints::Program
                | Prints::Fed => unknown,
            });
        }
        if set == Set::default() { unknown } else { set }
    }

    /// The process substitution from which a command reads.
    fn input_place(&self, command: &Command) -> Option<usize> {
        let targets = command.redirects.iter().rev().filter_map(|redirect| redirect.target.as_ref());
        targets.flat_map(|word| &word.substitutions).next().copied()
    }

    pub(super) fn stage_before(&self, command: &Command) -> Option<usize> {
        let (pipeline, stage) = self.stage(command)?;
        self.reading.stage(self.script, pipeline, stage.checked_sub(1)?)
    }

    fn printed(&self, meaning: &Meaning<'_>) -> Set {
        let mut set = Set::default();
        for value in &meaning.operands {
            let text = value.text().map(|text| text.strip_suffix(b"\\n").unwrap_or(text).trim_ascii());
            let words = text.map(|text| text.split(|byte| byte.is_ascii_whitespace())).into_iter().flatten();
            for word in words.filter(|word| !word.starts_with(b"%") && !word.is_empty()) {
                let word = Word { value: Cooked::Exact(word.to_vec()), ..Word::default() };
                set = set.with(self.classes(Value::new(&word), meaning.command));
            }
            if text.is_none() {
                set = set.with(Set::one(Class::Unknown));
            }
        }
        set
    }

    fn stage(&self, command: &Command) -> Option<(usize, usize)> {
        let mut next = Some(command.place);
        while let Some(place) = next.and_then(|id| self.script.places.get(id)) {
            if let PlaceKind::Pipeline { pipeline, stage, .. } = place.kind {
                return Some((pipeline, stage));
            }
            next = place.parent;
        }
        None
    }

    fn spots(&self, value: Value<'_>, command: &Command, steps: usize) -> Vec<Spot> {
        let word = value.word;
        // Of a word that the text itself gives values, the unknown one says nothing.
        let told = word.alternatives.iter().any(|value| value.exact().is_some()) && self.all_told(word);
        let values = value.values().filter(|known| !told || known.exact().is_some());
        values.flat_map(|known| self.spot(&known, word, value.from, command, steps)).collect()
    }

    /// Whether every value that the text assigns to a word's variables is known.
    fn all_told(&self, word: &Word) -> bool {
        let assigned = word.variables.iter().flat_map(|name| self.reading.assigned_to(name));
        assigned.into_iter().all(|(word, from, _)| *from == 0 && word.value.exact().is_some())
    }

    fn spot(&self, known: &Cooked, word: &Word, from: usize, command: &Command, steps: usize) -> Vec<Spot> {
        let unknown_start = !word.variables.is_empty() || !word.substitutions.is_empty();
        match known {
            Cooked::Exact(path) => vec![self.known(path, false, word, from, command)],
            Cooked::Pattern(glob) if unknown_start && glob.starts_with(b"*") => {
                self.behind(glob.get(1..).unwrap_or_default(), true, word, command, steps)
            }
            Cooked::Pattern(glob) => vec![self.known(glob, true, word, from, command)],
            Cooked::Affix { head, tail } if head.is_empty() => self.behind(tail, false, word, command, steps),
            Cooked::Affix { head, tail } => {
                let open = head.ends_with(b"/") && tail.is_empty();
                let path = [head.as_slice(), b"*", tail].concat();
                let mut spots = vec![self.known(&path, true, word, from, command)];
                if open && let Some(Spot::At(located)) = spots.first() {
                    let everything = [Class::Root, Class::Home, Class::Workspace, Class::System];
                    if self.ground.classes(located).any(&everything) {
                        spots = vec![Spot::Somewhere { tail: Vec::new(), glob: false }];
                    }
                }
                spots
            }
            Cooked::Opaque => self.behind(b"", false, word, command, steps),
        }
    }

    /// A path whose first bytes are known.
    fn known(&self, path: &[u8], glob: bool, word: &Word, from: usize, command: &Command) -> Spot {
        if let Some(rest) = path.strip_prefix(b"~")
            && self.tilde(word, from)
        {
            return self.home(rest, glob, command);
        }
        if path.starts_with(b"/") {
            return Spot::At(Located { path: path.to_vec(), glob });
        }
        match self.directory(command) {
            Some(base) => Spot::At(Located { path: [base.as_slice(), b"/", path].concat(), glob }),
            None => Spot::Somewhere { tail: [b"/", path].concat(), glob },
        }
    }

    /// Whether a `~` at the start of a word is one that bash expands.
    fn tilde(&self, word: &Word, from: usize) -> bool {
        !word.quoted
            || from > 0
            || word.span.slice(&self.script.source).first().is_none_or(|byte| !b"'\"\\".contains(byte))
    }

    fn home(&self, rest: &[u8], glob: bool, command: &Command) -> Spot {
        let cut = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let (user, rest) = rest.split_at(cut);
        let base = match user {
            b"" => self.ground.home.clone(),
            b"+" => match self.directory(command) {
                Some(base) => base,
                None => return Spot::Somewhere { tail: rest.to_vec(), glob },
            },
            b"-" => return Spot::Somewhere { tail: rest.to_vec(), glob },
            user => [b"/home/", user].concat(),
        };
        Spot::At(Located { path: [base.as_slice(), rest].concat(), glob })
    }

    /// The directory in which a command runs.
    fn directory(&self, command: &Command) -> Option<Vec<u8>> {
        match &command.directory {
            Directory::Start => Some(self.ground.start.clone()),
            Directory::Path(path) if path.starts_with(b"/") => Some(path.clone()),
            Directory::Path(path) => Some([self.ground.start.as_slice(), b"/", path].concat()),
            Directory::Home(path) => Some([self.ground.home.as_slice(), b"/", path].concat()),
            Directory::Unknown => None,
        }
    }

    /// A path whose start is a variable or a substitution.
    fn behind(&self, tail: &[u8], glob: bool, word: &Word, command: &Command, steps: usize) -> Vec<Spot> {
        let somewhere = || vec![Spot::Somewhere { tail: tail.to_vec(), glob }];
        // More than one unknown part: what stands between them is lost.
        if word.variables.len() + word.substitutions.len() > 1 && !tail.is_empty() {
            return somewhere();
        }
        let bases = match (word.variables.first(), word.substitutions.first()) {
            (Some(name), None) => self.variable(name, command, steps),
            (None, Some(place)) => self.printed_place(*place, command),
            _ => Vec::new(),
        };
        if bases.is_empty() || word.variables.len() + word.substitutions.len() > 1 {
            return somewhere();
        }
        let longer = |base: Spot| match base {
            Spot::At(base) => {
                Spot::At(Located { path: [base.path.as_slice(), tail].concat(), glob: glob || base.glob })
            }
            Spot::Somewhere { tail: base, .. } => {
                Spot::Somewhere { tail: [base.as_slice(), tail].concat(), glob }
            }
        };
        bases.into_iter().map(longer).collect()
    }

    fn variable(&self, name: &[u8], command: &Command, steps: usize) -> Vec<Spot> {
        let at = |path: Vec<u8>| vec![Spot::At(Located { path, glob: false })];
        let assigned = self.reading.assigned_to(name);
        if steps > 0 && !assigned.is_empty() {
            let spots = |(word, from, command): &(&Word, usize, &Command)| {
                self.spots(Value { word, from: *from }, command, steps - 1)
            };
            return assigned.iter().flat_map(spots).collect();
        }
        match name {
            b"HOME" => at(self.ground.home.clone()),
            b"PWD" => self.directory(command).map(at).unwrap_or_default(),
            name if self.ground.is_temporary(name) => at(SOME_TEMPORARY.to_vec()),
            _ => Vec::new(),
        }
    }

    fn printed_place(&self, place: usize, command: &Command) -> Vec<Spot> {
        let at = |path: Vec<u8>| vec![Spot::At(Located { path, glob: false })];
        let mut inside = self.reading.within(place);
        let (Some(meaning), None) = (inside.next(), inside.next()) else { return Vec::new() };
        match meaning.prints() {
            Prints::Temporary => at(SOME_TEMPORARY.to_vec()),
            Prints::Directory => self.directory(command).map(at).unwrap_or_default(),
            Prints::Workspace => at(self.ground.root.clone()),
            Prints::Program => {
                let name = meaning.operands.last().and_then(|value| value.text()).map(base_name);
                name.map(|name| at([SOME_BIN, name].concat())).unwrap_or_default()
            }
            Prints::Nothing | Prints::Operands | Prints::Paths | Prints::Fed => Vec::new(),
        }
    }
}
