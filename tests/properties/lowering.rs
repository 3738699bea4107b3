//! The lowering: deterministic, well formed, complete over the scan, and idempotent on its own words.

use super::{ensure, shown};
use stanchion::shell::model::{Command, PlaceKind, Script, Word};
use stanchion::shell::scan::{self, Body, List, Part};
use stanchion::shell::{self, query::Queries};
use stanchion::span::Span;
use std::collections::BTreeSet;

/// Checks what a text is lowered to.
pub fn check(text: &[u8]) -> Result<(), String> {
    let script = read(text);
    well_formed(&script, text.len())?;
    complete(&script, text)?;
    let again = read(text);
    ensure(format!("{script:?}") == format!("{again:?}"), || "two readings differ".to_owned())?;
    let argv = plain(&script);
    let normal = written(&argv);
    let once = plain(&read(&normal));
    ensure(once == argv, || format!("`{}` reads as {}", shown(&normal), shown(&written(&once))))
}

fn read(text: &[u8]) -> Script {
    shell::read(text, Queries::shipped())
}

fn well_formed(script: &Script, len: usize) -> Result<(), String> {
    let inside = |span: Span| {
        ensure(span.start <= span.end && span.end <= len, || format!("{span:?} is outside of {len} bytes"))
    };
    for (id, place) in script.places.iter().enumerate() {
        let parent = place.parent.map_or(id == 0, |parent| parent < id);
        ensure(parent, || format!("place {id} stands in {:?}", place.parent))?;
        inside(place.span)?;
    }
    for (id, command) in script.commands.iter().enumerate() {
        ensure(command.place < script.places.len(), || format!("command {id} stands nowhere"))?;
        ensure(command.outer.is_none_or(|outer| outer < id), || format!("command {id} is its own"))?;
        inside(command.span)?;
        command.words.iter().try_for_each(|word| inside(word.span))?;
    }
    let mut end = 0;
    for item in &script.items {
        ensure(item.span.start >= end, || format!("items overlap at {end}"))?;
        end = item.span.end;
        inside(item.span)?;
    }
    script.opaque.iter().try_for_each(|region| inside(region.span))?;
    script.data.iter().try_for_each(|region| inside(region.span))
}

/// Every command that the scan tells is a command of the script, or lies in what is opaque.
fn complete(script: &Script, text: &[u8]) -> Result<(), String> {
    let found: BTreeSet<Span> = script.commands.iter().map(|command| command.span).collect();
    for piece in scan::scan(text, 0) {
        let mut spans = Vec::new();
        commands(&piece.list, &mut spans);
        for span in spans {
            let opaque = || script.opaque.iter().any(|region| region.span.contains(span));
            ensure(found.contains(&span) || opaque(), || format!("the command at {span:?} is lost"))?;
        }
    }
    Ok(())
}

fn commands(list: &List, spans: &mut Vec<Span>) {
    for stage in list.elements.iter().flat_map(|element| &element.stages) {
        match &stage.body {
            Body::Simple(simple) => {
                spans.push(stage.span);
                for assignment in &simple.assignments {
                    parts(&assignment.subscript, spans);
                    assignment.value.iter().for_each(|word| parts(&word.parts, spans));
                }
                simple.words.iter().for_each(|word| parts(&word.parts, spans));
                redirects(&simple.redirects, spans);
            }
            Body::Compound(compound) => {
                compound.words.iter().for_each(|word| parts(&word.parts, spans));
                redirects(&compound.redirects, spans);
                compound.lists.iter().for_each(|list| commands(list, spans));
            }
        }
    }
}

fn redirects(redirects: &[scan::Redirect], spans: &mut Vec<Span>) {
    for word in redirects.iter().filter_map(|redirect| redirect.target.as_ref()) {
        parts(&word.parts, spans);
    }
}

fn parts(of: &[Part], spans: &mut Vec<Span>) {
    for part in of {
        match part {
            Part::Substitution { list, .. } => commands(list, spans),
            Part::Parameter { operand, extra, .. } => {
                extra.iter().for_each(|extra| parts(&extra.subscript, spans));
                parts(operand, spans);
            }
            Part::Arithmetic { parts: inner, .. } => parts(inner, spans),
            Part::Literal { .. } | Part::Backtick { .. } => {}
        }
    }
}

type Argv = Vec<Vec<u8>>;

/// The words of each written command whose words are all known exactly.
fn plain(script: &Script) -> Vec<Argv> {
    let written = |command: &&Command| {
        let derived = |kind: &PlaceKind| {
            matches!(kind, PlaceKind::Payload { .. } | PlaceKind::Variable { .. } | PlaceKind::File { .. })
        };
        command.outer.is_none() && !command.words.is_empty() && !script.kinds(command.place).any(derived)
    };
    let exact = |command: &Command| {
        let words = command.words.iter().map(Word::exact).map(|word| word.map(<[u8]>::to_vec));
        words.collect::<Option<Argv>>()
    };
    script.commands.iter().filter(written).filter_map(exact).collect()
}

/// The normal form: one command a line, every word in single quotes.
fn written(commands: &[Argv]) -> Vec<u8> {
    let mut text = Vec::new();
    for argv in commands {
        for word in argv {
            text.push(b'\'');
            for byte in word {
                match byte {
                    b'\'' => text.extend_from_slice(b"'\\''"),
                    byte => text.push(*byte),
                }
            }
            text.extend_from_slice(b"' ");
        }
        text.push(b'\n');
    }
    text
}
