//! Turns parsed patterns into tables: resolves names, checks the vocabulary. Owns what a pattern may
//! say; must never see a tree. Shared with `build.rs`, so it must use nothing of this crate.

use super::parse::{Argument, Element, Fault, Kind, Pattern, Predicate, Spelled, What};
use super::table::{Check, Facts, Item, Named, Place, Shape, Tables, Test, Text};
use super::vocabulary::{CAPTURES, KEYS, PREDICATES, PROGRAMS, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Where the names of node kinds and fields come from.
pub trait Grammar {
    /// The symbol of a named node kind or an anonymous token.
    fn kind(&self, name: &str, named: bool) -> Option<u16>;
    /// The id of a field.
    fn field(&self, name: &str) -> Option<u16>;
}

/// Collects the patterns of several files.
#[derive(Debug, Default)]
pub struct Compiler {
    patterns: Vec<Item>,
    facts: Vec<Facts>,
    names: Vec<Named>,
}

impl Compiler {
    /// Adds the patterns of one file; the faults found.
    pub fn add(&mut self, patterns: &[Pattern], grammar: &dyn Grammar) -> Vec<Fault> {
        let mut faults = Vec::new();
        for pattern in patterns {
            let mut one = One { grammar, faults: &mut faults, tests: BTreeMap::new(), used: Vec::new() };
            match program_capture(&pattern.root) {
                Some(capture) => self.program(pattern, &capture, &mut one),
                None => self.structure(pattern, &mut one),
            }
        }
        faults
    }

    fn structure(&mut self, pattern: &Pattern, one: &mut One<'_>) {
        for predicate in &pattern.predicates {
            if predicate.name.text == "set!" {
                one.fault(
                    predicate.name.at,
                    "`#set!` without `@wrapper` or `@sink`",
                    "capture the `command_name` as `@wrapper` or `@sink`, or remove the `#set!`",
                );
            } else {
                one.predicate(predicate);
            }
        }
        let item = one.item(&pattern.root, CAPTURES);
        if one.used.is_empty() {
            one.fault(
                pattern.root.at,
                "the pattern captures nothing",
                "add a capture such as `@command`, or remove the pattern",
            );
        }
        one.unbound();
        self.patterns.push(item);
    }

    fn program(&mut self, pattern: &Pattern, capture: &Spelled, one: &mut One<'_>) {
        one.item(&pattern.root, PROGRAMS);
        if !has_program_form(&pattern.root) {
            one.fault(
                pattern.root.at,
                format!("`@{}` in a pattern of another form", capture.text),
                format!(
                    "write ((command name: (command_name) @{}) (#any-of? @{} \"name\") (#set! …))",
                    capture.text, capture.text
                ),
            );
        }
        let mut names = Vec::new();
        let mut settings: Vec<(Text, Text)> = Vec::new();
        for predicate in &pattern.predicates {
            match predicate.name.text.as_str() {
                "set!" => one.setting(predicate).into_iter().for_each(|pair| join(&mut settings, pair)),
                "eq?" | "any-of?" => names.extend(one.words(predicate)),
                _ => one.fault(
                    predicate.name.at,
                    format!("`#{}` cannot name a program", predicate.name.text),
                    "use `#any-of?` with the programs' base names",
                ),
            }
        }
        if names.is_empty() {
            one.fault(
                pattern.root.at,
                format!("no program is named for `@{}`", capture.text),
                format!("add (#any-of? @{} \"name\")", capture.text),
            );
        }
        let facts = self.facts.len();
        self.facts.push(Facts { sink: capture.text == "sink", settings: settings.into() });
        self.names.extend(names.into_iter().map(|name| Named { name, facts }));
    }

    /// The finished tables.
    #[must_use]
    pub fn finish(mut self, grammar: &dyn Grammar) -> Tables {
        let mut roots = Vec::new();
        let mut anywhere = Vec::new();
        for (index, item) in self.patterns.iter().enumerate() {
            let mut kinds = Vec::new();
            if symbols(item, &mut kinds) {
                roots.extend(kinds.into_iter().map(|kind| (kind, index)));
            } else {
                anywhere.push(index);
            }
        }
        roots.sort_unstable();
        roots.dedup();
        self.names.sort_by(|a, b| (&a.name, a.facts).cmp(&(&b.name, b.facts)));
        Tables {
            patterns: self.patterns.into(),
            roots: roots.into(),
            anywhere: anywhere.into(),
            facts: self.facts.into(),
            names: self.names.into(),
            name: Place {
                command: grammar.kind("command", true).unwrap_or(0),
                field: grammar.field("name").unwrap_or(0),
                name: grammar.kind("command_name", true).unwrap_or(0),
            },
        }
    }
}

/// The symbols that a node must have to match; false when any may do.
fn symbols(item: &Item, into: &mut Vec<u16>) -> bool {
    match &item.shape {
        Shape::Kind(kind) | Shape::MissingKind(kind) => {
            into.push(*kind);
            true
        }
        Shape::Named | Shape::Any | Shape::Missing => false,
        Shape::Choice(branches) => branches.iter().all(|branch| symbols(branch, into)),
    }
}

/// Adds a pair; a list of words that stands there already grows.
fn join(settings: &mut Vec<(Text, Text)>, (key, value): (Text, Text)) {
    let list = |(name, kind): &(&str, Value)| *name == key && matches!(kind, Value::Words | Value::Options);
    if !KEYS.iter().any(list) {
        settings.push((key, value));
        return;
    }
    let words = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match settings.iter_mut().find(|(known, _)| *known == key) {
        Some((_, before)) => *before = Cow::Owned(format!("{before} {words}")),
        None => settings.push((key, Cow::Owned(words))),
    }
}

/// The `@wrapper` or `@sink` in a pattern.
fn program_capture(element: &Element) -> Option<Spelled> {
    let own = element.captures.iter().find(|capture| PROGRAMS.contains(&capture.text.as_str()));
    own.cloned().or_else(|| match &element.what {
        What::Node { children, .. } | What::Choice(children) => children.iter().find_map(program_capture),
    })
}

/// Whether a pattern is `(command name: (command_name) @…)` and no more.
fn has_program_form(root: &Element) -> bool {
    let What::Node { kind: Kind::Name(kind), children, .. } = &root.what else { return false };
    let [child] = children.as_slice() else { return false };
    let What::Node { kind: Kind::Name(name), children, .. } = &child.what else { return false };
    kind == "command"
        && name == "command_name"
        && children.is_empty()
        && child.field.as_ref().is_some_and(|field| field.text == "name")
        && root.captures.is_empty()
        && child.captures.len() == 1
}

/// The work on one pattern.
struct One<'a> {
    grammar: &'a dyn Grammar,
    faults: &'a mut Vec<Fault>,
    tests: BTreeMap<String, (usize, Vec<Test>)>,
    used: Vec<String>,
}

impl One<'_> {
    fn fault(&mut self, at: usize, message: impl Into<String>, remedy: impl Into<String>) {
        self.faults.push(Fault::new(at, message, remedy));
    }

    fn item(&mut self, element: &Element, vocabulary: &[&str]) -> Item {
        let mut tests = Vec::new();
        for capture in &element.captures {
            self.used.push(capture.text.clone());
            if !vocabulary.contains(&capture.text.as_str()) {
                self.fault(
                    capture.at,
                    format!("unknown capture `@{}`", capture.text),
                    format!("use one of @{}", vocabulary.join(" @")),
                );
            }
            if let Some((_, more)) = self.tests.get(&capture.text) {
                tests.extend(more.iter().cloned());
            }
        }
        let (shape, children, last) = match &element.what {
            What::Choice(branches) => {
                let branches: Vec<Item> =
                    branches.iter().map(|branch| self.item(branch, vocabulary)).collect();
                (Shape::Choice(branches.into()), Vec::new(), false)
            }
            What::Node { kind, children, last } => {
                let shape = self.shape(element.at, kind);
                (shape, children.iter().map(|child| self.item(child, vocabulary)).collect(), *last)
            }
        };
        Item {
            shape,
            field: element.field.as_ref().map_or(0, |field| self.field(field)),
            anchored: element.anchored,
            last,
            captures: element.captures.iter().map(|capture| Cow::Owned(capture.text.clone())).collect(),
            tests: tests.into(),
            children: children.into(),
        }
    }

    fn field(&mut self, field: &Spelled) -> u16 {
        self.grammar.field(&field.text).unwrap_or_else(|| {
            self.fault(
                field.at,
                format!("unknown field `{}`", field.text),
                "see the fields with `stanchion dump-tree`",
            );
            0
        })
    }

    fn shape(&mut self, at: usize, kind: &Kind) -> Shape {
        match kind {
            Kind::Name(name) if name == "ERROR" => Shape::Kind(u16::MAX),
            Kind::Name(name) => Shape::Kind(self.kind(at, name, true)),
            Kind::Token(token) => Shape::Kind(self.kind(at, token, false)),
            Kind::Named => Shape::Named,
            Kind::Any => Shape::Any,
            Kind::Missing => Shape::Missing,
            Kind::MissingName(name) => Shape::MissingKind(self.kind(at, name, true)),
            Kind::MissingToken(token) => Shape::MissingKind(self.kind(at, token, false)),
        }
    }

    fn kind(&mut self, at: usize, name: &str, named: bool) -> u16 {
        if named && name.starts_with('_') {
            self.fault(
                at,
                format!("the supertype `{name}` is not supported"),
                "list the node kinds in an alternation `[…]`",
            );
            return 0;
        }
        self.grammar.kind(name, named).unwrap_or_else(|| {
            let what = if named { "node kind" } else { "token" };
            self.fault(
                at,
                format!("unknown {what} `{name}`"),
                "see the node kinds with `stanchion dump-tree`",
            );
            0
        })
    }

    /// Notes the test of a predicate for the capture that it is about.
    fn predicate(&mut self, predicate: &Predicate) {
        let name = predicate.name.text.as_str();
        if !PREDICATES.contains(&name) {
            let known = format!("use one of #{} or #set!", PREDICATES.join(" #"));
            return self.fault(predicate.name.at, format!("unsupported predicate `#{name}`"), known);
        }
        let Some((capture, at)) = target(predicate) else {
            return self.fault(
                predicate.name.at,
                format!("`#{name}` without a capture"),
                "write the capture first, then the texts",
            );
        };
        let words = self.words(predicate);
        let negated = name.starts_with("not-");
        let check = if name.ends_with("match?") {
            self.matching(predicate, &words)
        } else {
            Check::OneOf(words.into())
        };
        self.tests.entry(capture).or_insert((at, Vec::new())).1.push(Test { negated, check });
    }

    fn matching(&mut self, predicate: &Predicate, words: &[Text]) -> Check {
        let pattern = words.first().map_or("", |word| word.as_ref());
        let (literal, start, end) = literal(pattern).unwrap_or_else(|| {
            self.fault(
                predicate.name.at,
                format!("`{pattern}` is more than `#match?` supports"),
                "use a literal, with `^` and `$` at its ends if needed, or `#any-of?`",
            );
            (String::new(), false, false)
        });
        Check::Match { literal: literal.into(), start, end }
    }

    /// The texts of a predicate; the right number of them.
    fn words(&mut self, predicate: &Predicate) -> Vec<Text> {
        let mut words = Vec::new();
        for argument in predicate.arguments.iter().skip(1) {
            match argument {
                Argument::Text(text) => words.push(Cow::Owned(text.text.clone())),
                Argument::Capture(capture) => {
                    self.fault(capture.at, "comparing two captures is not supported", "compare with a text")
                }
            }
        }
        let name = predicate.name.text.as_str();
        let fits = if name.ends_with("any-of?") { !words.is_empty() } else { words.len() == 1 };
        if !fits && predicate.arguments.len() == words.len() + 1 {
            self.fault(
                predicate.name.at,
                format!("wrong number of texts for `#{name}`"),
                "`#any-of?` takes one or more texts, the others exactly one",
            );
        }
        words
    }

    /// The key and value of a `#set!`.
    fn setting(&mut self, predicate: &Predicate) -> Option<(Text, Text)> {
        let [Argument::Text(key), Argument::Text(value)] = predicate.arguments.as_slice() else {
            self.fault(predicate.name.at, "`#set!` needs a key and a value", "write (#set! key \"value\")");
            return None;
        };
        let Some((_, kind)) = KEYS.iter().find(|(name, _)| *name == key.text) else {
            let keys: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
            self.fault(
                key.at,
                format!("unknown `#set!` key `{}`", key.text),
                format!("use one of {}", keys.join(" ")),
            );
            return None;
        };
        if let Some(wanted) = wanted(*kind, &value.text) {
            self.fault(
                value.at,
                format!("`{}` is no value for `{}`", value.text, key.text),
                format!("give {wanted}"),
            );
            return None;
        }
        Some((Cow::Owned(key.text.clone()), Cow::Owned(value.text.clone())))
    }

    /// Predicates about captures that the pattern does not have.
    fn unbound(&mut self) {
        let unbound: Vec<(String, usize)> = self
            .tests
            .iter()
            .filter(|(name, _)| !self.used.contains(name))
            .map(|(name, (at, _))| (name.clone(), *at))
            .collect();
        for (name, at) in unbound {
            self.fault(
                at,
                format!("the pattern does not capture `@{name}`"),
                "name a capture of this pattern",
            );
        }
    }
}

fn target(predicate: &Predicate) -> Option<(String, usize)> {
    match predicate.arguments.first() {
        Some(Argument::Capture(capture)) => Some((capture.text.clone(), capture.at)),
        Some(Argument::Text(_)) | None => None,
    }
}

/// What a value should have been, if it is wrong.
fn wanted(kind: Value, value: &str) -> Option<String> {
    let option = |word: &str| word.starts_with(['-', '+']);
    match kind {
        Value::Words => value.trim().is_empty().then(|| "words, separated by blanks".to_owned()),
        Value::Options => {
            let fine = !value.trim().is_empty() && value.split_whitespace().all(option);
            (!fine).then(|| "options such as `-x --long`, separated by blanks".to_owned())
        }
        Value::Number => value.parse::<u8>().is_err().then(|| "a number from 0 to 255".to_owned()),
        Value::One(choices) => (!choices.contains(&value)).then(|| format!("one of {}", choices.join(" "))),
    }
}

/// The literal in a `#match?` pattern and whether it is held to the start and the end.
fn literal(pattern: &str) -> Option<(String, bool, bool)> {
    let start = pattern.starts_with('^');
    let mut chars = pattern.chars().skip(usize::from(start)).peekable();
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '$' if chars.peek().is_none() => return Some((text, start, true)),
            '\\' => text.push(chars.next().filter(char::is_ascii_punctuation)?),
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' => return None,
            c => text.push(c),
        }
    }
    Some((text, start, false))
}
