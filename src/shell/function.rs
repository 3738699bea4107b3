//! Calls of functions that the text itself defines: a body that uses its arguments, or variables that
//! the text assigns, is read once more with them (bash manual 3.3). Must never follow a function into
//! itself.

use super::environment::Environment;
use super::lower::{Lowerer, Origin};
use super::model::{Command, CommandId, PlaceKind, Word};
use super::scan::{Body, Compound, Element, List, Stage, is_name};

/// How many bodies and values of one text are read once more; beyond, what calls them is opaque.
const MAX_AGAIN: usize = 256;

impl Lowerer<'_> {
    /// Takes one of the repeated readings; false when there are none left.
    pub(super) fn spend(&mut self) -> bool {
        self.again += 1;
        self.again <= MAX_AGAIN
    }

    /// Remembers a function's body for later calls.
    pub(super) fn define(&self, function: &Compound, env: &mut Environment) {
        let Some(List { elements }) = function.lists.first() else { return };
        let Some(Element { stages, .. }) = elements.first() else { return };
        let Some(Stage { body: Body::Compound(_), span, .. }) = stages.first() else { return };
        let body = span.slice(&self.bytes);
        if body.contains(&b'$') {
            env.define(&function.name, body, self.branches > 0);
        }
    }

    /// A call.
    pub(super) fn call(&mut self, id: CommandId, env: &mut Environment) {
        let Some(command) = self.script.commands.get(id) else { return };
        let Some(name) = command.words.first().and_then(Word::exact) else { return };
        let bodies = env.function(name);
        if bodies.is_empty() {
            return;
        }
        let command = command.clone();
        for body in bodies {
            self.call_body(&command, &body, env);
        }
    }

    fn call_body(&mut self, command: &Command, body: &[u8], env: &mut Environment) {
        let Some((word, arguments)) = command.words.split_first() else { return };
        let mut inside = env.without(word.exact().unwrap_or_default());
        for assignment in &command.assignments {
            self.track(assignment, &mut inside);
        }
        let wanted = names(body).iter().any(|name| match name.first() {
            Some(first) if first.is_ascii_digit() || b"@*".contains(first) => !arguments.is_empty(),
            _ => inside.get(name).is_some(),
        });
        // A loop without words takes the arguments.
        let loops = !arguments.is_empty() && body.windows(4).any(|bytes| bytes == b"for ");
        if !wanted && !loops {
            return;
        }
        if !self.spend() {
            return self.opaque(command.span, "functions call one another too often", body);
        }
        // Inside of the call they are what they are, wherever it stands.
        let branches = std::mem::take(&mut self.branches);
        self.arguments(&arguments.iter().collect::<Vec<_>>(), &mut inside);
        self.branches = branches;
        let kind = PlaceKind::Function { name: word.exact().unwrap_or_default().to_vec() };
        let place = self.place(command.place, kind, command.span);
        // What it assigns may be local: it is possible afterwards.
        self.branches += 1;
        self.text(body, Origin::Within(command.span), place, &mut inside);
        self.branches -= 1;
        env.return_from(inside);
    }
}

/// Whether a text may define a function whose body expands something.
pub(super) fn may_define(text: &[u8]) -> bool {
    let parens = || {
        let opens = text.iter().enumerate().filter(|(_, byte)| **byte == b'(');
        let closes =
            |at: usize| text.iter().skip(at + 1).find(|byte| !b" \t\\\n".contains(byte)) == Some(&b')');
        opens.map(|(at, _)| at).any(closes)
    };
    let continued = || text.windows(2).any(|bytes| bytes == b"\\\n");
    text.contains(&b'$') && (parens() || continued() || text.windows(8).any(|bytes| bytes == b"function"))
}

/// The parameters that a body expands; a continuation may stand anywhere in them.
fn names(body: &[u8]) -> Vec<Vec<u8>> {
    let name = |rest: &[u8]| {
        let mut rest = without_continuations(rest).skip_while(|byte| b"{!#".contains(byte)).peekable();
        match rest.peek() {
            Some(b'@' | b'*') => rest.take(1).collect::<Vec<u8>>(),
            _ => rest.take_while(|byte| is_name(*byte)).collect(),
        }
    };
    body.split(|byte| *byte == b'$').skip(1).map(name).filter(|name| !name.is_empty()).collect()
}

fn without_continuations(bytes: &[u8]) -> impl Iterator<Item = u8> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        while let Some(after) = rest.strip_prefix(b"\\\n") {
            rest = after;
        }
        let (first, after) = rest.split_first()?;
        rest = after;
        Some(*first)
    })
}
