//! What is known of variables, functions and the working directory at a point of the text. Must
//! never guess: a value that may or may not hold is kept as possible.

use super::model::{Cooked, Directory};
use std::collections::HashMap;
use std::rc::Rc;

/// How many possible values of one variable are kept, how many bytes of one, and how many variables.
/// What is beyond is lost: known to be unknown.
const MAX_VALUES: usize = 16;
const MAX_VALUE: usize = 64 * 1024;
const MAX_VARIABLES: usize = 512;
/// How many name references are followed.
const MAX_REFERENCES: usize = 8;

/// The texts that a function's body may be.
type Bodies = Vec<Rc<[u8]>>;

/// Variables, functions and directory; cheap to copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    variables: Rc<HashMap<Rc<[u8]>, Rc<Variable>>>,
    /// Whether there were more variables than are kept.
    full: bool,
    functions: Rc<HashMap<Vec<u8>, Bodies>>,
    pub(super) directory: Directory,
}

/// A variable that the text assigns.
#[derive(Clone, Debug, Default)]
pub(super) struct Variable {
    /// Every value it may have; an array's elements stand in one value each.
    pub(super) values: Vec<Vec<Cooked>>,
    /// Whether it surely has the one value.
    pub(super) certain: bool,
    /// Whether subscripts say where the elements of an array stand.
    pub(super) keyed: bool,
    /// Whether an attribute changes what is assigned (`declare -i`), so that nothing is certain.
    pub(super) marked: bool,
    /// Whether it may have a value that is not kept.
    lost: bool,
    /// The variable that it stands for (`declare -n`).
    reference: Option<Vec<u8>>,
}

impl Environment {
    pub(super) fn get(&self, name: &[u8]) -> Option<&Variable> {
        let mut variable = self.variables.get(name)?;
        for _ in 0..MAX_REFERENCES {
            let Some(target) = &variable.reference else { break };
            variable = self.variables.get(target.as_slice())?;
        }
        Some(variable.as_ref())
    }

    /// Whether a variable may have a value that a limit kept out.
    pub(super) fn lost(&self, name: &[u8]) -> bool {
        self.get(name).map_or(self.full, |variable| variable.lost)
    }

    /// Remembers that a variable may have a value that is not kept.
    pub(super) fn lose(&mut self, name: &[u8]) {
        self.change(name, |variable| variable.lost = true);
    }

    fn change(&mut self, name: &[u8], change: impl FnOnce(&mut Variable)) {
        let mut name = name.to_vec();
        for _ in 0..MAX_REFERENCES {
            let Some(target) = self.variables.get(name.as_slice()).and_then(|known| known.reference.clone())
            else {
                break;
            };
            name = target;
        }
        if self.variables.len() >= MAX_VARIABLES && !self.variables.contains_key(name.as_slice()) {
            self.full = true;
            return;
        }
        let variables = Rc::make_mut(&mut self.variables);
        change(Rc::make_mut(variables.entry(name.into()).or_default()));
    }

    /// Assigns; a `possible` assignment keeps what was known before.
    pub(super) fn assign(&mut self, name: &[u8], value: Vec<Cooked>, possible: bool) {
        self.change(name, |variable| {
            let large = value.iter().map(size).sum::<usize>() > MAX_VALUE;
            if !possible {
                variable.values.clear();
                variable.keyed = false;
                variable.lost = false;
            }
            variable.certain = !possible && !large && !variable.marked;
            if large || (variable.values.len() >= MAX_VALUES && !variable.values.contains(&value)) {
                variable.lost = true;
            } else if !variable.values.contains(&value) {
                variable.values.push(value);
            }
        });
    }

    /// Assigns one element of an array, or the value that a list has as its first element.
    pub(super) fn assign_element(&mut self, name: &[u8], value: Cooked) {
        self.assign(name, vec![value], true);
        self.change(name, |variable| variable.keyed = true);
    }

    /// Assigns a value without a subscript; of a list it changes the first element. Each of `values` may be it.
    pub(super) fn set(&mut self, name: &[u8], values: Vec<Cooked>, possible: bool) {
        let lists = match self.get(name) {
            Some(known) if known.keyed || known.values.iter().any(|value| value.len() > 1) => {
                known.values.clone()
            }
            _ => Vec::new(),
        };
        let is_list = !lists.is_empty();
        for (index, value) in values.into_iter().enumerate() {
            if is_list {
                let others = |list: &Vec<Cooked>| list.get(1..).unwrap_or_default().to_vec();
                let changed = lists.iter().map(others).map(|rest| [vec![value.clone()], rest].concat());
                changed.for_each(|list| self.assign(name, list, true));
                self.assign_element(name, value);
            } else {
                self.assign(name, vec![value], possible || index > 0);
            }
        }
    }

    /// Subscripts say where the elements stand.
    pub(super) fn key(&mut self, name: &[u8]) {
        self.change(name, |variable| variable.keyed = true);
    }

    /// `NAME+=value`: what was known with the value behind it.
    pub(super) fn append(&mut self, name: &[u8], value: &[Cooked], array: bool, possible: bool) {
        let known = self.get(name).cloned().unwrap_or_default();
        if known.values.is_empty() {
            self.assign(name, value.to_vec(), true);
        }
        let only = known.certain && known.values.len() == 1;
        for old in known.values {
            let joined = if array { [old, value.to_vec()].concat() } else { joined(&old, value) };
            self.assign(name, joined, possible || !only);
        }
        if known.lost {
            self.lose(name);
        }
    }

    /// The variable may have got another value.
    pub(super) fn doubt(&mut self, name: &[u8]) {
        if self.variables.contains_key(name) {
            self.change(name, |variable| variable.certain = false);
        }
    }

    /// Any variable may have got another value.
    pub(super) fn doubt_all(&mut self) {
        if self.variables.values().any(|variable| variable.certain) {
            let doubted = Rc::make_mut(&mut self.variables).values_mut();
            doubted.for_each(|variable| Rc::make_mut(variable).certain = false);
        }
    }

    /// From here on assigned values are not what is written.
    pub(super) fn mark(&mut self, name: &[u8]) {
        self.change(name, |variable| {
            variable.marked = true;
            variable.certain = false;
        });
    }

    /// `declare -n NAME=TARGET`
    pub(super) fn refer(&mut self, name: &[u8], target: &[u8]) {
        if name != target {
            let reference = Variable { reference: Some(target.to_vec()), ..Variable::default() };
            Rc::make_mut(&mut self.variables).insert(name.into(), Rc::new(reference));
        }
    }

    /// `unset NAME`
    pub(super) fn forget(&mut self, name: &[u8], possible: bool) {
        if possible {
            self.doubt(name);
        } else if self.variables.contains_key(name) {
            Rc::make_mut(&mut self.variables).remove(name);
        }
    }

    /// Remembers the body of a function; a `possible` definition keeps those before it.
    pub(super) fn define(&mut self, name: &[u8], body: &[u8], possible: bool) {
        let bodies = Rc::make_mut(&mut self.functions).entry(name.to_vec()).or_default();
        if !possible {
            bodies.clear();
        }
        if !bodies.iter().any(|known| **known == *body) {
            bodies.push(body.into());
        }
    }

    /// The bodies that a function of the text may have.
    pub(super) fn function(&self, name: &[u8]) -> Bodies {
        self.functions.get(name).cloned().unwrap_or_default()
    }

    /// What a function's body did to variables; the arguments are the caller's again.
    pub(super) fn return_from(&mut self, inside: Self) {
        let argument = |name: &[u8]| name == b"@" || name == b"*" || name.iter().all(u8::is_ascii_digit);
        let before = std::mem::replace(&mut self.variables, inside.variables);
        self.directory = inside.directory;
        self.full |= inside.full;
        let variables = Rc::make_mut(&mut self.variables);
        variables.retain(|name, _| !argument(name));
        let own = before.iter().filter(|(name, _)| argument(name));
        variables.extend(own.map(|(name, variable)| (name.clone(), variable.clone())));
    }

    /// Inside of a function's body its own name is not followed once more.
    pub(super) fn without(&self, name: &[u8]) -> Self {
        let mut inside = self.clone();
        Rc::make_mut(&mut inside.functions).remove(name);
        inside
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
    let known = |value: &Cooked| match value {
        Cooked::Exact(bytes) => Some((bytes.clone(), None)),
        Cooked::Affix { head, tail } => Some((head.clone(), Some(tail.clone()))),
        Cooked::Opaque => Some((Vec::new(), Some(Vec::new()))),
        Cooked::Pattern(_) => None,
    };
    let ([old], [new]) = (old, new) else { return vec![Cooked::Opaque] };
    let (Some((head, broken)), Some((middle, end))) = (known(old), known(new)) else {
        return vec![Cooked::Opaque];
    };
    vec![match (broken, end) {
        (None, None) => Cooked::Exact([head, middle].concat()),
        (None, Some(tail)) => Cooked::Affix { head: [head, middle].concat(), tail },
        (Some(tail), None) => Cooked::Affix { head, tail: [tail, middle].concat() },
        (Some(_), Some(tail)) => Cooked::Affix { head, tail },
    }]
}
