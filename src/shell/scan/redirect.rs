//! Redirects (bash manual 3.6), wherever they stand. They leave no trace in the skeleton.

use super::{Redirect, Scanner, Step, is_name};
use crate::shell::model::RedirectKind;
use crate::span::Span;

impl Scanner<'_> {
    /// All redirects at the cursor.
    pub(crate) fn redirects(&mut self) -> Step<Vec<Redirect>> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    /// One redirect, if one starts at the cursor.
    pub(crate) fn redirect(&mut self) -> Step<Option<Redirect>> {
        let start = self.skip(self.pos);
        let operator = self.descriptor(start);
        let Some(first) = self.raw(operator) else { return Ok(None) };
        let second = self.raw(self.skip(operator + 1));
        let both = first == b'&' && second == Some(b'>') && operator == start;
        let process = second == Some(b'(');
        if !both && (!matches!(first, b'<' | b'>') || process) {
            return Ok(None);
        }
        self.pos = operator;
        let kind = self.redirect_operator();
        let descriptor = number(Span::new(start, operator).slice(self.src), first);
        if matches!(kind, RedirectKind::HereDocument) {
            return self.heredoc_operator(start, descriptor).map(Some);
        }
        self.blanks();
        let word = self.word()?;
        if word.span.is_empty() {
            return self.stop("a redirect target is missing");
        }
        let kind = duplicates(kind, word.span.slice(self.src));
        let span = Span::new(start, self.pos);
        Ok(Some(Redirect { kind, descriptor, target: Some(word), span, heredoc: None }))
    }

    /// Steps over `12` or `{name}` right before an operator; `start` when there is none.
    fn descriptor(&self, start: usize) -> usize {
        let mut at = start;
        if self.raw(at) == Some(b'{') && self.name_at(self.skip(at + 1)) {
            at = self.skip(at + 1);
            while self.raw(at).is_some_and(is_name) {
                at = self.skip(at + 1);
            }
            if self.raw(at) != Some(b'}') {
                return start;
            }
            at = self.skip(at + 1);
        } else {
            while self.raw(at).is_some_and(|byte| byte.is_ascii_digit()) {
                at = self.skip(at + 1);
            }
        }
        if matches!(self.raw(at), Some(b'<' | b'>')) { at } else { start }
    }

    fn redirect_operator(&mut self) -> RedirectKind {
        const OPERATORS: [(&[u8], RedirectKind); 11] = [
            (b"<<<", RedirectKind::HereString),
            (b"&>>", RedirectKind::Append),
            (b"<<", RedirectKind::HereDocument),
            (b">>", RedirectKind::Append),
            (b"&>", RedirectKind::WriteBoth),
            (b">|", RedirectKind::Write),
            (b"<>", RedirectKind::ReadWrite),
            (b">&", RedirectKind::Duplicate),
            (b"<&", RedirectKind::Duplicate),
            (b">", RedirectKind::Write),
            (b"<", RedirectKind::Read),
        ];
        let seen = [self.peek(), self.peek2(), self.peek3()];
        for (operator, kind) in OPERATORS {
            if operator.iter().zip(seen).all(|(wanted, byte)| byte == Some(*wanted)) {
                for _ in operator {
                    self.bump();
                }
                return kind;
            }
        }
        RedirectKind::Read
    }
}

/// The number written before an operator that begins with `first`.
fn number(written: &[u8], first: u8) -> u32 {
    let digits: String =
        written.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| *byte as char).collect();
    match written.first() {
        None => u32::from(first != b'<'),
        Some(b'{') => u32::MAX,
        Some(_) => digits.parse().unwrap_or(u32::MAX),
    }
}

/// `>&word` writes both streams unless the word is a descriptor or `-`.
fn duplicates(kind: RedirectKind, target: &[u8]) -> RedirectKind {
    let descriptor = target.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
    if kind == RedirectKind::Duplicate && !descriptor { RedirectKind::WriteBoth } else { kind }
}
