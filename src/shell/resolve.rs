//! Wrappers unwrapped and sinks' payloads read, by the tables of `queries/`. Must never know a
//! program by name, except the shell's own builtins whose operands are text.

use super::environment::Environment;
use super::lower::{Lowerer, Origin};
use super::model::{Command, CommandId, Cooked, Locality, PlaceKind, UNKNOWN_OPTION, Word};
use super::output::{Output, is_read, is_text};
use super::query::{Names, Operands, Program};
use crate::span::Span;

/// How many wrappers may stand before one another; beyond, the rest is opaque.
const MAX_WRAPPERS: usize = 32;

/// How many commands one program may be given (`find -exec`); what comes after is opaque.
const MAX_GIVEN: usize = 64;

/// At how many words behind an unknown option a command may begin; what comes after is opaque alone.
const MAX_GUESSED: usize = 12;

/// How many words from the start may be nothing.
const MAX_OPEN: usize = 6;

/// A command that is being followed.
pub(super) struct Followed<'c> {
    pub(super) id: CommandId,
    pub(super) command: &'c Command,
    pub(super) base: &'c [u8],
    pub(super) depth: usize,
}

/// Where the walk over a program's words came to.
#[derive(Debug, Default)]
struct Walk {
    /// Indices of words that are shell text.
    texts: Vec<usize>,
    /// Shell text glued to its option: word index and offset in its exact value.
    glued: Vec<(usize, usize)>,
    /// Ranges of words that are commands (`find -exec`).
    commands: Vec<std::ops::Range<usize>>,
    /// First operand that is not skipped.
    operand: Option<usize>,
    /// Whether the first operand is the text (`bash -c`).
    text_operand: bool,
    /// Assignments among the operands.
    assignments: Vec<usize>,
    /// Whether the options say that nothing is executed.
    inert: bool,
    /// Index of a word that could not be understood.
    unknown: Option<usize>,
}

/// Whether `-s` says that operands are arguments and the text comes on standard input (POSIX `sh`).
fn reads_stdin(options: &[Word]) -> bool {
    options
        .iter()
        .filter_map(|word| word.value.exact())
        .any(|option| option.starts_with(b"-") && !option.starts_with(b"--") && option.contains(&b's'))
}

/// Whether `-c` only marks that the first operand is text, as in shells (`bash -c -l TEXT`).
fn text_is_operand(program: &Program<'_>) -> bool {
    program.operands == Operands::File && program.skip == 0
}

/// What one option does to the walk.
enum Effect {
    Flag,
    Takes,
    Text,
    Exec,
    Inert,
}

impl Lowerer<'_> {
    /// Follows a command into what it runs.
    pub(super) fn resolve(&mut self, id: CommandId, env: &mut Environment, depth: usize) {
        self.depth += 1;
        self.follow(id, env, depth);
        self.depth -= 1;
    }

    fn follow(&mut self, id: CommandId, env: &mut Environment, depth: usize) {
        let Some(command) = self.script.commands.get(id) else { return };
        let Some(name) = command.words.first().and_then(|word| word.value.exact()) else { return };
        let base = base_name(name).to_vec();
        let mut programs = self.queries.programs(&base).peekable();
        if programs.peek().is_none() && base != b"alias" {
            return;
        }
        let command = command.clone();
        if depth > MAX_WRAPPERS || self.full() {
            if programs.peek().is_some() {
                self.opaque_words(&command, 0, "wrapped too deeply");
                // It may read its commands from anywhere, too.
                self.untold();
            }
            return;
        }
        if programs.peek().is_some() {
            self.without_unknown(id, &command, env, depth);
        }
        for program in programs {
            let Some(start) = subcommand(&program, &command.words) else { continue };
            let walk = walk(&program, &command.words, start);
            let followed = Followed { id, command: &command, base: &base, depth };
            self.run_by_operands(&followed, &program, env);
            self.apply(&followed, &program, &walk, env);
        }
        if base == b"alias" {
            self.alias(&command, env);
        }
    }

    /// A word that is not known may be nothing, or only the part of it that is known: options behind
    /// it count, too (`bash $x -c TEXT`).
    fn without_unknown(&mut self, id: CommandId, command: &Command, env: &mut Environment, depth: usize) {
        let bare =
            |word: &Word| word.value.exact().is_none() && !(word.quoted && word.alternatives.is_empty());
        let open = command.words.iter().take(MAX_OPEN).skip(1).position(bare);
        let Some(at) = open.map(|at| at + 1).filter(|at| at + 1 < command.words.len()) else { return };
        let Some(word) = command.words.get(at) else { return };
        let known = match &word.value {
            Cooked::Affix { head, tail } => Some(Cooked::Exact([head.as_slice(), tail].concat())),
            Cooked::Opaque | Cooked::Exact(_) | Cooked::Pattern(_) => None,
        };
        let nothing = matches!(word.value, Cooked::Opaque) && !word.quoted;
        for value in nothing.then_some(None).into_iter().chain(known.into_iter().map(Some)) {
            self.with_word(id, command, at, value, env, depth);
        }
        for value in &word.alternatives {
            self.with_word(id, command, at, Some(value.clone()), env, depth);
        }
    }

    /// The command with another value for one word, or without it.
    fn with_word(
        &mut self,
        id: CommandId,
        command: &Command,
        at: usize,
        value: Option<Cooked>,
        env: &mut Environment,
        depth: usize,
    ) {
        let mut words = command.words.clone();
        match (value, words.get_mut(at)) {
            (Some(value), Some(word)) => {
                *word = Word { value, alternatives: Vec::new(), template: None, ..word.clone() };
            }
            _ => drop(words.remove(at)),
        }
        let place = self.place(command.place, PlaceKind::MayVanish, command.span);
        let further = Command { place, words, certain: false, outer: Some(id), ..command.clone() };
        let further = self.push(further);
        self.resolve(further, env, depth + 1);
    }

    fn apply(&mut self, followed: &Followed<'_>, program: &Program<'_>, walk: &Walk, env: &mut Environment) {
        let Followed { command, base, .. } = followed;
        if walk.inert {
            return;
        }
        if let Some(at) = walk.unknown {
            self.opaque_words(command, at, UNKNOWN_OPTION);
            let mut rest = at + 1;
            while command.words.get(rest).is_some_and(is_option) {
                rest += 1;
            }
            self.inner(followed, rest..command.words.len(), false, env);
            self.guessed(followed, rest + 1, env);
            return;
        }
        // Another shell sees exported variables alone: what is known here is possible there.
        let mut other = env.clone();
        let env = if program.sink && !same_shell(base) {
            other.doubt_all();
            &mut other
        } else {
            env
        };
        let before = self.locality;
        if program.locality != Locality::Local {
            self.locality = program.locality;
        }
        for range in walk.commands.iter().take(MAX_GIVEN) {
            self.inner(followed, range.clone(), true, env);
        }
        if let Some(rest) = walk.commands.get(MAX_GIVEN) {
            self.opaque_words(command, rest.start, "too many commands of one program");
        }
        let text = walk.texts.first().copied().or(walk.glued.first().map(|(at, _)| *at));
        if let Some(at) = text.filter(|_| program.rest) {
            let from = walk.glued.first().filter(|(glued, _)| *glued == at).map_or(0, |(_, from)| *from);
            self.text_with_rest(command, base, at, from, env);
            self.locality = before;
            return;
        }
        for index in &walk.texts {
            if let Some(word) = command.words.get(*index) {
                self.payload_word(command, base, word, env);
            }
        }
        for (index, from) in &walk.glued {
            if let Some(word) = command.words.get(*index) {
                let bytes =
                    word.value.exact().and_then(|bytes| bytes.get(*from..)).unwrap_or_default().to_vec();
                self.payload(command, base, &bytes, Origin::Within(word.span), env);
            }
        }
        if walk.assignments.is_empty() {
            self.operands(followed, program, walk, env);
        } else {
            let mut own = env.clone();
            for word in walk.assignments.iter().filter_map(|at| command.words.get(*at)) {
                let Some((name, value)) = word.exact().and_then(named) else { continue };
                own.assign(name, vec![Cooked::Exact(value.to_vec())], false);
            }
            self.operands(followed, program, walk, &mut own);
        }
        self.locality = before;
    }

    fn operands(
        &mut self,
        followed: &Followed<'_>,
        program: &Program<'_>,
        walk: &Walk,
        env: &mut Environment,
    ) {
        let Followed { command, base, .. } = followed;
        let end = command.words.len();
        let Some(first) = walk.operand else {
            if program.stdin && !walk.text_operand && walk.texts.is_empty() && walk.glued.is_empty() {
                self.stdin_payload(command, base, env);
            }
            if program.feeds {
                self.fed(followed, program, end..end, env);
            }
            return;
        };
        let operands = command.words.get(first..).unwrap_or_default();
        if program.stdin && !walk.text_operand && reads_stdin(command.words.get(1..first).unwrap_or_default())
        {
            let mut own = env.clone();
            self.arguments(&operands.iter().collect::<Vec<_>>(), &mut own);
            return self.stdin_payload(command, base, &mut own);
        }
        if walk.text_operand {
            let mut own = env.clone();
            let values: Vec<&Word> = operands.iter().skip(2).collect();
            self.arguments(&values, &mut own);
            if let Some(zero) = operands.get(1) {
                own.assign(b"0", vec![zero.value.clone()], false);
            }
            if let Some(word) = operands.first() {
                self.payload_word(command, base, word, &mut own);
            }
            return;
        }
        match program.operands {
            Operands::Command => {
                self.inner(followed, first..end, true, env);
                if program.feeds {
                    self.fed(followed, program, first..end, env);
                }
            }
            Operands::Join if !program.arguments.is_empty() => {
                self.with_arguments(command, base, program, operands, env);
            }
            Operands::Join => self.joined(command, base, operands, env),
            Operands::First => {
                if let Some(word) = operands.first() {
                    self.payload_word(command, base, word, env);
                }
            }
            Operands::File => self.file(followed, first, env),
            Operands::Nothing => {}
        }
    }

    /// Commands that may begin at later words, when the words before may be an option's arguments. Among
    /// these nothing more is guessed: each later word has had its turn.
    fn guessed(&mut self, followed: &Followed<'_>, from: usize, env: &mut Environment) {
        let command = followed.command;
        if self.script.kinds(command.place).any(|kind| *kind == PlaceKind::Guessed) {
            return;
        }
        let place = self.place(command.place, PlaceKind::Guessed, command.span);
        let command = Command { place, ..command.clone() };
        let followed = Followed { command: &command, ..*followed };
        let words = command.words.len();
        for at in (from..words).take(MAX_GUESSED) {
            self.inner(&followed, at..words, false, &mut env.clone());
        }
    }

    /// Words of a command behind a wrapper.
    fn inner(
        &mut self,
        followed: &Followed<'_>,
        range: std::ops::Range<usize>,
        certain: bool,
        env: &mut Environment,
    ) {
        let words = followed.command.words.get(range).unwrap_or_default().to_vec();
        self.inner_words(followed, words, certain, env);
    }

    /// A command that a wrapper runs.
    pub(super) fn inner_words(
        &mut self,
        followed: &Followed<'_>,
        words: Vec<Word>,
        certain: bool,
        env: &mut Environment,
    ) {
        let Followed { id, command, base, depth } = *followed;
        let Some(first) = words.first().cloned() else { return };
        let kind = PlaceKind::Wrapper { program: base.to_vec() };
        let place = self.place(command.place, kind, command.span);
        let certain = certain && command.certain;
        let alternatives: Vec<Cooked> = first.alternatives.clone();
        let inner = Command {
            place,
            words: words.clone(),
            certain,
            locality: self.locality,
            outer: Some(id),
            assignments: Vec::new(),
            ..command.clone()
        };
        let inner_id = self.push(inner.clone());
        self.resolve(inner_id, env, depth + 1);
        for value in alternatives {
            let mut words = words.clone();
            if let Some(first) = words.first_mut() {
                *first = Word { value, alternatives: Vec::new(), ..first.clone() };
            }
            let further = self.push(Command { words, certain: false, ..inner.clone() });
            self.resolve(further, env, depth + 1);
        }
    }

    fn payload_word(&mut self, command: &Command, base: &[u8], word: &Word, env: &mut Environment) {
        for value in word.values() {
            if let Some(bytes) = value.exact() {
                let origin = self.origin_of(word, bytes);
                self.payload(command, base, bytes, origin, env);
            }
        }
        match &word.template {
            Some(template) if template.is_empty() => {
                let bytes = word.span.slice(&self.script.source).to_vec();
                self.opaque(word.span, "a text too large to follow", &bytes);
            }
            Some(template) => self.payload(command, base, template, Origin::Within(word.span), env),
            None => {}
        }
        if word.exact().is_none() && matches!(base, b"eval" | b"source" | b"." | b"trap") {
            env.doubt_all();
        }
    }

    /// A text at a word, and the words behind it as further words of it.
    fn text_with_rest(
        &mut self,
        command: &Command,
        base: &[u8],
        at: usize,
        from: usize,
        env: &mut Environment,
    ) {
        let mut words = command.words.get(at..).unwrap_or_default().iter();
        let Some(word) = words.next() else { return };
        if words.len() == 0 && from == 0 {
            return self.payload_word(command, base, word, env);
        }
        let quoted = |word: &Word| match word.value.exact() {
            Some(bytes) => [
                b"'",
                bytes.split(|byte| *byte == b'\'').collect::<Vec<_>>().join(&b"'\\''"[..]).as_slice(),
                b"'",
            ]
            .concat(),
            None => super::reading::UNKNOWN.to_vec(),
        };
        let mut text = shown(word).get(from..).unwrap_or_default().to_vec();
        for word in words {
            text.push(b' ');
            text.extend(quoted(word));
        }
        self.payload(command, base, &text, Origin::Within(command.span), env);
    }

    /// Where a word's text stands: byte for byte when it is written plainly.
    fn origin_of(&self, word: &Word, bytes: &[u8]) -> Origin {
        let written = word.span.slice(&self.script.source);
        let found = !bytes.is_empty() && bytes.len() <= written.len();
        let at =
            found.then(|| (0..3).find(|at| written.get(*at..).is_some_and(|rest| rest.starts_with(bytes))));
        match at.flatten() {
            Some(at) => Origin::At(word.span.start + at),
            None => Origin::Within(word.span),
        }
    }

    /// A text that a program reads as shell.
    pub(super) fn payload(
        &mut self,
        command: &Command,
        base: &[u8],
        bytes: &[u8],
        origin: Origin,
        env: &mut Environment,
    ) {
        let kind = PlaceKind::Payload { program: base.to_vec() };
        let span = origin.span(Span::new(0, bytes.len()));
        let place = self.place(command.place, kind, span);
        let before = self.locality;
        if self.locality == Locality::Local {
            self.locality = command.locality;
        }
        // Assignments before the command reach its text.
        let mut own = env.clone();
        for assignment in &command.assignments {
            self.track(assignment, &mut own);
        }
        match base {
            // These run here and may change what comes later; `trap` may do so at any time.
            b"eval" | b"source" | b"." => {
                *env = own;
                self.text(bytes, origin, place, env);
            }
            b"trap" => {
                self.branches += 1;
                self.text(bytes, origin, place, env);
                self.branches -= 1;
            }
            _ => self.text(bytes, origin, place, &mut own),
        }
        self.locality = before;
    }

    /// `eval a b`: the words joined with blanks.
    pub(super) fn joined(&mut self, command: &Command, base: &[u8], words: &[Word], env: &mut Environment) {
        if let [word] = words {
            return self.payload_word(command, base, word, env);
        }
        let known: Vec<&[u8]> =
            words.iter().filter_map(|word| word.values().find_map(Cooked::exact)).collect();
        let span = words.iter().map(|word| word.span).reduce(Span::cover).unwrap_or_default();
        if known.len() == words.len() {
            self.payload(command, base, &known.join(&b' '), Origin::Within(span), env);
            return;
        }
        // Unknown words stand as an expansion of nothing that is tracked.
        let text: Vec<Vec<u8>> = words.iter().map(shown).collect();
        self.payload(command, base, &text.join(&b' '), Origin::Within(span), env);
    }

    /// A file that is executed, or the text of a process substitution.
    fn file(&mut self, followed: &Followed<'_>, first: usize, env: &mut Environment) {
        let Followed { id, command, base, .. } = *followed;
        let Some(word) = command.words.get(first).cloned() else { return };
        if !self.written_text(command, base, &word, env) && matches!(base, b"source" | b".") {
            env.doubt_all();
        }
        if let Some(b"/dev/stdin" | b"/dev/fd/0" | b"-") = word.exact() {
            return self.stdin_payload(command, base, env);
        }
        let place = self.place(command.place, PlaceKind::File { program: base.to_vec() }, word.span);
        let words = command.words.get(first..).unwrap_or_default().to_vec();
        let file = Command {
            place,
            words,
            outer: Some(id),
            assignments: Vec::new(),
            certain: command.certain,
            ..command.clone()
        };
        self.push(file);
    }

    /// Shell text on standard input: a here-document, a here-string, a file or a literal producer.
    fn stdin_payload(&mut self, command: &Command, base: &[u8], env: &mut Environment) {
        for redirect in command.redirects.iter().rev().filter(|redirect| redirect.descriptor == 0) {
            let Some(word) = &redirect.target else { continue };
            if is_text(redirect.kind) {
                let mut word = word.clone();
                if let Cooked::Exact(bytes) = &mut word.value
                    && bytes.ends_with(b"\\")
                {
                    // The newline that a here-string gets joins lines here.
                    bytes.push(b'\n');
                }
                return self.payload_word(command, base, &word, env);
            }
            if is_read(redirect.kind) {
                return self.read_file(command, base, word, env);
            }
        }
        for Output { bytes, span, .. } in self.stdin.clone() {
            self.payload(command, base, &bytes, Origin::Within(span), env);
        }
    }

    /// The texts of the process substitutions in a file operand; whether there are any.
    fn written_text(&mut self, command: &Command, base: &[u8], word: &Word, env: &mut Environment) -> bool {
        let from = |(place, _): &&(_, _)| word.substitutions.contains(place);
        let outputs: Vec<Output> =
            self.outputs.iter().filter(from).map(|(_, output)| output.clone()).collect();
        for output in &outputs {
            self.payload(command, base, &output.bytes, output.origin(), env);
        }
        !outputs.is_empty()
    }

    pub(super) fn read_file(&mut self, command: &Command, base: &[u8], word: &Word, env: &mut Environment) {
        if self.written_text(command, base, word, env) {
            return;
        }
        let place = self.place(command.place, PlaceKind::File { program: base.to_vec() }, word.span);
        let file = Command { place, words: vec![word.clone()], assignments: Vec::new(), ..command.clone() };
        self.push(file);
    }

    /// `alias name=text`: the text is a command later on.
    fn alias(&mut self, command: &Command, env: &mut Environment) {
        for word in command.words.iter().skip(1) {
            let Some(bytes) = word.value.exact() else { continue };
            if let Some(at) = bytes.iter().position(|byte| *byte == b'=') {
                let text = bytes.get(at + 1..).unwrap_or_default().to_vec();
                self.payload(command, b"alias", &text, Origin::Within(word.span), &mut env.clone());
            }
        }
    }

    fn opaque_words(&mut self, command: &Command, from: usize, reason: &'static str) {
        let words = command.words.get(from..).unwrap_or_default();
        let span = words.iter().map(|word| word.span).reduce(Span::cover).unwrap_or(command.span);
        let bytes = words.iter().map(shown).collect::<Vec<_>>().join(&b' ');
        self.opaque(span, reason, &bytes);
    }
}

/// Builtins whose texts run in the shell itself.
fn same_shell(base: &[u8]) -> bool {
    matches!(base, b"eval" | b"source" | b"." | b"trap" | b"alias")
}

/// What is known of a word, unknown parts as an empty expansion.
fn shown(word: &Word) -> Vec<u8> {
    if let Some(template) = word.template.as_ref().filter(|template| !template.is_empty()) {
        return template.clone();
    }
    match &word.value {
        Cooked::Exact(bytes) | Cooked::Pattern(bytes) => bytes.clone(),
        Cooked::Affix { head, tail } => [head.as_slice(), super::reading::UNKNOWN, tail].concat(),
        Cooked::Opaque => super::reading::UNKNOWN.to_vec(),
    }
}

/// `NAME=VALUE`
fn named(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = word.iter().position(|byte| *byte == b'=')?;
    Some((word.get(..at)?, word.get(at + 1..)?))
}

/// The last part of a path.
pub(super) fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

fn is_option(word: &Word) -> bool {
    match &word.value {
        Cooked::Exact(bytes) | Cooked::Pattern(bytes) => bytes.len() > 1 && bytes.starts_with(b"-"),
        Cooked::Affix { head, .. } => head.starts_with(b"-"),
        Cooked::Opaque => false,
    }
}

/// Steps over a program's subcommand words; `None` when they are not there.
fn subcommand(program: &Program<'_>, words: &[Word]) -> Option<usize> {
    let mut at = 1;
    for wanted in program.subcommand.iter() {
        while let Some(word) = words.get(at).filter(|word| is_option(word)) {
            let name = word.value.exact().unwrap_or_default();
            at += 1 + usize::from(program.options.contains(name));
        }
        if words.get(at)?.value.exact()? != wanted.as_bytes() {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// Walks over options and skipped operands.
fn walk(program: &Program<'_>, words: &[Word], start: usize) -> Walk {
    let mut walk = Walk::default();
    let mut skip = program.skip;
    let mut at = start;
    let mut options = true;
    while let Some(word) = words.get(at) {
        let exact = word.value.exact();
        if let (true, Some(bytes)) = (options, exact.filter(|bytes| bytes == b"--")) {
            if program.exec.contains(bytes) {
                walk.commands.push(at + 1..words.len());
                return walk;
            }
            options = false;
            at += 1;
            continue;
        }
        let optional = exact.is_some_and(|bytes| {
            bytes.len() > 1 && (bytes.starts_with(b"-") || (bytes.starts_with(b"+") && known_plus(program)))
        });
        if options && optional {
            match option(program, words, at, &mut walk) {
                Some(next) => at = next,
                None => {
                    walk.unknown = Some(at);
                    return walk;
                }
            }
            let text = !walk.texts.is_empty() || !walk.glued.is_empty();
            if walk.inert || (program.rest && text) {
                return walk;
            }
            continue;
        }
        if options && exact == Some(b"-") && (program.assignments || program.flags.contains(b"-")) {
            at += 1;
            continue;
        }
        if program.assignments && is_assignment(word) {
            walk.assignments.push(at);
            at += 1;
            continue;
        }
        if skip > 0 {
            skip -= 1;
            at += 1;
            continue;
        }
        if !program.exec.is_empty() && program.operands == Operands::Nothing {
            at += 1;
            continue;
        }
        walk.operand = Some(at);
        return walk;
    }
    walk
}

fn known_plus(program: &Program<'_>) -> bool {
    program.flags.iter().chain(program.options.iter()).any(|option| option.starts_with('+'))
}

fn is_assignment(word: &Word) -> bool {
    let known = match &word.value {
        Cooked::Exact(bytes) | Cooked::Pattern(bytes) => bytes,
        Cooked::Affix { head, .. } => head,
        Cooked::Opaque => return false,
    };
    known.iter().position(|byte| *byte == b'=').is_some_and(|at| at > 0)
}

/// One option word; the index behind it and its argument. `None` when it is not known.
fn option(program: &Program<'_>, words: &[Word], at: usize, walk: &mut Walk) -> Option<usize> {
    let bytes = words.get(at)?.value.exact()?;
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (name, value) = match text.split_once('=') {
        Some((name, _)) if name.starts_with("--") => (name.to_owned(), Some(name.len() + 1)),
        _ => (text.clone(), None),
    };
    if let Some(effect) = effect(program, &name) {
        return Some(take(program, words, at, value, &effect, walk));
    }
    if text.starts_with("--") {
        return program.lenient.then_some(at + 1);
    }
    cluster(program, words, at, &text, walk)
}

/// The effect of an option by its exact name, or by an abbreviation of one long name.
fn effect(program: &Program<'_>, name: &str) -> Option<Effect> {
    let exact = |table: Names<'_>| table.contains(name.as_bytes());
    let long = |table: Names<'_>| {
        name.len() > 3 && name.starts_with("--") && table.iter().any(|option| option.starts_with(name))
    };
    for found in [&exact as &dyn Fn(Names<'_>) -> bool, &long] {
        if found(program.inert) {
            return Some(Effect::Inert);
        }
        if found(program.text) {
            return Some(Effect::Text);
        }
        if found(program.exec) {
            return Some(Effect::Exec);
        }
        if found(program.options) {
            return Some(Effect::Takes);
        }
        if found(program.flags) || found(program.attached) {
            return Some(Effect::Flag);
        }
    }
    None
}

fn take(
    program: &Program<'_>,
    words: &[Word],
    at: usize,
    value: Option<usize>,
    effect: &Effect,
    walk: &mut Walk,
) -> usize {
    match effect {
        Effect::Flag => at + 1,
        Effect::Inert => {
            walk.inert = true;
            at + 1
        }
        Effect::Takes => at + 1 + usize::from(value.is_none()),
        Effect::Text if text_is_operand(program) => {
            walk.text_operand = true;
            at + 1
        }
        Effect::Text => match value {
            Some(from) => {
                walk.glued.push((at, from));
                at + 1
            }
            None => {
                walk.texts.push(at + 1);
                at + 2
            }
        },
        Effect::Exec => {
            let ends = |word: &Word| word.value.exact().is_some_and(|bytes| program.until.contains(bytes));
            let end = words.iter().skip(at + 1).position(ends).map_or(words.len(), |count| at + 1 + count);
            walk.commands.push(at + 1..end);
            end + 1
        }
    }
}

/// `-xyz`: flags in one word; the last may take an argument, glued or not.
fn cluster(program: &Program<'_>, words: &[Word], at: usize, text: &str, walk: &mut Walk) -> Option<usize> {
    let sign = text.chars().next()?;
    let mut takes = false;
    for (index, letter) in text.char_indices().skip(1) {
        let name = format!("{sign}{letter}");
        let rest = index + letter.len_utf8();
        let last = rest >= text.len();
        if program.attached.contains(name.as_bytes()) {
            return Some(at + 1);
        }
        match effect(program, &name) {
            Some(Effect::Flag) => {}
            Some(Effect::Inert) => walk.inert = true,
            Some(Effect::Takes) if text_is_operand(program) => takes = true,
            Some(Effect::Takes) => return Some(at + 1 + usize::from(last)),
            Some(Effect::Text) if text_is_operand(program) => walk.text_operand = true,
            Some(Effect::Text) => {
                let next = if last { Some(at + 1) } else { None };
                match next {
                    Some(index) => walk.texts.push(index),
                    None => walk.glued.push((at, rest)),
                }
                return Some(at + 1 + usize::from(last));
            }
            Some(Effect::Exec) => return Some(take(program, words, at, None, &Effect::Exec, walk)),
            None if letter.is_ascii_digit() => {}
            None if program.lenient => {}
            None => return None,
        }
    }
    Some(at + 1 + usize::from(takes))
}
