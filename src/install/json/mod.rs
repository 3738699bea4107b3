//! JSON as people write it: with comments, trailing commas and any layout. Owns the tree with the
//! place of every value; must never change a text (that is `edit`'s).

pub mod edit;

use std::fmt::Write as _;
use std::ops::Range;

/// Nesting beyond this is refused.
const DEPTH: usize = 200;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The byte at which it is.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it stands.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An object.
    Object(Vec<Member>),
    /// An array.
    Array(Vec<Node>),
    /// A string, decoded.
    Text(String),
    /// A number, `true`, `false` or `null`.
    Other,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name, decoded.
    pub name: String,
    /// Where the name stands.
    pub key: Range<usize>,
    /// Its value.
    pub value: Node,
}

/// A text as a tree.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The whole value.
    pub root: Node,
    /// Everything but blanks and commas, comments too, in the order of the text.
    pub tokens: Vec<Range<usize>>,
}

impl Tree {
    /// The tokens as texts: equal for texts that differ in layout only.
    #[must_use]
    pub fn words<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.tokens.iter().map(|range| text.get(range.clone()).unwrap_or_default()).collect()
    }
}

impl Node {
    /// The members; none when this is no object.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        if let Kind::Object(members) = &self.kind { members } else { &[] }
    }

    /// The elements; none when this is no array.
    #[must_use]
    pub fn elements(&self) -> &[Node] {
        if let Kind::Array(elements) = &self.kind { elements } else { &[] }
    }

    /// The text; `None` when this is no string.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// The value of a member; the last of equal names counts.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.members().iter().rev().find(|member| member.name == name).map(|member| &member.value)
    }

    /// The value at a path of names.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The value in one spelling: names sorted, no layout.
    #[must_use]
    pub fn canonical(&self, text: &str) -> String {
        let mut out = String::new();
        match &self.kind {
            Kind::Object(members) => {
                let mut parts: Vec<String> = members
                    .iter()
                    .map(|member| format!("{:?}:{}", member.name, member.value.canonical(text)))
                    .collect();
                parts.sort();
                let _ = write!(out, "{{{}}}", parts.join(","));
            }
            Kind::Array(elements) => {
                let parts: Vec<String> = elements.iter().map(|element| element.canonical(text)).collect();
                let _ = write!(out, "[{}]", parts.join(","));
            }
            Kind::Text(value) => {
                let _ = write!(out, "{value:?}");
            }
            Kind::Other => out.push_str(text.get(self.span.clone()).unwrap_or_default()),
        }
        out
    }
}

/// Reads a text.
///
/// # Errors
/// Where and why it is no JSON.
pub fn parse(text: &str) -> Result<Tree, Fault> {
    let mut reader = Reader { text, at: 0, tokens: Vec::new() };
    reader.blanks()?;
    let root = reader.value(0)?;
    reader.blanks()?;
    if reader.at < text.len() {
        return Err(reader.fault("there is more text behind the value"));
    }
    Ok(Tree { root, tokens: reader.tokens })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Range<usize>>,
}

impl<'t> Reader<'t> {
    fn fault(&self, message: &str) -> Fault {
        Fault { offset: self.at, message: message.to_owned() }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn token(&mut self, length: usize) -> Range<usize> {
        let range = self.at..self.at + length;
        self.at = range.end;
        self.tokens.push(range.clone());
        range
    }

    /// Blanks and comments.
    fn blanks(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest().trim_start_matches([' ', '\t', '\r', '\n']);
            self.at = self.text.len() - rest.len();
            if rest.starts_with("//") {
                let line = rest.find('\n').unwrap_or(rest.len());
                let length = rest.get(..line).map_or(0, |line| line.trim_end_matches('\r').len());
                self.token(length);
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or_else(|| self.fault("this comment does not end"))?;
                self.token(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        if depth > DEPTH {
            return Err(self.fault("nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(_) => self.other()?,
            None => return Err(self.fault("the text ends where a value must stand")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Fault> {
        let mut members = Vec::new();
        self.token(1);
        loop {
            self.blanks()?;
            match self.peek() {
                Some(b'}') => break,
                Some(b'"') => {}
                Some(_) => return Err(self.fault("expected a name in double quotes or `}`")),
                None => return Err(self.fault("the text ends within an object")),
            }
            let start = self.at;
            let name = self.string()?;
            let key = start..self.at;
            self.blanks()?;
            if self.peek() != Some(b':') {
                return Err(self.fault("expected `:`"));
            }
            self.token(1);
            self.blanks()?;
            let value = self.value(depth + 1)?;
            members.push(Member { name, key, value });
            if !self.comma(b'}')? {
                break;
            }
        }
        self.token(1);
        Ok(Kind::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Kind, Fault> {
        let mut elements = Vec::new();
        self.token(1);
        loop {
            self.blanks()?;
            match self.peek() {
                Some(b']') => break,
                Some(_) => {}
                None => return Err(self.fault("the text ends within an array")),
            }
            elements.push(self.value(depth + 1)?);
            if !self.comma(b']')? {
                break;
            }
        }
        self.token(1);
        Ok(Kind::Array(elements))
    }

    /// Whether a comma follows, and no end.
    fn comma(&mut self, end: u8) -> Result<bool, Fault> {
        self.blanks()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == end => Ok(false),
            Some(_) => Err(self.fault(&format!("expected `,` or `{}`", char::from(end)))),
            None => Err(self.fault(&format!("the text ends before `{}`", char::from(end)))),
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        let mut escaped = false;
        for (at, byte) in self.rest().bytes().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    let written = self.rest().get(..=at).unwrap_or_default();
                    let decoded = serde_json::from_str(written);
                    let value = decoded.map_err(|_| self.fault("a wrong escape in this string"))?;
                    self.token(at + 1);
                    return Ok(value);
                }
                0..0x20 => break,
                _ => {}
            }
        }
        Err(self.fault("this string does not end on its line"))
    }

    fn other(&mut self) -> Result<Kind, Fault> {
        let word = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '+' | '-' | '.');
        let rest = self.rest();
        let length = rest.find(|ch| !word(ch)).unwrap_or(rest.len());
        let written = rest.get(..length).unwrap_or_default();
        if serde_json::from_str::<serde::de::IgnoredAny>(written).is_err() {
            return Err(self.fault("expected a value"));
        }
        self.token(length);
        Ok(Kind::Other)
    }
}
