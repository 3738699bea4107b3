//! Generates bash programs over stub commands. Knows nothing of stanchion.
//!
//! Commands that may run are `alpha beta gamma delta p00…p09` (exit 0) and `x00…x04` (exit 1), most
//! with a first argument that is unique in the program, so that no execution hides another. The names
//! `d0…d9`, and in some programs a protected path, stand only where the text is data.
//!
//! A construct is a [`Form`]: a kind, a weight and shapes. In a shape `@` and a letter stand for a
//! smaller part (see [`Generator::part`]); every other byte stands for itself.

mod compounds;
mod data;
mod heredocs;
mod lists;
mod redirects;
mod sinks;
mod state;
mod subscripts;
mod words;
mod wrappers;

use super::rng::Rng;
use std::collections::BTreeMap;

/// The script of `fixtures/policies/protected.toml`.
pub const PROTECTED: &str = "bin/protected.sh";

/// A construct.
pub struct Form {
    pub kind: &'static str,
    pub weight: usize,
    pub shapes: &'static [&'static str],
}

const fn form(kind: &'static str, weight: usize, shapes: &'static [&'static str]) -> Form {
    Form { kind, weight, shapes }
}

/// Where the protected name of a program may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Nowhere.
    None,
    /// Only where the text is data.
    Data,
    /// Also where commands stand.
    Command,
}

/// A generator for one program.
pub struct Generator {
    rng: Rng,
    /// How often each kind was written.
    pub counts: BTreeMap<&'static str, u64>,
    pub protection: Protection,
    /// Whether continuations were put where they may change what is data.
    pub torn: bool,
    heredocs: Vec<String>,
    depth: usize,
    serial: usize,
}

/// The forms that stand where a command may stand.
fn structures() -> impl Iterator<Item = &'static Form> {
    compounds::FORMS
        .iter()
        .chain(wrappers::FORMS)
        .chain(sinks::FORMS)
        .chain(state::FORMS)
        .chain(subscripts::FORMS)
        .chain(heredocs::FORMS)
        .chain(redirects::FORMS)
        .chain(data::FORMS)
}

/// Every kind that the generator writes.
pub fn kinds() -> Vec<&'static str> {
    let forms = structures().chain(words::FORMS).map(|form| form.kind);
    forms.chain(lists::KINDS.iter().copied()).chain(heredocs::KINDS.iter().copied()).collect()
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let protection = match rng.below(10) {
            0..=2 => Protection::Data,
            3 => Protection::Command,
            _ => Protection::None,
        };
        Self {
            rng,
            counts: BTreeMap::new(),
            protection,
            torn: false,
            heredocs: Vec::new(),
            depth: 0,
            serial: 0,
        }
    }

    /// One whole program.
    pub fn program(&mut self) -> String {
        let statements = 1 + self.rng.below(4);
        let text = self.scoped(|this| this.list(statements));
        if self.rng.chance(5) { self.tear(&text) } else { text }
    }

    /// Continuations at any byte.
    fn tear(&mut self, text: &str) -> String {
        self.note("continuation at any byte");
        self.torn = true;
        let mut torn = String::new();
        for c in text.chars() {
            if self.rng.chance(6) {
                torn.push_str("\\\n");
            }
            torn.push(c);
        }
        torn
    }

    fn note(&mut self, kind: &'static str) {
        *self.counts.entry(kind).or_default() += 1;
    }

    /// A text with heredocs of its own: they end within it.
    fn scoped(&mut self, write: impl FnOnce(&mut Self) -> String) -> String {
        let outer = std::mem::take(&mut self.heredocs);
        self.depth += 1;
        let mut text = write(self);
        if !self.heredocs.is_empty() {
            text.push_str(&self.newline());
        }
        self.depth -= 1;
        self.heredocs = outer;
        text
    }

    /// A newline and the bodies of the heredocs that were begun on the line.
    fn newline(&mut self) -> String {
        let mut text = String::from("\n");
        for body in std::mem::take(&mut self.heredocs) {
            text.push_str(&body);
        }
        text
    }

    /// One of the forms, by weight.
    fn write(&mut self, forms: &[&'static Form]) -> String {
        let whole: usize = forms.iter().map(|form| form.weight).sum();
        let mut at = self.rng.below(whole);
        for form in forms {
            if at < form.weight {
                self.note(form.kind);
                let shape = self.rng.pick(form.shapes);
                self.depth += 1;
                let text = self.fill(shape);
                self.depth -= 1;
                return text;
            }
            at -= form.weight;
        }
        unreachable!("weights cover the range")
    }

    /// A shape with its parts written out. `@1` is the same plain command wherever it stands in the
    /// shape, `@2` the same name. Behind `@=` stands the body of a heredoc that the shape begins.
    fn fill(&mut self, shape: &str) -> String {
        if let Some((shape, body)) = shape.split_once("@=") {
            let text = self.fill(shape);
            let body = self.fill(body);
            self.heredocs.push(body);
            return text;
        }
        let mut text = String::new();
        let (mut plain, mut name) = (None, None);
        let mut rest = shape.chars().peekable();
        while let Some(c) = rest.next() {
            let letter = rest.peek().copied().filter(|_| c == '@');
            let part = match letter {
                Some('1') => Some(plain.get_or_insert_with(|| self.plain()).clone()),
                Some('2') => Some(name.get_or_insert_with(|| self.name()).clone()),
                Some(letter) => self.part(letter),
                None => None,
            };
            match part {
                Some(part) => {
                    rest.next();
                    text.push_str(&part);
                }
                None => text.push(c),
            }
        }
        text
    }

    fn part(&mut self, letter: char) -> Option<String> {
        Some(match letter {
            // A stub and its unique argument; its name; such an argument; a name written with quotes.
            'c' => self.plain(),
            'n' => self.name(),
            'u' => self.unique(),
            'e' => self.spelled(),
            // A rich simple command; statements with their terminators; a group or subshell.
            'a' => self.simple(),
            'l' => self.body(),
            'g' => self.group(),
            // Words and what stands in them.
            'w' => self.word(),
            's' => self.substitution(),
            'i' => self.inner(),
            'b' => self.backticked(),
            'd' => self.data(),
            // A text for a sink, quoted: one command; statements; heredocs begun here.
            'q' => {
                let plain = self.plain();
                self.quoted(&plain)
            }
            'p' => {
                let payload = self.payload();
                self.quoted(&payload)
            }
            'h' => self.heredoc(),
            'r' => self.redirect(),
            // A newline between commands; a number that no name in the program has.
            '/' => self.newline(),
            '#' => {
                self.serial += 1;
                self.serial.to_string()
            }
            _ => return None,
        })
    }

    fn name(&mut self) -> String {
        if self.protection == Protection::Command && self.rng.chance(15) {
            return PROTECTED.to_owned();
        }
        match self.rng.below(10) {
            0..=5 => self.rng.pick(&["alpha", "beta", "gamma", "delta"]).to_owned(),
            6..=8 => format!("p0{}", self.rng.below(10)),
            _ => format!("x0{}", self.rng.below(5)),
        }
    }

    fn data(&mut self) -> String {
        if self.protection == Protection::Data && self.rng.chance(60) {
            return PROTECTED.to_owned();
        }
        format!("d{}", self.rng.below(10))
    }

    fn unique(&mut self) -> String {
        self.serial += 1;
        format!("n{}", self.serial)
    }

    /// A stub and its plain unique argument.
    fn plain(&mut self) -> String {
        let name = self.name();
        let unique = self.unique();
        format!("{name} {unique}")
    }
}
