//! Data that bash expands when it evaluates it: values in arithmetic, subscripts of names that are
//! given as operands, prompts (bash manual 6.5, 6.7, 6.9). Must never run arithmetic.

use super::agree;
use super::environment::Environment;
use super::lower::{Lowerer, MAX_TEXTS, Origin};
use super::model::{Assignment, Command, Cooked, PlaceId, PlaceKind, Word};
use super::reading::Piece;
use super::scan::{self, Again, Part, is_name};
use crate::span::Span;
use std::collections::BTreeSet;

/// How many variables are followed from one value to the next.
const MAX_NAMES: usize = 64;

/// Operators of `[[ ]]` whose operands are arithmetic.
const COMPARISONS: [&[u8]; 6] = [b"-eq", b"-ne", b"-lt", b"-le", b"-gt", b"-ge"];

impl Lowerer<'_> {
    /// What arithmetic executes beyond the expansions that are written in it: the values of the
    /// variables that it names are arithmetic, too.
    pub(super) fn evaluate(
        &mut self,
        parts: &[Part],
        pieces: &[Piece],
        place: PlaceId,
        env: &mut Environment,
    ) {
        let mut names = Vec::new();
        let mut changes = false;
        for part in parts {
            match part {
                Part::Literal { bytes, quoted, .. } => {
                    changes |= assigns(bytes);
                    names.extend(identifiers(bytes).map(<[u8]>::to_vec));
                    if *quoted {
                        self.evaluate_text(bytes, place, env);
                    }
                }
                Part::Parameter { name, .. } => names.push(name.clone()),
                Part::Substitution { .. } | Part::Backtick { .. } | Part::Arithmetic { .. } => {}
            }
        }
        if changes {
            names.iter().for_each(|name| env.doubt(name));
            if pieces.iter().any(|piece| matches!(piece, Piece::Unknown { .. } | Piece::Known { .. })) {
                env.doubt_all();
            }
        }
        self.evaluate_names(names, place, env);
    }

    /// The operand of a builtin that is arithmetic (`let`), or a variable's value.
    fn evaluate_word(&mut self, word: &Word, place: PlaceId, env: &mut Environment) {
        self.evaluate_names(word.variables.clone(), place, env);
        for bytes in word.values().filter_map(written) {
            if assigns(&bytes) {
                identifiers(&bytes).for_each(|name| env.doubt(name));
            }
            self.evaluate_text(&bytes, place, env);
            self.evaluate_names(identifiers(&bytes).map(<[u8]>::to_vec).collect(), place, env);
        }
    }

    fn evaluate_names(&mut self, mut names: Vec<Vec<u8>>, place: PlaceId, env: &mut Environment) {
        let mut seen = BTreeSet::new();
        while let Some(name) = names.pop() {
            let Some(variable) = env.get(&name).cloned() else { continue };
            if seen.len() >= MAX_NAMES || !seen.insert(name) {
                continue;
            }
            for bytes in variable.values.iter().flatten().filter_map(Cooked::exact) {
                names.extend(identifiers(bytes).map(<[u8]>::to_vec));
                self.evaluate_text(bytes, place, env);
            }
        }
    }

    /// Expands the subscripts in a text that is evaluated.
    pub(super) fn evaluate_text(&mut self, bytes: &[u8], place: PlaceId, env: &mut Environment) {
        let subscript = bytes.windows(2).position(|pair| matches!(pair, [name, b'['] if is_name(*name)));
        let live = |rest: &[u8]| rest.contains(&b'`') || rest.windows(2).any(|pair| pair == b"$(");
        if subscript.and_then(|at| bytes.get(at..)).is_some_and(live) {
            self.expand_text(bytes, place, env);
        }
    }

    /// An operand that names a variable: its subscript is expanded.
    pub(super) fn evaluate_name(&mut self, word: &Word, place: PlaceId, env: &mut Environment) {
        if word.exact().is_none() {
            self.evaluate_names(word.variables.clone(), place, env);
        }
        for bytes in word.values().filter_map(written) {
            let name = bytes.iter().take_while(|byte| is_name(**byte)).count();
            if name > 0 && bytes.get(name) == Some(&b'[') {
                self.evaluate_text(&bytes, place, env);
                self.evaluate_names(identifiers(&bytes).map(<[u8]>::to_vec).collect(), place, env);
            }
        }
    }

    /// The operands of `[[ ]]` that are names or arithmetic.
    pub(super) fn tested(&mut self, words: &[Word], place: PlaceId, env: &mut Environment) {
        for (at, word) in words.iter().enumerate() {
            let Some(operator) = word.exact() else { continue };
            if operator == b"-v" || operator == b"-R" {
                words.get(at + 1).into_iter().for_each(|word| self.evaluate_name(word, place, env));
            } else if COMPARISONS.contains(&operator) {
                for word in [at.checked_sub(1), Some(at + 1)].into_iter().flatten() {
                    words.get(word).into_iter().for_each(|word| self.evaluate_word(word, place, env));
                }
            }
        }
    }

    /// Operands of `let`.
    pub(super) fn let_builtin(&mut self, operands: &[Word], place: PlaceId, env: &mut Environment) {
        operands.iter().for_each(|word| self.evaluate_word(word, place, env));
        if operands.iter().any(|word| word.exact().is_none()) {
            env.doubt_all();
        }
    }

    /// `${!x}` and `${x@P}`.
    pub(super) fn expand_again(&mut self, name: &[u8], again: Again, place: PlaceId, env: &mut Environment) {
        let Some(variable) = env.get(name).cloned() else { return };
        for bytes in variable.values.iter().flatten().filter_map(Cooked::exact) {
            match again {
                Again::Name => self.evaluate_text(bytes, place, env),
                Again::Prompt => self.expand_text(bytes, place, env),
                Again::No => {}
            }
        }
    }

    /// The value that an integer variable gets is arithmetic.
    pub(super) fn evaluate_marked(&mut self, assignment: &Assignment, place: PlaceId, env: &mut Environment) {
        if env.get(&assignment.name).is_some_and(|known| known.marked) {
            assignment.value.iter().for_each(|word| self.evaluate_word(word, place, env));
        }
    }

    /// Variables whose values bash expands or executes by itself (bash manual 5).
    pub(super) fn shell_variable(&mut self, assignment: &Assignment, place: PlaceId, env: &mut Environment) {
        let [word] = assignment.value.as_slice() else { return };
        let command = Command { place, words: Vec::new(), ..self.blank_at(assignment.span, env) };
        for bytes in word.values().filter_map(Cooked::exact).map(<[u8]>::to_vec).collect::<Vec<_>>() {
            match assignment.name.as_slice() {
                b"PS4" => self.expand_text(&bytes, place, env),
                b"PROMPT_COMMAND" => {
                    self.payload(&command, b"PROMPT_COMMAND", &bytes, Origin::Within(word.span), env)
                }
                _ => {}
            }
        }
        if assignment.name == b"BASH_ENV" {
            self.read_file(&command, &assignment.name, word, env);
        }
    }

    /// A text that bash expands as it expands the body of a here-document.
    pub(super) fn expand_text(&mut self, bytes: &[u8], place: PlaceId, env: &mut Environment) {
        let at = self.script.places.get(place).map_or_else(Span::default, |place| place.span);
        if self.texts >= MAX_TEXTS || !self.spend() {
            return self.opaque(at, "evaluated too often", bytes);
        }
        let before = std::mem::replace(&mut self.origin, Origin::Within(at));
        self.texts += 1;
        let (word, scan) = scan::expansions(bytes, self.depth);
        for fault in &scan.faults {
            self.opaque(at, fault.reason, fault.span.slice(bytes));
        }
        if !agree::disagreements(&scan, self.queries).is_empty() {
            self.opaque(at, "the grammar reads this differently", bytes);
        }
        let kind = PlaceKind::Payload { program: b"evaluation".to_vec() };
        let inside = self.place(place, kind, at);
        self.expand_only(&word.parts, inside, env);
        self.texts -= 1;
        self.origin = before;
    }
}

/// The bytes of a value; a subscript may look like a pattern.
fn written(value: &Cooked) -> Option<Vec<u8>> {
    match value {
        Cooked::Exact(bytes) => Some(bytes.clone()),
        Cooked::Pattern(bytes) => Some(bytes.iter().copied().filter(|byte| *byte != b'\\').collect()),
        Cooked::Affix { .. } | Cooked::Opaque => None,
    }
}

/// Whether arithmetic may change a variable.
fn assigns(bytes: &[u8]) -> bool {
    bytes.contains(&b'=') || bytes.windows(2).any(|pair| pair == b"++" || pair == b"--")
}

/// The names in a text.
fn identifiers(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|byte| !is_name(*byte))
        .filter(|name| name.first().is_some_and(|first| !first.is_ascii_digit()))
}
