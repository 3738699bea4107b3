//! Events: what a database keeps of a guest's records. Owns the kinds and what is kept aside; must never
//! know a database.

/// What an event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A tool was called.
    ToolCall,
    /// A tool touched a path.
    FileTouch,
    /// The gate denied a call.
    Denied,
    /// The gate would have denied a call, had the rule not been on trial.
    WouldDeny,
    /// The gate could not judge a call and let it pass.
    Inert,
    /// Calls and touches of a batch that the phase's cap cut.
    Cut,
    /// Records that the guest did not keep, since a file had reached its cap.
    Dropped,
}

/// All kinds with their names.
pub const KINDS: [(Kind, &str); 7] = [
    (Kind::ToolCall, "tool.call"),
    (Kind::FileTouch, "file.touch"),
    (Kind::Denied, "gate.denied"),
    (Kind::WouldDeny, "gate.would_deny"),
    (Kind::Inert, "gate.inert"),
    (Kind::Cut, "cap.cut"),
    (Kind::Dropped, "guest.dropped"),
];

impl Kind {
    /// Its name in the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Whether a phase keeps only so many.
    #[must_use]
    pub fn is_capped(self) -> bool {
        matches!(self, Self::ToolCall | Self::FileTouch)
    }
}

/// An event that is not stored yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What it tells.
    pub kind: Kind,
    /// The harness's session in which it happened.
    pub session: Option<String>,
    /// The path of a touch, else the tool's name; the file's name where records were dropped.
    pub target: String,
    /// A JSON object that every database takes: no NUL, no half of a surrogate pair, no odd number.
    pub detail: String,
    /// When it happened (RFC 3339, UTC, microseconds); the time of storing where nothing is known.
    pub time: Option<String>,
}

/// Why a line is kept aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// Its writer was killed before it had acknowledged the record.
    Torn,
    /// It is no record of a known form.
    Foreign,
}

impl Why {
    /// Its name in the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Torn => "torn",
            Self::Foreign => "foreign",
        }
    }
}

/// A line that is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// The file's name in its batch.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// Why it is kept aside.
    pub why: Why,
    /// What is wrong with it.
    pub what: &'static str,
    /// How long it was.
    pub length: u64,
    /// Its bytes, or the first of them.
    pub bytes: Vec<u8>,
}
