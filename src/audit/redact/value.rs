//! The value behind a secret's name. Owns how far it goes through quotes; must never take in a
//! substitution, whose commands are executed.

use super::{at, ends_word, is_expansion, run};
use std::ops::Range;

/// How far a substitution within a value is followed.
const SUBSTITUTION: usize = 512;

/// Whether an odd number of each quote stands before a place: then it is within such a quote, unless
/// an apostrophe in prose stands before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quotes {
    pub single: bool,
    pub double: bool,
    pub back: bool,
    escaped: bool,
}

impl Quotes {
    /// The same behind one more byte.
    pub fn pass(&mut self, byte: u8) {
        if std::mem::take(&mut self.escaped) {
            return;
        }
        match byte {
            b'\\' => self.escaped = true,
            b'\'' => self.single = !self.single,
            b'"' => self.double = !self.double,
            b'`' => self.back = !self.back,
            _ => {}
        }
    }

    pub fn any(self) -> bool {
        self.single || self.double
    }
}

/// The literal parts of a value.
pub struct Value<'t> {
    text: &'t [u8],
    quotes: Quotes,
    pub parts: Vec<Range<usize>>,
    pub end: usize,
}

impl<'t> Value<'t> {
    /// The value that starts at a place, as one word of a shell; `quotes` are those before it.
    pub fn word(text: &'t [u8], start: usize, quotes: Quotes) -> Self {
        let mut value = Self::plain(text, start, quotes);
        if at(text, start) == b'(' {
            value.array();
        }
        value
    }

    /// One string, whatever stands behind it.
    pub fn string(text: &'t [u8], start: usize, quotes: Quotes) -> Self {
        let mut value = Self { text, quotes, parts: Vec::new(), end: start };
        value.piece();
        value
    }

    /// The same where no array can stand.
    fn plain(text: &'t [u8], start: usize, quotes: Quotes) -> Self {
        let mut value = Self { text, quotes, parts: Vec::new(), end: start };
        while value.piece() {}
        value
    }

    /// The value up to the end of the line or of the quote around it.
    pub fn line(text: &'t [u8], start: usize, quotes: Quotes) -> Self {
        let end = run(text, start, |byte| !b"\n\r'\"".contains(&byte));
        let mut value = Self { text, quotes, parts: Vec::new(), end };
        value.keep(start..end);
        value
    }

    /// The words between the parentheses of an array.
    fn array(&mut self) {
        let inner = self.end + 1;
        self.end = run(self.text, inner, |byte| byte != b')');
        let mut place = inner;
        while place < self.end {
            let word = Self::plain(self.text, place, Quotes::default());
            place = word.end.max(place + 1);
            self.parts.extend(word.parts);
        }
    }

    /// Takes one more piece of the word; tells whether another may follow.
    fn piece(&mut self) -> bool {
        let (text, start) = (self.text, self.end);
        let byte = at(text, start);
        if start >= text.len() || ends_word(byte) {
            return false;
        }
        match byte {
            b'\'' => self.single(),
            b'"' => self.double(),
            b'\\' if at(text, start + 1) == b'"' && self.quotes.double => self.escaped_double(),
            b'`' => self.back(),
            b'$' if at(text, start + 1) == b'(' => self.substitution(),
            b'$' if at(text, start + 1) == b'\'' && !self.quotes.single => self.ansi(),
            _ => {
                self.literal();
                true
            }
        }
    }

    /// Unquoted text.
    fn literal(&mut self) {
        let start = self.end;
        loop {
            let byte = at(self.text, self.end);
            let special = byte == b'$' && b"('".contains(&at(self.text, self.end + 1));
            let first = self.end == start;
            if self.end >= self.text.len()
                || ends_word(byte)
                || b"'\"`".contains(&byte)
                || (special && !first)
            {
                break;
            }
            if byte == b'\\' {
                if at(self.text, self.end + 1) == b'"' && self.quotes.double && !first {
                    break;
                }
                self.end += 1;
            }
            self.end = (self.end + 1).min(self.text.len());
        }
        self.keep(start..self.end);
    }

    /// A single quote: the end of one around the value, or one within it.
    fn single(&mut self) -> bool {
        let start = self.end;
        let rest = self.text.get(start..).unwrap_or_default();
        // Within single quotes this is how one is written.
        if self.quotes.single && rest.starts_with(b"'\\''") {
            return self.quoted(start + 4, b"'\\''");
        }
        let next = at(self.text, start + 1);
        if self.quotes.single && (ends_word(next) || b"'\"`".contains(&next)) {
            return false;
        }
        self.quoted(start + 1, b"'")
    }

    fn double(&mut self) -> bool {
        let next = at(self.text, self.end + 1);
        if self.quotes.double && (ends_word(next) || b"'\"`".contains(&next)) {
            return false;
        }
        let mut place = self.end + 1;
        let mut start = place;
        while place < self.text.len() {
            match at(self.text, place) {
                b'"' => {
                    self.keep(start..place);
                    self.end = place + 1;
                    return true;
                }
                b'\\' => place += 2,
                b'$' if at(self.text, place + 1) == b'(' => {
                    self.keep(start..place);
                    let Some(end) = closing(self.text, place + 1) else { return false };
                    (place, start) = (end, end);
                }
                b'`' => {
                    self.keep(start..place);
                    let Some(end) = next_back(self.text, place) else { return false };
                    (place, start) = (end, end);
                }
                _ => place += 1,
            }
        }
        self.unclosed(start)
    }

    /// A quote that is written with a backslash, within double quotes.
    fn escaped_double(&mut self) -> bool {
        self.quoted(self.end + 2, b"\\\"")
    }

    /// `$'…'`, in which a backslash quotes the quote.
    fn ansi(&mut self) -> bool {
        let start = self.end + 2;
        let mut place = start;
        while place < self.text.len() && at(self.text, place) != b'\'' {
            place += 1 + usize::from(at(self.text, place) == b'\\');
        }
        self.keep(start..place.min(self.text.len()));
        self.end = (place + 1).min(self.text.len());
        true
    }

    /// From behind an opening quote to the closing one.
    fn quoted(&mut self, start: usize, close: &[u8]) -> bool {
        let rest = self.text.get(start..).unwrap_or_default();
        let Some(length) = rest.windows(close.len()).position(|window| window == close) else {
            return self.unclosed(start);
        };
        self.keep(start..start + length);
        self.end = start + length + close.len();
        true
    }

    /// A quote that is never closed: the rest of the line may be the secret.
    fn unclosed(&mut self, start: usize) -> bool {
        self.end = run(self.text, start, |byte| byte != b'\n');
        self.keep(start..self.end);
        false
    }

    fn substitution(&mut self) -> bool {
        closing(self.text, self.end + 1).is_some_and(|end| {
            self.end = end;
            true
        })
    }

    fn back(&mut self) -> bool {
        if self.quotes.back {
            return false;
        }
        next_back(self.text, self.end).is_some_and(|end| {
            self.end = end;
            true
        })
    }

    fn keep(&mut self, part: Range<usize>) {
        let written = self.text.get(part.clone()).unwrap_or_default();
        if !written.is_empty() && !is_expansion(written) {
            self.parts.push(part);
        }
    }
}

/// Behind the parenthesis that closes the one at a place, where that is near.
fn closing(text: &[u8], open: usize) -> Option<usize> {
    let region = text.get(open..text.len().min(open + SUBSTITUTION))?;
    let mut depth = 0_usize;
    for (at, byte) in region.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(open + at + 1);
        }
    }
    None
}

/// Behind the backtick that closes the one at a place, where that is near.
fn next_back(text: &[u8], open: usize) -> Option<usize> {
    let region = text.get(open + 1..text.len().min(open + SUBSTITUTION))?;
    region.iter().position(|byte| *byte == b'`').map(|at| open + 1 + at + 1)
}
