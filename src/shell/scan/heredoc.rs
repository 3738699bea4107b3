//! Here-documents (bash manual 3.6.6): delimiters, bodies and what an unquoted body expands.

use super::{Body, Element, Fault, List, Part, Redirect, Scanner, Step, Word};
use crate::shell::model::RedirectKind;
use crate::span::Span;

/// A heredoc whose body has not been read.
#[derive(Debug)]
pub(crate) struct Pending {
    number: usize,
    delimiter: Vec<u8>,
    quoted: bool,
    tabs: bool,
}

impl Scanner<'_> {
    /// The rest of a heredoc redirect behind `<<`.
    pub(crate) fn heredoc_operator(&mut self, start: usize, descriptor: u32) -> Step<Redirect> {
        let tabs = self.peek() == Some(b'-');
        if tabs {
            self.bump();
        }
        self.blanks();
        let mark = self.mark();
        let at = self.skip(self.pos);
        let word = self.word()?;
        self.undo(mark);
        if word.span.is_empty() && self.pos == at {
            return self.stop("a heredoc delimiter is missing");
        }
        let raw = Span::new(at, self.pos).slice(self.src);
        let (delimiter, quoted) = delimiter(raw, &word);
        let number = self.bodies.len();
        self.bodies.push(None);
        self.pending.push(Pending { number, delimiter, quoted, tabs });
        let span = Span::new(start, self.pos);
        let kind = RedirectKind::HereDocument;
        Ok(Redirect { kind, descriptor, target: None, span, heredoc: Some(number) })
    }

    /// Reads the bodies that wait for the newline just passed.
    pub(crate) fn read_heredocs(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.pos;
            let end = self.heredoc_end(&pending);
            self.out.data.push((Span::new(start, end), "heredoc"));
            let after = self.pos;
            self.out.ends.push(Span::new(end, after));
            let word = if pending.quoted {
                let bytes = Span::new(start, end).slice(self.src).to_vec();
                let parts = vec![Part::Literal { bytes, quoted: true, at: start }];
                Word { span: Span::new(start, end), parts }
            } else {
                self.heredoc_text(start, end)
            };
            self.pos = after;
            if let Some(body) = self.bodies.get_mut(pending.number) {
                *body = Some(word);
            }
        }
    }

    /// Finds the end of a body and steps behind the delimiter's line.
    fn heredoc_end(&mut self, pending: &Pending) -> usize {
        loop {
            let start = self.pos;
            if start >= self.limit {
                return self.limit.min(start);
            }
            let mut line = Vec::new();
            let mut at = start;
            while let Some(byte) = self.raw(at).filter(|byte| *byte != b'\n') {
                if byte == b'\\' && !pending.quoted {
                    if self.raw(at + 1) == Some(b'\n') {
                        at += 2;
                        continue;
                    }
                    line.push(byte);
                    at += 1;
                    if let Some(next) = self.raw(at).filter(|byte| *byte != b'\n') {
                        line.push(next);
                        at += 1;
                    }
                    continue;
                }
                line.push(byte);
                at += 1;
            }
            self.pos = (at + 1).min(self.limit);
            // Tabs go after lines have been joined.
            let tabs = line.iter().take_while(|byte| pending.tabs && **byte == b'\t').count();
            if line.get(tabs..) == Some(pending.delimiter.as_slice()) {
                return start;
            }
        }
    }

    /// The live parts of an unquoted body.
    pub(crate) fn heredoc_text(&mut self, start: usize, end: usize) -> Word {
        let (limit, pending) = (self.limit, std::mem::take(&mut self.pending));
        let joins = std::mem::replace(&mut self.joins, true);
        let mark = self.mark();
        self.pos = start;
        self.limit = end;
        let mut parts = vec![Part::Literal { bytes: Vec::new(), quoted: true, at: start }];
        while self.pos < end {
            let before = self.pos;
            if let Err(stop) = self.heredoc_piece(&mut parts) {
                self.starts.truncate(mark.starts);
                self.dummies.truncate(mark.dummies);
                let span = Span::new(before, end);
                self.out.faults.push(Fault { span, reason: stop.reason });
                break;
            }
        }
        self.limit = limit;
        self.joins = joins;
        self.pending = pending;
        Word { span: Span::new(start, end), parts }
    }

    fn heredoc_piece(&mut self, parts: &mut Vec<Part>) -> Step<()> {
        let at = self.skip(self.pos);
        self.pos = at;
        match self.raw(at) {
            None => Ok(()),
            Some(b'\\') => {
                let next = self.raw(at + 1);
                let escaped = matches!(next, Some(b'$' | b'`' | b'\\'));
                let byte = if escaped { next.unwrap_or(b'\\') } else { b'\\' };
                super::word::literal(parts, byte, true, at + usize::from(escaped));
                self.pos = at + 1 + usize::from(escaped);
                Ok(())
            }
            Some(b'$' | b'`') => self.piece(parts, true),
            Some(byte) => {
                super::word::literal(parts, byte, true, at);
                self.pos = at + 1;
                Ok(())
            }
        }
    }

    /// The same within a single word; its bodies are taken.
    pub(crate) fn attach_word(&mut self, word: &mut Word) {
        attach_parts(&mut word.parts, &mut self.bodies);
    }

    /// Gives each heredoc redirect its body.
    pub(crate) fn attach_list(&mut self, list: &mut List) {
        let mut bodies = std::mem::take(&mut self.bodies);
        attach(list, &mut bodies);
    }
}

/// Quote removal on a delimiter; expansions in it are plain text (bash manual 3.6.6).
fn delimiter(raw: &[u8], word: &Word) -> (Vec<u8>, bool) {
    let quoted = raw.iter().any(|byte| matches!(byte, b'\'' | b'"'))
        || raw.windows(2).any(|pair| pair.first() == Some(&b'\\') && pair.last() != Some(&b'\n'))
        || raw == b"\\";
    let plain = word.parts.iter().all(|part| matches!(part, Part::Literal { .. }));
    if !plain && !quoted {
        return (raw.to_vec(), false);
    }
    let mut text = Vec::new();
    for part in &word.parts {
        match part {
            Part::Literal { bytes, .. } => text.extend_from_slice(bytes),
            Part::Parameter { name, .. } => {
                text.push(b'$');
                text.extend_from_slice(name);
            }
            Part::Substitution { .. } | Part::Backtick { .. } | Part::Arithmetic { .. } => {}
        }
    }
    (text, quoted)
}

type Bodies = Vec<Option<Word>>;

fn attach(list: &mut List, bodies: &mut Bodies) {
    for Element { stages, .. } in &mut list.elements {
        for stage in stages {
            match &mut stage.body {
                Body::Simple(simple) => {
                    attach_redirects(&mut simple.redirects, bodies);
                    simple.words.iter_mut().for_each(|word| attach_parts(&mut word.parts, bodies));
                    for assignment in simple.assignments.iter_mut().chain(&mut simple.arrays) {
                        attach_parts(&mut assignment.subscript, bodies);
                        assignment.value.iter_mut().for_each(|word| attach_parts(&mut word.parts, bodies));
                    }
                }
                Body::Compound(compound) => {
                    attach_redirects(&mut compound.redirects, bodies);
                    compound.words.iter_mut().for_each(|word| attach_parts(&mut word.parts, bodies));
                    compound.lists.iter_mut().for_each(|list| attach(list, bodies));
                }
            }
        }
    }
}

fn attach_redirects(redirects: &mut [Redirect], bodies: &mut Bodies) {
    for redirect in redirects {
        if let Some(number) = redirect.heredoc {
            redirect.target = bodies.get_mut(number).and_then(Option::take);
        }
        if let Some(word) = &mut redirect.target {
            attach_parts(&mut word.parts, bodies);
        }
    }
}

fn attach_parts(parts: &mut [Part], bodies: &mut Bodies) {
    for part in parts {
        match part {
            Part::Substitution { list, .. } => attach(list, bodies),
            Part::Parameter { operand, extra, .. } => {
                attach_parts(operand, bodies);
                extra.iter_mut().for_each(|extra| attach_parts(&mut extra.subscript, bodies));
            }
            Part::Arithmetic { parts, .. } => attach_parts(parts, bodies),
            Part::Literal { .. } | Part::Backtick { .. } => {}
        }
    }
}
