//! The closed world: says of each byte of a text what it was read as. Worked out on demand, never on
//! the way to a verdict; must never guess what a byte is that the scan did not account for.

use super::scan::{self, Body, List, Part, Redirect, Scan, Word};
use crate::shell::model::RedirectKind;
use crate::span::Span;
use serde::Serialize;

/// What a byte was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A word or an assignment, with its quotes and expansions.
    Word,
    /// A control or redirect operator, a reserved word, the mark of a substitution.
    Operator,
    /// Blanks, newlines and line continuations.
    Blank,
    /// A comment.
    Comment,
    /// A here-document: its body and the line that ends it.
    Heredoc,
    /// What could not be read.
    Opaque,
}

/// A run of bytes of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Region {
    /// Its range.
    pub span: Span,
    /// What it is.
    pub kind: Kind,
}

/// Reserved words, and what may stand between `time` and its pipeline.
const RESERVED: [&[u8]; 20] = [
    b"if",
    b"then",
    b"elif",
    b"else",
    b"fi",
    b"while",
    b"until",
    b"for",
    b"select",
    b"in",
    b"do",
    b"done",
    b"case",
    b"esac",
    b"function",
    b"time",
    b"coproc",
    b"[[",
    b"-p",
    b"--",
];

/// The regions of a text, in order, without a gap. Substitutions that stand in the text are told byte for
/// byte as well; the inside of backticks is a text of its own and counts as a word here.
///
/// # Errors
/// The offset of the first byte that nothing accounts for. It is a fault of the scan.
pub fn regions(text: &[u8]) -> Result<Vec<Region>, usize> {
    let mut kinds = vec![None; text.len()];
    for piece in scan::scan(text, 0) {
        for (span, kind) in layers(&piece) {
            let end = span.end.min(kinds.len());
            if let Some(slots) = kinds.get_mut(span.start.min(end)..end) {
                slots.fill(kind);
            }
        }
    }
    between(text, &mut kinds)?;
    joined(&kinds)
}

type Layer = (Span, Option<Kind>);

/// What the scan tells of one piece: the outermost first, so that inner layers lie on outer ones.
fn layers(piece: &Scan) -> Vec<Layer> {
    let mut layers: Vec<Layer> = Vec::new();
    for (span, kind) in &piece.data {
        layers.push((*span, Some(if *kind == "comment" { Kind::Comment } else { Kind::Heredoc })));
    }
    layers.extend(piece.ends.iter().map(|span| (*span, Some(Kind::Heredoc))));
    list(&piece.list, &mut layers);
    layers.sort_by(|(a, _), (b, _)| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    layers.extend(piece.faults.iter().map(|fault| (fault.span, Some(Kind::Opaque))));
    layers
}

fn list(of: &List, layers: &mut Vec<Layer>) {
    for stage in of.elements.iter().flat_map(|element| &element.stages) {
        layers.push((stage.name, Some(Kind::Word)));
        match &stage.body {
            Body::Simple(simple) => {
                for assignment in simple.assignments.iter().chain(&simple.arrays) {
                    layers.push((assignment.span, Some(Kind::Word)));
                    parts(&assignment.subscript, layers);
                    assignment.value.iter().for_each(|value| parts(&value.parts, layers));
                }
                simple.words.iter().for_each(|each| word(each, layers));
                simple.redirects.iter().for_each(|each| redirect(each, layers));
            }
            Body::Compound(compound) => {
                layers.push((compound.header, Some(Kind::Word)));
                compound.words.iter().for_each(|each| word(each, layers));
                compound.redirects.iter().for_each(|each| redirect(each, layers));
                compound.lists.iter().for_each(|inner| list(inner, layers));
            }
        }
    }
}

fn word(of: &Word, layers: &mut Vec<Layer>) {
    layers.push((of.span, Some(Kind::Word)));
    parts(&of.parts, layers);
}

fn redirect(of: &Redirect, layers: &mut Vec<Layer>) {
    layers.push((of.span, Some(Kind::Operator)));
    match &of.target {
        // The body is among the data already.
        Some(body) if of.kind == RedirectKind::HereDocument => parts(&body.parts, layers),
        Some(target) => word(target, layers),
        None => {}
    }
}

fn parts(of: &[Part], layers: &mut Vec<Layer>) {
    for part in of {
        match part {
            Part::Substitution { list: inner, span, .. } => {
                layers.push((*span, None));
                list(inner, layers);
            }
            Part::Parameter { operand, extra, .. } => {
                extra.iter().for_each(|extra| parts(&extra.subscript, layers));
                parts(operand, layers);
            }
            Part::Arithmetic { parts: inner, .. } => parts(inner, layers),
            Part::Literal { .. } | Part::Backtick { .. } => {}
        }
    }
}

/// Names what lies between words: blanks, operators and reserved words, and nothing else.
fn between(text: &[u8], kinds: &mut [Option<Kind>]) -> Result<(), usize> {
    let mut at = 0;
    while at < text.len() {
        if kinds.get(at).is_some_and(Option::is_some) {
            at += 1;
            continue;
        }
        let (end, kind) = token(text, kinds, at).ok_or(at)?;
        if let Some(slots) = kinds.get_mut(at..end) {
            slots.fill(Some(kind));
        }
        at = end;
    }
    Ok(())
}

/// The token between words that starts at `at`: where it ends and what it is.
fn token(text: &[u8], kinds: &[Option<Kind>], at: usize) -> Option<(usize, Kind)> {
    let free = |at: usize| kinds.get(at).is_some_and(Option::is_none);
    match text.get(at)? {
        b' ' | b'\t' | b'\n' => return Some((at + 1, Kind::Blank)),
        b'\\' if text.get(at + 1) == Some(&b'\n') => return Some((at + 2, Kind::Blank)),
        b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' | b'!' | b'{' | b'}' => {
            return Some((at + 1, Kind::Operator));
        }
        b']' if text.get(at + 1) == Some(&b']') => return Some((at + 2, Kind::Operator)),
        _ => {}
    }
    // A reserved word or the `$` of `$(`, in which continuations may stand.
    let mut end = at;
    let mut spelt = Vec::new();
    while free(end) && spelt.len() < 9 {
        match text.get(end)? {
            b'\\' if text.get(end + 1) == Some(&b'\n') => end += 1,
            byte if byte.is_ascii_lowercase() || b"-$[".contains(byte) => spelt.push(*byte),
            _ => break,
        }
        end += 1;
    }
    let opens = spelt == b"$" && text.get(end) == Some(&b'(');
    (opens || RESERVED.contains(&spelt.as_slice())).then_some((end, Kind::Operator))
}

fn joined(kinds: &[Option<Kind>]) -> Result<Vec<Region>, usize> {
    let mut regions: Vec<Region> = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        let kind = kind.ok_or(at)?;
        match regions.last_mut().filter(|last| last.kind == kind) {
            Some(last) => last.span.end = at + 1,
            None => regions.push(Region { span: Span::new(at, at + 1), kind }),
        }
    }
    Ok(regions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let letter = |kind| match kind {
            Kind::Word => 'w',
            Kind::Operator => 'o',
            Kind::Blank => '_',
            Kind::Comment => '#',
            Kind::Heredoc => 'h',
            Kind::Opaque => '?',
        };
        let regions = regions(text.as_bytes()).unwrap_or_default();
        regions.iter().flat_map(|region| vec![letter(region.kind); region.span.len()]).collect()
    }

    #[test]
    fn each_byte_has_its_kind() {
        for (text, wanted) in [
            ("a=1 b  >c&&d", "www_w__owoow"),
            ("x \"$(y|z)\" # c", "w_woowowow_###"),
            ("cat <<E; f\n$(g)\nE\nh", "www_oooo_w_oowohhhw"),
            ("if a; then b; fi", "oo_wo_oooo_wo_oo"),
            ("f() { g; }", "woo_o_wo_o"),
            ("a\nb 'c", "w_????"),
            ("coproc N { a; }", "oooooo_w_o_wo_o"),
            ("case x in (a|b) c;; esac", "oooo_w_oo_owowo_woo_oooo"),
        ] {
            assert_eq!(shown(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        assert_eq!(between(b"a", &mut [None]), Err(0));
        assert_eq!(between(b"fin", &mut [None, None, None]), Err(0));
        assert_eq!(between(b"fi;", &mut [None, None, None]), Ok(()));
    }
}
