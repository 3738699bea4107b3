//! What one command means by the facts: program, subcommand, options, operands, effects. Must never drop
//! a word that is not known: it is an operand that nobody knows.

use super::types::{Argument, Effect, Facts, Form, Opt, Prints, Program, Slot, Style, Sub};
use crate::shell::model::{Command, Cooked, Redirect, RedirectKind, Word};

/// A command's meaning.
#[derive(Clone, Debug)]
pub struct Meaning<'s> {
    /// The command.
    pub command: &'s Command,
    /// The program, when facts know it.
    pub program: Option<&'static Program>,
    /// Its base name; empty when there is no command word.
    pub name: &'s [u8],
    /// Whether the program is surely this one.
    pub certain: bool,
    /// The subcommand.
    pub sub: Option<&'static Sub>,
    /// The options that are given.
    pub options: Vec<Given<'s>>,
    /// The operands.
    pub operands: Vec<Value<'s>>,
    /// What happens.
    pub effects: Vec<Happens<'s>>,
    /// What its operands are.
    pub slots: &'static [Slot],
    /// Whether it only shows what it would do.
    pub dry: bool,
}

/// An option that is given.
#[derive(Clone, Debug)]
pub struct Given<'s> {
    /// As facts know it.
    pub option: Option<&'static Opt>,
    /// As written, without an argument.
    pub name: Vec<u8>,
    /// Its argument.
    pub value: Option<Value<'s>>,
}

/// A word or the part of a word behind an option or a key.
#[derive(Clone, Copy, Debug)]
pub struct Value<'s> {
    /// The word.
    pub word: &'s Word,
    /// How many known bytes at its start do not belong to the value.
    pub from: usize,
}

/// Something that happens.
#[derive(Clone, Debug)]
pub struct Happens<'s> {
    /// What.
    pub effect: Effect,
    /// To what.
    pub target: Target<'s>,
    /// The language of code.
    pub language: &'static str,
}

/// What something happens to.
#[derive(Clone, Copy, Debug)]
pub enum Target<'s> {
    /// The command as a whole.
    Whole,
    /// Standard input.
    Input,
    /// What the wrapper around the command adds: what `find` finds, what `xargs` is fed.
    Fed,
    /// What a word names.
    Value(Value<'s>),
}

impl<'s> Value<'s> {
    /// A whole word.
    #[must_use]
    pub fn new(word: &'s Word) -> Self {
        Self { word, from: 0 }
    }

    /// What is known of it, every reading.
    pub fn values(self) -> impl Iterator<Item = Cooked> + 's {
        self.word.values().map(move |value| without(value, self.from))
    }

    /// The exact text, first reading that has one.
    #[must_use]
    pub fn text(self) -> Option<&'s [u8]> {
        self.word.values().find_map(|value| known(value)).and_then(|bytes| bytes.get(self.from..))
    }

    /// The value without a prefix that it surely has.
    #[must_use]
    pub fn strip(self, prefix: &[u8]) -> Option<Self> {
        let start = start(&self.word.value).get(self.from..)?;
        start.starts_with(prefix).then_some(Self { from: self.from + prefix.len(), ..self })
    }
}

/// A value without its first bytes.
fn without(value: &Cooked, from: usize) -> Cooked {
    let rest = |bytes: &Vec<u8>| bytes.get(from..).unwrap_or_default().to_vec();
    match value {
        Cooked::Exact(bytes) => Cooked::Exact(rest(bytes)),
        Cooked::Pattern(bytes) => Cooked::Pattern(rest(bytes)),
        Cooked::Affix { head, tail } => Cooked::Affix { head: rest(head), tail: tail.clone() },
        Cooked::Opaque => Cooked::Opaque,
    }
}

/// The bytes with which a value surely starts.
fn start(value: &Cooked) -> &[u8] {
    match value {
        Cooked::Exact(bytes) | Cooked::Pattern(bytes) => bytes,
        Cooked::Affix { head, .. } => head,
        Cooked::Opaque => &[],
    }
}

/// The text of a value; a pattern counts as written, since as an option it mostly matches nothing.
fn known(value: &Cooked) -> Option<&[u8]> {
    match value {
        Cooked::Exact(bytes) | Cooked::Pattern(bytes) => Some(bytes),
        Cooked::Affix { .. } | Cooked::Opaque => None,
    }
}

/// The last part of a path.
#[must_use]
pub fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Everything that a command may mean; more than one when its name is not known entirely.
#[must_use]
pub fn meanings<'s>(command: &'s Command, facts: &'static Facts) -> Vec<Meaning<'s>> {
    let blank = blank(command);
    let mut all = Vec::new();
    match command.words.first().map(|word| &word.value) {
        None => all.push(blank),
        Some(Cooked::Exact(name)) => all.push(named(blank, name, facts)),
        Some(value) => {
            let named = possible(value, facts).map(|(name, program)| Meaning {
                name: name.as_bytes(),
                program: Some(program),
                certain: false,
                ..blank.clone()
            });
            all.extend(named);
            if all.is_empty() {
                all.push(blank);
            }
        }
    }
    all.into_iter().map(read).collect()
}

/// A command of which nothing is known.
pub fn blank(command: &Command) -> Meaning<'_> {
    Meaning {
        command,
        program: None,
        name: b"",
        certain: true,
        sub: None,
        options: Vec::new(),
        operands: Vec::new(),
        effects: Vec::new(),
        slots: &[],
        dry: false,
    }
}

/// What a command means when its first word is known to give this path.
pub fn meaning_of<'s>(blank: Meaning<'s>, path: &'s [u8], facts: &'static Facts) -> Meaning<'s> {
    read(named(blank, path, facts))
}

fn named<'s>(blank: Meaning<'s>, path: &'s [u8], facts: &'static Facts) -> Meaning<'s> {
    let name = base_name(path);
    let program = facts.program(name).or_else(|| facts.program(unversioned(name)));
    Meaning { name, program, ..blank }
}

fn read(mut meaning: Meaning<'_>) -> Meaning<'_> {
    let keep = meaning.command.words.get(1..).unwrap_or_default();
    Reader { meaning: &mut meaning, keep }.read();
    meaning
}

/// `name@version`, as package runners take it, without the version.
fn unversioned(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|byte| *byte == b'@') {
        Some(at) if at > 0 => name.get(..at).unwrap_or(name),
        Some(_) | None => name,
    }
}

/// Programs whose name a value that is not exact may be; nothing when too little is known.
fn possible<'f>(
    value: &Cooked,
    facts: &'f Facts,
) -> impl Iterator<Item = (&'static str, &'static Program)> + use<'f> {
    let (head, tail) = match value {
        Cooked::Affix { head, tail } if tail.contains(&b'/') => (Vec::new(), base_name(tail).to_vec()),
        Cooked::Affix { head, tail } => (base_name(head).to_vec(), tail.clone()),
        Cooked::Pattern(bytes) => pattern_ends(base_name(bytes)),
        Cooked::Exact(_) | Cooked::Opaque => (Vec::new(), Vec::new()),
    };
    let whole = matches!(value, Cooked::Affix { tail, .. } if tail.contains(&b'/'));
    let matches = move |name: &[u8]| {
        if whole {
            return name == tail;
        }
        head.len() + tail.len() >= 2
            && name.len() >= head.len() + tail.len()
            && name.starts_with(&head)
            && name.ends_with(&tail)
    };
    let program = |index: u16| facts.programs.get(usize::from(index));
    facts
        .names
        .iter()
        .filter(move |(name, _)| matches(name.as_bytes()))
        .filter_map(move |(name, index)| Some((*name, program(*index)?)))
}

/// The literal bytes around the special ones of a pattern.
fn pattern_ends(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let special = |byte: &u8| b"*?[\\".contains(byte);
    let head = bytes.iter().take_while(|byte| !special(byte)).copied().collect();
    let closes = |byte: &u8| b"*?]\\".contains(byte);
    let mut tail: Vec<u8> = bytes.iter().rev().take_while(|byte| !closes(byte)).copied().collect();
    tail.reverse();
    (head, tail)
}

struct Reader<'m, 's> {
    meaning: &'m mut Meaning<'s>,
    keep: &'s [Word],
}

impl<'s> Reader<'_, 's> {
    fn read(&mut self) {
        if let Some(program) = self.meaning.program {
            let from = self.subcommand(program);
            self.words(program, from);
            self.effects(program);
        } else {
            self.plain();
        }
        self.redirects();
    }

    /// A program that no fact knows: dashes make options.
    fn plain(&mut self) {
        for word in self.keep {
            let text = start(&word.value);
            if text.len() > 1 && text.starts_with(b"-") {
                let name = text.split(|byte| *byte == b'=').next().unwrap_or_default().to_vec();
                let value = (name.len() < text.len()).then_some(Value { word, from: name.len() + 1 });
                self.meaning.options.push(Given { option: None, name, value });
            } else {
                self.meaning.operands.push(Value::new(word));
            }
        }
    }

    /// Steps over global options to the subcommand; the index of the first word behind it.
    fn subcommand(&mut self, program: &'static Program) -> usize {
        if program.commands.is_empty() {
            return 0;
        }
        let mut at = 0;
        while let Some(word) = self.keep.get(at) {
            if !is_option(word) {
                break;
            }
            at = self.option(&program.form, None, program.style, at);
        }
        let fits = |sub: &&Sub| {
            let named = |(index, wanted): (usize, &&str)| {
                self.keep.get(at + index).and_then(exact) == Some(wanted.as_bytes())
            };
            sub.words.iter().enumerate().all(named)
        };
        let sub = program.commands.iter().filter(fits).max_by_key(|sub| sub.words.len());
        self.meaning.sub = sub;
        at + sub.map_or(0, |sub| sub.words.len())
    }

    fn words(&mut self, program: &'static Program, from: usize) {
        let form = self.meaning.sub.map_or(&program.form, |sub| &sub.form);
        let outer = self.meaning.sub.map(|_| &program.form);
        let mut at = from;
        let mut options = true;
        let mut first = program.style == Style::Bundled;
        while let Some(word) = self.keep.get(at) {
            if options && exact(word) == Some(b"--") {
                options = false;
                self.meaning.options.push(Given { option: None, name: b"--".to_vec(), value: None });
                at += 1;
            } else if options && is_option(word) {
                at = self.option(form, outer, program.style, at);
                first = false;
            } else if std::mem::take(&mut first) && self.bundle(form, word) {
                at = self.bundled(form, at);
            } else {
                if !self.expression(program) {
                    self.meaning.operands.push(Value::new(word));
                }
                options &= program.style != Style::Leading;
                at += 1;
            }
        }
    }

    /// Whether the operands are over, since an expression has begun.
    fn expression(&self, program: &Program) -> bool {
        let begun = |given: &Given<'_>| given.name.len() > 2;
        program.style == Style::Expression && self.meaning.options.iter().any(begun)
    }

    /// Whether a first operand is a cluster of known letters (`tar xf`).
    fn bundle(&self, form: &Form, word: &Word) -> bool {
        let letters = exact(word).unwrap_or_default();
        let known = |letter: &u8| find(form, &[b'-', *letter]).is_some();
        !letters.is_empty() && letters.iter().all(known)
    }

    /// `tar xf A -C D` style: arguments follow in the order of the letters.
    fn bundled(&mut self, form: &Form, at: usize) -> usize {
        let mut next = at + 1;
        for letter in self.keep.get(at).and_then(exact).unwrap_or_default() {
            let Some(option) = find(form, &[b'-', *letter]) else { continue };
            let value = (option.argument == Argument::Required).then(|| self.keep.get(next)).flatten();
            next += usize::from(value.is_some());
            self.give(option, vec![b'-', *letter], value.map(Value::new));
        }
        next
    }

    /// Reads the option word at an index; the index behind it and its argument.
    fn option(
        &mut self,
        form: &'static Form,
        outer: Option<&'static Form>,
        style: Style,
        at: usize,
    ) -> usize {
        let Some(word) = self.keep.get(at) else { return at + 1 };
        let text = option_text(word).to_vec();
        let find = |name: &[u8]| find(form, name).or_else(|| outer.and_then(|outer| find(outer, name)));
        let name = text.split(|byte| *byte == b'=').next().unwrap_or_default();
        let whole = find(&text).or_else(|| find(name));
        let long = text.starts_with(b"--") || matches!(style, Style::Single | Style::Expression);
        let option = if long { whole.or_else(|| abbreviated(form, outer, name)) } else { whole };
        if !long && (option.is_none() || (name.len() < text.len() && name.len() == 2)) {
            return self.cluster(&find, word, &text, at);
        }
        if !long && name.len() < text.len() && option.is_none() {
            return self.cluster(&find, word, &text, at);
        }
        let glued = (name.len() < text.len()).then_some(Value { word, from: name.len() + 1 });
        self.take(option, name.to_vec(), glued, at)
    }

    /// Notes an option; takes the next word where it is the argument.
    fn take(
        &mut self,
        option: Option<&'static Opt>,
        name: Vec<u8>,
        glued: Option<Value<'s>>,
        at: usize,
    ) -> usize {
        let wants = option.is_some_and(|option| option.argument == Argument::Required);
        let next = if wants && glued.is_none() { self.keep.get(at + 1) } else { None };
        let value = glued.or_else(|| next.map(Value::new));
        match option {
            Some(option) => self.give(option, name, value),
            None => self.meaning.options.push(Given { option: None, name, value }),
        }
        at + 1 + usize::from(next.is_some())
    }

    /// `-xyz`: flags in one word; the last may take an argument, glued or not.
    fn cluster(
        &mut self,
        find: &dyn Fn(&[u8]) -> Option<&'static Opt>,
        word: &'s Word,
        text: &[u8],
        at: usize,
    ) -> usize {
        let sign = text.first().copied().unwrap_or(b'-');
        for (index, letter) in text.iter().enumerate().skip(1) {
            let name = vec![sign, *letter];
            let option = find(&name);
            let last = index + 1 >= text.len();
            let takes = option.is_some_and(|option| option.argument != Argument::None);
            if takes {
                let glued = (!last).then_some(Value { word, from: index + 1 });
                // `-o=value` is the argument `=value` for getopt, `value` for most others.
                let glued = glued.map(|value| value.strip(b"=").unwrap_or(value));
                return self.take(option, name, glued, at);
            }
            match option {
                Some(option) => self.give(option, name, None),
                None => self.meaning.options.push(Given { option: None, name, value: None }),
            }
        }
        at + 1
    }

    fn give(&mut self, option: &'static Opt, name: Vec<u8>, value: Option<Value<'s>>) {
        let effect = option.effect;
        if effect == Some(Effect::Dry) {
            self.meaning.dry = true;
        } else if let Some(effect) = effect {
            let target = value.map_or(Target::Whole, Target::Value);
            self.meaning.effects.push(Happens { effect, target, language: option.language });
        }
        self.meaning.options.push(Given { option: Some(option), name, value });
    }

    fn effects(&mut self, program: &'static Program) {
        let form = self.meaning.sub.map_or(&program.form, |sub| &sub.form);
        let whole = |effect: &Effect| Happens { effect: *effect, target: Target::Whole, language: "" };
        self.meaning.effects.extend(form.effects.iter().map(whole));
        let variant = form.variants.iter().find(|variant| {
            let given = |name: &str| self.meaning.options.iter().any(|given| given.is(name));
            variant.options.iter().any(|names| names.split('&').all(given))
        });
        let slots = variant.map_or(form.operands, |variant| variant.operands);
        let operands = self.meaning.operands.clone();
        let mut plain = Vec::new();
        for value in operands {
            let keyed = form.keys.iter().find_map(|key| Some((key, value.strip(key.key.as_bytes())?)));
            match keyed {
                Some((key, value)) => self.happen(key.effect, "", value),
                None => plain.push(value),
            }
        }
        self.meaning.slots = slots;
        for (index, value) in plain.iter().enumerate() {
            if let Some(slot) = slot(slots, index, plain.len())
                && let Some(effect) = slot.effect
                && !(effect == Effect::Execute && value.text() == Some(b"-"))
            {
                self.happen(effect, slot.language, *value);
            }
        }
        self.destination(slots, &plain);
        let program_text =
            |happens: &Happens<'_>| matches!(happens.effect, Effect::Execute | Effect::Shell | Effect::Code);
        if let Some(effect) = form.input
            && !self.meaning.effects.iter().any(program_text)
        {
            let code = form.options.iter().find(|option| option.effect == Some(Effect::Code));
            let language = code.map_or("", |option| option.language);
            self.meaning.effects.push(Happens { effect, target: Target::Input, language });
        }
    }

    /// Of the words that one written word expands to, each may be the last one, the target, when other
    /// operands stand before them.
    fn destination(&mut self, slots: &'static [Slot], plain: &[Value<'s>]) {
        let (Some(last), Some(slot)) = (plain.last(), slots.last()) else { return };
        let others = plain.iter().any(|value| value.word.span != last.word.span);
        if let Some(effect) = slot.effect.filter(|_| others && !slot.many && plain.len() > slots.len()) {
            let twins = plain.iter().rev().skip(1).take_while(|value| value.word.span == last.word.span);
            twins.for_each(|value| self.happen(effect, slot.language, *value));
        }
    }

    fn happen(&mut self, effect: Effect, language: &'static str, value: Value<'s>) {
        if effect == Effect::Dry {
            self.meaning.dry = true;
            return;
        }
        self.meaning.effects.push(Happens { effect, target: Target::Value(value), language });
    }

    /// Redirects of the command as written; those behind a wrapper are the wrapper's.
    fn redirects(&mut self) {
        if self.meaning.command.outer.is_some() {
            return;
        }
        for Redirect { kind, target, .. } in &self.meaning.command.redirects {
            let Some(word) = target else { continue };
            let effect = match kind {
                RedirectKind::Read => Effect::Read,
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::WriteBoth
                | RedirectKind::ReadWrite => Effect::Write,
                RedirectKind::Duplicate | RedirectKind::HereDocument | RedirectKind::HereString => continue,
            };
            let target = Target::Value(Value::new(word));
            self.meaning.effects.push(Happens { effect, target, language: "" });
        }
    }
}

impl Given<'_> {
    /// Whether it is the option of this name, however it is spelt.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        match self.option {
            Some(option) => option.names.contains(&name),
            None => self.name == name.as_bytes(),
        }
    }
}

impl Meaning<'_> {
    /// What it prints, as far as that names a place.
    #[must_use]
    pub fn prints(&self) -> Prints {
        let form = self.sub.map(|sub| &sub.form).or_else(|| self.program.map(|program| &program.form));
        form.map_or(Prints::Nothing, |form| form.prints)
    }

    /// Whether it has an effect.
    #[must_use]
    pub fn has(&self, effect: Effect) -> bool {
        self.effects.iter().any(|happens| happens.effect == effect)
    }

    /// The words of its subcommand.
    #[must_use]
    pub fn subcommand(&self) -> &'static [&'static str] {
        self.sub.map_or(&[], |sub| sub.words)
    }
}

/// The slot of the operand at an index, of `count` operands: fixed ones first, those behind the
/// repeated one from the end.
fn slot(slots: &'static [Slot], index: usize, count: usize) -> Option<&'static Slot> {
    let Some(many) = slots.iter().position(|slot| slot.many) else { return slots.get(index) };
    let behind = slots.len() - many - 1;
    if index < many {
        return slots.get(index);
    }
    let from_end = count - index;
    if from_end <= behind && count > many {
        return slots.get(slots.len() - from_end);
    }
    slots.get(many)
}

fn exact(word: &Word) -> Option<&[u8]> {
    word.values().find_map(Cooked::exact)
}

/// The bytes with which an option word starts, from whichever reading makes it one.
fn option_text(word: &Word) -> &[u8] {
    word.values().map(start).find(|text| text.len() > 1 && text.starts_with(b"-")).unwrap_or_default()
}

fn is_option(word: &Word) -> bool {
    !option_text(word).is_empty()
}

fn find(form: &Form, name: &[u8]) -> Option<&'static Opt> {
    form.options.iter().find(|option| option.names.iter().any(|known| known.as_bytes() == name))
}

/// The one option that a long name abbreviates.
fn abbreviated(form: &Form, outer: Option<&'static Form>, name: &[u8]) -> Option<&'static Opt> {
    if name.len() < 4 || !name.starts_with(b"--") {
        return None;
    }
    let forms = std::iter::once(form.options).chain(outer.map(|outer| outer.options));
    let mut found =
        forms.flatten().filter(|option| option.names.iter().any(|known| known.as_bytes().starts_with(name)));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}
