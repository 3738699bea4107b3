//! Our own reading of bash: words, quoting, expansions, heredocs, redirects and the structure of
//! lists, straight from the bytes (bash manual 3.1 to 3.6). Owns the scan and the skeleton; must
//! never look at a syntax tree, and must never expand anything.

mod command;
mod compound;
mod expansion;
mod heredoc;
mod redirect;
mod word;

use crate::shell::model::{RedirectKind, Separator};
use crate::span::Span;

/// How deep compound commands, substitutions and expansions may nest, over all texts that stand in one
/// another; deeper is opaque. It bounds the stack: a text that needed more would end the hook, and with it
/// the guard.
pub const MAX_DEPTH: usize = 160;
/// Why what is deeper is opaque.
pub const TOO_DEEP: &str = "nested too deeply";

/// How many bytes or commands a piece of the outer list has before the next one is begun.
const PIECE: (usize, usize) = (16 * 1024, 512);
/// How many commands and words one line of the outer list may hold; a longer one is opaque.
pub const MAX_LINE: (usize, usize) = (10_000, 50_000);

/// What the scan found in one piece of a source text: whole lines of the outer list. Spans are
/// offsets in the source.
#[derive(Debug, Default)]
pub struct Scan {
    /// The piece's own skeleton.
    pub text: Skeleton,
    /// The outer list.
    pub list: List,
    /// Comments and heredoc bodies.
    pub data: Vec<(Span, &'static str)>,
    /// The lines that end heredocs.
    pub ends: Vec<Span>,
    /// What could not be read, and why.
    pub faults: Vec<Fault>,
    /// The texts of substitutions, each with a skeleton of its own.
    pub inner: Vec<Skeleton>,
}

/// A text as the grammar gets it: plain words, operators and reserved words only.
#[derive(Debug, Default)]
pub struct Skeleton {
    /// Offset of its first byte in the source.
    pub at: usize,
    /// As many bytes as the text has.
    pub bytes: Vec<u8>,
    /// Where commands must start, as offsets in the source.
    pub starts: Vec<usize>,
    /// Where it has commands for the grammar's sake only.
    pub dummies: Vec<usize>,
}

/// A place where reading stopped; what it spoils is `span`.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The spoilt region.
    pub span: Span,
    /// Why.
    pub reason: &'static str,
}

/// A list of pipelines (bash manual 3.2.4).
#[derive(Clone, Debug, Default)]
pub struct List {
    /// Its elements in order.
    pub elements: Vec<Element>,
}

/// One pipeline of a list and what follows it.
#[derive(Clone, Debug)]
pub struct Element {
    /// The stages.
    pub stages: Vec<Stage>,
    /// Whether `!` stands before it.
    pub negated: bool,
    /// Whether `time` stands before it.
    pub timed: bool,
    /// What separates it from the next.
    pub separator: Separator,
    /// Its range.
    pub span: Span,
}

/// One stage of a pipeline.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Whether `coproc` stands before it.
    pub coproc: bool,
    /// The command.
    pub body: Body,
    /// Where the name of a `coproc` stands; empty when there is none.
    pub name: Span,
    /// Its range.
    pub span: Span,
}

/// What a stage is.
#[derive(Clone, Debug)]
pub enum Body {
    /// A simple command, `[[ ]]` or `(( ))`.
    Simple(Simple),
    /// A compound command or function definition.
    Compound(Box<Compound>),
}

/// A simple command.
#[derive(Clone, Debug, Default)]
pub struct Simple {
    /// Words in order.
    pub words: Vec<Word>,
    /// Assignments before the first word.
    pub assignments: Vec<Assignment>,
    /// Redirects, wherever they stand.
    pub redirects: Vec<Redirect>,
    /// Array assignments among the words (`declare -a x=(…)`).
    pub arrays: Vec<Assignment>,
}

/// Compound commands (bash manual 3.2.5) and function definitions.
#[derive(Clone, Debug)]
pub struct Compound {
    /// Which one.
    pub kind: CompoundKind,
    /// Conditions and bodies in order.
    pub lists: Vec<List>,
    /// Words that it expands: for-lists, case words and patterns, arithmetic.
    pub words: Vec<Word>,
    /// Redirects behind it.
    pub redirects: Vec<Redirect>,
    /// The variable of `for` and `select`; the name of a function.
    pub name: Vec<u8>,
    /// Where that stands.
    pub header: Span,
}

/// Kinds of compound commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompoundKind {
    /// `( … )`
    Subshell,
    /// `{ …; }`
    Group,
    /// `if`
    If,
    /// `while` and `until`
    While,
    /// `for`
    For,
    /// `select`
    Select,
    /// `case`
    Case,
    /// A function definition; its one list holds the body.
    Function,
    /// `[[ … ]]` and `(( … ))`: no list, only words that are expanded.
    Test,
}

/// An assignment.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable.
    pub name: Vec<u8>,
    /// `+=`
    pub append: bool,
    /// The subscript's expansions.
    pub subscript: Vec<Part>,
    /// The value, or an array's elements.
    pub value: Vec<Word>,
    /// Whether it is `NAME=( … )`.
    pub array: bool,
    /// Whether a subscript says which element a value is.
    pub keyed: bool,
    /// Its range.
    pub span: Span,
}

/// A redirect.
#[derive(Clone, Debug)]
pub struct Redirect {
    /// Operator.
    pub kind: RedirectKind,
    /// The descriptor, as in the model.
    pub descriptor: u32,
    /// Target; for a heredoc its body, once read.
    pub target: Option<Word>,
    /// Its range.
    pub span: Span,
    /// For a heredoc: which of the source's heredocs it is.
    pub heredoc: Option<usize>,
}

/// A word as written.
#[derive(Clone, Debug, Default)]
pub struct Word {
    /// Its range.
    pub span: Span,
    /// Its parts in order.
    pub parts: Vec<Part>,
}

/// Which element of an array an expansion names (bash manual 6.7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Subscript {
    /// No subscript: the value, or the first element.
    #[default]
    First,
    /// `[@]`: all, one word each.
    All,
    /// `[*]`: all, in double quotes one word.
    Joined,
    /// A subscript that is written out.
    Key(Vec<u8>),
    /// Any other subscript.
    Any,
}

/// What few parameter expansions have (bash manual 3.5.3).
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// Whether a default value is assigned as well (`:=`).
    pub assigns: bool,
    /// What the subscript expands.
    pub subscript: Vec<Part>,
    /// Which element of an array it names.
    pub element: Subscript,
    /// Whether the value is expanded again.
    pub again: Again,
}

/// Whether a parameter's value is expanded once more (bash manual 3.5.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Again {
    /// It is not.
    #[default]
    No,
    /// `${!x}`: it names a variable.
    Name,
    /// `${x@P}`: it is expanded as a prompt.
    Prompt,
}

/// A part of a word.
#[derive(Clone, Debug)]
pub enum Part {
    /// Known bytes; `at` is the offset of the first.
    Literal {
        /// The bytes after quote removal.
        bytes: Vec<u8>,
        /// Whether they are quoted.
        quoted: bool,
        /// Offset of the first byte in the source.
        at: usize,
    },
    /// A parameter expansion.
    Parameter {
        /// The parameter.
        name: Vec<u8>,
        /// Whether it is `$name` or `${name}` (or `${name[…]}`): the plain value.
        plain: bool,
        /// Whether it stands in double quotes.
        quoted: bool,
        /// Whether the operand is a value that may be used (`:-` and its kin).
        default: bool,
        /// Parts of the operand.
        operand: Vec<Part>,
        /// What else it has.
        extra: Option<Box<Extra>>,
    },
    /// `$( … )`, `<( … )`, `>( … )`: scanned in place.
    Substitution {
        /// Its list.
        list: List,
        /// Whether it is a process substitution.
        process: bool,
        /// Whether it stands in double quotes.
        quoted: bool,
        /// The range of the whole substitution.
        span: Span,
    },
    /// `` ` … ` ``: a text of its own after unescaping.
    Backtick {
        /// The unescaped text.
        bytes: Vec<u8>,
        /// Whether it stands in double quotes.
        quoted: bool,
        /// The range of the whole substitution.
        span: Span,
    },
    /// An arithmetic expansion.
    Arithmetic {
        /// What it expands.
        parts: Vec<Part>,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
}

/// Reading failed; where and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pub(crate) at: usize,
    pub(crate) reason: &'static str,
}

pub(crate) type Step<T> = Result<T, Stop>;

/// Scans what a text expands when it is read as a here-document's body is: the value of a variable in
/// arithmetic, a prompt. `depth` is how deep the text itself stands.
pub fn expansions(source: &[u8], depth: usize) -> (Word, Scan) {
    let mut scanner = Scanner::new(source, depth);
    let mut word = scanner.heredoc_text(0, source.len());
    (scanner.pos, scanner.over) = (source.len(), true);
    let scan = scanner.finish_expansions(&mut word);
    (word, scan)
}

/// Scans a source text piece by piece, so that memory does not grow with the text. `depth` is how deep
/// the text itself stands in others.
pub fn scan(source: &[u8], depth: usize) -> impl Iterator<Item = Scan> {
    let mut scanner = Scanner::new(source, depth);
    std::iter::from_fn(move || scanner.piece_of_text())
}

pub(crate) struct Scanner<'s> {
    pub(crate) src: &'s [u8],
    pub(crate) pos: usize,
    pub(crate) limit: usize,
    pub(crate) depth: usize,
    pub(crate) out: Scan,
    pub(crate) skeleton: Vec<u8>,
    pub(crate) starts: Vec<usize>,
    pub(crate) dummies: Vec<usize>,
    pub(crate) pending: Vec<heredoc::Pending>,
    pub(crate) bodies: Vec<Option<Word>>,
    pub(crate) extglob: bool,
    pub(crate) retries: usize,
    pub(crate) line: (usize, usize),
    pub(crate) over: bool,
    /// Whether continuations go from quoted text, too: in the body of a here-document.
    pub(crate) joins: bool,
    /// Whether all that follows is lost already, since bash loses its place.
    pub(crate) lost: bool,
}

/// What has to be undone when a guess or a line fails.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    starts: usize,
    dummies: usize,
    data: usize,
    ends: usize,
    inner: usize,
    pending: usize,
}

impl<'s> Scanner<'s> {
    fn new(src: &'s [u8], depth: usize) -> Self {
        Self {
            src,
            pos: 0,
            limit: src.len(),
            depth,
            out: Scan::default(),
            skeleton: vec![b' '; src.len()],
            starts: Vec::new(),
            dummies: Vec::new(),
            pending: Vec::new(),
            bodies: Vec::new(),
            extglob: src.windows(7).any(|window| window == b"extglob"),
            retries: 0,
            line: (0, 0),
            over: false,
            joins: false,
            lost: false,
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            starts: self.starts.len(),
            dummies: self.dummies.len(),
            data: self.out.data.len(),
            ends: self.out.ends.len(),
            inner: self.out.inner.len(),
            pending: self.pending.len(),
        }
    }

    pub(crate) fn undo(&mut self, mark: Mark) {
        self.starts.truncate(mark.starts);
        self.dummies.truncate(mark.dummies);
        self.out.data.truncate(mark.data);
        self.out.ends.truncate(mark.ends);
        self.out.inner.truncate(mark.inner);
        self.pending.truncate(mark.pending);
    }

    /// Counts a command and its words against the line's limit.
    pub(crate) fn count(&mut self, commands: usize, words: usize) -> Step<()> {
        self.line.0 += commands;
        self.line.1 += words;
        if self.line.0 > MAX_LINE.0 || self.line.1 > MAX_LINE.1 {
            return self.stop("too many commands or words in one line");
        }
        Ok(())
    }

    /// The raw byte at `at`.
    pub(crate) fn raw(&self, at: usize) -> Option<u8> {
        if at < self.limit { self.src.get(at).copied() } else { None }
    }

    /// The offset of the next byte at or after `at` that no continuation removes.
    pub(crate) fn skip(&self, mut at: usize) -> usize {
        while self.raw(at) == Some(b'\\') && self.raw(at + 1) == Some(b'\n') {
            at += 2;
        }
        at
    }

    /// Quoted text as it is read: in the body of a here-document its lines are joined first.
    pub(crate) fn quoted_text(&self, span: Span) -> Vec<u8> {
        let raw = span.slice(self.src);
        if !self.joins || !raw.contains(&b'\\') {
            return raw.to_vec();
        }
        let mut text = Vec::new();
        let mut bytes = raw.iter();
        while let Some(byte) = bytes.next() {
            match (byte, bytes.as_slice().first()) {
                (b'\\', Some(b'\n')) => drop(bytes.next()),
                (b'\\', Some(next)) => {
                    text.extend([b'\\', *next]);
                    bytes.next();
                }
                _ => text.push(*byte),
            }
        }
        text
    }

    /// The byte at the cursor, behind continuations.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.raw(self.skip(self.pos))
    }

    /// The byte after the one at the cursor.
    pub(crate) fn peek2(&self) -> Option<u8> {
        self.raw(self.skip(self.skip(self.pos) + 1))
    }

    /// The third byte from the cursor.
    pub(crate) fn peek3(&self) -> Option<u8> {
        self.raw(self.skip(self.skip(self.skip(self.pos) + 1) + 1))
    }

    /// Steps over the byte at the cursor, continuations first.
    pub(crate) fn bump(&mut self) {
        self.pos = self.skip(self.pos) + 1;
    }

    pub(crate) fn stop<T>(&self, reason: &'static str) -> Step<T> {
        Err(Stop { at: self.pos, reason })
    }

    /// Writes `text` into the skeleton at `at`.
    pub(crate) fn put(&mut self, at: usize, text: &[u8]) {
        for (index, byte) in text.iter().enumerate() {
            if let Some(slot) = self.skeleton.get_mut(at + index) {
                *slot = *byte;
            }
        }
    }

    /// Fills a range of the skeleton.
    pub(crate) fn fill(&mut self, span: Span, byte: u8) {
        let end = span.end.min(self.skeleton.len());
        if let Some(slots) = self.skeleton.get_mut(span.start.min(end)..end) {
            slots.fill(byte);
        }
    }

    /// Runs `read` one level deeper.
    pub(crate) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        if self.depth >= MAX_DEPTH {
            return self.stop(TOO_DEEP);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Blanks and continuations (not newlines).
    pub(crate) fn blanks(&mut self) {
        loop {
            self.pos = self.skip(self.pos);
            match self.raw(self.pos) {
                Some(b' ' | b'\t') => self.pos += 1,
                _ => return,
            }
        }
    }

    /// Steps over blanks and a comment; leaves the cursor at a newline or a token.
    pub(crate) fn blanks_and_comment(&mut self) {
        self.blanks();
        if self.raw(self.pos) == Some(b'#') {
            let start = self.pos;
            while self.raw(self.pos).is_some_and(|byte| byte != b'\n') {
                self.pos = if self.joins { self.skip(self.pos + 1) } else { self.pos + 1 };
            }
            self.out.data.push((Span::new(start, self.pos), "comment"));
        }
    }

    /// Steps over newlines, comments and blanks, reading pending heredocs.
    pub(crate) fn newlines(&mut self) {
        loop {
            self.blanks_and_comment();
            if self.raw(self.pos) != Some(b'\n') {
                return;
            }
            self.newline();
        }
    }

    /// Steps over one newline and reads the heredocs that wait for it.
    pub(crate) fn newline(&mut self) {
        self.pos += 1;
        self.read_heredocs();
    }
}

/// A byte that ends an unquoted word (bash manual, "metacharacter").
pub(crate) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// A byte of a variable name; the first must not be a digit.
pub(crate) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
