//! Finds where patterns hold in a flat tree. Owns the meaning of patterns; must stay linear: a node
//! is looked at once for each pattern element and level, whatever the text.

use super::Capture;
use super::table::{Check, Item, Shape, Tables, Test};
use crate::shell::syntax::{Node, NodeId, Tree};
use crate::span::Span;

/// A matcher for one tree.
pub(super) struct Matcher<'q, 't> {
    pub tables: &'q Tables,
    pub tree: &'t Tree,
    pub text: &'t dyn Fn(Span) -> Option<Vec<u8>>,
    pub found: Vec<Capture<'q>>,
}

impl<'q> Matcher<'q, '_> {
    /// Tries every pattern at every node.
    pub fn run(&mut self) {
        for (id, node) in self.tree.nodes.iter().enumerate() {
            for index in self.candidates(node.kind) {
                let Some(item) = self.tables.patterns.get(index) else { continue };
                if self.holds(id, item) {
                    self.collect(id, item);
                }
            }
            self.program(id, node);
        }
        self.order();
    }

    /// The patterns that a node of this kind may match.
    fn candidates(&self, kind: u16) -> impl Iterator<Item = usize> + use<'q> {
        let roots = self.tables.roots.as_ref();
        let from = roots.partition_point(|(root, _)| *root < kind);
        let here = roots.get(from..).unwrap_or_default().iter().take_while(move |(root, _)| *root == kind);
        here.map(|(_, index)| *index).chain(self.tables.anywhere.iter().copied())
    }

    /// Captures the name of a known program.
    fn program(&mut self, id: NodeId, node: &Node) {
        let place = self.tables.name;
        let in_command = self.tree.nodes.get(node.parent).is_some_and(|parent| parent.kind == place.command);
        if node.kind != place.name || node.field != place.field || !in_command {
            return;
        }
        let Some(text) = (self.text)(node.span) else { return };
        let base = text.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        for facts in super::facts(self.tables, base) {
            let name = if facts.sink { "sink" } else { "wrapper" };
            self.found.push(Capture { name, node: id });
        }
    }

    /// Whether a node and what is below it match.
    fn holds(&self, id: NodeId, item: &Item) -> bool {
        let Some(node) = self.tree.nodes.get(id) else { return false };
        (item.field == 0 || item.field == node.field)
            && self.shaped(id, node, &item.shape)
            && (item.children.is_empty() || !self.placed(id, item).is_empty())
            && item.tests.iter().all(|test| self.passes(node.span, test))
    }

    fn shaped(&self, id: NodeId, node: &Node, shape: &Shape) -> bool {
        match shape {
            Shape::Kind(kind) => node.kind == *kind,
            Shape::Named => node.named && !node.error,
            Shape::Any => !node.error,
            Shape::Missing => node.missing,
            Shape::MissingKind(kind) => node.missing && node.kind == *kind,
            Shape::Choice(branches) => branches.iter().any(|branch| self.holds(id, branch)),
        }
    }

    fn passes(&self, span: Span, test: &Test) -> bool {
        let Some(text) = (self.text)(span) else { return false };
        test.negated != check(&test.check, &text)
    }

    /// Notes what a pattern that holds at a node captures.
    fn collect(&mut self, id: NodeId, item: &'q Item) {
        let names = item.captures.iter().map(|name| Capture { name: name.as_ref(), node: id });
        self.found.extend(names);
        if let Shape::Choice(branches) = &item.shape {
            for branch in branches.iter() {
                if self.holds(id, branch) {
                    self.collect(id, branch);
                }
            }
        }
        if !item.children.is_empty() {
            for (element, child) in self.placed(id, item) {
                if let Some(item) = item.children.get(element) {
                    self.collect(child, item);
                }
            }
        }
    }

    /// All pairs of child element and child node that are part of some match of the whole sequence.
    fn placed(&self, id: NodeId, item: &Item) -> Vec<(usize, NodeId)> {
        let children: Vec<NodeId> = self.tree.children(id).collect();
        let named: Vec<bool> =
            children.iter().map(|child| self.tree.nodes.get(*child).is_some_and(|node| node.named)).collect();
        let fits: Vec<Vec<bool>> =
            item.children.iter().map(|element| children.iter().map(|child| self.holds(*child, element)).collect()).collect();
        let forward = sweep(item.children.iter().map(|element| element.anchored).zip(&fits), named.iter());
        let anchors = item.children.iter().skip(1).map(|element| element.anchored).chain([item.last]);
        let anchors: Vec<bool> = anchors.collect();
        let mut backward = backward(&anchors, &fits, &named);
        backward.reverse();
        let mut placed = Vec::new();
        for (element, (ahead, behind)) in forward.iter().zip(&backward).enumerate() {
            let both = ahead.iter().zip(behind).zip(&children);
            placed.extend(both.filter(|((ahead, behind), _)| **ahead && **behind).map(|(_, child)| (element, *child)));
        }
        placed
    }

    /// Node order, nothing twice.
    fn order(&mut self) {
        self.found.sort_by_key(|capture| capture.node);
        let mut seen: Vec<Capture<'q>> = Vec::new();
        self.found.retain(|capture| {
            if seen.last().is_some_and(|last| last.node != capture.node) {
                seen.clear();
            }
            let new = !seen.contains(capture);
            if new {
                seen.push(*capture);
            }
            new
        });
    }
}

/// The same sweep from the last child and the last element back.
fn backward(anchors: &[bool], fits: &[Vec<bool>], named: &[bool]) -> Vec<Vec<bool>> {
    let mirrored: Vec<Vec<bool>> = fits.iter().rev().map(|row| row.iter().rev().copied().collect()).collect();
    let mut rows = sweep(anchors.iter().rev().copied().zip(&mirrored), named.iter().rev());
    for row in &mut rows {
        row.reverse();
    }
    rows
}

/// For each element, at which children it can stand when all elements before it stand before it.
fn sweep<'f>(
    elements: impl Iterator<Item = (bool, &'f Vec<bool>)>,
    named: impl Iterator<Item = &'f bool> + Clone,
) -> Vec<Vec<bool>> {
    let mut rows: Vec<Vec<bool>> = Vec::new();
    for (anchored, fits) in elements {
        let mut reach = rows.is_empty();
        let before = rows.last();
        let mut row = Vec::with_capacity(fits.len());
        for (index, (fit, named)) in fits.iter().zip(named.clone()).enumerate() {
            row.push(*fit && reach);
            reach = reach && !(anchored && *named);
            reach = reach || before.is_some_and(|before| before.get(index).copied().unwrap_or(false));
        }
        rows.push(row);
    }
    rows
}

fn check(check: &Check, text: &[u8]) -> bool {
    match check {
        Check::OneOf(texts) => texts.iter().any(|one| one.as_bytes() == text),
        Check::Match { literal, start: true, end: true } => literal.as_bytes() == text,
        Check::Match { literal, start: true, end: false } => text.starts_with(literal.as_bytes()),
        Check::Match { literal, start: false, end: true } => text.ends_with(literal.as_bytes()),
        Check::Match { literal, start: false, end: false } => contains(text, literal.as_bytes()),
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}
