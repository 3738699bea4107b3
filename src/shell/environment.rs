//! What is known of variables and of the working directory at a point of the text. Must never guess:
//! a value that may or may not hold is kept as possible.

use super::model::{Cooked, Directory};
use std::collections::HashMap;
use std::rc::Rc;

/// How many possible values of one variable are kept, how many bytes of one, and how many variables.
/// What is beyond is lost: known to be unknown.
const MAX_VALUES: usize = 16;
const MAX_VALUE: usize = 64 * 1024;
const MAX_VARIABLES: usize = 512;

/// Variables and directory; cheap to copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    variables: Rc<HashMap<Rc<[u8]>, Rc<Variable>>>,
    /// Whether there were more variables than are kept.
    full: bool,
    pub(super) directory: Directory,
}

/// A variable that the text assigns.
#[derive(Clone, Debug, Default)]
pub(super) struct Variable {
    /// Every value it may have; an array's elements stand in one value each.
    pub(super) values: Vec<Vec<Cooked>>,
    /// Whether it surely has the one value.
    pub(super) certain: bool,
    /// Whether it may have a value that is not kept.
    lost: bool,
}

impl Environment {
    pub(super) fn get(&self, name: &[u8]) -> Option<&Variable> {
        self.variables.get(name).map(Rc::as_ref)
    }

    /// Whether a variable may have a value that a limit kept out.
    pub(super) fn lost(&self, name: &[u8]) -> bool {
        self.get(name).map_or(self.full, |variable| variable.lost)
    }

    /// Remembers that a variable may have a value that is not kept.
    pub(super) fn lose(&mut self, name: &[u8]) {
        if let Some(variable) = self.variable(name) {
            variable.lost = true;
        }
    }

    fn variable(&mut self, name: &[u8]) -> Option<&mut Variable> {
        if self.variables.len() >= MAX_VARIABLES && !self.variables.contains_key(name) {
            self.full = true;
            return None;
        }
        Some(Rc::make_mut(Rc::make_mut(&mut self.variables).entry(name.into()).or_default()))
    }

    /// Assigns; a `possible` assignment keeps what was known before.
    pub(super) fn assign(&mut self, name: &[u8], value: Vec<Cooked>, possible: bool) {
        let Some(variable) = self.variable(name) else { return };
        let large = value.iter().map(size).sum::<usize>() > MAX_VALUE;
        if !possible {
            variable.values.clear();
            variable.lost = false;
        }
        variable.certain = !possible && !large;
        if large || (variable.values.len() >= MAX_VALUES && !variable.values.contains(&value)) {
            variable.lost = true;
        } else if !variable.values.contains(&value) {
            variable.values.push(value);
        }
    }

    /// `NAME+=value`: what was known with the value behind it.
    pub(super) fn append(&mut self, name: &[u8], value: &[Cooked], array: bool, possible: bool) {
        let known = self.get(name).cloned().unwrap_or_default();
        if known.values.is_empty() {
            self.assign(name, value.to_vec(), possible);
        }
        for old in known.values {
            let joined = if array { [old, value.to_vec()].concat() } else { joined(&old, value) };
            self.assign(name, joined, possible || !known.certain);
        }
        if known.lost {
            self.lose(name);
        }
    }
}

/// What keeping a value costs.
fn size(value: &Cooked) -> usize {
    1 + match value {
        Cooked::Exact(bytes) | Cooked::Pattern(bytes) => bytes.len(),
        Cooked::Affix { head, tail } => head.len() + tail.len(),
        Cooked::Opaque => 0,
    }
}

fn joined(old: &[Cooked], new: &[Cooked]) -> Vec<Cooked> {
    match (old, new) {
        ([Cooked::Exact(head)], [Cooked::Exact(tail)]) => {
            vec![Cooked::Exact([head.clone(), tail.clone()].concat())]
        }
        _ => vec![Cooked::Opaque],
    }
}
