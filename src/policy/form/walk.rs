//! Holds a written table against its description. Tells everything that does not fit and takes it out, so
//! that what fits can still be read and checked. Must never stop at the first.

use super::near::nearest;
use super::table::{Fits, Key, Shape, Table, Text};
use crate::policy::problems::Problems;
use std::mem::replace;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// Checks a table and takes out what does not fit.
pub fn table(written: &mut DeTable<'_>, at: &Range<usize>, known: &Table, problems: &mut Problems<'_>) {
    let before = problems.count();
    let (mut unfit, mut meant) = (Vec::new(), Vec::new());
    for (name, value) in written.iter_mut() {
        let fits = match known.keys.iter().find(|key| key.name() == name.get_ref().as_ref()) {
            Some(key) => fits(value, &key.shape, key.name(), problems),
            None => {
                meant.extend(unknown(name.get_ref(), name.span(), known, problems));
                false
            }
        };
        if !fits {
            unfit.push(name.clone());
        }
    }
    // A key with a slip in its name is told once.
    let there = |key: &Key| written.contains_key(key.name()) || meant.contains(&key.name());
    for key in known.keys.iter().filter(|key| key.required && !there(key)) {
        missing(key, at, known, problems);
    }
    for name in &unfit {
        problems.refuse(name.get_ref());
        written.remove(name);
    }
    if problems.count() > before {
        problems.maim(at);
    }
}

/// Tells of an unknown key; gives the one that was meant.
fn unknown(name: &str, at: Range<usize>, known: &Table, problems: &mut Problems<'_>) -> Option<&'static str> {
    let names: Vec<&'static str> = known.keys.iter().map(Key::name).collect();
    let message = format!("unknown key {name:?} in this {}", known.name);
    problems.add(at, message, &meant(name, &names));
    nearest(name, &names)
}

/// Which name was meant, or which there are.
fn meant(name: &str, names: &[&str]) -> String {
    match nearest(name, names) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("use one of {}", names.join(", ")),
    }
}

fn missing(key: &Key, at: &Range<usize>, known: &Table, problems: &mut Problems<'_>) {
    let message = format!("this {} has no {}", known.name, key.name());
    problems.add(at.clone(), message, &format!("add {} = …: {}", key.name(), first(key.doc)));
}

/// The first sentence of a description, without its end.
fn first(doc: &[&str]) -> String {
    let text = doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let sentence = text.split_once(". ").map_or(text.as_str(), |(sentence, _)| sentence);
    sentence.trim_end_matches('.').to_owned()
}

/// Whether a value fits once what does not fit is taken out of it.
fn fits(value: &mut Spanned<DeValue<'_>>, shape: &Shape, name: &str, problems: &mut Problems<'_>) -> bool {
    let at = value.span();
    match (shape, value.get_mut()) {
        (Shape::Bool, DeValue::Boolean(_)) => true,
        (Shape::Exactly(wanted), DeValue::Integer(number)) => {
            let fits = number.as_str() == wanted.to_string();
            if !fits {
                let message = format!("unknown {name} {number}");
                problems.add(at, message, &format!("write {name} = {wanted}"));
            }
            fits
        }
        (Shape::Bounds, DeValue::Array(list)) => bounds(list, at, name, problems),
        (Shape::Text(kind), DeValue::String(text)) => fits_text(text, at, kind, name, problems),
        (Shape::List(inner, least), DeValue::Array(list)) => {
            enough(list.len(), *least, &at, name, problems);
            keep(list, inner, name, problems);
            true
        }
        (Shape::OneOrMore(inner), DeValue::Array(list)) => {
            enough(list.len(), 1, &at, name, problems);
            keep(list, inner, name, problems);
            true
        }
        (Shape::OneOrMore(inner), DeValue::String(_)) => fits(value, inner, name, problems) && alone(value),
        (Shape::Table(known), DeValue::Table(written)) => {
            table(written, &at, known(), problems);
            true
        }
        (Shape::Map(keys, inner), DeValue::Table(written)) => {
            map(written, keys, inner, problems);
            true
        }
        (_, found) => {
            let message = format!("{name} is {}, not {}", a(found.type_str()), form(shape));
            problems.add(at, message, &format!("write {}", example(shape)));
            false
        }
    }
}

/// Makes a single value a list of one: readers know lists alone.
fn alone(value: &mut Spanned<DeValue<'_>>) -> bool {
    let at = value.span();
    let only = replace(value, Spanned::new(at, DeValue::Array(DeArray::new())));
    if let DeValue::Array(list) = value.get_mut() {
        list.push(only);
    }
    true
}

fn enough(count: usize, least: usize, at: &Range<usize>, name: &str, problems: &mut Problems<'_>) {
    if count < least {
        let message = format!("{name} has {count} of at least {least} entries");
        problems.add(at.clone(), message, "add what is missing");
    }
}

/// Keeps the entries that fit.
fn keep(list: &mut DeArray<'_>, inner: &Shape, name: &str, problems: &mut Problems<'_>) {
    let name = format!("an entry of {name}");
    for mut entry in replace(list, DeArray::new()) {
        if fits(&mut entry, inner, &name, problems) {
            list.push(entry);
        }
    }
}

fn bounds(list: &DeArray<'_>, at: Range<usize>, name: &str, problems: &mut Problems<'_>) -> bool {
    let number = |entry: &Spanned<DeValue<'_>>| entry.get_ref().as_integer()?.as_str().parse::<u16>().ok();
    let numbers: Vec<Option<u16>> = list.iter().map(number).collect();
    let fits = match numbers.as_slice() {
        [Some(least), Some(most)] if least <= most => return true,
        [Some(_), Some(_)] => format!("{name} ends before it begins; the condition can never hold"),
        _ => format!("{name} is not a range of numbers"),
    };
    problems.add(at, fits, "write [least, most] such as [1, 3]");
    false
}

fn map(written: &mut DeTable<'_>, keys: &Text, inner: &Shape, problems: &mut Problems<'_>) {
    let mut unfit = Vec::new();
    for (name, value) in written.iter_mut() {
        let known = fits_text(name.get_ref(), name.span(), keys, name.get_ref(), problems);
        if !(fits(value, inner, name.get_ref(), problems) && known) {
            unfit.push(name.clone());
        }
    }
    for name in &unfit {
        problems.refuse(name.get_ref());
        written.remove(name);
    }
}

fn fits_text(text: &str, at: Range<usize>, kind: &Text, name: &str, problems: &mut Problems<'_>) -> bool {
    let remedy = match &kind.fits {
        Fits::All => return true,
        Fits::Pattern(_, holds) if holds(text) => return true,
        Fits::Pattern(..) => kind.remedy.to_owned(),
        Fits::Names(names) => {
            let names = names();
            if names.contains(&text) {
                return true;
            }
            meant(text, &names)
        }
    };
    let message = match text.trim() {
        "" => format!("{name} is blank"),
        _ => format!("{text:?} is not {}", kind.what),
    };
    problems.add(at, message, &remedy);
    false
}

/// What a shape is called.
fn form(shape: &Shape) -> String {
    match shape {
        Shape::Bool => "true or false".to_owned(),
        Shape::Exactly(number) => format!("the number {number}"),
        Shape::Bounds => "a range of numbers".to_owned(),
        Shape::Text(kind) => kind.what.to_owned(),
        Shape::List(..) => "a list".to_owned(),
        Shape::OneOrMore(inner) => format!("{} or a list", form(inner)),
        Shape::Table(_) | Shape::Map(..) => "a table".to_owned(),
    }
}

/// How a value of a shape is written.
fn example(shape: &Shape) -> String {
    match shape {
        Shape::Bool => "true or false".to_owned(),
        Shape::Exactly(number) => number.to_string(),
        Shape::Bounds => "[least, most] such as [1, 3]".to_owned(),
        Shape::Text(kind) => match &kind.fits {
            Fits::Names(names) => format!("one of {}, in quotes", names().join(", ")),
            Fits::All | Fits::Pattern(..) => "it in quotes, as \"…\"".to_owned(),
        },
        Shape::List(Shape::Table(_), _) => {
            "each entry as a table, under a [[…]] header of its own or as { … }".to_owned()
        }
        Shape::List(..) => "it in brackets, as [\"…\", \"…\"]".to_owned(),
        Shape::OneOrMore(_) => "\"…\" or [\"…\", \"…\"]".to_owned(),
        Shape::Table(known) => {
            let names: Vec<&str> = known().keys.iter().map(Key::name).collect();
            format!("{{ … }} with keys among {}", names.join(", "))
        }
        Shape::Map(..) => "{ \"…\" = … }".to_owned(),
    }
}

/// A kind of TOML value with its article.
fn a(kind: &str) -> String {
    let kind = match kind {
        "string" => "text",
        "boolean" => "true or false",
        "array" => "a list",
        "integer" => "a number",
        other => return format!("a {other}"),
    };
    kind.to_owned()
}
