//! Words and quoting (bash manual 3.1.2): from the first byte to the metacharacter that ends it.

use super::{Part, Scanner, Step, Word, is_meta};
use crate::span::Span;

impl Scanner<'_> {
    /// The word at the cursor; empty when a metacharacter stands there.
    pub(crate) fn word(&mut self) -> Step<Word> {
        self.word_until(false)
    }

    /// A word in which parentheses of patterns are part of the word (`[[ ]]`, `case`).
    pub(crate) fn pattern_word(&mut self) -> Step<Word> {
        self.word_until(true)
    }

    fn word_until(&mut self, pattern: bool) -> Step<Word> {
        self.count(0, 1)?;
        let start = self.pos;
        let mut parts = Vec::new();
        let mut depth = 0usize;
        while let Some(byte) = self.peek() {
            let process = matches!(byte, b'<' | b'>') && self.peek2() == Some(b'(');
            if byte == b'(' && (depth > 0 || self.opens_pattern(pattern, &parts)) {
                depth += 1;
                self.literal_byte(&mut parts);
                continue;
            }
            if depth > 0 {
                depth -= usize::from(byte == b')');
                if is_meta(byte) && !process {
                    self.literal_byte(&mut parts);
                    continue;
                }
            } else if is_meta(byte) && !process {
                break;
            }
            self.piece(&mut parts, false)?;
        }
        if depth > 0 {
            return self.stop("unclosed pattern");
        }
        Ok(Word { span: Span::new(self.skip(start).min(self.pos), self.pos), parts })
    }

    /// Whether `(` here belongs to a pattern such as `@(a|b)` or a regular expression.
    fn opens_pattern(&self, pattern: bool, parts: &[Part]) -> bool {
        let extended = match parts.last() {
            Some(Part::Literal { bytes, quoted: false, .. }) => {
                bytes.last().is_some_and(|byte| b"?*+@!".contains(byte))
            }
            _ => false,
        };
        pattern || (self.extglob && extended)
    }

    /// Takes the byte at the cursor as an unquoted literal.
    pub(crate) fn literal_byte(&mut self, parts: &mut Vec<Part>) {
        let at = self.skip(self.pos);
        if let Some(byte) = self.raw(at) {
            literal(parts, byte, false, at);
        }
        self.pos = at + 1;
    }

    /// One quoted string, expansion or plain byte. `double` says whether it stands in double quotes.
    pub(crate) fn piece(&mut self, parts: &mut Vec<Part>, double: bool) -> Step<()> {
        let at = self.skip(self.pos);
        self.pos = at;
        let Some(byte) = self.raw(at) else { return self.stop("unexpected end") };
        match byte {
            b'\\' => self.escape(parts, double),
            b'\'' if !double => self.single_quoted(parts),
            b'"' if !double => self.double_quoted(parts),
            b'$' => self.dollar(parts, double),
            b'`' => self.backtick(parts, double),
            b'<' | b'>' if !double && self.peek2() == Some(b'(') => self.process(parts),
            _ => {
                literal(parts, byte, double, at);
                self.pos += 1;
                Ok(())
            }
        }
    }

    fn escape(&mut self, parts: &mut Vec<Part>, double: bool) -> Step<()> {
        let at = self.pos;
        let Some(next) = self.raw(at + 1) else {
            literal(parts, b'\\', true, at);
            self.pos += 1;
            return Ok(());
        };
        if double && !matches!(next, b'$' | b'`' | b'"' | b'\\') {
            literal(parts, b'\\', true, at);
            self.pos += 1;
            return Ok(());
        }
        literal(parts, next, true, at + 1);
        self.pos += 2;
        Ok(())
    }

    fn single_quoted(&mut self, parts: &mut Vec<Part>) -> Step<()> {
        let start = self.pos + 1;
        let mut at = start;
        while self.raw(at).is_some_and(|byte| byte != b'\'') {
            at += 1;
        }
        if self.raw(at).is_none() {
            return self.stop("unclosed single quote");
        }
        let bytes = self.quoted_text(Span::new(start, at));
        parts.push(Part::Literal { bytes, quoted: true, at: start });
        self.pos = at + 1;
        Ok(())
    }

    pub(crate) fn double_quoted(&mut self, parts: &mut Vec<Part>) -> Step<()> {
        self.pos += 1;
        parts.push(Part::Literal { bytes: Vec::new(), quoted: true, at: self.pos });
        loop {
            match self.peek() {
                None => return self.stop("unclosed double quote"),
                Some(b'"') => {
                    self.bump();
                    return Ok(());
                }
                Some(_) => self.piece(parts, true)?,
            }
        }
    }

    /// `$'…'`: the decoded bytes.
    pub(crate) fn ansi_quoted(&mut self, parts: &mut Vec<Part>) -> Step<()> {
        let start = self.pos;
        let mut at = start;
        loop {
            match self.raw(at) {
                None => return self.stop("unclosed $' quote"),
                Some(b'\'') => break,
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
            }
        }
        let bytes = crate::shell::cook::ansi_c(&self.quoted_text(Span::new(start, at)));
        parts.push(Part::Literal { bytes, quoted: true, at: start });
        self.pos = at + 1;
        Ok(())
    }
}

/// Literals that only a continuation keeps apart, as one: for texts that are read again as a whole.
pub(crate) fn in_one(parts: Vec<Part>) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        if let (Some(Part::Literal { bytes, quoted, .. }), Part::Literal { bytes: more, quoted: same, .. }) =
            (joined.last_mut(), &part)
            && quoted == same
        {
            bytes.extend_from_slice(more);
        } else {
            joined.push(part);
        }
    }
    joined
}

/// Appends a byte to the last literal part, or starts one.
pub(crate) fn literal(parts: &mut Vec<Part>, byte: u8, quoted: bool, at: usize) {
    if let Some(Part::Literal { bytes, quoted: same, at: from }) = parts.last_mut()
        && *same == quoted
        && *from + bytes.len() == at
    {
        bytes.push(byte);
        return;
    }
    parts.push(Part::Literal { bytes: vec![byte], quoted, at });
}
