//! Extended regular expressions as `pkill` reads them, asked one question: may this one find that
//! name? What is not understood counts as "it may". Must never backtrack: sets of positions only.

use crate::shell::glob::in_class;

/// Longest pattern that is read; a longer one counts as finding every name.
const LONGEST: usize = 1024;
/// Deepest nesting of groups that is read.
const DEEPEST: usize = 5;

/// A parsed expression: the branches of its alternation.
pub(super) struct Regex(Vec<Vec<Item>>);

struct Item {
    atom: Atom,
    optional: bool,
    many: bool,
}

enum Atom {
    Any,
    Byte(u8),
    Class(Vec<u8>),
    Start,
    End,
    Group(Vec<Vec<Item>>),
}

/// Where in the name a match may have got to: one flag for each position, the end included.
type Positions = Vec<bool>;

impl Regex {
    /// Reads an expression; `None` when it is beyond what is read.
    pub(super) fn parse(pattern: &[u8]) -> Option<Self> {
        let mut reader = Reader { rest: pattern };
        (pattern.len() <= LONGEST).then(|| reader.branches(0)).flatten().map(Self)
    }

    /// Whether it matches somewhere in `text`, without regard to case.
    pub(super) fn finds(&self, text: &[u8]) -> bool {
        let anywhere = vec![true; text.len() + 1];
        branches(&self.0, &anywhere, text).contains(&true)
    }

    /// Whether a part of it, with literals at both ends, matches the whole of `name`: such an
    /// expression finds the name in a longer text (`fm-wat[c]h.*--once`).
    pub(super) fn covers(&self, name: &[u8]) -> bool {
        self.0
            .iter()
            .any(|items| (0..items.len()).any(|from| covers(items.get(from..).unwrap_or_default(), name)))
    }
}

fn covers(items: &[Item], name: &[u8]) -> bool {
    if !items.first().is_some_and(Item::is_literal) {
        return false;
    }
    let mut at = vec![false; name.len() + 1];
    if let Some(first) = at.first_mut() {
        *first = true;
    }
    for item in items {
        at = item.step(&at, name);
        if !at.contains(&true) {
            return false;
        }
        if item.is_literal() && at.last() == Some(&true) {
            return true;
        }
    }
    false
}

fn branches(branches: &[Vec<Item>], from: &Positions, text: &[u8]) -> Positions {
    let mut reached = vec![false; from.len()];
    for items in branches {
        let end = items.iter().fold(from.clone(), |at, item| item.step(&at, text));
        join(&mut reached, &end);
    }
    reached
}

/// Adds positions; whether any was new.
fn join(into: &mut Positions, other: &Positions) -> bool {
    let mut grew = false;
    for (have, add) in into.iter_mut().zip(other) {
        grew |= *add && !*have;
        *have |= *add;
    }
    grew
}

impl Item {
    fn is_literal(&self) -> bool {
        !self.optional && !self.many && matches!(self.atom, Atom::Byte(_) | Atom::Class(_))
    }

    fn step(&self, from: &Positions, text: &[u8]) -> Positions {
        let mut reached = self.atom.step(from, text);
        if self.many {
            loop {
                let again = self.atom.step(&reached, text);
                if !join(&mut reached, &again) {
                    break;
                }
            }
        }
        if self.optional {
            join(&mut reached, from);
        }
        reached
    }
}

impl Atom {
    fn step(&self, from: &Positions, text: &[u8]) -> Positions {
        let here = |at: usize| from.get(at).copied().unwrap_or(false);
        match self {
            Self::Group(inner) => branches(inner, from, text),
            Self::Start => (0..from.len()).map(|at| at == 0 && here(at)).collect(),
            Self::End => (0..from.len()).map(|at| at == text.len() && here(at)).collect(),
            Self::Any | Self::Byte(_) | Self::Class(_) => {
                let moved = text.iter().enumerate().map(|(at, byte)| here(at) && self.matches(*byte));
                std::iter::once(false).chain(moved).collect()
            }
        }
    }

    fn matches(&self, byte: u8) -> bool {
        match self {
            Self::Any => true,
            Self::Byte(literal) => literal.eq_ignore_ascii_case(&byte),
            // A negated class is asked for the byte alone: the other case is rarely in it.
            Self::Class(class) if class.first() == Some(&b'^') => in_class(class, byte),
            Self::Class(class) => {
                in_class(class, byte.to_ascii_lowercase()) || in_class(class, byte.to_ascii_uppercase())
            }
            Self::Start | Self::End | Self::Group(_) => false,
        }
    }
}

struct Reader<'p> {
    rest: &'p [u8],
}

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn branches(&mut self, depth: usize) -> Option<Vec<Vec<Item>>> {
        let mut branches = Vec::new();
        let mut items = Vec::new();
        while let Some(byte) = self.next() {
            match byte {
                b'|' => branches.push(std::mem::take(&mut items)),
                b')' if depth > 0 => break,
                _ => {
                    let atom = self.atom(byte, depth)?;
                    items.push(self.quantified(atom));
                }
            }
        }
        branches.push(items);
        Some(branches)
    }

    fn atom(&mut self, byte: u8, depth: usize) -> Option<Atom> {
        Some(match byte {
            b'(' if depth < DEEPEST => Atom::Group(self.branches(depth + 1)?),
            b'(' => return None,
            b'.' => Atom::Any,
            b'^' => Atom::Start,
            b'$' => Atom::End,
            b'[' => self.class(),
            b'\\' => match self.next() {
                // GNU's classes and boundaries: any text, or none.
                Some(letter) if letter.is_ascii_alphanumeric() || matches!(letter, b'<' | b'>') => {
                    Atom::Group(vec![
                        Vec::new(),
                        vec![Item { atom: Atom::Any, optional: false, many: false }],
                    ])
                }
                Some(literal) => Atom::Byte(literal),
                None => Atom::Byte(b'\\'),
            },
            literal => Atom::Byte(literal),
        })
    }

    /// A bracket expression, after its `[`. One that is not closed is a literal.
    fn class(&mut self) -> Atom {
        let negated = usize::from(self.rest.first() == Some(&b'^'));
        let mut at = negated + 1;
        loop {
            match (self.rest.get(at), self.rest.get(at + 1)) {
                (None, _) => return Atom::Byte(b'['),
                (Some(b']'), _) if !self.in_name(at) => break,
                _ => at += 1,
            }
        }
        let class = self.rest.get(..at).unwrap_or_default().to_vec();
        self.rest = self.rest.get(at + 1..).unwrap_or_default();
        if class.contains(&b'[') || class.first() == Some(&b'!') { Atom::Any } else { Atom::Class(class) }
    }

    /// Whether the `]` at `at` ends `[:name:]`, `[.x.]` or `[=x=]`.
    fn in_name(&self, at: usize) -> bool {
        let before = self.rest.get(..at).unwrap_or_default();
        let Some(mark) = before.last().filter(|byte| b":.=".contains(byte)) else { return false };
        let open = [b'[', *mark];
        let opened = before.windows(2).rposition(|pair| pair == open);
        opened.is_some_and(|open| open + 2 < at && !before.get(open..).unwrap_or_default().contains(&b']'))
    }

    fn quantified(&mut self, atom: Atom) -> Item {
        let mut item = Item { atom, optional: false, many: false };
        while let Some(byte) = self.rest.first().copied() {
            match byte {
                b'*' => (item.optional, item.many) = (true, true),
                b'+' => item.many = true,
                b'?' => item.optional = true,
                b'{' => {
                    let Some(end) = self.rest.iter().position(|byte| *byte == b'}') else { break };
                    (item.optional, item.many) = (true, true);
                    self.rest = self.rest.get(end..).unwrap_or_default();
                }
                _ => break,
            }
            self.rest = self.rest.get(1..).unwrap_or_default();
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::Regex;

    fn finds(pattern: &str) -> bool {
        Regex::parse(pattern.as_bytes())
            .is_none_or(|regex| regex.finds(b"fm-watch") || regex.covers(b"fm-watch"))
    }

    #[test]
    fn expressions_that_find_the_name() {
        for pattern in [
            "fm-w",
            "fm.watch",
            "fm-wat[c]h",
            "[f]m-watch",
            "fm-(x|watch)",
            "x|fm-watch",
            "^fm",
            "watch$",
            "fm-watc{1}h",
            "fm-w[[:alpha:]]tch",
            "(fm|x)-w",
            "FM-WATCH",
            ".*",
            "fm-wat[c]h.*--once",
            "bash .*fm-wat[c]h",
            "fm-?watch",
            "f\\m-watch",
            "[^x]m-watch",
            "((((((x))))))",
            "fm-[a-w]atch",
        ] {
            assert!(finds(pattern), "{pattern}");
        }
    }

    #[test]
    fn expressions_that_do_not() {
        for pattern in [
            "firefox",
            ".*firefox.*",
            "firefox|chrome",
            "^watch",
            "fm-$",
            "node.*dev",
            "[^f]m-watch",
            "fm-(x|y)",
            "watch -n",
            "python3? -m http",
        ] {
            assert!(!finds(pattern), "{pattern}");
        }
    }

    #[test]
    fn no_pattern_takes_long() {
        for unit in [".*", "(.*)*", "f*", "((a?)*)*", "f.*", "["] {
            let _ = finds(&unit.repeat(1024 / unit.len()));
        }
    }
}
