//! Lasting changes of the directory (CONTRACT 7): builtins that move the shell in which the harness
//! runs every later call. Must never object to what it cannot read, nor outside of the policy's scope.

use super::parent::Parent;
use super::{Guard, Subject, deny};
use crate::call::CheckoutKind;
use crate::policy::{DirectoryCommand, Policy};
use crate::shell::model::{Command, CommandId, Locality, PlaceId, PlaceKind, Script, Word};
use crate::verdict::Finding;

/// The guard.
pub(super) struct Cwd;

const ID: &str = "cwd";
const CODE: &str = "persistent-cd";
const UNREAD: &str = "the text does not parse";

impl Guard for Cwd {
    fn id(&self) -> &'static str {
        ID
    }

    fn applies(&self, policy: &Policy) -> bool {
        !policy.cwd.commands.is_empty()
    }

    fn fails_closed(&self) -> bool {
        false
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        if out_of_scope(subject).is_some() || movers(subject).next().is_none() {
            return Vec::new();
        }
        let parent = Parent::new(subject.script, &subject.policy.cwd);
        let lasting = movers(subject).filter(|(id, command)| why_not(*id, command, &parent).is_none());
        lasting.map(|(_, command)| deny(subject, ID, CODE, command.span, Some(command))).collect()
    }

    fn silence(&self, subject: &Subject<'_>) -> String {
        let Some((id, command)) = movers(subject).next() else {
            let unread = subject.script.opaque.iter().any(|opaque| opaque.unread == Some(0));
            return if unread { UNREAD } else { "no command changes the directory" }.to_owned();
        };
        if let Some(why) = out_of_scope(subject) {
            return why;
        }
        let parent = Parent::new(subject.script, &subject.policy.cwd);
        match why_not(id, command, &parent) {
            Some(Elsewhere::Function) => "the text defines a function of that name".to_owned(),
            Some(Elsewhere::Place(place)) => elsewhere(subject.script, &parent, place),
            None => "the directory changes".to_owned(),
        }
    }
}

/// Why a command does not move the parent shell.
enum Elsewhere {
    /// It calls a function.
    Function,
    /// This place runs in another shell.
    Place(PlaceId),
}

/// Every command that changes the directory of some shell.
fn movers<'s>(subject: &Subject<'s>) -> impl Iterator<Item = (CommandId, &'s Command)> {
    let known = &subject.policy.cwd.commands;
    let commands = subject.script.commands.iter().enumerate();
    commands.filter(|(_, command)| {
        let local = command.locality == Locality::Local;
        local && known.iter().any(|known| moves(command, known))
    })
}

/// Whether a command is this builtin and has no option that keeps the directory.
fn moves(command: &Command, known: &DirectoryCommand) -> bool {
    let mut words = command.words.iter().map(Word::exact);
    let named = words.next().flatten() == Some(known.name.as_bytes());
    named && !words.map_while(option).any(|word| known.inert.iter().any(|inert| inert.as_bytes() == word))
}

/// A word before the operands: `-x`, and `+1` and `-1` of the directory stack.
fn option(word: Option<&[u8]>) -> Option<&[u8]> {
    word.filter(|word| word.len() > 1 && *word != b"--" && (word.starts_with(b"-") || word.starts_with(b"+")))
}

fn why_not(id: CommandId, command: &Command, parent: &Parent<'_>) -> Option<Elsewhere> {
    if parent.is_function(id, command) {
        return Some(Elsewhere::Function);
    }
    parent.runs(command).err().map(Elsewhere::Place)
}

/// Why the policy is silent about the directory of a call, if it is.
fn out_of_scope(subject: &Subject<'_>) -> Option<String> {
    let (cwd, checkout) = (&subject.policy.cwd, &subject.call.checkout);
    if !cwd.is_scoped() {
        return None;
    }
    match checkout.kind {
        CheckoutKind::None => return Some("the call is in no git checkout".to_owned()),
        CheckoutKind::Linked if cwd.plain_checkout => {
            return Some("the call is in a linked worktree".to_owned());
        }
        CheckoutKind::Linked | CheckoutKind::Plain => {}
    }
    let missing = cwd.entries.iter().find(|entry| !checkout.entries.iter().any(|known| known == *entry));
    missing.map(|entry| format!("the checkout has no {entry} at its root"))
}

fn elsewhere(script: &Script, parent: &Parent<'_>, place: PlaceId) -> String {
    let kind = script.places.get(place).map(|place| &place.kind);
    match kind {
        _ if parent.is_unread(place) => UNREAD.to_owned(),
        Some(PlaceKind::Function { name }) => {
            format!("the shell of this call does not call the function {}", String::from_utf8_lossy(name))
        }
        Some(kind) => {
            format!("the directory changes in another shell only ({})", kind.label().unwrap_or_default())
        }
        None => "the directory changes in another shell only".to_owned(),
    }
}
