//! The written form of facts (`policies/programs/*.toml`) and its checks. Nothing behind this file sees
//! TOML.

use super::types::{
    Argument, Effect, Facts, Form, Key, Language, Opt, Places, Prints, Program, Slot, Style, Sub, Variant,
};
use crate::policy::form::table::{Described as _, Fits, Shape, Table, Text, Written, table};
use crate::policy::form::texts::{ANY, LINE};
use crate::policy::problems::Problems;
use crate::policy::source::{leak, leak_text};
use crate::policy::types::PolicyErrors;
use std::collections::BTreeMap;

table! {
    /// Facts: what programs, options and operands mean. They allow and forbid nothing.
    pub RawFacts as "file of facts" {
        /// Programs.
        optional program: Vec<RawProgram> = Shape::List(&Shape::Table(RawProgram::table), 0);
        /// Languages in which programs get code.
        optional language: Vec<RawLanguage> = Shape::List(&Shape::Table(RawLanguage::table), 0);
        /// Which places belong to the system, which are for temporary use, where homes, devices and secrets are.
        optional places: BTreeMap<String, Vec<String>> = Shape::Map(&PLACE, &Shape::List(&Shape::Text(&LINE), 0));
    }
}

table! {
    /// A program.
    pub RawProgram as "program" {
        /// Its base names, divided by blanks. Rules use the first.
        required names: Written<String> = Shape::Text(&LINE);
        /// How it reads options: `gnu` (the default), `leading` (the first operand ends them), `single` (long options
        /// with one dash), `expression` (`find`), `bundled` (`tar xf`).
        optional style: Option<Written<String>> = Shape::Text(&STYLE);
        /// Its options, divided by commas: all names, then `=` (takes an argument) or `=?` (takes one in the same word
        /// only), then an effect.
        optional options: Vec<Written<String>> = TEXTS;
        /// The effect on each operand in turn, `-` for none. One may end in `...` and stands for any number.
        optional operands: Option<Written<String>> = Shape::Text(&ANY);
        /// Other operands with some options.
        optional when: Vec<RawVariant> = Shape::List(&Shape::Table(RawVariant::table), 0);
        /// Operands of the form `key=value`, with the effect on the value, such as `of= write`.
        optional keys: Vec<Written<String>> = TEXTS;
        /// What the program does besides, such as `network`.
        optional effects: Option<Written<String>> = Shape::Text(&ANY);
        /// The effect on standard input when no operand and no option gives a program.
        optional input: Option<Written<String>> = Shape::Text(&EFFECT);
        /// What it prints, where that names a place.
        optional prints: Option<Written<String>> = Shape::Text(&PRINTS);
        /// Its subcommands.
        optional command: Vec<RawSub> = Shape::List(&Shape::Table(RawSub::table), 0);
    }
}

table! {
    /// A subcommand.
    pub RawSub as "subcommand" {
        /// The words that name it.
        required words: Written<String> = Shape::Text(&LINE);
        /// Its options, as of a program.
        optional options: Vec<Written<String>> = TEXTS;
        /// The effect on each operand, as of a program.
        optional operands: Option<Written<String>> = Shape::Text(&ANY);
        /// Other operands with some options.
        optional when: Vec<RawVariant> = Shape::List(&Shape::Table(RawVariant::table), 0);
        /// What it does besides.
        optional effects: Option<Written<String>> = Shape::Text(&ANY);
        /// What it prints, where that names a place.
        optional prints: Option<Written<String>> = Shape::Text(&PRINTS);
    }
}

table! {
    /// Other operands with some options.
    pub RawVariant as "variant" {
        /// The options, divided by blanks. `a&b` asks for both.
        required option: Written<String> = Shape::Text(&LINE);
        /// The effect on each operand then.
        required operands: Written<String> = Shape::Text(&ANY);
    }
}

table! {
    /// How code in a language runs commands and changes files, told by marks in its text.
    pub RawLanguage as "language" {
        /// Its name.
        required name: Written<String> = Shape::Text(&LINE);
        /// Marks behind which quoted text is shell text.
        optional run: Vec<String> = TEXTS;
        /// Names one of which the code must hold for such a mark to run surely what stands behind it.
        optional loads: Vec<String> = TEXTS;
        /// Marks that make a quotation of what stands in the brackets behind them.
        optional quotes: Vec<String> = TEXTS;
        /// Marks of code that reads files.
        optional read: Vec<String> = TEXTS;
        /// Marks of code that sends something away.
        optional send: Vec<String> = TEXTS;
        /// Marks of code that writes files.
        optional write: Vec<String> = TEXTS;
        /// Marks of code that removes or moves files.
        optional delete: Vec<String> = TEXTS;
        /// Whether paths stand without quotes.
        optional bare: bool = Shape::Bool;
    }
}

const TEXTS: Shape = Shape::List(&Shape::Text(&ANY), 0);

static STYLE: Text = Text {
    what: "a style of options",
    remedy: "",
    fits: Fits::Names(|| Style::ALL.iter().map(|style| style.name()).collect()),
};

static EFFECT: Text = Text {
    what: "an effect",
    remedy: "",
    fits: Fits::Names(|| Effect::ALL.iter().map(|effect| effect.name()).collect()),
};

static PRINTS: Text = Text {
    what: "a kind of output",
    remedy: "",
    fits: Fits::Names(|| Prints::ALL.iter().map(|prints| prints.name()).collect()),
};

static PLACE: Text = Text { what: "a kind of place", remedy: "", fits: Fits::Names(|| PLACES.to_vec()) };

/// The kinds of places.
const PLACES: [&str; 9] = [
    "system",
    "temporary",
    "temporary_variables",
    "homes",
    "devices",
    "harmless",
    "personal",
    "secrets",
    "not_secrets",
];

/// What the schema is made from.
pub fn description() -> &'static Table {
    RawFacts::table()
}

/// What one file says.
#[derive(Default)]
pub struct Part {
    programs: Vec<Program>,
    languages: Vec<Language>,
    places: BTreeMap<String, Vec<String>>,
}

/// Compiles a file of facts, or tells everything that is wrong with it.
pub fn compile(file: &str, text: &str) -> Result<Part, PolicyErrors> {
    let mut problems = Problems::new(file, text);
    let Some(raw) = problems.read::<RawFacts>() else {
        return Err(problems.errors());
    };
    let programs = raw.program.iter().map(|raw| program(raw, &mut problems)).collect();
    let language = |raw: &RawLanguage| Language {
        name: leak_text(raw.name.get_ref()),
        run: texts(&raw.run),
        loads: texts(&raw.loads),
        quotes: texts(&raw.quotes),
        read: texts(&raw.read),
        send: texts(&raw.send),
        write: texts(&raw.write),
        delete: texts(&raw.delete),
        bare: raw.bare,
    };
    let languages = raw.language.iter().map(language).collect();
    problems.finish(Part { programs, languages, places: raw.places })
}

/// All files' facts together.
pub fn join(parts: Vec<Part>) -> Facts {
    let mut programs = Vec::new();
    let mut languages = Vec::new();
    let mut places = BTreeMap::new();
    for part in parts {
        programs.extend(part.programs);
        languages.extend(part.languages);
        places.extend(part.places);
    }
    let mut names = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        names.extend(program.names.iter().map(|name| (*name, index)));
    }
    names.sort_unstable();
    let place = |name: &str| places.get(name).map(|list: &Vec<String>| texts(list)).unwrap_or_default();
    let places = Places {
        system: place("system"),
        temporary: place("temporary"),
        temporary_variables: place("temporary_variables"),
        homes: place("homes"),
        devices: place("devices"),
        harmless: place("harmless"),
        personal: place("personal"),
        secrets: place("secrets"),
        not_secrets: place("not_secrets"),
    };
    Facts { programs: leak(programs), names: leak(names), languages: leak(languages), places }
}

fn texts(list: &[String]) -> &'static [&'static str] {
    leak(list.iter().map(|text| leak_text(text)).collect())
}

fn words(text: &str) -> &'static [&'static str] {
    leak(text.split_whitespace().map(leak_text).collect())
}

fn program(raw: &RawProgram, problems: &mut Problems<'_>) -> Program {
    let style = raw.style.as_ref().and_then(|style| Style::named(style.get_ref()));
    let form = Form {
        options: options(&raw.options, problems),
        operands: raw.operands.as_ref().map(|text| slots(text, problems)).unwrap_or_default(),
        variants: variants(&raw.when, problems),
        keys: leak(raw.keys.iter().filter_map(|text| key(text, problems)).collect()),
        effects: raw.effects.as_ref().map(|text| effects(text, problems)).unwrap_or_default(),
        input: raw.input.as_ref().and_then(|text| Effect::named(text.get_ref())),
        prints: prints(raw.prints.as_ref()),
    };
    let commands = leak(raw.command.iter().map(|raw| sub(raw, problems)).collect());
    Program { names: words(raw.names.get_ref()), style: style.unwrap_or(Style::Gnu), form, commands }
}

fn sub(raw: &RawSub, problems: &mut Problems<'_>) -> Sub {
    let form = Form {
        options: options(&raw.options, problems),
        operands: raw.operands.as_ref().map(|text| slots(text, problems)).unwrap_or_default(),
        variants: variants(&raw.when, problems),
        keys: &[],
        effects: raw.effects.as_ref().map(|text| effects(text, problems)).unwrap_or_default(),
        input: None,
        prints: prints(raw.prints.as_ref()),
    };
    Sub { words: words(raw.words.get_ref()), form }
}

fn prints(raw: Option<&Written<String>>) -> Prints {
    raw.and_then(|text| Prints::named(text.get_ref())).unwrap_or(Prints::Nothing)
}

fn variants(raw: &[RawVariant], problems: &mut Problems<'_>) -> &'static [Variant] {
    let variant = |raw: &RawVariant, problems: &mut Problems<'_>| Variant {
        options: words(raw.option.get_ref()),
        operands: slots(&raw.operands, problems),
    };
    leak(raw.iter().map(|raw| variant(raw, problems)).collect())
}

fn options(raw: &[Written<String>], problems: &mut Problems<'_>) -> &'static [Opt] {
    let all: Vec<Opt> = raw.iter().flat_map(|text| option(text, problems)).collect();
    let mut seen = std::collections::BTreeSet::new();
    for name in all.iter().flat_map(|option| option.names) {
        if !seen.insert(*name) {
            let at =
                raw.iter().rev().find(|text| text.get_ref().split_whitespace().any(|word| word == *name));
            let message = format!("the option {name} stands twice");
            problems.add(at.map_or(0..0, Written::span), message, "list each option once");
        }
    }
    leak(all)
}

/// `-o --output = write`: names, whether there is an argument, what is done to it. Flags without an
/// effect may share a line, divided by commas.
fn option(text: &Written<String>, problems: &mut Problems<'_>) -> Vec<Opt> {
    text.get_ref().split(',').filter_map(|part| single(part, text, problems)).collect()
}

fn single(part: &str, text: &Written<String>, problems: &mut Problems<'_>) -> Option<Opt> {
    let mut rest = part.split_whitespace().peekable();
    let mut names = Vec::new();
    while let Some(name) = rest.next_if(|word| word.starts_with(['-', '+'])) {
        names.push(leak_text(name));
    }
    let argument = rest.next_if(|word| Argument::named(word).is_some()).and_then(Argument::named);
    let named = rest.next().map(|word| word.split_once(':').unwrap_or((word, "")));
    let effect = named.and_then(|(name, _)| Effect::named(name));
    let odd = names.is_empty() || rest.next().is_some() || (named.is_some() && effect.is_none());
    if odd {
        let message = format!("{part:?} is not an option");
        problems.add(text.span(), message, "write names, then = or =? for an argument, then an effect");
        return None;
    }
    let language = leak_text(named.map_or("", |(_, language)| language));
    Some(Opt { names: leak(names), argument: argument.unwrap_or(Argument::None), effect, language })
}

fn slots(text: &Written<String>, problems: &mut Problems<'_>) -> &'static [Slot] {
    let slots: Vec<Slot> = text.get_ref().split_whitespace().map(|word| slot(word, text, problems)).collect();
    if slots.iter().filter(|slot| slot.many).count() > 1 {
        let message = "more than one operand repeats".to_owned();
        problems.add(text.span(), message, "let one operand end in ...");
    }
    leak(slots)
}

fn slot(word: &str, text: &Written<String>, problems: &mut Problems<'_>) -> Slot {
    let (word, many) = word.strip_suffix("...").map_or((word, false), |word| (word, true));
    let (name, language) = word.split_once(':').unwrap_or((word, ""));
    let effect = Effect::named(name);
    if effect.is_none() && name != "-" {
        let message = format!("unknown effect {name:?}");
        problems.add(text.span(), message, "use an effect, or - for none");
    }
    Slot { effect, language: leak_text(language), many }
}

fn effects(text: &Written<String>, problems: &mut Problems<'_>) -> &'static [Effect] {
    let mut found = Vec::new();
    for word in text.get_ref().split_whitespace() {
        match Effect::named(word) {
            Some(effect) => found.push(effect),
            None => problems.add(text.span(), format!("unknown effect {word:?}"), "use an effect's name"),
        }
    }
    leak(found)
}

fn key(text: &Written<String>, problems: &mut Problems<'_>) -> Option<Key> {
    let mut words = text.get_ref().split_whitespace();
    let key = words.next().filter(|key| key.ends_with('='));
    let effect = words.next().and_then(Effect::named);
    if key.is_none() || effect.is_none() {
        let message = format!("{:?} is not a key", text.get_ref());
        problems.add(text.span(), message, "write it like of= write");
    }
    Some(Key { key: leak_text(key?), effect: effect? })
}
