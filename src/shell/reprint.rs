//! Substitutions that hold a heredoc: bash up to 5.2 prints their commands and reads that text
//! again, and one `;` behind the heredoc is lost, so that `$(a <<E; b; c⏎E⏎)` runs `b c`. Owns the
//! further commands that come of it; must never take away those that are written.

use super::environment::Environment;
use super::lower::Lowerer;
use super::model::{PlaceId, PlaceKind, RedirectKind, Separator};
use super::scan::{Body, Element, List, Redirect, Simple, Stage};
use crate::span::Span;

impl Lowerer<'_> {
    /// Reads two neighbours of a list as one command. A redirect on the first keeps the `;`; before
    /// anything but a simple command its words turn into others, and patterns into commands.
    pub(super) fn rejoin(&mut self, left: &Element, right: &Element, place: PlaceId, env: &Environment) {
        if !self.reprinted || left.separator != Separator::Semicolon {
            return;
        }
        let Some(first) = left.stages.last().and_then(plain) else { return };
        if first.words.is_empty() || !first.redirects.is_empty() {
            return;
        }
        let bare = !right.negated && !right.timed;
        let second = right.stages.first().and_then(plain).filter(|next| bare && next.assignments.is_empty());
        let span = Span::new(left.span.start, right.span.end);
        match second.filter(|_| self.spend()) {
            Some(second) => {
                let at = self.origin.span(span);
                let inside = self.place(place, PlaceKind::Reprinted, at);
                let id = self.simple(&joined(first, second), span, inside, &mut env.clone());
                if let Some(command) = id.and_then(|id| self.script.commands.get_mut(id)) {
                    command.certain = false;
                }
            }
            None => {
                self.opaque_at(span, "bash may lose the `;` before it, behind a heredoc in a substitution")
            }
        }
    }
}

fn plain(stage: &Stage) -> Option<&Simple> {
    match &stage.body {
        Body::Simple(simple) if !stage.coproc => Some(simple),
        Body::Simple(_) | Body::Compound(_) => None,
    }
}

fn joined(first: &Simple, second: &Simple) -> Simple {
    Simple {
        words: first.words.iter().chain(&second.words).cloned().collect(),
        assignments: first.assignments.clone(),
        redirects: second.redirects.clone(),
        arrays: first.arrays.iter().chain(&second.arrays).cloned().collect(),
    }
}

/// Whether a heredoc stands in a list, substitutions in its words left aside: those are printed alone.
pub(super) fn holds_heredoc(list: &List) -> bool {
    let heredoc = |redirect: &Redirect| redirect.kind == RedirectKind::HereDocument;
    list.elements.iter().flat_map(|element| &element.stages).any(|stage| match &stage.body {
        Body::Simple(simple) => simple.redirects.iter().any(heredoc),
        Body::Compound(compound) => {
            compound.redirects.iter().any(heredoc) || compound.lists.iter().any(holds_heredoc)
        }
    })
}
