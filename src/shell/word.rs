//! Words to values: brace expansion, tracked variables, field splitting, globs (bash manual 3.5, in
//! that order). Must never drop an unknown part of a word.

use super::cook;
use super::environment::Environment;
use super::lower::{Lowerer, Origin};
use super::model::{Command, CommandId, Cooked, PlaceId, PlaceKind, Word};
use super::output::Output;
use super::parameter::{Parameter, cost, expanded};
use super::reading::{
    MAX_CANDIDATES, MAX_EXPANDED, Piece, UNKNOWN, candidates, combinations, cooked, joined, known_parts,
    plain, split, template, unsplit,
};
use super::reprint;
use super::scan::{self, Again, Extra, Part};
use crate::span::Span;

/// What a written word becomes.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) words: Vec<Word>,
    pub(super) variants: Vec<Variant>,
    /// Whether it has more readings than are followed.
    pub(super) more: bool,
}

/// A further reading of a word: these fields in its stead.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) words: Vec<Word>,
    pub(super) name: Vec<u8>,
    /// Whether this is how the command itself is read, not a further possibility.
    pub(super) own: bool,
}

impl Lowerer<'_> {
    /// A word of a command: all expansions.
    pub(super) fn word(&mut self, raw: &scan::Word, place: PlaceId, env: &mut Environment) -> Fields {
        let mut shape = self.shape(raw);
        let pieces = tilde(self.pieces(&raw.parts, place, env, &mut shape));
        let mut fields = Fields::default();
        let expanded = match braces(pieces) {
            Ok(expanded) => expanded,
            Err(cook::TooLarge) => {
                let written = shape.span.slice(&self.script.source).to_vec();
                self.opaque(shape.span, "a brace expansion that is too large", &written);
                vec![vec![Piece::Unknown { quoted: false }]]
            }
        };
        for pieces in expanded.into_iter().filter(|pieces| !is_nothing(pieces)) {
            fields.more |= combinations(&pieces) > MAX_CANDIDATES;
            let (words, variants) = self.fields(&pieces, &shape);
            if fields.words.is_empty() {
                fields.variants = variants;
            }
            fields.words.extend(words);
        }
        fields
    }

    /// A word that is neither split nor brace-expanded: an assigned value, a redirect target.
    pub(super) fn operand(&mut self, raw: &scan::Word, place: PlaceId, env: &mut Environment) -> Vec<Word> {
        let mut shape = self.shape(raw);
        // A body of megabytes is copied once.
        if let Some(exact) = literal(&raw.parts) {
            return vec![Word { value: Cooked::Exact(exact), ..shape }];
        }
        let pieces = self.pieces(&raw.parts, place, env, &mut shape);
        let all = candidates(&pieces);
        let template = all.first().and_then(|atoms| template(atoms));
        let mut values = all.into_iter().map(|atoms| cooked(&unsplit(atoms)));
        let value = values.next().unwrap_or_default();
        vec![Word { value, alternatives: values.collect(), template, ..shape }]
    }

    /// Lowers what parts execute and forgets their value.
    pub(super) fn expand_only(&mut self, parts: &[Part], place: PlaceId, env: &mut Environment) {
        let mut shape = Word::default();
        self.pieces(parts, place, env, &mut shape);
    }

    fn shape(&self, raw: &scan::Word) -> Word {
        let quoted = raw.parts.iter().any(|part| match part {
            Part::Literal { quoted, .. }
            | Part::Parameter { quoted, .. }
            | Part::Substitution { quoted, .. }
            | Part::Backtick { quoted, .. }
            | Part::Arithmetic { quoted, .. } => *quoted,
        });
        Word { span: self.origin.span(raw.span), quoted, ..Word::default() }
    }

    fn pieces(
        &mut self,
        parts: &[Part],
        place: PlaceId,
        env: &mut Environment,
        shape: &mut Word,
    ) -> Vec<Piece> {
        self.depth += 1;
        let pieces = parts.iter().map(|part| self.piece(part, place, env, shape)).collect();
        self.depth -= 1;
        pieces
    }

    fn piece(&mut self, part: &Part, place: PlaceId, env: &mut Environment, shape: &mut Word) -> Piece {
        match part {
            Part::Literal { bytes, quoted, .. } => Piece::Literal { bytes: bytes.clone(), quoted: *quoted },
            Part::Arithmetic { parts, .. } => {
                let pieces = self.pieces(parts, place, env, shape);
                self.evaluate(parts, &pieces, place, env);
                Piece::Unknown { quoted: true }
            }
            Part::Parameter { name, plain, quoted, default, operand, extra } => {
                let extra = extra.as_deref();
                let (plain, quoted, default) = (*plain, *quoted, *default);
                let parameter = Parameter { name, plain, quoted, default, operand, extra };
                self.parameter(&parameter, place, env, shape)
            }
            Part::Substitution { list, process, quoted, span } => {
                let kind =
                    if *process { PlaceKind::ProcessSubstitution } else { PlaceKind::CommandSubstitution };
                let inside = self.place(place, kind, self.origin.span(*span));
                shape.substitutions.push(inside);
                let before = std::mem::replace(&mut self.reprinted, reprint::holds_heredoc(list));
                self.list(list, inside, &mut env.clone(), false);
                self.reprinted = before;
                self.substituted(inside, *process, *quoted)
            }
            Part::Backtick { bytes, quoted, span } => {
                let at = self.origin.span(*span);
                let inside = self.place(place, PlaceKind::CommandSubstitution, at);
                shape.substitutions.push(inside);
                let plain = at.len() == bytes.len() + 2;
                let origin = if plain { Origin::At(at.start + 1) } else { Origin::Within(at) };
                self.text(bytes, origin, inside, &mut env.clone());
                self.substituted(inside, false, *quoted)
            }
        }
    }

    fn parameter(
        &mut self,
        parameter: &Parameter<'_>,
        place: PlaceId,
        env: &mut Environment,
        shape: &mut Word,
    ) -> Piece {
        if let Some(Extra { subscript, .. }) = parameter.extra.filter(|extra| !extra.subscript.is_empty()) {
            let pieces = self.pieces(subscript, place, env, shape);
            self.evaluate(subscript, &pieces, place, env);
        }
        let operand = self.pieces(parameter.operand, place, env, shape);
        shape.variables.push(parameter.name.to_vec());
        if parameter.again() != Again::No {
            self.expand_again(parameter.name, parameter.again(), place, env);
        }
        if self.expanded > MAX_EXPANDED {
            return Piece::Unknown { quoted: parameter.quoted };
        }
        self.expanded += cost(parameter, &operand, env);
        if self.expanded > MAX_EXPANDED {
            self.untold();
            return Piece::Unknown { quoted: parameter.quoted };
        }
        let piece = expanded(parameter, &operand, env);
        let piece = self.afford(piece);
        let assigns = parameter.extra.is_some_and(|extra| extra.assigns);
        if let (true, Piece::Known { values, .. }) = (assigns, &piece) {
            values.iter().for_each(|value| env.assign(parameter.name, value.clone(), true));
        }
        piece
    }

    fn substituted(&mut self, inside: PlaceId, process: bool, quoted: bool) -> Piece {
        let outputs = self.place_outputs(inside);
        if process {
            self.outputs.extend(outputs.into_iter().map(|output| (inside, output)));
            return Piece::Unknown { quoted: true };
        }
        if outputs.is_empty() || outputs.iter().any(|output| !output.whole) {
            return Piece::Unknown { quoted };
        }
        let trimmed = |Output { bytes, .. }: &Output| {
            let end = bytes.iter().rposition(|byte| *byte != b'\n').map_or(0, |at| at + 1);
            vec![Cooked::Exact(bytes.get(..end).unwrap_or_default().to_vec())]
        };
        let values = outputs.iter().map(trimmed).collect();
        self.afford(Piece::Known { name: b"$(".to_vec(), values, certain: false, quoted })
    }

    /// Counts a known value; beyond the limit nothing is known any more, and the whole text is opaque.
    fn afford(&mut self, piece: Piece) -> Piece {
        let Piece::Known { values, quoted, .. } = &piece else { return piece };
        let size = |value: &Cooked| 1 + value.exact().map_or(0, <[u8]>::len);
        self.expanded += values.iter().flatten().map(size).sum::<usize>();
        if self.expanded <= MAX_EXPANDED {
            return piece;
        }
        let quoted = *quoted;
        self.untold();
        Piece::Unknown { quoted }
    }

    fn fields(&self, pieces: &[Piece], shape: &Word) -> (Vec<Word>, Vec<Variant>) {
        if let Some(exact) = plain(pieces) {
            return (vec![Word { value: Cooked::Exact(exact), ..shape.clone() }], Vec::new());
        }
        let mut all = candidates(pieces).into_iter().map(|atoms| split(&atoms, shape));
        let mut words = all.next().unwrap_or_default();
        let rest: Vec<Vec<Word>> = all.collect();
        let name = pieces.iter().find_map(|piece| match piece {
            Piece::Known { name, .. } => Some(name.clone()),
            Piece::Literal { .. } | Piece::Unknown { .. } | Piece::Break => None,
        });
        let Some(name) = name else { return (words, Vec::new()) };
        let mut variants = Vec::new();
        if rest.is_empty() && !names_itself(pieces) {
            variants.push(Variant { words: Vec::new(), name: name.clone(), own: true });
        }
        for fields in rest {
            if let [word] = words.as_mut_slice() {
                word.alternatives.extend(joined(&fields));
            }
            if !names_itself(pieces) {
                variants.push(Variant { words: fields, name: name.clone(), own: false });
            }
        }
        (words, variants)
    }

    /// The place of a command whose name came out of a variable.
    pub(super) fn variable_place(&mut self, variants: &[Variant], place: PlaceId, span: Span) -> PlaceId {
        match variants.iter().find(|variant| variant.own) {
            Some(variant) => self.place(place, PlaceKind::Variable { name: variant.name.clone() }, span),
            None => place,
        }
    }

    /// The further commands that a command's first word may stand for.
    pub(super) fn variants(&mut self, id: CommandId, variants: &[Variant], env: &mut Environment) {
        let Some(command) = self.script.commands.get(id).cloned() else { return };
        let rest = command.words.get(1..).unwrap_or_default();
        for variant in variants.iter().filter(|variant| !variant.own) {
            let kind = PlaceKind::Variable { name: variant.name.clone() };
            let words = [variant.words.as_slice(), rest].concat();
            self.further(id, &command, kind, words, env);
        }
        if let Some((first, plain)) = command.words.first().and_then(|first| Some((first, bridged(first)?))) {
            let first = Word { value: Cooked::Exact(plain), template: None, ..first.clone() };
            let words = [std::slice::from_ref(&first), rest].concat();
            self.further(id, &command, PlaceKind::MayVanish, words, env);
        }
        if command.words.first().is_some_and(may_vanish) && !rest.is_empty() {
            let mut words = rest;
            while words.len() > 1 && words.first().is_some_and(may_vanish) {
                words = words.get(1..).unwrap_or_default();
            }
            self.further(id, &command, PlaceKind::MayVanish, words.to_vec(), env);
        }
    }

    /// The further commands for which another word stands: one that may be several.
    pub(super) fn other_variants(
        &mut self,
        id: CommandId,
        others: Vec<(std::ops::Range<usize>, Variant)>,
        env: &mut Environment,
    ) {
        for (at, variant) in others.into_iter().filter(|(_, variant)| !variant.own && variant.words.len() > 1)
        {
            let Some(command) = self.script.commands.get(id).cloned() else { return };
            let mut words = command.words.clone();
            if at.end <= words.len() {
                words.splice(at, variant.words);
                self.further(id, &command, PlaceKind::Variable { name: variant.name }, words, env);
            }
        }
    }

    fn further(
        &mut self,
        id: CommandId,
        command: &Command,
        kind: PlaceKind,
        words: Vec<Word>,
        env: &mut Environment,
    ) {
        if words.is_empty() {
            return;
        }
        let place = self.place(command.place, kind, command.span);
        let further = Command { place, words, certain: false, outer: Some(id), ..command.clone() };
        let further = self.push(further);
        self.resolve(further, env, 1);
    }
}

/// Behind `NAME=` in a word a tilde gives a directory that is not known (bash manual 3.5.2); at the
/// start of a word it is kept as written.
fn tilde(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut pieces = merged(pieces);
    let Some(Piece::Literal { bytes, quoted: false }) = pieces.first() else { return pieces };
    let Some(name) = bytes.iter().position(|byte| *byte == b'=') else { return pieces };
    let begins = |at: usize| matches!(bytes.get(at.saturating_sub(1)), Some(b'=' | b':'));
    let tilde = (name + 1..bytes.len()).find(|at| bytes.get(*at) == Some(&b'~') && begins(*at));
    let Some(at) = tilde.filter(|_| name > 0) else { return pieces };
    let end = bytes.iter().skip(at).position(|byte| b"/:".contains(byte)).map_or(bytes.len(), |len| at + len);
    let literal =
        |part: Option<&[u8]>| Piece::Literal { bytes: part.unwrap_or_default().to_vec(), quoted: false };
    let parts = [literal(bytes.get(..at)), Piece::Unknown { quoted: true }, literal(bytes.get(end..))];
    pieces.splice(..1, parts);
    pieces
}

/// Unquoted text that a continuation parted at the start of a word is one again.
fn merged(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let bare = |piece: &&Piece| matches!(piece, Piece::Literal { quoted: false, .. });
    let parts = pieces.iter().take_while(bare).count();
    if parts > 1 {
        let rest = pieces.split_off(parts);
        let text = |piece: Piece| match piece {
            Piece::Literal { bytes, .. } => bytes,
            Piece::Unknown { .. } | Piece::Known { .. } | Piece::Break => Vec::new(),
        };
        let bytes = pieces.into_iter().flat_map(text).collect();
        pieces = std::iter::once(Piece::Literal { bytes, quoted: false }).chain(rest).collect();
    }
    pieces
}

/// Whether a choice of a brace expansion is empty and unquoted, which makes no word (`{a,}`).
fn is_nothing(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| match piece {
        Piece::Literal { bytes, quoted } => !quoted && bytes.is_empty(),
        Piece::Unknown { .. } | Piece::Known { .. } | Piece::Break => false,
    })
}

/// A word with several unknown parts, of which the middle is in no head or tail: what is known of it
/// when they are all empty.
fn bridged(word: &Word) -> Option<Vec<u8>> {
    let parts = known_parts(word.template.as_deref()?);
    let plain = parts.concat();
    (parts.len() > 2 && !plain.is_empty()).then_some(plain)
}

/// The text of a word with several unknown parts, as `template`: what lies between them is in no head or tail.
pub(super) fn between(word: &Word) -> Option<Cooked> {
    let template = word.template.as_ref().filter(|template| !template.is_empty())?;
    let (head, tail): (&[u8], &[u8]) = match &word.value {
        Cooked::Affix { head, tail } => (head, tail),
        Cooked::Exact(_) | Cooked::Pattern(_) | Cooked::Opaque => (b"", b""),
    };
    (*template != [head, UNKNOWN, tail].concat()).then(|| Cooked::Exact(template.clone()))
}

/// Whether a word may expand to nothing at all.
fn may_vanish(word: &Word) -> bool {
    let unknown = matches!(&word.value, Cooked::Opaque)
        || matches!(&word.value, Cooked::Affix { head, tail } if head.is_empty() && tail.is_empty());
    let list = word.variables.len() == 1 && word.variables.first().is_some_and(|name| name == b"@");
    unknown && (!word.quoted || list)
}

/// Whether the literal text alone already names a path (`$HOME/bin/x`).
fn names_itself(pieces: &[Piece]) -> bool {
    match pieces.last() {
        Some(Piece::Literal { bytes, .. }) => bytes.contains(&b'/'),
        _ => false,
    }
}

/// The bytes of parts that are quoted text and nothing else.
fn literal(parts: &[Part]) -> Option<Vec<u8>> {
    let bytes = parts.iter().map(|part| match part {
        Part::Literal { bytes, quoted: true, .. } => Some(bytes.as_slice()),
        Part::Literal { .. }
        | Part::Parameter { .. }
        | Part::Substitution { .. }
        | Part::Backtick { .. }
        | Part::Arithmetic { .. } => None,
    });
    bytes.collect::<Option<Vec<&[u8]>>>().map(|parts| parts.concat())
}

/// Brace expansion (bash manual 3.5.1) over pieces.
fn braces(pieces: Vec<Piece>) -> Result<Vec<Vec<Piece>>, cook::TooLarge> {
    let live = pieces.iter().any(|piece| match piece {
        Piece::Literal { bytes, quoted } => !quoted && bytes.contains(&b'{'),
        Piece::Unknown { .. } | Piece::Known { .. } | Piece::Break => false,
    });
    if !live {
        return Ok(vec![pieces]);
    }
    let mut units = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Literal { bytes, quoted: false } => {
                units.extend(bytes.into_iter().map(cook::Unit::Byte));
            }
            other @ (Piece::Literal { .. } | Piece::Unknown { .. } | Piece::Known { .. } | Piece::Break) => {
                units.push(cook::Unit::Other(other));
            }
        }
    }
    Ok(cook::brace_expand(&units)?.into_iter().map(gather).collect())
}

fn gather(units: Vec<cook::Unit<Piece>>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for unit in units {
        match (unit, pieces.last_mut()) {
            (cook::Unit::Byte(byte), Some(Piece::Literal { bytes, quoted: false })) => bytes.push(byte),
            (cook::Unit::Byte(byte), _) => pieces.push(Piece::Literal { bytes: vec![byte], quoted: false }),
            (cook::Unit::Other(piece), _) => pieces.push(piece),
        }
    }
    pieces
}
