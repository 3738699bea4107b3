//! Lists, pipelines and simple commands. Owns the separators; compound commands stand next door.

use super::word::in_one;
use super::{
    Assignment, Body, Element, Fault, List, PIECE, Part, Scan, Scanner, Simple, Skeleton, Stage, Step, Word,
    is_meta, is_name,
};
use crate::shell::model::Separator;
use crate::span::Span;

/// Reserved words that end the list before them.
const CLOSERS: [&[u8]; 8] = [b"then", b"do", b"done", b"elif", b"else", b"fi", b"esac", b"}"];

impl Scanner<'_> {
    /// The next lines of the outer list; a fault spoils only what bash would not run.
    pub(crate) fn piece_of_text(&mut self) -> Option<Scan> {
        if self.over {
            return None;
        }
        let start = self.pos;
        if start == 0 && self.src.contains(&0) {
            self.spoil(0, "NUL byte");
        }
        while !self.over {
            self.newlines();
            let begin = self.pos;
            if begin >= self.limit || begin - start > PIECE.0 || self.starts.len() > PIECE.1 {
                break;
            }
            let mark = self.mark();
            self.line = (0, 0);
            match self.line() {
                Ok(list) => self.out.list.elements.extend(list.elements),
                Err(stop) => {
                    self.undo(mark);
                    self.spoil(begin, stop.reason);
                }
            }
        }
        if !self.pending.is_empty() {
            self.read_heredocs();
        }
        self.over |= self.pos >= self.limit;
        Some(self.finish(start))
    }

    /// What cannot be read, from `start` to the end of the text.
    fn spoil(&mut self, start: usize, reason: &'static str) {
        let span = Span::new(start, self.src.len());
        self.out.faults.push(Fault { span, reason });
        self.fill(span, b' ');
        self.pos = self.limit;
        self.over = true;
    }

    fn finish(&mut self, start: usize) -> Scan {
        let mut scan = std::mem::take(&mut self.out);
        self.attach_list(&mut scan.list);
        let bytes = Span::new(start, self.pos).slice(&self.skeleton).to_vec();
        let (starts, dummies) = (std::mem::take(&mut self.starts), std::mem::take(&mut self.dummies));
        scan.text = Skeleton { at: start, bytes, starts, dummies };
        scan
    }

    pub(crate) fn finish_expansions(&mut self, word: &mut Word) -> Scan {
        self.attach_word(word);
        self.finish(0)
    }

    /// One complete line of the outer list.
    fn line(&mut self) -> Step<List> {
        let list = self.list(true)?;
        if self.pos < self.limit && self.raw(self.pos) != Some(b'\n') {
            return self.stop("unexpected token");
        }
        Ok(list)
    }

    /// A list. With `line` it ends at a newline at this level; otherwise at a closer.
    pub(crate) fn list(&mut self, line: bool) -> Step<List> {
        self.deeper(|scanner| scanner.list_here(line))
    }

    fn list_here(&mut self, line: bool) -> Step<List> {
        let mut list = List::default();
        loop {
            if line {
                self.blanks_and_comment();
            } else {
                self.newlines();
            }
            if self.list_ends() {
                return Ok(list);
            }
            let mut element = self.pipeline()?;
            let separator = self.separator(line)?;
            element.separator = separator;
            list.elements.push(element);
            match separator {
                Separator::End => return Ok(list),
                Separator::Newline if line => return Ok(list),
                Separator::And | Separator::Or => {
                    self.newlines();
                    if self.list_ends() {
                        return self.stop("a command is missing after && or ||");
                    }
                }
                Separator::Semicolon | Separator::Newline | Separator::Background => {}
            }
        }
    }

    /// Whether no command can start here.
    fn list_ends(&self) -> bool {
        match self.raw(self.pos) {
            None | Some(b')' | b'\n') => true,
            Some(b';') => true,
            Some(_) => CLOSERS.iter().any(|closer| self.at_reserved(closer)),
        }
    }

    /// Whether the unquoted word at the cursor is `reserved`.
    pub(crate) fn at_reserved(&self, reserved: &[u8]) -> bool {
        let mut at = self.pos;
        for byte in reserved {
            at = self.skip(at);
            if self.raw(at) != Some(*byte) {
                return false;
            }
            at += 1;
        }
        self.raw(self.skip(at)).is_none_or(is_meta)
    }

    /// Steps over a reserved word, writing `text` into the skeleton in its stead.
    pub(crate) fn reserved(&mut self, word: &[u8], text: &[u8]) -> Step<()> {
        if !self.at_reserved(word) {
            return self.stop("a reserved word is missing");
        }
        let start = self.skip(self.pos);
        for _ in word {
            self.bump();
        }
        self.put(start, text);
        Ok(())
    }

    fn separator(&mut self, line: bool) -> Step<Separator> {
        self.blanks_and_comment();
        let start = self.pos;
        Ok(match (self.peek(), self.peek2()) {
            (None, _) | (Some(b')'), _) => Separator::End,
            (Some(b'\n'), _) => {
                self.put(start, b";");
                if !line {
                    self.newline();
                }
                Separator::Newline
            }
            (Some(b';'), Some(b';' | b'&')) => Separator::End,
            (Some(b';'), _) => {
                self.bump();
                self.put(start, b";");
                Separator::Semicolon
            }
            (Some(b'&'), Some(b'&')) => self.double(start, b"&&", Separator::And),
            (Some(b'|'), Some(b'|')) => self.double(start, b"||", Separator::Or),
            (Some(b'&'), _) => {
                self.bump();
                self.put(start, b"&");
                Separator::Background
            }
            _ => {
                // A closer may follow a compound command without a separator: `(a) done`.
                if CLOSERS.iter().any(|closer| self.at_reserved(closer)) {
                    if start > 0 && self.skeleton.get(start - 1) == Some(&b' ') {
                        self.put(start - 1, b";");
                    }
                    Separator::End
                } else {
                    return self.stop("unexpected token");
                }
            }
        })
    }

    fn double(&mut self, start: usize, text: &[u8], separator: Separator) -> Separator {
        self.bump();
        self.bump();
        self.put(start, text);
        separator
    }

    fn pipeline(&mut self) -> Step<Element> {
        let start = self.pos;
        let (negated, timed) = self.prefixes();
        let mut stages = Vec::new();
        if (negated || timed) && self.command_is_missing() {
            stages.push(self.no_stage(start));
        } else {
            self.stage_onto(&mut stages)?;
        }
        while self.bar() {
            self.stage_onto(&mut stages)?;
        }
        let span = Span::new(start, self.pos);
        Ok(Element { stages, negated, timed, separator: Separator::End, span })
    }

    /// What stands for the command that `!` or `time` goes without.
    fn no_stage(&mut self, start: usize) -> Stage {
        self.put(start, b"x");
        self.dummies.push(start);
        let span = Span::new(start, self.pos);
        Stage { coproc: false, body: Body::Simple(Simple::default()), name: Span::default(), span }
    }

    /// Steps over `|` or `|&` and what newlines follow, if it stands here.
    fn bar(&mut self) -> bool {
        self.blanks();
        let second = self.peek2();
        if self.peek() != Some(b'|') || second == Some(b'|') {
            return false;
        }
        let bar = self.pos;
        self.bump();
        if second == Some(b'&') {
            self.bump();
        }
        self.put(bar, b"|");
        self.newlines();
        true
    }

    fn command_is_missing(&self) -> bool {
        self.list_ends() || matches!(self.peek(), Some(b'&' | b'|'))
    }

    /// `!` and `time` before a pipeline (bash manual 3.2.3).
    fn prefixes(&mut self) -> (bool, bool) {
        let (mut negated, mut timed) = (false, false);
        loop {
            self.blanks();
            if self.at_reserved(b"!")
                || (self.peek() == Some(b'!') && self.peek2() == Some(b'(') && !self.extglob)
            {
                self.bump();
                negated = true;
            } else if self.at_reserved(b"time") {
                for _ in 0..4 {
                    self.bump();
                }
                timed = true;
                self.blanks();
                if self.at_reserved(b"-p") {
                    self.bump();
                    self.bump();
                    self.blanks();
                }
                if self.at_reserved(b"--") {
                    self.bump();
                    self.bump();
                }
            } else {
                return (negated, timed);
            }
        }
    }

    fn stage_onto(&mut self, stages: &mut Vec<Stage>) -> Step<()> {
        self.blanks();
        let start = self.pos;
        // A pipeline's later stages may carry prefixes, too (bash accepts them).
        let _ = self.prefixes();
        let coproc = self.at_reserved(b"coproc");
        let mut name = Span::default();
        if coproc {
            for _ in 0..6 {
                self.bump();
            }
            self.blanks();
            name = self.coproc_name();
        }
        let body = match self.compound()? {
            Some(compound) => Body::Compound(compound),
            None => Body::Simple(self.simple()?),
        };
        stages.push(Stage { coproc, body, name, span: Span::new(start, self.pos) });
        Ok(())
    }

    /// Steps over the NAME of `coproc NAME compound`.
    fn coproc_name(&mut self) -> Span {
        let mut at = self.skip(self.pos);
        let first = at;
        while self.raw(at).is_some_and(is_name) {
            at = self.skip(at + 1);
        }
        if at == first || !matches!(self.raw(at), Some(b' ' | b'\t')) || self.at_compound() {
            return Span::default();
        }
        let back = self.pos;
        self.pos = at;
        self.blanks();
        if !self.at_compound() {
            self.pos = back;
            return Span::default();
        }
        Span::new(first, at)
    }

    /// A simple command, with its function-definition and test forms.
    fn simple(&mut self) -> Step<Simple> {
        let start = self.skip(self.pos);
        let mut simple = Simple::default();
        let mut anchor = None;
        loop {
            self.blanks();
            let at = self.pos;
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'(') => return self.stop("unexpected parenthesis"),
                Some(b'#') => break,
                Some(_) => {}
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
                continue;
            }
            let word = match self.array_operand(&mut simple)? {
                Some(word) => word,
                None => self.word()?,
            };
            if word.span.is_empty() {
                return self.stop("unexpected token");
            }
            self.fill(Span::new(self.skip(at), word.span.end), b'x');
            anchor.get_or_insert(self.skip(at));
            simple.words.push(word);
        }
        if self.pos == start {
            return self.stop("a command is missing");
        }
        let anchor = anchor.unwrap_or(start);
        self.put(anchor, b"x");
        self.starts.push(anchor);
        self.count(1, 0)?;
        Ok(simple)
    }

    /// `NAME=…`, `NAME+=…`, `NAME[…]=…`, at the cursor.
    pub(crate) fn assignment(&mut self) -> Step<Option<Assignment>> {
        let start = self.skip(self.pos);
        if !self.raw(start).is_some_and(|byte| is_name(byte) && !byte.is_ascii_digit()) {
            return Ok(None);
        }
        let mut name = Vec::new();
        let mut at = start;
        while let Some(byte) = self.raw(at).filter(|byte| is_name(*byte)) {
            name.push(byte);
            at = self.skip(at + 1);
        }
        let back = self.pos;
        self.pos = at;
        let mut subscript = Vec::new();
        if self.peek() == Some(b'[') {
            match self.subscript() {
                Ok(parts) => subscript = parts,
                Err(_) => {
                    self.pos = back;
                    return Ok(None);
                }
            }
        }
        let append = self.peek() == Some(b'+') && self.peek2() == Some(b'=');
        if append {
            self.bump();
        }
        if self.peek() != Some(b'=') {
            self.pos = back;
            return Ok(None);
        }
        self.bump();
        let array = self.peek() == Some(b'(');
        let (value, keys) = if array { self.array()? } else { (vec![self.word()?], false) };
        let keyed = keys || !subscript.is_empty();
        let span = Span::new(start, self.pos);
        Ok(Some(Assignment { name, append, subscript, value, array, keyed, span }))
    }

    /// `[ … ]` behind a name, quotes and expansions inside.
    pub(crate) fn subscript(&mut self) -> Step<Vec<Part>> {
        self.bump();
        let mut parts = Vec::new();
        let mut depth = 0usize;
        loop {
            match self.peek() {
                None => return self.stop("unclosed subscript"),
                Some(b'\n') => return self.stop("unclosed subscript"),
                Some(b']') if depth == 0 => {
                    self.bump();
                    return Ok(in_one(parts));
                }
                Some(byte) => {
                    match byte {
                        b'[' => depth += 1,
                        b']' => depth -= 1,
                        _ => {}
                    }
                    self.piece(&mut parts, false)?;
                }
            }
        }
    }

    /// `NAME=( … )` as an operand of `declare` and its kin: a word that is not known whole.
    fn array_operand(&mut self, simple: &mut Simple) -> Step<Option<Word>> {
        let start = self.skip(self.pos);
        let mut at = start;
        while self.raw(at).is_some_and(is_name) {
            at = self.skip(at + 1);
        }
        at = if self.raw(at) == Some(b'+') { self.skip(at + 1) } else { at };
        if at == start || self.raw(at) != Some(b'=') || self.raw(self.skip(at + 1)) != Some(b'(') {
            return Ok(None);
        }
        let Some(assignment) = self.assignment()? else { return Ok(None) };
        let bytes = [assignment.name.as_slice(), b"="].concat();
        let unknown = Part::Arithmetic { parts: Vec::new(), quoted: true };
        let parts = vec![Part::Literal { bytes, quoted: true, at: start }, unknown];
        let word = Word { span: assignment.span, parts };
        simple.arrays.push(assignment);
        Ok(Some(word))
    }

    /// `( … )` of an array assignment (bash manual 6.7).
    fn array(&mut self) -> Step<(Vec<Word>, bool)> {
        self.bump();
        let (mut words, mut keyed) = (Vec::new(), false);
        loop {
            self.newlines();
            match self.peek() {
                None => return self.stop("unclosed array"),
                Some(b')') => {
                    self.bump();
                    return Ok((words, keyed));
                }
                Some(b';' | b'&' | b'|' | b'(') => return self.stop("operator in an array"),
                Some(_) => {
                    let mut word = Word::default();
                    if self.peek() == Some(b'[') {
                        let back = self.pos;
                        match self.subscript() {
                            Ok(parts) if self.peek() == Some(b'=') => {
                                self.bump();
                                keyed = true;
                                word.parts.extend(expansions_only(parts));
                            }
                            _ => self.pos = back,
                        }
                    }
                    let value = self.word()?;
                    if value.span.is_empty() && matches!(self.peek(), Some(b'<' | b'>')) {
                        return self.stop("redirect in an array");
                    }
                    word.span = value.span;
                    word.parts.extend(value.parts);
                    words.push(word);
                }
            }
        }
    }
}

/// Parts that execute something, without the literal text around them.
fn expansions_only(parts: Vec<Part>) -> Vec<Part> {
    let mut kept: Vec<Part> =
        parts.into_iter().filter(|part| !matches!(part, Part::Literal { .. })).collect();
    if kept.is_empty() {
        return kept;
    }
    kept.insert(0, Part::Arithmetic { parts: Vec::new(), quoted: true });
    kept
}
