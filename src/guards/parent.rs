//! Which commands run in the shell that reads the submitted text, so that what they change there stays
//! (bash manual 3.7.3). Must never name a program: which builtins stay in the shell is policy data.

use crate::policy::Cwd;
use crate::shell::model::{Command, CommandId, Place, PlaceId, PlaceKind, Script, Word};
use std::collections::{BTreeMap, BTreeSet};

/// How many rounds look for functions that functions call; what is found later counts as not called.
const ROUNDS: usize = 64;

/// Which shell runs the commands of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shell {
    /// The one that reads the submitted text.
    Parent,
    /// The one that calls the function whose body is this place.
    Caller(PlaceId),
    /// Another, or nobody knows which: because of this place.
    Other(PlaceId),
}

/// What is known of a place.
#[derive(Clone, Copy, Debug)]
struct Standing {
    shell: Shell,
    /// Whether it lies in a branch or a loop of its function or text.
    branch: bool,
    /// The outermost loop of its function or text.
    repeated: Option<PlaceId>,
}

impl Standing {
    const TOP: Self = Self { shell: Shell::Parent, branch: false, repeated: None };
}

/// A definition of a function.
struct Function<'s> {
    name: &'s [u8],
    body: PlaceId,
    /// Where the definition itself stands.
    defined: Standing,
    /// The first command of the body.
    first: CommandId,
}

/// A command whose name is that of a function.
struct Call<'s> {
    name: &'s [u8],
    shell: Shell,
    /// The last command before which it may be repeated.
    last: CommandId,
}

/// Where every command of a script runs.
pub(super) struct Parent<'s> {
    script: &'s Script,
    cwd: &'s Cwd,
    unread: BTreeSet<PlaceId>,
    standings: Vec<Option<Standing>>,
    /// The last command so far that stands directly in a place.
    latest: Vec<Option<CommandId>>,
    /// The last command within a loop.
    ends: BTreeMap<PlaceId, CommandId>,
    functions: Vec<Function<'s>>,
    called: BTreeSet<PlaceId>,
}

impl<'s> Parent<'s> {
    pub(super) fn new(script: &'s Script, cwd: &'s Cwd) -> Self {
        let places = script.places.len();
        let mut parent = Self {
            script,
            cwd,
            unread: script.opaque.iter().filter_map(|opaque| opaque.unread).collect(),
            standings: vec![None; places],
            latest: vec![None; places],
            ends: BTreeMap::new(),
            functions: Vec::new(),
            called: BTreeSet::new(),
        };
        for (id, command) in script.commands.iter().enumerate() {
            parent.enter(id, command);
        }
        parent.follow();
        parent
    }

    /// Where a command runs: `Ok` in the parent shell, else the place that takes it elsewhere.
    pub(super) fn runs(&self, command: &Command) -> Result<(), PlaceId> {
        match self.standing(command.place).shell {
            Shell::Parent => Ok(()),
            Shell::Caller(body) if self.called.contains(&body) => Ok(()),
            Shell::Caller(place) | Shell::Other(place) => Err(place),
        }
    }

    /// Whether a command's name surely stands for a function that the text defines.
    pub(super) fn is_function(&self, id: CommandId, command: &Command) -> bool {
        let name = self.function_name(command);
        let late = self.standing(command.place).shell != Shell::Parent;
        self.functions.iter().any(|function| {
            let defined = function.defined.shell == Shell::Parent && !function.defined.branch;
            Some(function.name) == name && defined && (late || function.first < id)
        })
    }

    /// Whether a place's text is one that could not be read.
    pub(super) fn is_unread(&self, place: PlaceId) -> bool {
        self.unread.contains(&place)
    }

    fn standing(&self, place: PlaceId) -> Standing {
        let known = self.standings.get(place).copied().flatten();
        known.unwrap_or(Standing { shell: Shell::Other(place), branch: true, repeated: None })
    }

    /// Works out the places that a command is the first to stand in.
    fn enter(&mut self, id: CommandId, command: &'s Command) {
        let mut fresh = Vec::new();
        let mut next = Some(command.place);
        while let Some(place) = next.filter(|place| self.standings.get(*place).is_some_and(Option::is_none)) {
            fresh.push(place);
            next = self.script.places.get(place).and_then(|place| place.parent);
        }
        for place in fresh.into_iter().rev() {
            let standing = self.step(place, id, command);
            if let Some(slot) = self.standings.get_mut(place) {
                *slot = standing;
            }
        }
        if let Some(repeated) = self.standing(command.place).repeated {
            self.ends.insert(repeated, id);
        }
        if let Some(slot) = self.latest.get_mut(command.place) {
            *slot = Some(id);
        }
    }

    /// What a place is, by the command that is the first to stand in it.
    fn step(&mut self, at: PlaceId, first: CommandId, command: &'s Command) -> Option<Standing> {
        let place = self.script.places.get(at)?;
        let above = place.parent.map_or(Standing::TOP, |parent| self.standing(parent));
        if matches!(above.shell, Shell::Other(_)) {
            return Some(above);
        }
        if self.is_unread(at) {
            return Some(Standing { shell: Shell::Other(at), ..above });
        }
        if let PlaceKind::Function { name } = &place.kind {
            if let Some(repeated) = above.repeated {
                self.ends.insert(repeated, first);
            }
            self.functions.push(Function { name, body: at, defined: above, first });
            return Some(Standing { shell: Shell::Caller(at), ..Standing::TOP });
        }
        Some(self.within(at, above, command))
    }

    /// What a place is that lies in the parent shell or in a function.
    fn within(&self, at: PlaceId, above: Standing, command: &Command) -> Standing {
        let other = Standing { shell: Shell::Other(at), ..above };
        let repeated = Standing { branch: true, repeated: above.repeated.or(Some(at)), ..above };
        let Some(place) = self.script.places.get(at) else { return other };
        match &place.kind {
            PlaceKind::Text
            | PlaceKind::Negated
            | PlaceKind::Timed
            | PlaceKind::Group
            | PlaceKind::Variable { .. } => above,
            PlaceKind::If | PlaceKind::Case => Standing { branch: true, ..above },
            PlaceKind::While | PlaceKind::For | PlaceKind::Select => repeated,
            // An option that is not known makes what follows a guess.
            PlaceKind::Wrapper { program } => match self.owner(place) {
                Some(owner) if owner.certain <= command.certain && holds(self.cwd.keep, program) => above,
                Some(_) | None => other,
            },
            PlaceKind::Payload { program } => {
                match self.owner(place).and_then(|it| self.reads(it, program)) {
                    // What waits for a condition may run again and again.
                    Some(true) => repeated,
                    Some(false) => above,
                    None => other,
                }
            }
            PlaceKind::Background
            | PlaceKind::Pipeline { .. }
            | PlaceKind::Coproc
            | PlaceKind::Subshell
            | PlaceKind::CommandSubstitution
            | PlaceKind::ProcessSubstitution
            | PlaceKind::Function { .. }
            | PlaceKind::File { .. }
            | PlaceKind::MayVanish
            | PlaceKind::Guessed
            | PlaceKind::Reprinted => other,
        }
    }

    /// The builtin that runs its operands or reads a text in this place: the last command so far to
    /// stand in the place around it. With a path in its name it is no builtin.
    fn owner(&self, place: &Place) -> Option<&'s Command> {
        let owner = self.latest.get(place.parent?).copied().flatten()?;
        self.script.commands.get(owner).filter(|owner| is_builtin(owner))
    }

    /// Whether a builtin that reads its text in the shell in which it runs waits for a condition; `None`
    /// when it does not read it there.
    fn reads(&self, owner: &Command, program: &[u8]) -> Option<bool> {
        let text = self.cwd.texts.iter().find(|text| text.program.as_bytes() == program)?;
        let given = |condition: &&str| {
            let mut operands = owner.words.iter().skip(1).filter_map(Word::exact);
            operands.any(|word| word.eq_ignore_ascii_case(condition.as_bytes()))
        };
        let waits = !text.conditions.is_empty();
        (!waits || text.conditions.iter().any(given)).then_some(waits)
    }

    /// Finds the functions that the parent shell calls. A call before the definition is none.
    fn follow(&mut self) {
        let calls = self.calls();
        let mut names: BTreeMap<&[u8], CommandId> = BTreeMap::new();
        for _ in 0..ROUNDS {
            let before = self.called.len();
            for call in &calls {
                let last = match call.shell {
                    Shell::Parent => call.last,
                    Shell::Caller(body) if self.called.contains(&body) => CommandId::MAX,
                    Shell::Caller(_) | Shell::Other(_) => continue,
                };
                let known = names.entry(call.name).or_default();
                *known = last.max(*known);
            }
            for function in &self.functions {
                let defined = match function.defined.shell {
                    Shell::Parent => function.first,
                    Shell::Caller(body) if self.called.contains(&body) => 0,
                    Shell::Caller(_) | Shell::Other(_) => continue,
                };
                if names.get(function.name).is_some_and(|last| *last >= defined) {
                    self.called.insert(function.body);
                }
            }
            if self.called.len() == before {
                break;
            }
        }
    }

    fn calls(&self) -> Vec<Call<'s>> {
        let names: BTreeSet<&[u8]> = self.functions.iter().map(|function| function.name).collect();
        let commands = self.script.commands.iter().enumerate().filter(|_| !names.is_empty());
        let call = |(id, command): (CommandId, &'s Command)| {
            let name = self.function_name(command).filter(|name| names.contains(name))?;
            let Standing { shell, repeated, .. } = self.standing(command.place);
            let end = repeated.and_then(|repeated| self.ends.get(&repeated)).copied();
            Some(Call { name, shell, last: end.unwrap_or(id) })
        };
        commands.filter_map(call).collect()
    }

    /// The name under which the shell looks for a function; no wrapper does.
    fn function_name(&self, command: &'s Command) -> Option<&'s [u8]> {
        let mut place = self.script.places.get(command.place);
        while let Some(inner) = place.filter(|place| matches!(place.kind, PlaceKind::Variable { .. })) {
            place = inner.parent.and_then(|parent| self.script.places.get(parent));
        }
        let wrapped = place.is_some_and(|place| matches!(place.kind, PlaceKind::Wrapper { .. }));
        command.words.first().and_then(Word::exact).filter(|_| !wrapped)
    }
}

/// Whether a command's name can be that of a builtin: no path.
fn is_builtin(command: &Command) -> bool {
    command.words.first().and_then(|word| word.value.exact()).is_some_and(|name| !name.contains(&b'/'))
}

fn holds(list: &[&str], name: &[u8]) -> bool {
    list.iter().any(|known| known.as_bytes() == name)
}
