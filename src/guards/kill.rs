//! Broad kills of a named process (CONTRACT 6): by pattern, by what a finder tells, and in text that
//! could not be read. Must never object to a finder that only reads.

use super::matching::{mentions, normalised};
use super::regex::Regex;
use super::{Guard, Subject, deny};
use crate::policy::KillVerb;
use crate::shell::model::{Command, Cooked, Locality, PlaceId, PlaceKind, Word};
use crate::verdict::Finding;
use std::collections::BTreeSet;

/// The guard.
pub(super) struct Kill;

const CODE: &str = "broad-watcher-kill";
/// Builtins that read variables from their input.
const READERS: [&[u8]; 3] = [b"read", b"mapfile", b"readarray"];

impl Guard for Kill {
    fn id(&self) -> &'static str {
        "kill"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for command in &subject.script.commands {
            if command.locality != Locality::Remote && kills(subject, command) {
                findings.push(deny(subject, "kill", CODE, command.span, Some(command)));
            }
        }
        for opaque in &subject.script.opaque {
            if opaque_kill(subject, &opaque.bytes) {
                findings.push(deny(subject, "kill", CODE, opaque.span, None));
            }
        }
        findings
    }

    fn silence(&self, subject: &Subject<'_>) -> String {
        let verb = subject.script.commands.iter().any(|command| {
            base(command).is_some_and(|name| is_kill(subject, name) || verb(subject, name).is_some())
        });
        if verb { "a kill runs, but names nothing guarded" } else { "no kill runs" }.to_owned()
    }
}

fn base(command: &Command) -> Option<&[u8]> {
    let name = command.words.first()?.value.exact()?;
    name.rsplit(|byte| *byte == b'/').next()
}

fn is(list: &[String], name: &[u8]) -> bool {
    list.iter().any(|known| known.as_bytes() == name)
}

fn is_kill(subject: &Subject<'_>, name: &[u8]) -> bool {
    is(&subject.policy.kill.kill, name)
}

fn verb<'s>(subject: &Subject<'s>, name: &[u8]) -> Option<&'s KillVerb> {
    subject.policy.kill.verbs.iter().find(|verb| verb.program.as_bytes() == name)
}

fn kills(subject: &Subject<'_>, command: &Command) -> bool {
    let Some(name) = base(command) else { return false };
    if let Some(verb) = verb(subject, name) {
        return by_pattern(subject, command, verb);
    }
    is_kill(subject, name) && by_finder(subject, command)
}

fn by_pattern(subject: &Subject<'_>, command: &Command, verb: &KillVerb) -> bool {
    let words = command.words.get(1..).unwrap_or_default();
    let given = |option: &String| words.iter().filter_map(Word::exact).any(|word| has_option(word, option));
    if !verb.only.is_empty() && !verb.only.iter().any(given) {
        return false;
    }
    let mut skip = false;
    let mut options = true;
    for word in words {
        if std::mem::take(&mut skip) {
            continue;
        }
        let exact = word.value.exact().unwrap_or_default();
        if options && exact == b"--" {
            options = false;
        } else if options && exact.len() > 1 && exact.starts_with(b"-") {
            skip = is(&verb.options, exact);
        } else if word_names(subject, word) {
            return true;
        }
    }
    // What another command finds, as operands: `fuser -k $(pgrep …)`, `… | xargs pkill`.
    by_finder(subject, command)
}

fn has_option(word: &[u8], option: &str) -> bool {
    let letter = option.as_bytes().get(1);
    let short = option.len() == 2 && word.starts_with(b"-") && !word.starts_with(b"--");
    word == option.as_bytes() || (short && letter.is_some_and(|letter| word.contains(letter)))
}

/// Whether a word may name the guarded process.
fn word_names(subject: &Subject<'_>, word: &Word) -> bool {
    let finds =
        |bytes: &[u8]| subject.policy.kill.names.iter().any(|name| pattern_names(subject, bytes, name));
    let literal = |bytes: &[u8]| subject.policy.kill.names.iter().any(|name| mentions(bytes, name));
    word.values().any(|value| match value {
        Cooked::Exact(bytes) | Cooked::Pattern(bytes) => finds(bytes),
        Cooked::Affix { head, tail } => literal(head) || literal(tail),
        Cooked::Opaque => false,
    })
}

/// Whether a pattern finds the guarded process by its name, or by the name in a script's path.
fn pattern_names(subject: &Subject<'_>, pattern: &[u8], name: &str) -> bool {
    if pattern.is_empty() {
        return false;
    }
    let plain: Vec<u8> = normalised(pattern).into_iter().filter(|byte| !b"()".contains(byte)).collect();
    if mentions(&plain, name) {
        return true;
    }
    let Some(regex) = Regex::parse(pattern) else { return true };
    let in_path = |path: &str| {
        // A pattern that finds the path without the name as well (`sh`) does not name the process.
        let path = format!("/{path}");
        path.contains(name) && regex.finds(path.as_bytes()) && !regex.finds(path.replace(name, "").as_bytes())
    };
    regex.finds(name.as_bytes())
        || regex.covers(name.as_bytes())
        || subject.policy.protected.scripts.iter().any(|script| in_path(&script.path))
}

/// Whether `kill` gets its process ids from a finder of the guarded process.
fn by_finder(subject: &Subject<'_>, command: &Command) -> bool {
    if !any_finder(subject) {
        return false;
    }
    let operands = command.words.iter().skip(1);
    let substituted =
        operands.clone().flat_map(|word| &word.substitutions).any(|place| finds(subject, *place));
    let tainted = tainted(subject);
    let variable = operands.flat_map(|word| &word.variables).any(|name| tainted.contains(name.as_slice()));
    substituted || variable || enclosed(subject, command)
}

/// The variables that hold what a finder of the guarded process told, also at second hand.
fn tainted<'s>(subject: &Subject<'s>) -> BTreeSet<&'s [u8]> {
    let bindings: Vec<(&[u8], &Word)> = subject.script.commands.iter().flat_map(bindings).collect();
    let mut tainted: BTreeSet<&[u8]> = bindings
        .iter()
        .filter(|(_, word)| word.substitutions.iter().any(|place| finds(subject, *place)))
        .map(|(name, _)| *name)
        .collect();
    let mut grew = !tainted.is_empty();
    while grew {
        let before = tainted.len();
        for (name, word) in &bindings {
            if word.variables.iter().any(|variable| tainted.contains(variable.as_slice())) {
                tainted.insert(name);
            }
        }
        grew = tainted.len() > before;
    }
    tainted
}

/// The variables that a command sets, each with a word that its value comes from.
fn bindings(command: &Command) -> Vec<(&[u8], &Word)> {
    let assigned = command
        .assignments
        .iter()
        .flat_map(|assignment| assignment.value.iter().map(|word| (assignment.name.as_slice(), word)));
    let mut bindings: Vec<(&[u8], &Word)> = assigned.collect();
    for word in command.words.iter().skip(1) {
        // `export NAME=…` and its like.
        if let Cooked::Affix { head, .. } = &word.value
            && let Some(at) = head.iter().position(|byte| *byte == b'=')
        {
            bindings.push((head.get(..at).unwrap_or_default(), word));
        }
    }
    if base(command).is_some_and(|name| READERS.contains(&name)) {
        let names: Vec<&[u8]> = command.words.iter().skip(1).filter_map(Word::exact).collect();
        for target in command.redirects.iter().filter_map(|redirect| redirect.target.as_ref()) {
            bindings.extend(names.iter().map(|name| (*name, target)));
        }
    }
    bindings
}

/// A kill in a pipeline or loop that a finder feeds.
fn enclosed(subject: &Subject<'_>, command: &Command) -> bool {
    let script = subject.script;
    script.path(command.place).into_iter().any(|place| match script.places.get(place).map(|place| &place.kind) {
        Some(PlaceKind::Pipeline { pipeline, .. }) => {
            let same = |id: &PlaceId| matches!(script.places.get(*id).map(|place| &place.kind), Some(PlaceKind::Pipeline { pipeline: other, .. }) if other == pipeline);
            (0..script.places.len()).filter(same).collect::<Vec<_>>().into_iter().any(|stage| finds_with(subject, stage, *pipeline))
        }
        Some(PlaceKind::While | PlaceKind::For | PlaceKind::Select) => finds(subject, place),
        _ => false,
    })
}

/// Whether the text runs a finder at all.
fn any_finder(subject: &Subject<'_>) -> bool {
    let finders = &subject.policy.kill.finders;
    subject.script.commands.iter().any(|command| base(command).is_some_and(|name| is(finders, name)))
}

/// Whether the commands of a place find the guarded process.
fn finds(subject: &Subject<'_>, place: PlaceId) -> bool {
    let script = subject.script;
    let inside = || script.commands.iter().filter(|command| script.within(command.place, place));
    let finder =
        inside().any(|command| base(command).is_some_and(|name| is(&subject.policy.kill.finders, name)));
    finder && inside().any(|command| command.words.iter().skip(1).any(|word| word_names(subject, word)))
}

fn finds_with(subject: &Subject<'_>, _stage: PlaceId, pipeline: usize) -> bool {
    let script = subject.script;
    let inside = || {
        script.commands.iter().filter(|command| {
            script
                .kinds(command.place)
                .any(|kind| matches!(kind, PlaceKind::Pipeline { pipeline: other, .. } if *other == pipeline))
        })
    };
    let finder =
        inside().any(|command| base(command).is_some_and(|name| is(&subject.policy.kill.finders, name)));
    finder && inside().any(|command| command.words.iter().skip(1).any(|word| word_names(subject, word)))
}

fn opaque_kill(subject: &Subject<'_>, bytes: &[u8]) -> bool {
    let text = normalised(bytes);
    let kill = &subject.policy.kill;
    let verb =
        kill.kill.iter().chain(kill.verbs.iter().map(|verb| &verb.program)).any(|verb| mentions(&text, verb));
    verb && kill.names.iter().any(|name| mentions(&text, name))
}
