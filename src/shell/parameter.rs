//! What a parameter expansion may give, from what is known of its variable (bash manual 3.5.3). Must
//! never call a value certain that an operator makes.

use super::environment::{Environment, Variable};
use super::model::Cooked;
use super::operator;
use super::reading::{Piece, candidates, cooked, unsplit};
use super::scan::{Again, Extra, Part, Subscript};

/// A parameter expansion.
pub(super) struct Parameter<'p> {
    pub(super) name: &'p [u8],
    pub(super) plain: bool,
    pub(super) quoted: bool,
    pub(super) default: bool,
    pub(super) operand: &'p [Part],
    pub(super) extra: Option<&'p Extra>,
}

impl Parameter<'_> {
    fn element(&self) -> &Subscript {
        self.extra.map_or(&Subscript::First, |extra| &extra.element)
    }

    /// Whether it stands for a list as a whole.
    pub(super) fn takes_all(&self) -> bool {
        matches!(self.element(), Subscript::All | Subscript::Joined)
    }

    pub(super) fn again(&self) -> Again {
        self.extra.map_or(Again::No, |extra| extra.again)
    }
}

/// What an expansion gives; `operand` is the operator with what follows it.
pub(super) fn expanded(parameter: &Parameter<'_>, operand: &[Piece], env: &Environment) -> Piece {
    let Parameter { name, quoted, .. } = parameter;
    let known = env.get(name);
    if parameter.plain && *name == b"IFS" && known.is_none() && !quoted {
        return Piece::Break;
    }
    let (mut values, mut certain) = (Vec::new(), false);
    if parameter.again() == Again::Name {
        values.extend(targets(parameter, env).flat_map(|variable| elements(variable, parameter)));
    } else if let Some(variable) = known {
        values = elements(variable, parameter);
        if !parameter.plain && !parameter.default {
            values = operator::applied(parameter, operand, &values);
        }
        let one = values.len() == 1 && !uncertain(variable, parameter.element());
        let splits = env.get(b"IFS").is_none() || (*quoted && *parameter.element() != Subscript::Joined);
        certain = parameter.plain && variable.certain && one && splits;
    }
    if *quoted && *parameter.element() == Subscript::Joined {
        values.iter_mut().for_each(|value| *value = vec![in_one(value)]);
    }
    if parameter.default {
        certain = false;
        values.extend(candidates(operand).into_iter().map(|atoms| vec![cooked(&unsplit(atoms))]));
    }
    if let Some(separators) = env.get(b"IFS").filter(|_| !quoted) {
        let splits = values.iter().flat_map(|value| separated(value, separators)).collect::<Vec<_>>();
        values.extend(splits);
    }
    let told = |part: &Cooked| matches!(part, Cooked::Exact(_) | Cooked::Affix { .. });
    values.retain(|value| match value.as_slice() {
        [] | [_] => value.iter().all(told),
        list => list.iter().any(told),
    });
    if values.is_empty() {
        return Piece::Unknown { quoted: *quoted };
    }
    Piece::Known { name: name.to_vec(), values, certain, quoted: *quoted }
}

/// What it costs to expand a parameter, in bytes looked at.
pub(super) fn cost(parameter: &Parameter<'_>, operand: &[Piece], env: &Environment) -> usize {
    if parameter.plain || parameter.default {
        return 0;
    }
    env.get(parameter.name).map_or(0, |variable| operator::cost(operand, &elements(variable, parameter)))
}

/// The variables that the value of a parameter names (`${!x}`).
fn targets<'e>(parameter: &Parameter<'_>, env: &'e Environment) -> impl Iterator<Item = &'e Variable> {
    let values = env.get(parameter.name).into_iter().flat_map(|variable| &variable.values);
    values.filter_map(|value| value.first()).filter_map(Cooked::exact).filter_map(|target| env.get(target))
}

/// What an expansion takes of each value of a variable, before its operator.
fn elements(variable: &Variable, parameter: &Parameter<'_>) -> Vec<Vec<Cooked>> {
    let mut taken = Vec::new();
    for value in &variable.values {
        match parameter.element() {
            Subscript::First if variable.keyed => taken.extend(value.iter().map(|one| vec![one.clone()])),
            Subscript::First => taken.push(value.iter().take(1).cloned().collect()),
            Subscript::All | Subscript::Joined => taken.push(value.clone()),
            Subscript::Key(key) if !variable.keyed && index(key).is_some() => {
                taken.push(index(key).and_then(|at| value.get(at)).into_iter().cloned().collect());
            }
            Subscript::Key(_) | Subscript::Any => taken.extend(value.iter().map(|one| vec![one.clone()])),
        }
    }
    taken
}

/// A value as it is split where the text sets other separators.
fn separated(value: &[Cooked], separators: &Variable) -> Vec<Vec<Cooked>> {
    let [Cooked::Exact(bytes)] = value else { return Vec::new() };
    let sets = separators.values.iter().filter_map(|value| value.first().and_then(Cooked::exact));
    let split = |set: &[u8]| {
        let fields = bytes.split(|byte| set.contains(byte)).filter(|field| !field.is_empty());
        fields.map(|field| Cooked::Exact(field.to_vec())).collect()
    };
    sets.map(split).collect()
}

/// Whether it is open which element is meant.
fn uncertain(variable: &Variable, element: &Subscript) -> bool {
    match element {
        Subscript::Any => true,
        Subscript::Key(key) => variable.keyed || index(key).is_none(),
        Subscript::First | Subscript::All | Subscript::Joined => variable.keyed,
    }
}

fn index(key: &[u8]) -> Option<usize> {
    std::str::from_utf8(key).ok()?.parse().ok()
}

/// The elements of a list with blanks between them.
fn in_one(value: &[Cooked]) -> Cooked {
    let parts: Option<Vec<&[u8]>> = value.iter().map(Cooked::exact).collect();
    parts.map_or(Cooked::Opaque, |parts| Cooked::Exact(parts.join(&b' ')))
}
