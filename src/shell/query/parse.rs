//! Reads `.scm` text into patterns. Owns the syntax of the query subset; knows neither grammar nor
//! vocabulary. Shared with `build.rs`, so it must use nothing of this crate.

/// What is wrong with a query text and what to do about it.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Byte offset in the text.
    pub at: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl Fault {
    /// A fault at a byte offset.
    pub fn new(at: usize, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { at, message: message.into(), remedy: remedy.into() }
    }
}

/// A name or text with the offset where it is written.
#[derive(Clone, Debug)]
pub struct Spelled {
    /// Byte offset.
    pub at: usize,
    /// The name, without `@`, `#` or quotes.
    pub text: String,
}

/// One top-level pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The root element.
    pub root: Element,
    /// Its predicates and `#set!` directives, in order.
    pub predicates: Vec<Predicate>,
}

/// One element of a pattern.
#[derive(Clone, Debug)]
pub struct Element {
    /// Byte offset.
    pub at: usize,
    /// `field:` before it.
    pub field: Option<Spelled>,
    /// Whether `.` stands before it.
    pub anchored: bool,
    /// What it is.
    pub what: What,
    /// The captures after it.
    pub captures: Vec<Spelled>,
}

/// What an element is.
#[derive(Clone, Debug)]
pub enum What {
    /// A node.
    Node {
        /// Its kind.
        kind: Kind,
        /// Elements for its children.
        children: Vec<Element>,
        /// Whether `.` stands after the last child.
        last: bool,
    },
    /// `[…]`
    Choice(Vec<Element>),
}

/// The kind of a node.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `(name)`, also `(ERROR)`.
    Name(String),
    /// `"token"`
    Token(String),
    /// `(_)`
    Named,
    /// `_`
    Any,
    /// `(MISSING)`
    Missing,
    /// `(MISSING name)`
    MissingName(String),
    /// `(MISSING "token")`
    MissingToken(String),
}

/// `(#name arguments…)`
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The name without `#`.
    pub name: Spelled,
    /// The arguments.
    pub arguments: Vec<Argument>,
}

/// An argument of a predicate.
#[derive(Clone, Debug)]
pub enum Argument {
    /// `@name`
    Capture(Spelled),
    /// `"text"` or a bare word.
    Text(Spelled),
}

/// How deep patterns may nest.
const DEPTH: usize = 32;

/// Reads all patterns of a file.
///
/// # Errors
/// The first place that is not in the subset.
pub fn parse(text: &str) -> Result<Vec<Pattern>, Fault> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let mut patterns = Vec::new();
    while reader.blank().is_some() {
        let mut predicates = Vec::new();
        let root = reader.top(&mut predicates)?;
        patterns.push(Pattern { root, predicates });
    }
    Ok(patterns)
}

/// Line and column, both from 1, of a byte offset; the column counts characters.
#[must_use]
pub fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at.min(text.len())).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips blanks and comments; the byte that follows.
    fn blank(&mut self) -> Option<u8> {
        while let Some(byte) = self.peek() {
            match byte {
                b';' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                _ => return Some(byte),
            }
        }
        None
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.blank() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn word(&mut self) -> Spelled {
        let at = self.at;
        let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '?' | '!'));
        let length = self.rest().find(ends).unwrap_or(self.rest().len());
        let text = self.rest().get(..length).unwrap_or("").to_owned();
        self.at += length;
        Spelled { at, text }
    }

    fn string(&mut self) -> Result<Spelled, Fault> {
        let at = self.at;
        self.at += 1;
        let mut text = String::new();
        let mut chars = self.text.get(self.at..).unwrap_or("").char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += offset + 1;
                    return Ok(Spelled { at, text });
                }
                '\n' => break,
                '\\' => text.push(match chars.next().map(|(_, c)| c) {
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some('t') => '\t',
                    Some('0') => '\0',
                    Some(c) => c,
                    None => break,
                }),
                c => text.push(c),
            }
        }
        Err(Fault::new(at, "the string is not closed", "close it with `\"` on the same line"))
    }

    /// A pattern: an element, or `(element predicates…)`.
    fn top(&mut self, predicates: &mut Vec<Predicate>) -> Result<Element, Fault> {
        let start = self.at;
        if !self.opens_group() {
            let element = self.element(predicates)?;
            self.no_quantifier()?;
            return Ok(element);
        }
        self.take(b'(');
        let element = self.element(predicates)?;
        loop {
            if self.take(b')') {
                self.no_quantifier()?;
                return Ok(element);
            }
            match self.blank() {
                None => return Err(unclosed(start, ')')),
                Some(b'(') if self.opens_predicate() => predicates.push(self.predicate()?),
                Some(_) => return Err(self.unsupported("a group of several sibling nodes")),
            }
        }
    }

    /// Whether a `(` that opens a group follows, rather than one that opens a node.
    fn opens_group(&self) -> bool {
        let mut ahead = Reader { text: self.text, at: self.at, depth: 0 };
        ahead.take(b'(') && matches!(ahead.blank(), Some(b'(' | b'[' | b'"'))
    }

    fn opens_predicate(&self) -> bool {
        let mut ahead = Reader { text: self.text, at: self.at, depth: 0 };
        ahead.take(b'(') && ahead.blank() == Some(b'#')
    }

    fn element(&mut self, predicates: &mut Vec<Predicate>) -> Result<Element, Fault> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Fault::new(self.at, format!("nested deeper than {DEPTH} levels"), "write a flatter pattern"));
        }
        self.blank();
        let field = self.field();
        let first = self.blank();
        let at = self.at;
        let what = match first {
            Some(b'(') => self.node(predicates)?,
            Some(b'[') => self.choice(predicates)?,
            Some(b'"') => leaf(Kind::Token(self.string()?.text)),
            Some(b'_') if self.word().text == "_" => leaf(Kind::Any),
            _ => return Err(self.unexpected(at)),
        };
        self.no_quantifier()?;
        let captures = self.captures()?;
        self.no_quantifier()?;
        self.depth -= 1;
        Ok(Element { at, field, anchored: false, what, captures })
    }

    fn field(&mut self) -> Option<Spelled> {
        let start = self.at;
        let name = self.word();
        if !name.text.is_empty() && self.take(b':') {
            return Some(name);
        }
        self.at = start;
        None
    }

    fn captures(&mut self) -> Result<Vec<Spelled>, Fault> {
        let mut captures = Vec::new();
        while self.blank() == Some(b'@') {
            captures.push(self.capture()?);
        }
        Ok(captures)
    }

    fn capture(&mut self) -> Result<Spelled, Fault> {
        let at = self.at;
        self.at += 1;
        let name = self.word().text;
        if name.is_empty() {
            return Err(Fault::new(at, "`@` without a name", "write the capture's name right after `@`"));
        }
        Ok(Spelled { at, text: name })
    }

    fn node(&mut self, predicates: &mut Vec<Predicate>) -> Result<What, Fault> {
        let start = self.at;
        self.take(b'(');
        let first = self.blank();
        let name = self.word();
        let kind = match name.text.as_str() {
            "" if matches!(first, Some(b'(' | b'[' | b'"')) => {
                return Err(Fault { at: start, ..self.unsupported("a group inside a pattern") });
            }
            "" => return Err(self.unexpected(name.at)),
            "_" => Kind::Named,
            "MISSING" => self.missing()?,
            other => Kind::Name(other.to_owned()),
        };
        let (children, last) = self.children(start, predicates)?;
        Ok(What::Node { kind, children, last })
    }

    fn missing(&mut self) -> Result<Kind, Fault> {
        match self.blank() {
            Some(b'"') => Ok(Kind::MissingToken(self.string()?.text)),
            Some(b')') => Ok(Kind::Missing),
            _ => match self.word().text {
                name if name.is_empty() => Err(self.unexpected(self.at)),
                name => Ok(Kind::MissingName(name)),
            },
        }
    }

    fn children(&mut self, start: usize, predicates: &mut Vec<Predicate>) -> Result<(Vec<Element>, bool), Fault> {
        let mut children = Vec::new();
        let mut anchored = false;
        loop {
            match self.blank() {
                None => return Err(unclosed(start, ')')),
                Some(b')') => {
                    self.at += 1;
                    return Ok((children, anchored));
                }
                Some(b'.') => {
                    self.at += 1;
                    anchored = true;
                }
                Some(b'!') => return Err(self.unsupported("a negated field")),
                Some(b'(') if self.opens_predicate() => predicates.push(self.predicate()?),
                Some(_) => {
                    let child = self.element(predicates)?;
                    children.push(Element { anchored: std::mem::take(&mut anchored), ..child });
                }
            }
        }
    }

    fn choice(&mut self, predicates: &mut Vec<Predicate>) -> Result<What, Fault> {
        let start = self.at;
        self.at += 1;
        let mut branches = Vec::new();
        while !self.take(b']') {
            if self.blank().is_none() {
                return Err(unclosed(start, ']'));
            }
            branches.push(self.element(predicates)?);
        }
        if branches.is_empty() {
            return Err(Fault::new(start, "an empty alternation", "list at least one node between `[` and `]`"));
        }
        Ok(What::Choice(branches))
    }

    fn predicate(&mut self) -> Result<Predicate, Fault> {
        let start = self.at;
        self.take(b'(');
        self.take(b'#');
        let Spelled { at, text } = self.word();
        let name = Spelled { at: at - 1, text };
        let mut arguments = Vec::new();
        loop {
            match self.blank() {
                None => return Err(unclosed(start, ')')),
                Some(b')') => {
                    self.at += 1;
                    return Ok(Predicate { name, arguments });
                }
                Some(b'@') => arguments.push(Argument::Capture(self.capture()?)),
                Some(b'"') => arguments.push(Argument::Text(self.string()?)),
                Some(_) => match self.word() {
                    word if word.text.is_empty() => return Err(self.unexpected(word.at)),
                    word => arguments.push(Argument::Text(word)),
                },
            }
        }
    }

    fn no_quantifier(&mut self) -> Result<(), Fault> {
        match self.blank() {
            Some(b'*' | b'+' | b'?') => Err(self.unsupported("a quantifier")),
            _ => Ok(()),
        }
    }

    fn unsupported(&self, feature: &str) -> Fault {
        let remedy = "write one pattern for each shape; queries/README.md lists what patterns may use";
        Fault::new(self.at, format!("{feature} is not supported"), remedy)
    }

    fn unexpected(&self, at: usize) -> Fault {
        match self.text.get(at..).and_then(|rest| rest.chars().next()) {
            Some(c) => Fault::new(at, format!("unexpected `{c}`"), "write a node `(kind)`, a token `\"…\"` or an alternation `[…]`"),
            None => Fault::new(at, "the file ends inside a pattern", "finish the pattern"),
        }
    }
}

fn leaf(kind: Kind) -> What {
    What::Node { kind, children: Vec::new(), last: false }
}

fn unclosed(at: usize, with: char) -> Fault {
    Fault::new(at, format!("this bracket has no `{with}`"), format!("close it with `{with}`"))
}
