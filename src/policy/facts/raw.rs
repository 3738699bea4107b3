//! The written form of facts (`policies/programs/*.toml`) and its checks. Nothing behind this file sees
//! serde.

use super::types::{
    Argument, Effect, Facts, Form, Key, Language, Opt, Places, Prints, Program, Slot, Style, Sub, Variant,
};
use crate::policy::problems::Problems;
use crate::policy::source::{leak, leak_text};
use crate::policy::types::PolicyErrors;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFacts {
    #[serde(default)]
    program: Vec<RawProgram>,
    #[serde(default)]
    language: Vec<RawLanguage>,
    #[serde(default)]
    places: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProgram {
    names: Spanned<String>,
    style: Option<Spanned<String>>,
    #[serde(default)]
    options: Vec<Spanned<String>>,
    operands: Option<Spanned<String>>,
    #[serde(default)]
    when: Vec<RawVariant>,
    #[serde(default)]
    keys: Vec<Spanned<String>>,
    effects: Option<Spanned<String>>,
    input: Option<Spanned<String>>,
    prints: Option<Spanned<String>>,
    #[serde(default)]
    command: Vec<RawSub>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSub {
    words: Spanned<String>,
    #[serde(default)]
    options: Vec<Spanned<String>>,
    operands: Option<Spanned<String>>,
    #[serde(default)]
    when: Vec<RawVariant>,
    effects: Option<Spanned<String>>,
    prints: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawVariant {
    option: Spanned<String>,
    operands: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLanguage {
    name: Spanned<String>,
    #[serde(default)]
    run: Vec<String>,
    #[serde(default)]
    read: Vec<String>,
    #[serde(default)]
    send: Vec<String>,
    #[serde(default)]
    write: Vec<String>,
    #[serde(default)]
    delete: Vec<String>,
    #[serde(default)]
    bare: bool,
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
    let Some(raw) = problems.read::<RawFacts>("see policies/programs/README.md for the form") else {
        return Err(problems.errors());
    };
    let programs = raw.program.iter().map(|raw| program(raw, &mut problems)).collect();
    let language = |raw: &RawLanguage| Language {
        name: leak_text(raw.name.get_ref()),
        run: texts(&raw.run),
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
    if raw.names.get_ref().trim().is_empty() {
        problems.add(raw.names.span(), "a program without a name".to_owned(), "give its base name");
    }
    let style = raw.style.as_ref().and_then(|style| one(style, Style::named, "style", problems));
    let form = Form {
        options: options(&raw.options, problems),
        operands: raw.operands.as_ref().map(|text| slots(text, problems)).unwrap_or_default(),
        variants: variants(&raw.when, problems),
        keys: leak(raw.keys.iter().filter_map(|text| key(text, problems)).collect()),
        effects: raw.effects.as_ref().map(|text| effects(text, problems)).unwrap_or_default(),
        input: raw.input.as_ref().and_then(|text| one(text, Effect::named, "effect", problems)),
        prints: prints(raw.prints.as_ref(), problems),
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
        prints: prints(raw.prints.as_ref(), problems),
    };
    Sub { words: words(raw.words.get_ref()), form }
}

fn prints(raw: Option<&Spanned<String>>, problems: &mut Problems<'_>) -> Prints {
    raw.and_then(|text| one(text, Prints::named, "output", problems)).unwrap_or(Prints::Nothing)
}

fn one<T>(
    text: &Spanned<String>,
    named: impl Fn(&str) -> Option<T>,
    what: &str,
    problems: &mut Problems<'_>,
) -> Option<T> {
    let found = named(text.get_ref());
    if found.is_none() {
        let message = format!("unknown {what} {:?}", text.get_ref());
        problems.add(text.span(), message, "see policies/programs/README.md for the names");
    }
    found
}

fn variants(raw: &[RawVariant], problems: &mut Problems<'_>) -> &'static [Variant] {
    let variant = |raw: &RawVariant, problems: &mut Problems<'_>| Variant {
        options: words(raw.option.get_ref()),
        operands: slots(&raw.operands, problems),
    };
    leak(raw.iter().map(|raw| variant(raw, problems)).collect())
}

fn options(raw: &[Spanned<String>], problems: &mut Problems<'_>) -> &'static [Opt] {
    let all: Vec<Opt> = raw.iter().flat_map(|text| option(text, problems)).collect();
    let mut seen = std::collections::BTreeSet::new();
    for name in all.iter().flat_map(|option| option.names) {
        if !seen.insert(*name) {
            let at =
                raw.iter().rev().find(|text| text.get_ref().split_whitespace().any(|word| word == *name));
            let message = format!("the option {name} stands twice");
            problems.add(at.map_or(0..0, Spanned::span), message, "list each option once");
        }
    }
    leak(all)
}

/// `-o --output = write`: names, whether there is an argument, what is done to it. Flags without an
/// effect may share a line, divided by commas.
fn option(text: &Spanned<String>, problems: &mut Problems<'_>) -> Vec<Opt> {
    text.get_ref().split(',').filter_map(|part| single(part, text, problems)).collect()
}

fn single(part: &str, text: &Spanned<String>, problems: &mut Problems<'_>) -> Option<Opt> {
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

fn slots(text: &Spanned<String>, problems: &mut Problems<'_>) -> &'static [Slot] {
    let slots: Vec<Slot> = text.get_ref().split_whitespace().map(|word| slot(word, text, problems)).collect();
    if slots.iter().filter(|slot| slot.many).count() > 1 {
        let message = "more than one operand repeats".to_owned();
        problems.add(text.span(), message, "let one operand end in ...");
    }
    leak(slots)
}

fn slot(word: &str, text: &Spanned<String>, problems: &mut Problems<'_>) -> Slot {
    let (word, many) = word.strip_suffix("...").map_or((word, false), |word| (word, true));
    let (name, language) = word.split_once(':').unwrap_or((word, ""));
    let effect = Effect::named(name);
    if effect.is_none() && name != "-" {
        let message = format!("unknown effect {name:?}");
        problems.add(text.span(), message, "use an effect, or - for none");
    }
    Slot { effect, language: leak_text(language), many }
}

fn effects(text: &Spanned<String>, problems: &mut Problems<'_>) -> &'static [Effect] {
    let mut found = Vec::new();
    for word in text.get_ref().split_whitespace() {
        match Effect::named(word) {
            Some(effect) => found.push(effect),
            None => problems.add(text.span(), format!("unknown effect {word:?}"), "use an effect's name"),
        }
    }
    leak(found)
}

fn key(text: &Spanned<String>, problems: &mut Problems<'_>) -> Option<Key> {
    let mut words = text.get_ref().split_whitespace();
    let key = words.next().filter(|key| key.ends_with('='));
    let effect = words.next().and_then(Effect::named);
    if key.is_none() || effect.is_none() {
        let message = format!("{:?} is not a key", text.get_ref());
        problems.add(text.span(), message, "write it like of= write");
    }
    Some(Key { key: leak_text(key?), effect: effect? })
}
