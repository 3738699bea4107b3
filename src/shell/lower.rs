//! Scan to `Script`: places, commands, redirects, in the order in which bash reads them. Total: it
//! cannot fail. Must never decide what is allowed.

use super::agree;
use super::environment::Environment;
use super::function;
use super::model::{
    Assignment, Command, CommandId, Cooked, Data, Directory, Item, Locality, Opaque, Place, PlaceId,
    PlaceKind, Redirect, Script, Separator, Word,
};
use super::output::Output;
use super::query::Queries;
use super::resolve::base_name;
use super::scan::{self, Body, Compound, CompoundKind, Element, List, Scan, Stage};
use super::word::between;
use crate::span::Span;
use std::collections::BTreeSet;

/// How deep payloads and backticks may nest; deeper is opaque.
pub const MAX_TEXTS: usize = 16;
/// How many commands, and how many words of them, are kept; what comes after is opaque.
pub const MAX_KEPT: (usize, usize) = (20_000, 120_000);

/// Where a text's bytes stand in the submitted text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// Byte `i` stands at this offset plus `i`.
    At(usize),
    /// Somewhere in this range.
    Within(Span),
}

impl Origin {
    pub(super) fn span(self, span: Span) -> Span {
        match self {
            Self::At(base) => Span::new(base + span.start, base + span.end),
            Self::Within(whole) => whole,
        }
    }
}

pub(super) fn lower(text: &[u8], queries: &Queries) -> Script {
    let mut lowerer = Lowerer::new(text, queries);
    let mut environment = Environment::default();
    lowerer.text(text, Origin::At(0), 0, &mut environment);
    lowerer.script
}

pub(super) struct Lowerer<'q> {
    pub(super) script: Script,
    pub(super) queries: &'q Queries,
    pub(super) origin: Origin,
    pub(super) texts: usize,
    /// How many lists, words and wrappers of all texts enclose what is read: as the scan counts.
    pub(super) depth: usize,
    pub(super) locality: Locality,
    /// How many enclosing branches, loops or functions make an assignment uncertain.
    pub(super) branches: usize,
    /// What the stage before may write into this one, where that is known.
    pub(super) stdin: Vec<Output>,
    pub(super) outputs: Vec<(PlaceId, Output)>,
    /// The text that is being read.
    pub(super) bytes: Vec<u8>,
    /// How many repeated readings there were.
    pub(super) again: usize,
    pipelines: usize,
    kept: usize,
    /// How many bytes of tracked values were put into words.
    pub(super) expanded: usize,
    untold: bool,
    /// Whether the list lies in a substitution that bash prints and reads again.
    pub(super) reprinted: bool,
}

impl<'q> Lowerer<'q> {
    fn new(text: &[u8], queries: &'q Queries) -> Self {
        let root = Place { parent: None, kind: PlaceKind::Text, span: Span::new(0, text.len()) };
        let newlines =
            text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
        let script = Script { source: text.to_vec(), places: vec![root], newlines, ..Script::default() };
        Self {
            script,
            queries,
            origin: Origin::At(0),
            texts: 0,
            depth: 0,
            locality: Locality::Local,
            branches: 0,
            stdin: Vec::new(),
            outputs: Vec::new(),
            bytes: Vec::new(),
            again: 0,
            pipelines: 0,
            kept: 0,
            expanded: 0,
            untold: false,
            reprinted: false,
        }
    }

    /// Reads a text of its own: the submitted one, a payload or the inside of backticks.
    pub(super) fn text(&mut self, bytes: &[u8], origin: Origin, place: PlaceId, env: &mut Environment) {
        if self.texts >= MAX_TEXTS {
            self.opaque(origin.span(Span::new(0, bytes.len())), scan::TOO_DEEP, bytes);
            self.unfollowed(bytes);
            return;
        }
        let before = std::mem::replace(&mut self.origin, origin);
        // Only a function definition looks at the text again.
        let kept = if function::may_define(bytes) { bytes.to_vec() } else { Vec::new() };
        let outer = std::mem::replace(&mut self.bytes, kept);
        let reprinted = std::mem::take(&mut self.reprinted);
        self.texts += 1;
        for scan in scan::scan(bytes, self.depth) {
            self.account(&scan, bytes, place);
            self.list(&scan.list, place, env, self.texts == 1);
            self.confirm(&scan, bytes, place);
        }
        self.texts -= 1;
        self.reprinted = reprinted;
        self.bytes = outer;
        self.origin = before;
    }

    fn account(&mut self, scan: &Scan, bytes: &[u8], text: PlaceId) {
        for (span, kind) in &scan.data {
            let span = self.origin.span(*span);
            self.script.data.push(Data { span, kind });
        }
        for fault in &scan.faults {
            let span = self.origin.span(fault.span);
            self.unread(span, fault.reason, fault.span.slice(bytes), text);
            if fault.reason == scan::TOO_DEEP {
                self.unfollowed(fault.span.slice(bytes));
            }
        }
    }

    /// What stands too deep and expands something may run what stands anywhere else.
    fn unfollowed(&mut self, bytes: &[u8]) {
        if bytes.contains(&b'$') {
            self.untold();
        }
    }

    /// Makes opaque what scan and tree read differently: the outer element in which it lies, the
    /// bodies of its heredocs included.
    fn confirm(&mut self, scan: &Scan, bytes: &[u8], text: PlaceId) {
        let elements = &scan.list.elements;
        let holder =
            |at: usize| elements.partition_point(|element| element.span.start <= at).saturating_sub(1);
        let spoilt: BTreeSet<usize> =
            agree::disagreements(scan, self.queries).into_iter().map(holder).collect();
        for index in spoilt {
            let Some(element) = elements.get(index) else { continue };
            let next = elements.get(index + 1).map(|next| next.span.start);
            let end = next.unwrap_or(scan.text.at + scan.text.bytes.len());
            let region = Span::new(element.span.start, end);
            let (span, reason) = (self.origin.span(region), "the grammar reads this differently");
            self.unread(span, reason, region.slice(bytes), text);
        }
    }

    pub(super) fn opaque(&mut self, span: Span, reason: &'static str, bytes: &[u8]) {
        self.script.opaque.push(Opaque { span, reason, bytes: bytes.to_vec(), unread: None });
    }

    /// An opaque region of a text whose syntax could not be read.
    fn unread(&mut self, span: Span, reason: &'static str, bytes: &[u8], text: PlaceId) {
        self.script.opaque.push(Opaque { span, reason, bytes: bytes.to_vec(), unread: Some(text) });
    }

    pub(super) fn place(&mut self, parent: PlaceId, kind: PlaceKind, span: Span) -> PlaceId {
        self.script.places.push(Place { parent: Some(parent), kind, span });
        self.script.places.len() - 1
    }

    pub(super) fn list(&mut self, list: &List, place: PlaceId, env: &mut Environment, outer: bool) {
        self.depth += 1;
        let mut background = background_runs(list);
        let mut before = Separator::End;
        for (index, element) in list.elements.iter().enumerate() {
            if let Some(previous) = index.checked_sub(1).and_then(|at| list.elements.get(at)) {
                self.rejoin(previous, element, place, env);
            }
            let asynchronous = background.next().unwrap_or(false);
            let span = self.origin.span(element.span);
            let mut inside = place;
            let mut own = env.clone();
            if asynchronous {
                inside = self.place(place, PlaceKind::Background, span);
            }
            let scope = if asynchronous { &mut own } else { &mut *env };
            // What stands behind `&&` or `||` may not run, and where bash may lose a `;` commands are
            // other ones: what they assign is possible.
            let conditional = matches!(before, Separator::And | Separator::Or) || self.reprinted;
            let conditional = usize::from(conditional);
            self.branches += conditional;
            let command = self.element(element, inside, scope);
            self.branches -= conditional;
            before = element.separator;
            if outer {
                self.script.items.push(Item { span, separator: element.separator, command });
            }
        }
        self.depth -= 1;
    }

    /// A pipeline; the command when it is one simple command and nothing else.
    fn element(&mut self, element: &Element, place: PlaceId, env: &mut Environment) -> Option<CommandId> {
        let span = self.origin.span(element.span);
        let mut inside = place;
        if element.negated {
            inside = self.place(inside, PlaceKind::Negated, span);
        }
        if element.timed {
            inside = self.place(inside, PlaceKind::Timed, span);
        }
        let bare = !element.negated && !element.timed;
        if let [stage] = element.stages.as_slice() {
            let command = self.stage(stage, inside, env);
            return command.filter(|_| bare);
        }
        self.pipelines += 1;
        let (pipeline, of) = (self.pipelines, element.stages.len());
        let before = self.stdin.clone();
        for (stage, body) in element.stages.iter().enumerate() {
            let kind = PlaceKind::Pipeline { pipeline, stage, of };
            let here = self.place(inside, kind, self.origin.span(body.span));
            let mut own = env.clone();
            self.stage(body, here, &mut own);
            self.stdin = self.place_outputs(here);
        }
        self.stdin = before;
        None
    }

    fn stage(&mut self, stage: &Stage, place: PlaceId, env: &mut Environment) -> Option<CommandId> {
        let mut inside = place;
        if stage.coproc {
            // It sets variables, whose name may be written before the command.
            env.doubt_all();
            inside = self.place(inside, PlaceKind::Coproc, self.origin.span(stage.span));
        }
        match &stage.body {
            Body::Simple(simple) => {
                let id = self.simple(simple, stage.span, inside, env)?;
                (!stage.coproc).then_some(id)
            }
            Body::Compound(compound) => {
                self.compound(compound, stage.span, inside, env);
                None
            }
        }
    }

    fn compound(&mut self, compound: &Compound, span: Span, place: PlaceId, env: &mut Environment) {
        let kind = match compound.kind {
            CompoundKind::Subshell => PlaceKind::Subshell,
            CompoundKind::Group => PlaceKind::Group,
            CompoundKind::If => PlaceKind::If,
            CompoundKind::While => PlaceKind::While,
            CompoundKind::For => PlaceKind::For,
            CompoundKind::Select => PlaceKind::Select,
            CompoundKind::Case => PlaceKind::Case,
            CompoundKind::Function => PlaceKind::Function { name: compound.name.clone() },
            CompoundKind::Test => return self.test(compound, span, place, env),
        };
        let inside = self.place(place, kind, self.origin.span(span));
        let redirects = self.redirects(&compound.redirects, inside, env);
        let words = self.words(&compound.words, inside, env);
        let loops = matches!(compound.kind, CompoundKind::For | CompoundKind::Select);
        let arguments = env.get(b"@").map(|list| list.values.concat()).filter(|_| words.is_empty());
        let stdin = self.redirected(&redirects).map(|fed| std::mem::replace(&mut self.stdin, fed));
        if !redirects.is_empty() {
            // A command of redirects alone stands for those of the compound command.
            let command = Command { place: inside, redirects, ..self.blank(span, env) };
            self.push(command);
        }
        let own = compound.kind == CompoundKind::Subshell;
        let branching = !matches!(compound.kind, CompoundKind::Subshell | CompoundKind::Group);
        let mut copy = env.clone();
        let scope = if own { &mut copy } else { env };
        if loops {
            // Without words a loop takes the arguments.
            let values = words.iter().flat_map(Word::values).cloned().chain(arguments.into_iter().flatten());
            scope.doubt(&compound.name);
            values.for_each(|value| scope.assign(&compound.name, vec![value], true));
        }
        self.branches += usize::from(branching);
        let directory = scope.directory.clone();
        for list in &compound.lists {
            self.list(list, inside, scope, false);
            if branching && scope.directory != directory {
                scope.directory = Directory::Unknown;
            }
        }
        self.branches -= usize::from(branching);
        if compound.kind == CompoundKind::Function {
            self.define(compound, scope);
        }
        if let Some(stdin) = stdin {
            self.stdin = stdin;
        }
    }

    /// `[[ ]]` and `(( ))`: they expand words, but execute nothing by themselves.
    fn test(&mut self, compound: &Compound, span: Span, place: PlaceId, env: &mut Environment) {
        if self.full() {
            return self.too_many(span);
        }
        let words: Vec<Word> =
            compound.words.iter().flat_map(|word| self.operand(word, place, env)).collect();
        self.tested(&words, place, env);
        let redirects = self.redirects(&compound.redirects, place, env);
        let command = Command { place, redirects, ..self.blank(span, env) };
        self.push(command);
    }

    pub(super) fn blank(&self, span: Span, env: &Environment) -> Command {
        Command {
            span: self.origin.span(span),
            certain: true,
            locality: self.locality,
            directory: env.directory.clone(),
            ..Command::default()
        }
    }

    /// The same for a span of the submitted text.
    pub(super) fn blank_at(&self, span: Span, env: &Environment) -> Command {
        Command { span, ..self.blank(Span::default(), env) }
    }

    pub(super) fn push(&mut self, command: Command) -> CommandId {
        self.kept += command.words.len();
        self.script.commands.push(command);
        self.script.commands.len() - 1
    }

    pub(super) fn simple(
        &mut self,
        simple: &scan::Simple,
        span: Span,
        place: PlaceId,
        env: &mut Environment,
    ) -> Option<CommandId> {
        if self.full() {
            self.too_many(span);
            return None;
        }
        let id = self.push(Command { place, ..self.blank(span, env) });
        let assignments = self.assignments(&simple.assignments, place, env);
        let arrays = self.assignments(&simple.arrays, place, env);
        let (mut variants, mut others) = (Vec::new(), Vec::new());
        let mut words = Vec::new();
        for (index, word) in simple.words.iter().enumerate() {
            let fields = self.word(word, place, env);
            let at = words.len()..words.len() + fields.words.len();
            if index == 0 || words.is_empty() {
                if fields.more {
                    self.opaque_at(word.span, "a command word that may be too many things");
                }
                variants = fields.variants;
            } else {
                others.extend(fields.variants.into_iter().map(|variant| (at.clone(), variant)));
            }
            words.extend(fields.words);
        }
        let redirects = self.redirects(&simple.redirects, place, env);
        let alone = words.is_empty();
        for assignment in assignments.iter().filter(|_| alone) {
            self.track(assignment, env);
            self.evaluate_marked(assignment, place, env);
        }
        let place = self.variable_place(&variants, place, self.origin.span(span));
        self.kept += words.len();
        if let Some(command) = self.script.commands.get_mut(id) {
            command.place = place;
            command.words = words;
            command.assignments = assignments;
            command.redirects = redirects;
        }
        self.follow_lost(id, env);
        self.variants(id, &variants, env);
        self.other_variants(id, others, env);
        self.resolve(id, env, 0);
        self.call(id, env);
        self.builtin(id, env);
        arrays.iter().for_each(|array| self.track(array, env));
        Some(id)
    }

    /// Whether a limit is reached.
    pub(super) fn full(&self) -> bool {
        self.script.commands.len() >= MAX_KEPT.0 || self.kept >= MAX_KEPT.1
    }

    /// A command whose name, or whose operands where they are commands or text, may have a value that a
    /// limit kept out.
    fn follow_lost(&mut self, id: CommandId, env: &Environment) {
        let Some(command) = self.script.commands.get(id) else { return };
        let lost = |word: &Word| word.variables.iter().any(|name| env.lost(name));
        let Some((name, operands)) = command.words.split_first() else { return };
        let follows = || match name.exact() {
            Some(name) => self.queries.programs(base_name(name)).next().is_some(),
            None => true,
        };
        if lost(name) || operands.iter().any(lost) && follows() {
            self.untold();
        }
    }

    /// Values that a limit keeps out make the whole text opaque: they can come from anywhere in it.
    pub(super) fn untold(&mut self) {
        if !std::mem::replace(&mut self.untold, true) {
            let bytes = std::mem::take(&mut self.script.source);
            self.opaque(Span::new(0, bytes.len()), "values too many or too large to follow", &bytes);
            self.script.source = bytes;
        }
    }

    /// Makes a span of the text that is being read opaque.
    pub(super) fn opaque_at(&mut self, span: Span, reason: &'static str) {
        let span = self.origin.span(span);
        let bytes = span.slice(&self.script.source).to_vec();
        self.opaque(span, reason, &bytes);
    }

    fn too_many(&mut self, span: Span) {
        let at = self.origin.span(span);
        let bytes = at.slice(&self.script.source).to_vec();
        match self.script.opaque.last_mut().filter(|last| last.reason == "too many commands") {
            Some(last) => {
                last.span = last.span.cover(at);
                last.bytes.push(b'\n');
                last.bytes.extend_from_slice(&bytes);
            }
            None => self.opaque(at, "too many commands", &bytes),
        }
    }

    fn assignments(
        &mut self,
        raw: &[scan::Assignment],
        place: PlaceId,
        env: &mut Environment,
    ) -> Vec<Assignment> {
        let mut assignments = Vec::new();
        for assignment in raw {
            if !assignment.subscript.is_empty() {
                self.expand_only(&assignment.subscript, place, env);
                self.evaluate(&assignment.subscript, &[], place, env);
            }
            let mut value = Vec::new();
            let mut others: Vec<Vec<Word>> = Vec::new();
            for word in &assignment.value {
                if !assignment.array {
                    value.extend(self.operand(word, place, env));
                    continue;
                }
                let fields = self.word(word, place, env);
                others.iter_mut().for_each(|other| other.extend(fields.words.iter().cloned()));
                let further = fields.variants.into_iter().filter(|variant| !variant.own);
                others.extend(further.map(|variant| [value.as_slice(), &variant.words].concat()));
                value.extend(fields.words);
            }
            let span = self.origin.span(assignment.span);
            let name = assignment.name.clone();
            let scan::Assignment { append, array, keyed, .. } = *assignment;
            let assignment = Assignment { name, append, array, keyed, value, others, span };
            self.shell_variable(&assignment, place, env);
            assignments.push(assignment);
        }
        assignments
    }

    /// Remembers an assignment for what comes later in the text.
    pub(super) fn track(&self, assignment: &Assignment, env: &mut Environment) {
        let Assignment { name, array, keyed, .. } = assignment;
        let possible = self.branches > 0;
        let all: Vec<Cooked> = assignment.value.iter().map(|word| word.value.clone()).collect();
        let others: Vec<Cooked> = match assignment.value.first().filter(|_| !array) {
            Some(word) => word.alternatives.iter().cloned().chain(between(word)).collect(),
            None => Vec::new(),
        };
        if *keyed && !array {
            // One element changes, the others stay.
            return all.into_iter().chain(others).for_each(|value| env.assign_element(name, value));
        }
        let lost = |word: &Word| word.variables.iter().any(|name| env.lost(name));
        let lost = assignment.value.iter().any(lost);
        if assignment.append {
            env.append(name, &all, *array, possible);
            others.into_iter().for_each(|value| env.assign(name, vec![value], true));
        } else if *array {
            env.assign(name, all, possible);
        } else {
            env.set(name, all.into_iter().chain(others).collect(), possible);
        }
        if *keyed {
            env.key(name);
        }
        if lost {
            env.lose(name);
        }
        for list in &assignment.others {
            let list: Vec<Cooked> = list.iter().map(|word| word.value.clone()).collect();
            if assignment.append {
                env.append(name, &list, true, true);
            } else {
                env.assign(name, list, true);
            }
        }
    }

    pub(super) fn redirects(
        &mut self,
        raw: &[scan::Redirect],
        place: PlaceId,
        env: &mut Environment,
    ) -> Vec<Redirect> {
        let mut redirects = Vec::new();
        for redirect in raw {
            let target = redirect.target.as_ref().map(|word| self.operand(word, place, env));
            let target = target.and_then(|words| words.into_iter().next());
            let scan::Redirect { kind, descriptor, span, .. } = *redirect;
            redirects.push(Redirect { kind, descriptor, target, span: self.origin.span(span) });
        }
        redirects
    }

    fn words(&mut self, raw: &[scan::Word], place: PlaceId, env: &mut Environment) -> Vec<Word> {
        let fields = |fields: super::word::Fields| {
            fields.words.into_iter().chain(fields.variants.into_iter().flat_map(|variant| variant.words))
        };
        raw.iter().flat_map(|word| fields(self.word(word, place, env))).collect()
    }
}

/// For each element, whether `&` ends the and-or list that it belongs to (bash manual 3.2.4).
fn background_runs(list: &List) -> impl Iterator<Item = bool> {
    let mut flags = Vec::with_capacity(list.elements.len());
    let mut asynchronous = false;
    for element in list.elements.iter().rev() {
        match element.separator {
            Separator::Background => asynchronous = true,
            Separator::And | Separator::Or => {}
            Separator::Semicolon | Separator::Newline | Separator::End => asynchronous = false,
        }
        flags.push(asynchronous);
    }
    flags.into_iter().rev()
}
