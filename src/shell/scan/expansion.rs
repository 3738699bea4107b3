//! Expansions (bash manual 3.5): parameters, substitutions, arithmetic. Only their extent and what
//! they execute is read; nothing is expanded.

use super::word::in_one;
use super::{Again, Extra, List, Part, Scanner, Skeleton, Step, Subscript, Word, is_name};
use crate::span::Span;

impl Scanner<'_> {
    /// What `$` starts.
    pub(crate) fn dollar(&mut self, parts: &mut Vec<Part>, double: bool) -> Step<()> {
        let at = self.pos;
        match self.peek2() {
            Some(b'\'') if !double => {
                self.bump();
                self.bump();
                self.ansi_quoted(parts)
            }
            Some(b'"') if !double => {
                self.bump();
                self.pos = self.skip(self.pos);
                self.double_quoted(parts)
            }
            Some(b'(') => self.deeper(|scanner| scanner.dollar_paren(parts, double, at)),
            Some(b'{') => self.deeper(|scanner| scanner.braced(parts, double)),
            Some(b'[') => {
                self.bump();
                self.bump();
                let word = self.deeper(|scanner| scanner.arithmetic_body(b"]"))?;
                parts.push(Part::Arithmetic { parts: word.parts, quoted: double });
                Ok(())
            }
            Some(byte) if is_name(byte) || b"@*#?-$!".contains(&byte) => {
                self.bump();
                let name = self.parameter_name();
                let element = whole(&name);
                let extra =
                    (element != Subscript::First).then(|| Box::new(Extra { element, ..Extra::default() }));
                parts.push(Part::Parameter {
                    name,
                    plain: true,
                    quoted: double,
                    default: false,
                    operand: Vec::new(),
                    extra,
                });
                Ok(())
            }
            _ => {
                super::word::literal(parts, b'$', double, at);
                self.pos = at + 1;
                Ok(())
            }
        }
    }

    /// A name, a digit or a special parameter.
    fn parameter_name(&mut self) -> Vec<u8> {
        let mut name = Vec::new();
        let first = self.peek();
        let whole = first.is_some_and(|byte| is_name(byte) && !byte.is_ascii_digit());
        while let Some(byte) = self.peek() {
            let goes_on = name.is_empty() || (whole && is_name(byte));
            if !goes_on {
                break;
            }
            name.push(byte);
            self.bump();
        }
        name
    }

    fn dollar_paren(&mut self, parts: &mut Vec<Part>, double: bool, at: usize) -> Step<()> {
        if self.peek3() == Some(b'(') {
            let marks = self.mark();
            let back = self.pos;
            self.bump();
            self.bump();
            self.bump();
            match self.arithmetic_body(b"))") {
                Ok(word) => {
                    parts.push(Part::Arithmetic { parts: word.parts, quoted: double });
                    return Ok(());
                }
                Err(stop) => self.retry(stop, back, marks)?,
            }
        }
        self.bump();
        let list = self.parenthesised()?;
        let span = Span::new(at, self.pos);
        parts.push(Part::Substitution { list, process: false, quoted: double, span });
        Ok(())
    }

    /// `<( … )` and `>( … )`.
    pub(crate) fn process(&mut self, parts: &mut Vec<Part>) -> Step<()> {
        let at = self.pos;
        self.bump();
        let list = self.deeper(Self::parenthesised)?;
        let span = Span::new(at, self.pos);
        parts.push(Part::Substitution { list, process: true, quoted: false, span });
        Ok(())
    }

    /// `( list )` as a skeleton of its own.
    fn parenthesised(&mut self) -> Step<List> {
        self.bump();
        let start = self.pos;
        let mark = self.mark();
        // Heredocs that wait outside are not read at newlines in here; those begun in here and not
        // ended wait for the newline outside.
        let outside = std::mem::take(&mut self.pending);
        let list = self.list_before_paren();
        self.pending.splice(0..0, outside);
        let list = list?;
        let end = self.pos;
        let bytes = Span::new(start, end).slice(&self.skeleton).to_vec();
        let starts = self.starts.split_off(mark.starts.min(self.starts.len()));
        let dummies = self.dummies.split_off(mark.dummies.min(self.dummies.len()));
        self.out.inner.push(Skeleton { at: start, bytes, starts, dummies });
        self.fill(Span::new(start, end), b' ');
        self.bump();
        Ok(list)
    }

    fn list_before_paren(&mut self) -> Step<List> {
        let list = self.list(false)?;
        self.newlines();
        if self.peek() == Some(b')') { Ok(list) } else { self.stop("unclosed substitution") }
    }

    /// `${ … }`.
    fn braced(&mut self, parts: &mut Vec<Part>, double: bool) -> Step<()> {
        self.bump();
        self.bump();
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            return self.stop("a command substitution in braces");
        }
        let reference = self.peek() == Some(b'!') && self.peek2() != Some(b'}');
        let plain = matches!(self.peek2(), Some(b'}' | b':' | b'-' | b'=' | b'+' | b'%' | b'/'));
        let length = self.peek() == Some(b'#') && !plain;
        if reference || length {
            self.bump();
        }
        let name = self.parameter_name();
        let (mut element, mut subscript) = (whole(&name), Vec::new());
        if self.peek() == Some(b'[') {
            (element, subscript) = self.element()?;
        }
        let bare = self.peek() == Some(b'}');
        let again = match (self.peek(), self.peek2()) {
            (Some(b'}'), _) if reference && element == Subscript::First => Again::Name,
            (Some(b'@'), Some(b'P')) => Again::Prompt,
            _ => Again::No,
        };
        let (default, literal_quotes) = self.operator(double);
        let mut assigns = false;
        let colon = self.peek() == Some(b':');
        let offset = colon && !default && !self.peek2().is_some_and(|byte| b"-=+?".contains(&byte));
        if default {
            if colon {
                self.bump();
            }
            assigns = self.peek() == Some(b'=');
            self.bump();
        }
        let mut operand = Vec::new();
        self.operand(&mut operand, double, literal_quotes)?;
        if offset {
            operand = vec![Part::Arithmetic { parts: in_one(operand), quoted: true }];
        }
        let plain = bare && !reference && !length;
        let rare = assigns || element != Subscript::First || again != Again::No;
        let extra = rare.then(|| Box::new(Extra { assigns, subscript, element, again }));
        parts.push(Part::Parameter { name, plain, quoted: double, default, operand, extra });
        Ok(())
    }

    /// The subscript of a parameter.
    fn element(&mut self) -> Step<(Subscript, Vec<Part>)> {
        let ends = self.peek3() == Some(b']');
        let all = self.peek2().filter(|_| ends);
        let parts = self.subscript()?;
        Ok(match (all, parts.as_slice()) {
            (Some(b'@'), _) => (Subscript::All, Vec::new()),
            (Some(b'*'), _) => (Subscript::Joined, Vec::new()),
            (_, [Part::Literal { bytes, .. }]) => (Subscript::Key(bytes.clone()), parts),
            _ => (Subscript::Any, parts),
        })
    }

    /// Looks at the operator: whether the operand may become the value, and whether single quotes
    /// in the operand are plain (POSIX 2.2.3: in double quotes, for the value operators).
    fn operator(&self, double: bool) -> (bool, bool) {
        let value = |byte: Option<u8>| matches!(byte, Some(b'-' | b'=' | b'+' | b'?'));
        let first = self.peek();
        let is_value = value(first) || (first == Some(b':') && value(self.peek2()));
        let used = is_value && !matches!((first, self.peek2()), (Some(b'?'), _) | (_, Some(b'?')));
        let pattern = matches!(first, Some(b'#' | b'%' | b'/' | b'^' | b','));
        (used, double && !pattern)
    }

    fn operand(&mut self, parts: &mut Vec<Part>, double: bool, literal_quotes: bool) -> Step<()> {
        // In double quotes single quotes are plain and what they hold is expanded, but a brace between
        // them does not close (bash 5.2).
        let mut single = false;
        loop {
            match self.peek() {
                None => return self.stop("unclosed ${"),
                Some(b'}') if !single => {
                    self.bump();
                    return Ok(());
                }
                Some(b'\'') if literal_quotes => {
                    single = !single;
                    self.literal_byte(parts);
                }
                Some(b'"') if single => self.literal_byte(parts),
                Some(b'"') => {
                    self.pos = self.skip(self.pos);
                    self.double_quoted(parts)?;
                }
                Some(b'\\') if double && self.peek2() == Some(b'}') => {
                    self.bump();
                    let at = self.pos;
                    super::word::literal(parts, b'}', true, at);
                    self.bump();
                }
                Some(_) => self.piece(parts, double && literal_quotes)?,
            }
        }
    }

    /// The inside of `$(( ))`, `(( ))` or `$[ ]`, up to and over `close`.
    pub(crate) fn arithmetic_body(&mut self, close: &[u8]) -> Step<Word> {
        let start = self.pos;
        let mut parts = Vec::new();
        let mut depth = 0usize;
        let (open, shut) = if close == b"]" { (b'[', b']') } else { (b'(', b')') };
        loop {
            let Some(byte) = self.peek() else { return self.stop("unclosed arithmetic") };
            if byte == shut && depth == 0 {
                if close.len() == 1 {
                    self.bump();
                    break;
                }
                if self.peek2() == Some(shut) {
                    self.bump();
                    self.bump();
                    break;
                }
                return self.stop("not arithmetic");
            }
            if byte == open {
                depth += 1;
            } else if byte == shut {
                depth -= 1;
            }
            match byte {
                b'\'' | b'<' | b'>' => self.literal_byte(&mut parts),
                b'"' => {
                    self.pos = self.skip(self.pos);
                    self.double_quoted(&mut parts)?;
                }
                _ => self.piece(&mut parts, false)?,
            }
        }
        Ok(Word { span: Span::new(start, self.pos), parts: in_one(parts) })
    }

    /// `` `…` `` (bash manual 3.5.4): the unescaped text is read later, as a text of its own.
    pub(crate) fn backtick(&mut self, parts: &mut Vec<Part>, double: bool) -> Step<()> {
        let start = self.pos;
        let mut at = start + 1;
        let mut bytes = Vec::new();
        loop {
            match self.raw(at) {
                None => return self.stop("unclosed backtick"),
                Some(b'`') => break,
                // A continuation goes even between single quotes.
                Some(b'\\') if self.raw(at + 1) == Some(b'\n') => at += 2,
                Some(b'\\') => match self.raw(at + 1) {
                    Some(next) if matches!(next, b'$' | b'`' | b'\\') || (double && next == b'"') => {
                        bytes.push(next);
                        at += 2;
                    }
                    _ => {
                        bytes.push(b'\\');
                        at += 1;
                    }
                },
                Some(byte) => {
                    bytes.push(byte);
                    at += 1;
                }
            }
        }
        self.pos = at + 1;
        let span = Span::new(start, self.pos);
        parts.push(Part::Backtick { bytes, quoted: double, span });
        Ok(())
    }
}

/// `$@` and `$*` are lists by themselves.
fn whole(name: &[u8]) -> Subscript {
    match name {
        b"@" => Subscript::All,
        b"*" => Subscript::Joined,
        _ => Subscript::First,
    }
}
