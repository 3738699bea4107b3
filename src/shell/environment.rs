//! What is known of variables and of the working directory at a point of the text. Must never guess:
//! a value that may or may not hold is kept as possible.

use super::model::{Cooked, Directory};
use std::collections::HashMap;
use std::rc::Rc;

/// How many possible values of one variable are kept.
const MAX_VALUES: usize = 16;

/// Variables and directory; cheap to copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    variables: Rc<HashMap<Vec<u8>, Variable>>,
    pub(super) directory: Directory,
}

/// A variable that the text assigns.
#[derive(Clone, Debug, Default)]
pub(super) struct Variable {
    /// Every value it may have; an array's elements stand in one value each.
    pub(super) values: Vec<Vec<Cooked>>,
    /// Whether it surely has the one value.
    pub(super) certain: bool,
}

impl Environment {
    pub(super) fn get(&self, name: &[u8]) -> Option<&Variable> {
        self.variables.get(name)
    }

    /// Assigns; a `possible` assignment keeps what was known before.
    pub(super) fn assign(&mut self, name: &[u8], value: Vec<Cooked>, possible: bool) {
        let variables = Rc::make_mut(&mut self.variables);
        let variable = variables.entry(name.to_vec()).or_default();
        if !possible {
            variable.values.clear();
        }
        if variable.values.len() < MAX_VALUES && !variable.values.contains(&value) {
            variable.values.push(value);
        }
        variable.certain = !possible;
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
