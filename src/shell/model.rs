//! What a text executes: the lowered form that guards read. Owns the types and their plain
//! accessors; must never hold a syntax node, and no accessor may skip an unknown part of a word.

use crate::span::Span;

/// Index of a command in [`Script::commands`].
pub type CommandId = usize;
/// Index of a place in [`Script::places`].
pub type PlaceId = usize;

/// Everything that a submitted text executes or may execute.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The submitted text.
    pub source: Vec<u8>,
    /// Every command of every text: written ones, those behind wrappers, those in payloads.
    pub commands: Vec<Command>,
    /// Where commands stand. Place 0 is the submitted text itself.
    pub places: Vec<Place>,
    /// The outer list of the submitted text, in order.
    pub items: Vec<Item>,
    /// What could not be accounted for.
    pub opaque: Vec<Opaque>,
    /// Regions that are data beyond doubt: comments and heredoc bodies (for explanation).
    pub data: Vec<Data>,
    /// Offsets of the newlines in the submitted text, in order.
    pub newlines: Vec<usize>,
}

/// A position in the nesting of lists, compound commands, substitutions and payloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The place that holds this one; `None` only for the submitted text.
    pub parent: Option<PlaceId>,
    /// What kind of position this is.
    pub kind: PlaceKind,
    /// The construct's range in the submitted text.
    pub span: Span,
}

/// Kinds of place. Bash manual sections 3.2 (commands) and 3.5 (expansions).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// The submitted text.
    Text,
    /// An element of a list that `&` ends.
    Background,
    /// A stage of a pipeline of `of` stages; stages of one pipeline share `pipeline`.
    Pipeline {
        /// Number of the pipeline, unique in the script.
        pipeline: usize,
        /// Which stage, from 0.
        stage: usize,
        /// How many stages there are.
        of: usize,
    },
    /// Behind `!`.
    Negated,
    /// Behind the reserved word `time`.
    Timed,
    /// Behind the reserved word `coproc`.
    Coproc,
    /// `( … )`.
    Subshell,
    /// `{ …; }`.
    Group,
    /// Condition or body of `if`.
    If,
    /// Condition or body of `while` or `until`.
    While,
    /// Body of `for` (also the arithmetic one).
    For,
    /// Body of `select`.
    Select,
    /// An arm of `case`.
    Case,
    /// The body of a function.
    Function {
        /// The function's name.
        name: Vec<u8>,
    },
    /// `$( … )`, `` `…` `` and `${ …; }`.
    CommandSubstitution,
    /// `<( … )` or `>( … )`.
    ProcessSubstitution,
    /// The operand of a wrapper such as `sudo`.
    Wrapper {
        /// Base name of the wrapper.
        program: Vec<u8>,
    },
    /// A text that a sink such as `bash -c` or `eval` reads as shell.
    Payload {
        /// Base name of the sink.
        program: Vec<u8>,
    },
    /// A file that a shell or `source` executes; the command has that one word.
    File {
        /// Base name of the sink.
        program: Vec<u8>,
    },
    /// The command word came out of a variable that the text itself assigns.
    Variable {
        /// The variable's name.
        name: Vec<u8>,
    },
    /// The words before it may expand to nothing, which makes this word the command.
    MayVanish,
    /// Words behind an option that a wrapper is not known to have: the command may begin at any of them.
    Guessed,
    /// Two commands that bash reads as one, since it loses the `;` between them.
    Reprinted,
}

/// One command: words, assignments before it, redirects on it.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// Where it stands.
    pub place: PlaceId,
    /// From its first byte to its last, assignments and redirects included.
    pub span: Span,
    /// Its words as far as they are known; the first is the command name. Empty for a command of
    /// assignments or redirects alone, and for `[[ ]]` and `(( ))`.
    pub words: Vec<Word>,
    /// Assignments before the first word.
    pub assignments: Vec<Assignment>,
    /// Redirects on it, wherever they are written.
    pub redirects: Vec<Redirect>,
    /// Whether it surely is executed when control reaches it (false: it may be).
    pub certain: bool,
    /// Where it runs.
    pub locality: Locality,
    /// The command as written, when this one was found behind a wrapper or in a variable.
    pub outer: Option<CommandId>,
    /// The directory in which it runs, as far as earlier `cd`s tell.
    pub directory: Directory,
}

/// Where a command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locality {
    /// On this machine.
    #[default]
    Local,
    /// On another host (`ssh host …`).
    Remote,
    /// In a container (`docker exec …`).
    Container,
}

/// The working directory as far as the text tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Directory {
    /// The directory in which the call runs.
    #[default]
    Start,
    /// A literal path, relative to the call's directory unless absolute; folded.
    Path(Vec<u8>),
    /// A literal path below the home of whoever runs the call; folded.
    Home(Vec<u8>),
    /// One that cannot be known.
    Unknown,
}

/// `NAME=value` or `NAME+=value` (bash manual 3.4).
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable, without a subscript.
    pub name: Vec<u8>,
    /// Whether it is `+=`.
    pub append: bool,
    /// Whether it is `NAME=( … )`.
    pub array: bool,
    /// Whether subscripts say which elements are meant.
    pub keyed: bool,
    /// The value: one word, or the elements of an array.
    pub value: Vec<Word>,
    /// Further lists of elements that the array may have.
    pub others: Vec<Vec<Word>>,
    /// The whole assignment.
    pub span: Span,
}

/// A redirect (bash manual 3.6).
#[derive(Clone, Debug)]
pub struct Redirect {
    /// Which operator.
    pub kind: RedirectKind,
    /// The descriptor; where none is written, 0 for reading and 1 for writing. `u32::MAX` for `{name}`.
    pub descriptor: u32,
    /// The target or here-string; for a here-document its body.
    pub target: Option<Word>,
    /// The whole redirect as written, without a here-document's body.
    pub span: Span,
}

/// Redirect operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>` and `>|`
    Write,
    /// `>>` and `&>>`
    Append,
    /// `&>` and `>&word`
    WriteBoth,
    /// `<>`
    ReadWrite,
    /// `<&` and `>&` with a descriptor or `-`
    Duplicate,
    /// `<<` and `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// One word, after quote removal as far as it can be known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The word as written.
    pub span: Span,
    /// What bash would make of it.
    pub value: Cooked,
    /// Further values it may have, from variables that the text assigns.
    pub alternatives: Vec<Cooked>,
    /// A word that is known in part, written as a text in which `${_}` stands for each unknown part.
    /// For texts that a shell reads; never a value. Empty when it is too large.
    pub template: Option<Vec<u8>>,
    /// Whether any part is quoted.
    pub quoted: bool,
    /// Variables that it expands.
    pub variables: Vec<Vec<u8>>,
    /// Places of the command and process substitutions in it.
    pub substitutions: Vec<PlaceId>,
}

/// The value of a word (CONTRACT: cooking).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cooked {
    /// The shell produces exactly these bytes.
    Exact(Vec<u8>),
    /// Something unknown between a known start and a known end.
    Affix {
        /// Known first bytes.
        head: Vec<u8>,
        /// Known last bytes.
        tail: Vec<u8>,
    },
    /// A pattern that bash expands against file names: a glob in which `\` quotes the next byte
    /// and unknown parts stand as `*`.
    Pattern(Vec<u8>),
    /// Nothing is known.
    Opaque,
}

impl Default for Cooked {
    fn default() -> Self {
        Self::Exact(Vec::new())
    }
}

impl Cooked {
    /// The exact bytes, where the word has them.
    #[must_use]
    pub fn exact(&self) -> Option<&[u8]> {
        match self {
            Self::Exact(bytes) => Some(bytes),
            Self::Affix { .. } | Self::Pattern(_) | Self::Opaque => None,
        }
    }
}

impl Word {
    /// The value and all its alternatives.
    pub fn values(&self) -> impl Iterator<Item = &Cooked> {
        std::iter::once(&self.value).chain(&self.alternatives)
    }

    /// The exact bytes, where the word has one value and that is exact.
    #[must_use]
    pub fn exact(&self) -> Option<&[u8]> {
        if self.alternatives.is_empty() { self.value.exact() } else { None }
    }
}

/// An element of the outer list.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its range.
    pub span: Span,
    /// What separates it from the next.
    pub separator: Separator,
    /// The command, when the element is one simple command and nothing around it (no `!`, no
    /// pipeline, no compound command, no `time`).
    pub command: Option<CommandId>,
}

/// What ends an element of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// `;`
    Semicolon,
    /// A newline.
    Newline,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `&`
    Background,
    /// The end of the text.
    End,
}

/// A region that the lowering could not account for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// Where.
    pub span: Span,
    /// Why, for people.
    pub reason: &'static str,
    /// Its bytes, after decoding where it lies in a payload.
    pub bytes: Vec<u8>,
    /// The text that could not be read because of it; `None` when the text itself reads well.
    pub unread: Option<PlaceId>,
}

/// Why what stands behind an option that a wrapper is not known to have is opaque.
pub const UNKNOWN_OPTION: &str = "an unknown option: what follows may be a command";

/// A region that is data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    /// Where.
    pub span: Span,
    /// Which kind: `comment` or `heredoc`.
    pub kind: &'static str,
}

impl Script {
    /// The places from the submitted text to `place`, outermost first.
    #[must_use]
    pub fn path(&self, place: PlaceId) -> Vec<PlaceId> {
        let mut path = Vec::new();
        let mut next = Some(place);
        while let Some(id) = next {
            path.push(id);
            next = self.places.get(id).and_then(|place| place.parent);
        }
        path.reverse();
        path
    }

    /// The kinds of the places from the submitted text to `place`, outermost first.
    pub fn kinds(&self, place: PlaceId) -> impl Iterator<Item = &PlaceKind> {
        self.path(place).into_iter().filter_map(|id| self.places.get(id)).map(|place| &place.kind)
    }

    /// Whether `inner` is `outer` or lies within it.
    #[must_use]
    pub fn within(&self, inner: PlaceId, outer: PlaceId) -> bool {
        self.path(inner).contains(&outer)
    }

    /// How a command was reached, for people: `["line 1", "bash -c", "eval"]`.
    #[must_use]
    pub fn chain(&self, command: &Command) -> Vec<String> {
        let line = 1 + self.newlines.partition_point(|at| *at < command.span.start);
        let steps = self.kinds(command.place).filter_map(PlaceKind::label);
        std::iter::once(format!("line {line}")).chain(steps).collect()
    }
}

impl PlaceKind {
    /// The place's name in a chain; `None` for the text itself.
    #[must_use]
    pub fn label(&self) -> Option<String> {
        let name = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        Some(match self {
            Self::Text => return None,
            Self::Background => "background list".to_owned(),
            Self::Pipeline { stage, of, .. } => format!("pipeline stage {} of {of}", stage + 1),
            Self::Negated => "!".to_owned(),
            Self::Timed => "time".to_owned(),
            Self::Coproc => "coproc".to_owned(),
            Self::Subshell => "subshell".to_owned(),
            Self::Group => "group".to_owned(),
            Self::If => "if".to_owned(),
            Self::While => "while".to_owned(),
            Self::For => "for".to_owned(),
            Self::Select => "select".to_owned(),
            Self::Case => "case".to_owned(),
            Self::Function { name: function } => format!("function {}", name(function)),
            Self::CommandSubstitution => "command substitution".to_owned(),
            Self::ProcessSubstitution => "process substitution".to_owned(),
            Self::Wrapper { program } => name(program),
            Self::Payload { program } => format!("text for {}", name(program)),
            Self::File { program } => format!("file for {}", name(program)),
            Self::Variable { name: variable } => format!("variable {}", name(variable)),
            Self::MayVanish => "after words that may be empty".to_owned(),
            Self::Guessed => "behind an unknown option".to_owned(),
            Self::Reprinted => "a `;` that bash loses behind a heredoc".to_owned(),
        })
    }
}
