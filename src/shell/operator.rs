//! The operators of a parameter expansion on values that are known: parts of lists and of texts, removal,
//! replacement and case (bash manual 3.5.3). Must never call a result certain: of an operand that is not known it
//! tells what it makes of an empty one, as variables without a value are, and each part that may be left of a
//! short text.

use super::glob::glob_matches;
use super::model::Cooked;
use super::parameter::Parameter;
use super::reading::{Atom, MAX_CANDIDATES, Piece, candidates, has_glob, known_parts, pattern};
use super::scan::Part;
use std::borrow::Cow;

/// How long a value may be that an operator is applied to, in bytes.
const MAX_VALUE: usize = 1 << 10;

/// What the operator makes of each list that a variable may be.
pub(super) fn applied(
    parameter: &Parameter<'_>,
    operand: &[Piece],
    lists: &[Vec<Cooked>],
) -> Vec<Vec<Cooked>> {
    if let Some(slice) = Slice::of(parameter.operand) {
        let whole = parameter.takes_all();
        let positional = matches!(parameter.name, b"@" | b"*");
        let parts = |list: &Vec<Cooked>| {
            if whole { slice.of_list(list, positional) } else { slice.of_text(list) }
        };
        return lists.iter().flat_map(parts).collect();
    }
    let mut results = Vec::new();
    for atoms in candidates(operand) {
        let told: Vec<Atom> =
            atoms.iter().copied().filter(|atom| !matches!(atom, Atom::Unknown(_))).collect();
        let Some(operator) = Operator::of(&told) else { continue };
        results.extend(lists.iter().flat_map(|list| operator.of_list(list)));
        if let (Operator::Remove { suffix, .. }, true) = (&operator, told.len() < atoms.len()) {
            results.extend(lists.iter().flat_map(|list| left(list, *suffix)));
        }
    }
    results
}

/// What may be left of a text when an end that is not known is removed; of a long one nobody can tell.
fn left(list: &[Cooked], suffix: bool) -> Vec<Vec<Cooked>> {
    let text = match list {
        [value] => told(value).filter(|text| text.len() < MAX_CANDIDATES),
        _ => None,
    };
    let Some(text) = text else { return Vec::new() };
    let cut = |at: usize| if suffix { text.get(..at) } else { text.get(at..) };
    let parts = (0..=text.len()).filter_map(cut).filter(|part| !part.is_empty());
    parts.map(|part| vec![Cooked::Exact(part.to_vec())]).collect()
}

/// What it costs to apply an operand to lists, in bytes looked at.
pub(super) fn cost(operand: &[Piece], lists: &[Vec<Cooked>]) -> usize {
    let wild = candidates(operand).iter().any(|atoms| has_glob(atoms));
    let lengths = lists.iter().flatten().filter_map(Cooked::exact).map(<[u8]>::len);
    let counted = lengths.filter(|length| *length <= MAX_VALUE);
    counted.map(|length| if wild { length * length / 16 } else { length }).sum()
}

/// A number of a slice; `None` is one that the text does not tell.
type Bound = Option<i64>;

/// `:OFFSET` and `:OFFSET:LENGTH`.
struct Slice {
    from: Bound,
    length: Option<Bound>,
}

impl Slice {
    fn of(operand: &[Part]) -> Option<Self> {
        let [Part::Arithmetic { parts, .. }] = operand else { return None };
        let text = |part: &Part| match part {
            Part::Literal { bytes, .. } => bytes.clone(),
            Part::Parameter { .. }
            | Part::Substitution { .. }
            | Part::Backtick { .. }
            | Part::Arithmetic { .. } => b"$".to_vec(),
        };
        let text: Vec<u8> = parts.iter().flat_map(text).collect();
        let text = text.strip_prefix(b":")?;
        let mut numbers = text.splitn(2, |byte| *byte == b':');
        let from = numbers.next().and_then(number);
        let from = from.filter(|_| !text.contains(&b'?'));
        Some(Self { from, length: numbers.next().map(number) })
    }

    /// The parts of a list; of an offset or a length that is not known, each.
    fn of_list(&self, list: &[Cooked], positional: bool) -> Vec<Vec<Cooked>> {
        let count = list.len();
        let starts = match self.from {
            None => 0..count,
            Some(from) => {
                // The positional parameters begin at 1, and 0 is the name of the shell.
                let from = if positional && from > 0 { from - 1 } else { from };
                let Some(start) = index(from, count) else { return Vec::new() };
                start..start + 1
            }
        };
        let mut parts = Vec::new();
        for start in starts {
            let ends = match self.length {
                None => count..=count,
                Some(None) => start..=count,
                Some(Some(length)) => {
                    let length = usize::try_from(length).unwrap_or_default();
                    let length = length.saturating_sub(usize::from(positional && self.from == Some(0)));
                    let end = start.saturating_add(length).min(count);
                    end..=end
                }
            };
            parts.extend(ends.filter_map(|end| list.get(start..end)).map(<[Cooked]>::to_vec));
        }
        parts
    }

    /// The part of a text; of an offset or a length that is not known, each of a short one.
    fn of_text(&self, value: &[Cooked]) -> Vec<Vec<Cooked>> {
        let Some(text) = value.first().and_then(told) else { return Vec::new() };
        let known = self.from.is_some() && self.length.is_none_or(|length| length.is_some());
        if !known && text.len() >= MAX_CANDIDATES {
            return Vec::new();
        }
        let starts = match self.from {
            Some(from) => index(from, text.len()).into_iter().collect(),
            None => (0..=text.len()).collect::<Vec<_>>(),
        };
        let part = |start: usize, end: usize| Some(vec![Cooked::Exact(text.get(start..end)?.to_vec())]);
        let parts = |start: usize| match self.length {
            None => vec![part(start, text.len())],
            Some(Some(length)) => vec![part(start, end(length, start, text.len()).unwrap_or_default())],
            Some(None) => (start..=text.len()).map(|end| part(start, end)).collect(),
        };
        starts.into_iter().flat_map(parts).flatten().collect()
    }
}

/// Where a part of so many bytes ends; a negative length counts from the end of the text.
fn end(length: i64, start: usize, count: usize) -> Option<usize> {
    match usize::try_from(length) {
        Ok(length) => Some(start.saturating_add(length).min(count)),
        Err(_) => index(length, count),
    }
}

/// A plain number, as arithmetic allows it to be written.
fn number(text: &[u8]) -> Bound {
    let text = text.trim_ascii();
    let inner = text.strip_prefix(b"(").and_then(|text| text.strip_suffix(b")"));
    let text = std::str::from_utf8(inner.unwrap_or(text)).ok()?.trim();
    let octal = text.len() > 1 && text.trim_start_matches('-').starts_with('0');
    text.parse().ok().filter(|_| !octal)
}

/// Where an offset lies in so many; a negative one counts from the end.
fn index(from: i64, count: usize) -> Option<usize> {
    let at = if from < 0 { i64::try_from(count).ok()?.checked_add(from)? } else { from };
    usize::try_from(at).ok().filter(|at| *at <= count)
}

/// An operator on each text.
enum Operator<'a> {
    /// `#` `##` `%` `%%`
    Remove { suffix: bool, longest: bool, pattern: Vec<u8> },
    /// `/` `//` `/#` `/%`
    Replace { scope: Scope, pattern: Vec<u8>, with: &'a [Atom] },
    /// `^` `^^` `,` `,,` `@U` `@u` `@L`
    Case { upper: bool, all: bool },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    First,
    All,
    Start,
    End,
}

impl<'a> Operator<'a> {
    fn of(atoms: &'a [Atom]) -> Option<Self> {
        if !atoms.iter().all(|atom| matches!(atom, Atom::Byte(..) | Atom::Quotes)) {
            return None;
        }
        if let Some(case) = Self::transformation(atoms) {
            return Some(case);
        }
        let (mark, rest) = (bare(atoms, 0)?, atoms.get(1..)?);
        let double = bare(atoms, 1) == Some(mark);
        let behind = if double { rest.get(1..)? } else { rest };
        match mark {
            b'#' | b'%' => {
                Some(Self::Remove { suffix: mark == b'%', longest: double, pattern: exact_pattern(behind)? })
            }
            b'/' => Self::replacement(behind, double),
            b'^' | b',' if behind.is_empty() => Some(Self::Case { upper: mark == b'^', all: double }),
            _ => None,
        }
    }

    /// `@U`, `@u` and `@L`; in double quotes they count as quoted.
    fn transformation(atoms: &[Atom]) -> Option<Self> {
        let [Atom::Byte(b'@', _), Atom::Byte(letter, _)] = atoms else { return None };
        match letter {
            b'U' => Some(Self::Case { upper: true, all: true }),
            b'u' => Some(Self::Case { upper: true, all: false }),
            b'L' => Some(Self::Case { upper: false, all: true }),
            _ => None,
        }
    }

    fn replacement(atoms: &'a [Atom], all: bool) -> Option<Self> {
        let scope = match bare(atoms, 0) {
            _ if all => Scope::All,
            Some(b'#') => Scope::Start,
            Some(b'%') => Scope::End,
            _ => Scope::First,
        };
        let anchored = matches!(scope, Scope::Start | Scope::End);
        let atoms = atoms.get(usize::from(anchored)..)?;
        let end = atoms.iter().position(|atom| *atom == Atom::Byte(b'/', false)).unwrap_or(atoms.len());
        let pattern = exact_pattern(atoms.get(..end)?)?;
        Some(Self::Replace { scope, pattern, with: atoms.get(end + 1..).unwrap_or_default() })
    }

    /// The list with the operator applied to each element; two where versions of bash differ.
    fn of_list(&self, list: &[Cooked]) -> Vec<Vec<Cooked>> {
        let matched = match self {
            Self::Replace { with, .. } => with.contains(&Atom::Byte(b'&', false)),
            Self::Remove { .. } | Self::Case { .. } => false,
        };
        let apply = |matched: bool| {
            let element = |value: &Cooked| {
                let text = told(value).filter(|text| text.len() <= MAX_VALUE);
                text.and_then(|text| self.of_text(&text, matched)).map_or(Cooked::Opaque, Cooked::Exact)
            };
            list.iter().map(element).collect()
        };
        [false, true].into_iter().filter(|kind| !kind || matched).map(apply).collect()
    }

    fn of_text(&self, text: &[u8], matched: bool) -> Option<Vec<u8>> {
        match self {
            Self::Remove { suffix, longest, pattern } => Some(removed(text, pattern, *suffix, *longest)),
            Self::Replace { scope, pattern, with } => Some(replaced(text, pattern, *scope, with, matched)),
            Self::Case { upper, all } => text.is_ascii().then(|| cased(text, *upper, *all)),
        }
    }
}

/// A text, where what is not known of it is empty.
fn told(value: &Cooked) -> Option<Cow<'_, [u8]>> {
    match value {
        Cooked::Exact(text) => match known_parts(text).as_slice() {
            [_] => Some(text.into()),
            parts => Some(parts.concat().into()),
        },
        Cooked::Affix { head, tail } => Some([head.as_slice(), tail].concat().into()),
        Cooked::Pattern(_) | Cooked::Opaque => None,
    }
}

/// The unquoted byte at a place.
fn bare(atoms: &[Atom], at: usize) -> Option<u8> {
    match atoms.get(at)? {
        Atom::Byte(byte, false) => Some(*byte),
        Atom::Byte(..) | Atom::Unknown(_) | Atom::Break(_) | Atom::Quotes | Atom::Nothing => None,
    }
}

/// A pattern whose matches are told exactly: neither an extended one nor one with a named class.
fn exact_pattern(atoms: &[Atom]) -> Option<Vec<u8>> {
    let inexact = |at: usize| match bare(atoms, at) {
        Some(b'(') => true,
        Some(b'[') => atoms.iter().skip(at + 1).any(|atom| *atom == Atom::Byte(b'[', false)),
        _ => false,
    };
    (!(0..atoms.len()).any(inexact)).then(|| pattern(atoms))
}

fn removed(text: &[u8], pattern: &[u8], suffix: bool, longest: bool) -> Vec<u8> {
    let taken = |length: &usize| {
        let part = if suffix { text.get(text.len() - length..) } else { text.get(..*length) };
        part.is_some_and(|part| glob_matches(pattern, part))
    };
    let mut lengths = 0..=text.len();
    let length = if longest { lengths.rfind(taken) } else { lengths.find(taken) };
    let length = length.unwrap_or_default();
    let kept = if suffix { text.get(..text.len() - length) } else { text.get(length..) };
    kept.unwrap_or_default().to_vec()
}

fn replaced(text: &[u8], pattern: &[u8], scope: Scope, with: &[Atom], matched: bool) -> Vec<u8> {
    let anchored = matches!(scope, Scope::Start | Scope::End);
    if pattern.is_empty() && !anchored {
        return text.to_vec();
    }
    let mut out = Vec::new();
    let mut at = 0;
    while at <= text.len() {
        // Nothing at all is matched at an anchor and in an empty text only.
        let least = match scope {
            Scope::Start => at,
            Scope::End => text.len(),
            Scope::First | Scope::All => at + usize::from(!text.is_empty()),
        };
        let fits = |end: &usize| text.get(at..*end).is_some_and(|part| glob_matches(pattern, part));
        let Some(end) = (least..=text.len()).rfind(fits) else {
            if scope == Scope::Start {
                break;
            }
            out.extend(text.get(at));
            at += 1;
            continue;
        };
        for atom in with {
            match atom {
                Atom::Byte(b'&', false) if matched => {
                    out.extend_from_slice(text.get(at..end).unwrap_or_default())
                }
                Atom::Byte(byte, _) => out.push(*byte),
                Atom::Unknown(_) | Atom::Break(_) | Atom::Quotes | Atom::Nothing => {}
            }
        }
        let nothing = at == end;
        at = end;
        if scope != Scope::All || nothing {
            break;
        }
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    out
}

fn cased(text: &[u8], upper: bool, all: bool) -> Vec<u8> {
    let mut out = text.to_vec();
    let changed = if all { out.as_mut_slice() } else { out.get_mut(..1).unwrap_or_default() };
    if upper {
        changed.make_ascii_uppercase();
    } else {
        changed.make_ascii_lowercase();
    }
    out
}
