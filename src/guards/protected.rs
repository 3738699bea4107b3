//! Protected scripts (CONTRACT 5): who they are, and the one shape in which they may run. Must never
//! name a script: all names are policy data.

use super::matching::{glob_may_name, mentions, names, normalised};
use super::{Guard, Subject, deny};
use crate::policy::{Policy, ProtectedScript};
use crate::shell::model::{Command, Cooked, Directory, Item, Locality, PlaceKind, Script, Separator, Word};
use crate::shell::path::fold;
use crate::verdict::Finding;
use std::collections::BTreeSet;

/// The guard.
pub(super) struct Protected;

const ID: &str = "protected";

/// How surely a word names a script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sure {
    /// It does.
    Names,
    /// A pattern in it may.
    May,
}

impl Guard for Protected {
    fn id(&self) -> &'static str {
        ID
    }

    fn applies(&self, policy: &Policy) -> bool {
        !policy.protected.scripts.is_empty()
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let variables = protected_variables(subject);
        for command in &subject.script.commands {
            if command.locality != Locality::Remote {
                executed(subject, command, &mut findings);
                constructed(subject, command, &variables, &mut findings);
            }
        }
        for opaque in &subject.script.opaque {
            if mentioned(subject, &opaque.bytes) {
                findings.push(deny(subject, ID, "unclassifiable-protected-command", opaque.span, None));
            }
        }
        findings
    }

    fn silence(&self, subject: &Subject<'_>) -> String {
        if subject.script.commands.iter().any(|command| identity(subject, command).is_some()) {
            "a protected script runs in its approved shape".to_owned()
        } else {
            "no protected script is executed".to_owned()
        }
    }
}

fn executed(subject: &Subject<'_>, command: &Command, findings: &mut Vec<Finding>) {
    let Some((script, sure)) = identity(subject, command) else { return };
    let mut add = |code| findings.push(deny(subject, ID, code, command.span, Some(command)));
    if sure == Sure::May {
        return add("unclassifiable-protected-command");
    }
    let codes = shape(subject, command, script);
    if codes.is_empty() && !blessed(subject, command) {
        add("watcher-bundled");
    }
    codes.into_iter().for_each(add);
}

/// Every code that the position of a protected script earns.
fn shape(subject: &Subject<'_>, command: &Command, protected: &ProtectedScript) -> Vec<&'static str> {
    let script = subject.script;
    let kinds: Vec<&PlaceKind> = script.kinds(command.place).collect();
    let written = written(script, command);
    let mut codes = Vec::new();
    let variable = kinds.iter().any(|kind| matches!(kind, PlaceKind::Variable { .. }));
    if kinds.iter().any(|kind| is_compound(kind)) && !variable {
        codes.push("unclassifiable-protected-command");
    }
    let background = kinds.iter().any(|kind| is_background(subject, kind)) || holds_background(subject);
    let wrapped = kinds.iter().any(|kind| is_nesting(subject, kind, command, written));
    if !wrapped && !protected.blessed && !kinds.iter().any(|kind| is_background_wrapper(subject, kind)) {
        codes.push("watcher-direct");
    }
    let substituted = command.words.iter().chain(&written.words).any(|word| !word.substitutions.is_empty());
    if wrapped || substituted || !written.assignments.is_empty() {
        codes.push("watcher-nested");
    }
    if background {
        codes.push("watcher-background");
    }
    if kinds.iter().any(|kind| matches!(kind, PlaceKind::Pipeline { .. })) {
        codes.push("watcher-pipeline");
    }
    if !command.redirects.is_empty() || !written.redirects.is_empty() {
        codes.push("watcher-redirection");
    }
    codes
}

/// The command as written, of which this one is a part.
fn written<'s>(script: &'s Script, command: &'s Command) -> &'s Command {
    let mut command = command;
    while let Some(outer) = command.outer.and_then(|id| script.commands.get(id)) {
        command = outer;
    }
    command
}

fn is_compound(kind: &PlaceKind) -> bool {
    matches!(
        kind,
        PlaceKind::If
            | PlaceKind::While
            | PlaceKind::For
            | PlaceKind::Select
            | PlaceKind::Case
            | PlaceKind::Function { .. }
            | PlaceKind::Coproc
            | PlaceKind::Timed
    )
}

fn is_background_wrapper(subject: &Subject<'_>, kind: &PlaceKind) -> bool {
    let PlaceKind::Wrapper { program } = kind else { return false };
    subject.policy.protected.background.iter().any(|name| name.as_bytes() == program)
}

fn is_background(subject: &Subject<'_>, kind: &PlaceKind) -> bool {
    matches!(kind, PlaceKind::Background) || is_background_wrapper(subject, kind)
}

fn is_nesting(subject: &Subject<'_>, kind: &PlaceKind, command: &Command, written: &Command) -> bool {
    match kind {
        PlaceKind::Wrapper { program } => {
            let exec = subject.policy.protected.exec.iter().any(|name| name.as_bytes() == program);
            let plain = written.words.len() == command.words.len() + 1;
            let allowed = exec && plain;
            !allowed && !is_background_wrapper(subject, kind)
        }
        PlaceKind::Subshell
        | PlaceKind::Group
        | PlaceKind::CommandSubstitution
        | PlaceKind::ProcessSubstitution
        | PlaceKind::Payload { .. }
        | PlaceKind::File { .. }
        | PlaceKind::Variable { .. }
        | PlaceKind::MayVanish
        | PlaceKind::Guessed
        | PlaceKind::Reprinted => true,
        PlaceKind::Text
        | PlaceKind::Background
        | PlaceKind::Pipeline { .. }
        | PlaceKind::Negated
        | PlaceKind::Timed
        | PlaceKind::Coproc
        | PlaceKind::If
        | PlaceKind::While
        | PlaceKind::For
        | PlaceKind::Select
        | PlaceKind::Case
        | PlaceKind::Function { .. } => false,
    }
}

/// Whether the outer list that holds the command has `&`, or a command of the background list.
fn holds_background(subject: &Subject<'_>) -> bool {
    let script = subject.script;
    let asynchronous = script.items.iter().any(|item| item.separator == Separator::Background);
    let disowned = script.commands.iter().any(|other| {
        let name = other.words.first().and_then(Word::exact).unwrap_or_default();
        let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let known = subject.policy.protected.background.iter().any(|known| known.as_bytes() == base);
        known && other.outer.is_none() && script.kinds(other.place).count() <= 2
    });
    asynchronous || disowned
}

/// Whether the outer list is setup nodes and then this command, alone and last.
fn blessed(subject: &Subject<'_>, command: &Command) -> bool {
    let script = subject.script;
    let written = written(script, command);
    let Some((last, setup)) = script.items.split_last() else { return false };
    let is_last =
        last.command.and_then(|id| script.commands.get(id)).is_some_and(|found| std::ptr::eq(found, written));
    let order = setup
        .iter()
        .all(|item| matches!(item.separator, Separator::Semicolon | Separator::Newline | Separator::And));
    let ends = matches!(last.separator, Separator::End | Separator::Semicolon | Separator::Newline);
    is_last && order && ends && script.opaque.is_empty() && all_setup(subject, setup)
}

fn all_setup(subject: &Subject<'_>, items: &[Item]) -> bool {
    let mut at = 0;
    while let Some(item) = items.get(at) {
        let Some(node) = node(subject.script, item) else { return false };
        if is_cd(node) || is_export(node) || is_source(subject, node).is_some() {
            at += 1;
            continue;
        }
        let tested = is_test(node);
        let next = items.get(at + 1).and_then(|next| self::node(subject.script, next));
        let sourced = next.and_then(|next| is_source(subject, next));
        if tested.is_none() || tested != sourced || item.separator != Separator::And {
            return false;
        }
        at += 2;
    }
    true
}

/// The plain simple command of an item: no assignments, redirects or substitutions.
fn node<'s>(script: &'s Script, item: &Item) -> Option<&'s Command> {
    let command = script.commands.get(item.command?)?;
    let plain = command.assignments.is_empty()
        && command.redirects.is_empty()
        && command.words.iter().all(|word| word.substitutions.is_empty());
    plain.then_some(command)
}

fn is_cd(node: &Command) -> bool {
    let [name, target] = node.words.as_slice() else { return false };
    name.exact() == Some(b"cd") && !target.exact().is_some_and(|bytes| bytes.starts_with(b"-"))
}

fn is_export(node: &Command) -> bool {
    let [name, value] = node.words.as_slice() else { return false };
    let head = match &value.value {
        Cooked::Exact(bytes) | Cooked::Pattern(bytes) => bytes,
        Cooked::Affix { head, .. } => head,
        Cooked::Opaque => return false,
    };
    let variable = head.split(|byte| *byte == b'=').next().unwrap_or_default();
    let valid = variable.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && variable.first().is_some_and(|byte| !byte.is_ascii_digit());
    name.exact() == Some(b"export") && valid && head.contains(&b'=')
}

/// The setup file that a node sources.
fn is_source<'c>(subject: &Subject<'_>, node: &'c Command) -> Option<&'c [u8]> {
    let [name, file] = node.words.as_slice() else { return None };
    let file = file.exact()?;
    (matches!(name.exact(), Some(b"source" | b".")) && is_setup_file(subject, file)).then_some(file)
}

/// The file of `[ -f FILE ]`.
fn is_test(node: &Command) -> Option<&[u8]> {
    let [open, flag, file, close] = node.words.as_slice() else { return None };
    let shape = open.exact() == Some(b"[") && flag.exact() == Some(b"-f") && close.exact() == Some(b"]");
    if shape { file.exact() } else { None }
}

fn is_setup_file(subject: &Subject<'_>, file: &[u8]) -> bool {
    let home = subject.call.home.as_ref().or(subject.call.root.as_ref());
    subject.policy.protected.setup_files.iter().any(|known| {
        let relative = file.strip_prefix(b"./").unwrap_or(file) == known.as_bytes();
        let anchored = home.is_some_and(|home| {
            let home = home.as_os_str().as_encoded_bytes();
            file.starts_with(b"/") && fold(file) == fold(&[home, b"/", known.as_bytes()].concat())
        });
        relative || anchored
    })
}

/// The protected script that a command's name stands for.
fn identity<'s>(subject: &Subject<'s>, command: &Command) -> Option<(&'s ProtectedScript, Sure)> {
    let word = command.words.first()?;
    let kind = subject.script.places.get(command.place).map(|place| &place.kind);
    let file = matches!(kind, Some(PlaceKind::File { .. }));
    let mut may = None;
    for script in subject.policy.protected.scripts {
        for value in std::iter::once(&word.value) {
            match named(value, script.path, &command.directory, file) {
                Some(Sure::Names) => return Some((script, Sure::Names)),
                Some(Sure::May) => may = Some((script, Sure::May)),
                None => {}
            }
        }
    }
    may
}

fn named(value: &Cooked, suffix: &str, directory: &Directory, file: bool) -> Option<Sure> {
    match value {
        Cooked::Exact(bytes) => exact_names(bytes, suffix, directory, file).then_some(Sure::Names),
        Cooked::Affix { head, tail } => affix_names(head, tail, suffix),
        Cooked::Pattern(glob) => {
            let based = based(glob, directory);
            (glob_may_name(glob, suffix) || glob_may_name(&based, suffix)).then_some(Sure::May)
        }
        Cooked::Opaque => None,
    }
}

/// A word resolved against a tracked directory.
fn based(word: &[u8], directory: &Directory) -> Vec<u8> {
    match directory {
        Directory::Path(base) if !word.starts_with(b"/") && !word.starts_with(b"~") => {
            [base.as_slice(), b"/", word].concat()
        }
        Directory::Home(base) if !word.starts_with(b"/") && !word.starts_with(b"~") => {
            [b"~/".as_slice(), base, b"/", word].concat()
        }
        Directory::Path(_) | Directory::Home(_) | Directory::Start | Directory::Unknown => word.to_vec(),
    }
}

fn exact_names(word: &[u8], suffix: &str, directory: &Directory, file: bool) -> bool {
    let path = word.contains(&b'/') || file;
    path && (names(word, suffix) || names(&based(word, directory), suffix))
}

fn affix_names(head: &[u8], tail: &[u8], suffix: &str) -> Option<Sure> {
    if names(tail, suffix) {
        return Some(Sure::Names);
    }
    // Known pieces on both sides of the script's own name: `bin/fm-${x}-arm.sh`.
    let wanted = suffix.as_bytes();
    let name = wanted.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let start = (name + 3..=wanted.len()).any(|end| {
        let piece = wanted.get(..end).unwrap_or_default();
        let folded = fold(head);
        folded.strip_suffix(piece).is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
    });
    (start && wanted.ends_with(tail)).then_some(Sure::May)
}

/// The variables to which the text assigns a protected literal.
fn protected_variables<'s>(subject: &Subject<'s>) -> BTreeSet<&'s [u8]> {
    let assignments = subject.script.commands.iter().flat_map(|command| &command.assignments);
    let literal = assignments.filter(|assignment| {
        assignment.value.iter().flat_map(Word::values).any(|value| match value {
            Cooked::Exact(bytes) | Cooked::Pattern(bytes) => mentioned(subject, bytes),
            Cooked::Affix { head, tail } => mentioned(subject, head) || mentioned(subject, tail),
            Cooked::Opaque => false,
        })
    });
    literal.map(|assignment| assignment.name.as_slice()).collect()
}

/// A protected literal that the text assigns and then feeds to a shell in a way not followed.
fn constructed(
    subject: &Subject<'_>,
    command: &Command,
    names: &BTreeSet<&[u8]>,
    findings: &mut Vec<Finding>,
) {
    if names.is_empty() || !is_sink(subject, command) {
        return;
    }
    // A literal text has been read with what its variables may be; this is for the others.
    let uses = |word: &Word| word.variables.iter().any(|name| names.contains(name.as_slice()));
    if command.words.iter().skip(1).any(uses) {
        findings.push(deny(subject, ID, "watcher-nested", command.span, Some(command)));
    }
}

fn is_sink(subject: &Subject<'_>, command: &Command) -> bool {
    let Some(name) = command.words.first().and_then(Word::exact) else { return false };
    let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
    subject.queries.programs(base).any(|program| program.sink)
}

/// Whether bytes mention a protected script after normalisation.
fn mentioned(subject: &Subject<'_>, bytes: &[u8]) -> bool {
    let text = normalised(bytes);
    subject.policy.protected.scripts.iter().any(|script| {
        let base = script.path.rsplit('/').next().unwrap_or(script.path);
        mentions(&text, base)
    })
}
