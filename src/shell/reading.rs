//! The readings of a word: pieces to atoms, and atoms to fields and values (bash manual 3.5.7 to
//! 3.5.9). Must never drop an unknown part of a word.

use super::model::{Cooked, Word};

/// How many values of one word are followed.
pub(super) const MAX_CANDIDATES: usize = 16;
/// How many bytes of values may be put into the words of one text; each value counts where it is used.
pub(super) const MAX_EXPANDED: usize = 1 << 20;

/// What stands for an unknown part in a text that a shell reads, and in a value with several of them.
pub(super) const UNKNOWN: &[u8] = b"${_}";

/// A part after its substitutions have been lowered.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Known bytes.
    Literal { bytes: Vec<u8>, quoted: bool },
    /// Nothing is known; `quoted` ones do not vanish.
    Unknown { quoted: bool },
    /// A value that the text itself tells.
    Known { name: Vec<u8>, values: Vec<Vec<Cooked>>, certain: bool, quoted: bool },
    /// `$IFS` unquoted: a break between words.
    Break,
}

/// A byte of a word, or what else is known at that place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atom {
    Byte(u8, bool),
    Unknown(bool),
    /// A blank at which words are split.
    Break(u8),
    /// Quotes: they keep a field that is empty otherwise.
    Quotes,
    /// A list without elements: even quoted it makes no field by itself.
    Nothing,
}

/// The bytes of a word that holds nothing to expand.
pub(super) fn plain(pieces: &[Piece]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Literal { bytes, quoted } => {
                if !quoted && bytes.iter().any(|byte| b"*?[(".contains(byte)) {
                    return None;
                }
                out.extend_from_slice(bytes);
            }
            Piece::Unknown { .. } | Piece::Known { .. } | Piece::Break => return None,
        }
    }
    Some(out)
}

/// How many readings a word has.
pub(super) fn combinations(pieces: &[Piece]) -> usize {
    let choices = pieces.iter().map(|piece| match piece {
        Piece::Known { values, certain, .. } => values.len() + usize::from(!certain),
        Piece::Literal { .. } | Piece::Unknown { .. } | Piece::Break => 1,
    });
    choices.fold(1, usize::saturating_mul)
}

/// Every reading of a word; the first is the one to show.
pub(super) fn candidates(pieces: &[Piece]) -> Vec<Vec<Atom>> {
    let mut all: Vec<Vec<Atom>> = vec![Vec::new()];
    for piece in pieces {
        let mut choices = choices(piece);
        if choices.len() == 1 || all.len() >= MAX_CANDIDATES {
            let Some(choice) = choices.drain(..).next() else { return Vec::new() };
            all.iter_mut().for_each(|prefix| prefix.extend_from_slice(&choice));
            continue;
        }
        let mut next = Vec::new();
        for choice in &choices {
            for prefix in &all {
                if next.len() < MAX_CANDIDATES {
                    next.push([prefix.as_slice(), choice].concat());
                }
            }
        }
        all = next;
    }
    all
}

fn choices(piece: &Piece) -> Vec<Vec<Atom>> {
    match piece {
        Piece::Literal { bytes, quoted: true } if bytes.is_empty() => vec![vec![Atom::Quotes]],
        Piece::Literal { bytes, quoted } => {
            vec![bytes.iter().map(|byte| Atom::Byte(*byte, *quoted)).collect()]
        }
        Piece::Unknown { quoted } => vec![vec![Atom::Unknown(*quoted)]],
        Piece::Break => vec![vec![Atom::Break(b' ')]],
        Piece::Known { values, certain, quoted, .. } => {
            let known = values.iter().map(|value| value_atoms(value, *quoted));
            let unknown = (!certain).then(|| vec![Atom::Unknown(*quoted)]);
            unknown.into_iter().chain(known).collect()
        }
    }
}

fn value_atoms(value: &[Cooked], quoted: bool) -> Vec<Atom> {
    if value.is_empty() {
        return vec![Atom::Nothing];
    }
    let mut atoms = Vec::new();
    for (index, part) in value.iter().enumerate() {
        if index > 0 {
            atoms.push(Atom::Break(b' '));
        }
        if quoted {
            atoms.push(Atom::Quotes);
        }
        let byte = |byte: &u8| {
            let blank = matches!(byte, b' ' | b'\t' | b'\n');
            if blank && !quoted { Atom::Break(*byte) } else { Atom::Byte(*byte, quoted) }
        };
        match part {
            Cooked::Exact(bytes) => atoms.extend(bytes.iter().map(byte)),
            Cooked::Affix { head, tail } => {
                atoms.extend(head.iter().map(byte));
                atoms.push(Atom::Unknown(quoted));
                atoms.extend(tail.iter().map(byte));
            }
            Cooked::Pattern(_) | Cooked::Opaque => atoms.push(Atom::Unknown(quoted)),
        }
    }
    atoms
}

/// The known parts of a text in which `UNKNOWN` stands for the others.
pub(super) fn known_parts(text: &[u8]) -> Vec<&[u8]> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.windows(UNKNOWN.len()).position(|bytes| bytes == UNKNOWN) {
        let (part, behind) = rest.split_at(at);
        parts.push(part);
        rest = behind.get(UNKNOWN.len()..).unwrap_or_default();
    }
    parts.push(rest);
    parts
}

/// Breaks become blanks again, where words are not split.
pub(super) fn unsplit(atoms: Vec<Atom>) -> Vec<Atom> {
    let plain = |atom: Atom| match atom {
        Atom::Break(byte) => Atom::Byte(byte, true),
        other @ (Atom::Byte(..) | Atom::Unknown(_) | Atom::Quotes | Atom::Nothing) => other,
    };
    atoms.into_iter().map(plain).collect()
}

pub(super) fn split(atoms: &[Atom], shape: &Word) -> Vec<Word> {
    let mut words = Vec::new();
    for field in atoms.split(|atom| matches!(atom, Atom::Break(_))) {
        let nothing = !field.contains(&Atom::Quotes) || field.contains(&Atom::Nothing);
        let empty = field.iter().all(|atom| matches!(atom, Atom::Quotes | Atom::Nothing));
        if !(empty && nothing) {
            words.push(Word { value: cooked(field), template: template(field), ..shape.clone() });
        }
    }
    words
}

pub(super) fn joined(fields: &[Word]) -> Vec<Cooked> {
    if let [word] = fields {
        return vec![word.value.clone()];
    }
    let parts: Vec<&[u8]> = fields.iter().filter_map(|word| word.value.exact()).collect();
    if parts.is_empty() || parts.len() != fields.len() {
        return Vec::new();
    }
    vec![Cooked::Exact(parts.join(&b' '))]
}

pub(super) fn cooked(atoms: &[Atom]) -> Cooked {
    let wide = |atom: &Atom| !matches!(atom, Atom::Quotes | Atom::Nothing);
    if !atoms.iter().all(wide) {
        return cooked(&atoms.iter().copied().filter(wide).collect::<Vec<_>>());
    }
    let glob = has_glob(atoms);
    let unknown = atoms.iter().any(|atom| matches!(atom, Atom::Unknown(_)));
    let byte = |atom: &Atom| match atom {
        Atom::Byte(byte, _) => Some(*byte),
        Atom::Unknown(_) | Atom::Break(_) | Atom::Quotes | Atom::Nothing => None,
    };
    if glob {
        return Cooked::Pattern(pattern(atoms));
    }
    if !unknown {
        return Cooked::Exact(atoms.iter().filter_map(byte).collect());
    }
    let head: Vec<u8> = atoms.iter().map_while(byte).collect();
    let mut tail: Vec<u8> = atoms.iter().rev().map_while(byte).collect();
    tail.reverse();
    if head.is_empty() && tail.is_empty() { Cooked::Opaque } else { Cooked::Affix { head, tail } }
}

/// The text of a word that is known in part.
pub(super) fn template(atoms: &[Atom]) -> Option<Vec<u8>> {
    if !atoms.iter().any(|atom| matches!(atom, Atom::Unknown(_))) {
        return None;
    }
    if atoms.len() > MAX_EXPANDED {
        return Some(Vec::new());
    }
    let mut text = Vec::new();
    for atom in atoms {
        match atom {
            Atom::Byte(byte, _) => text.push(*byte),
            Atom::Unknown(_) => text.extend_from_slice(UNKNOWN),
            Atom::Break(byte) => text.push(*byte),
            Atom::Quotes | Atom::Nothing => {}
        }
    }
    let known = atoms.iter().any(|atom| matches!(atom, Atom::Byte(byte, _) if byte.is_ascii_graphic()));
    known.then_some(text)
}

pub(super) fn has_glob(atoms: &[Atom]) -> bool {
    let bare = |wanted: u8| move |atom: &Atom| *atom == Atom::Byte(wanted, false);
    let open = atoms.iter().position(bare(b'['));
    let bracket = open.is_some_and(|at| atoms.iter().skip(at + 1).any(bare(b']')));
    bracket
        || atoms.iter().any(|atom| matches!(atom, Atom::Byte(b'*' | b'?', false)))
        || (0..atoms.len()).any(|at| extended(atoms, at).is_some())
}

/// The index behind an extended pattern such as `@(a|b)` that starts at `at` (bash manual 3.5.8.1).
/// The scan lets a bare parenthesis into a word only where such patterns are on.
fn extended(atoms: &[Atom], at: usize) -> Option<usize> {
    let (Atom::Byte(b'?' | b'*' | b'+' | b'@' | b'!', false), Atom::Byte(b'(', false)) =
        (atoms.get(at)?, atoms.get(at + 1)?)
    else {
        return None;
    };
    let mut depth = 0usize;
    for (end, atom) in atoms.iter().enumerate().skip(at + 1) {
        match atom {
            Atom::Byte(b'(', false) => depth += 1,
            Atom::Byte(b')', false) => depth -= 1,
            Atom::Byte(..) | Atom::Unknown(_) | Atom::Break(_) | Atom::Quotes | Atom::Nothing => {}
        }
        if depth == 0 {
            return Some(end + 1);
        }
    }
    None
}

pub(super) fn pattern(atoms: &[Atom]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(atom) = atoms.get(at) {
        // What an extended pattern matches is not told apart: anything.
        let end = extended(atoms, at);
        at = end.unwrap_or(at + 1);
        match atom {
            Atom::Byte(..) if end.is_some() => out.push(b'*'),
            Atom::Byte(byte, quoted) => {
                if *quoted && b"*?[]\\!^-".contains(byte) {
                    out.push(b'\\');
                }
                out.push(*byte);
            }
            Atom::Unknown(_) | Atom::Break(_) => out.push(b'*'),
            Atom::Quotes | Atom::Nothing => {}
        }
    }
    out
}
