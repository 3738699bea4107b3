//! Broad kills of a named process (CONTRACT 6): by pattern, by what a finder tells, and in text that
//! could not be read. Must never object to a finder that only reads.

use super::found::Found;
use super::matching::{mentions, normalised};
use super::regex::Regex;
use super::{Guard, Subject, deny};
use crate::policy::{KillVerb, Policy};
use crate::shell::model::{Command, Cooked, Locality, Word};
use crate::verdict::Finding;

/// The guard.
pub(super) struct Kill;

const CODE: &str = "broad-watcher-kill";

impl Guard for Kill {
    fn id(&self) -> &'static str {
        "kill"
    }

    fn applies(&self, policy: &Policy) -> bool {
        !policy.kill.names.is_empty()
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let finders = &subject.policy.kill.finders;
        let finder = |command: &Command| base(command).is_some_and(|name| is(finders, name));
        let found = Found::new(subject.script, &finder, &|word| word_names(subject, word));
        for command in &subject.script.commands {
            if command.locality != Locality::Remote && kills(subject, command, &found) {
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

fn is(list: &[&str], name: &[u8]) -> bool {
    list.iter().any(|known| known.as_bytes() == name)
}

fn is_kill(subject: &Subject<'_>, name: &[u8]) -> bool {
    is(subject.policy.kill.kill, name)
}

fn verb<'s>(subject: &Subject<'s>, name: &[u8]) -> Option<&'s KillVerb> {
    subject.policy.kill.verbs.iter().find(|verb| verb.program.as_bytes() == name)
}

fn kills(subject: &Subject<'_>, command: &Command, found: &Found<'_>) -> bool {
    let Some(name) = base(command) else { return false };
    if let Some(verb) = verb(subject, name) {
        let kills = verb.only.is_empty() || verb.only.iter().any(|option| given(command, option));
        return kills && (by_pattern(subject, command, verb) || found.feeds(subject.script, command));
    }
    is_kill(subject, name) && found.feeds(subject.script, command)
}

fn by_pattern(subject: &Subject<'_>, command: &Command, verb: &KillVerb) -> bool {
    let words = command.words.get(1..).unwrap_or_default();
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
            skip = is(verb.options, exact);
        } else if word_names(subject, word) {
            return true;
        }
    }
    false
}

fn given(command: &Command, option: &str) -> bool {
    command.words.iter().skip(1).filter_map(Word::exact).any(|word| has_option(word, option))
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
        || subject.policy.protected.scripts.iter().any(|script| in_path(script.path))
}

fn opaque_kill(subject: &Subject<'_>, bytes: &[u8]) -> bool {
    let text = normalised(bytes);
    let kill = &subject.policy.kill;
    let verb =
        kill.kill.iter().chain(kill.verbs.iter().map(|verb| &verb.program)).any(|verb| mentions(&text, verb));
    verb && kill.names.iter().any(|name| mentions(&text, name))
}
