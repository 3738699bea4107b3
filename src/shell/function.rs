//! Calls of functions that the text itself defines: a body that uses its arguments, or variables that
//! the text assigns, is read once more with them (bash manual 3.3). Must never follow a function into
//! itself.

use super::environment::Environment;
use super::lower::{Lowerer, Origin};
use super::model::{CommandId, PlaceKind, Word};
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
            env.define(&function.name, body);
        }
    }

    /// A call.
    pub(super) fn call(&mut self, id: CommandId, env: &mut Environment) {
        let Some(command) = self.script.commands.get(id) else { return };
        let Some(name) = command.words.first().and_then(Word::exact) else { return };
        let Some(body) = env.function(name) else { return };
        let Some(command) = self.script.commands.get(id).cloned() else { return };
        let Some((word, arguments)) = command.words.split_first() else { return };
        let mut inside = env.without(word.exact().unwrap_or_default());
        for assignment in &command.assignments {
            self.track(assignment, &mut inside);
        }
        let wanted = names(&body).any(|name| match name.first() {
            Some(first) if first.is_ascii_digit() || b"@*".contains(first) => !arguments.is_empty(),
            _ => inside.get(name).is_some(),
        });
        // A loop without words takes the arguments.
        let loops = !arguments.is_empty() && body.windows(4).any(|bytes| bytes == b"for ");
        if !wanted && !loops {
            return;
        }
        if !self.spend() {
            return self.opaque(command.span, "functions call one another too often", &body);
        }
        // Inside of the call they are what they are, wherever it stands.
        let branches = std::mem::take(&mut self.branches);
        self.arguments(&arguments.iter().collect::<Vec<_>>(), &mut inside);
        self.branches = branches;
        let kind = PlaceKind::Function { name: word.exact().unwrap_or_default().to_vec() };
        let place = self.place(command.place, kind, command.span);
        // What it assigns may be local: it is possible afterwards.
        self.branches += 1;
        self.text(&body, Origin::Within(command.span), place, &mut inside);
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

/// The parameters that a body expands.
fn names(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    body.split(|byte| *byte == b'$').skip(1).filter_map(|rest| {
        let brace = rest.iter().take_while(|byte| b"{!#".contains(byte)).count();
        let rest = rest.get(brace..).unwrap_or_default();
        let name = rest.iter().take_while(|byte| is_name(**byte)).count();
        let special = rest.first().is_some_and(|byte| b"@*".contains(byte));
        rest.get(..if special { 1 } else { name }).filter(|name| !name.is_empty())
    })
}
