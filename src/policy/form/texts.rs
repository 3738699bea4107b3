//! The kinds of text in policy files. Must never look a program or an option up.

use super::table::{Fits, Text};

const FILLED: Fits = Fits::Pattern(r"\S", |text| !text.trim().is_empty());

/// Any text.
pub static ANY: Text = Text { what: "a text", remedy: "", fits: Fits::All };

/// A text with something in it.
pub static LINE: Text = Text { what: "a text", remedy: "write something", fits: FILLED };

/// A reason or an advice.
pub static SENTENCE: Text =
    Text { what: "a reason or an advice", remedy: "say what is wrong, and how to do it right", fits: FILLED };

/// A rule's id.
pub static ID: Text = Text {
    what: "an id",
    remedy: "use small letters, digits, . and -",
    fits: Fits::Pattern("^[a-z0-9.-]+$", is_id),
};

/// Whether a text can be a rule's id.
pub fn is_id(text: &str) -> bool {
    let plain = |ch: char| ch.is_ascii_lowercase() || ch.is_ascii_digit() || matches!(ch, '-' | '.');
    !text.is_empty() && text.chars().all(plain)
}

/// The name of a variable.
pub static VARIABLE: Text = Text {
    what: "the name of a variable",
    remedy: "use letters, digits and _",
    fits: Fits::Pattern("^[A-Za-z_][A-Za-z0-9_]*$", |text| {
        let letter = |ch: char| ch.is_ascii_alphanumeric() || ch == '_';
        text.chars().all(letter) && text.starts_with(|ch: char| letter(ch) && !ch.is_ascii_digit())
    }),
};

/// A relative path without parts that mean something else.
pub static RELATIVE: Text = Text {
    what: "a plain relative path",
    remedy: "write it like bin/script.sh, without ., .. or a leading /",
    fits: Fits::Pattern(RELATIVE_PATTERN, is_relative),
};

const RELATIVE_PATTERN: &str = r"^(\.?[^./][^/]*|\.\.[^/]+)(/(\.?[^./][^/]*|\.\.[^/]+))*$";

fn is_relative(text: &str) -> bool {
    !text.split('/').any(|part| matches!(part, "" | "." | ".."))
}

/// The same, or a directory with `/` at its end.
pub static ENTRY: Text = Text {
    what: "a plain relative path",
    remedy: "write it like AGENTS.md or bin/, without ., .. or a leading /",
    fits: Fits::Pattern(r"^(\.?[^./][^/]*|\.\.[^/]+)(/(\.?[^./][^/]*|\.\.[^/]+))*/?$", |text| {
        is_relative(text.strip_suffix('/').unwrap_or(text))
    }),
};

/// A path that names something in particular.
pub static PROTECTED: Text = Text {
    what: "a path to protect",
    remedy: "it would protect everything: name a file, or a directory with / at its end",
    fits: Fits::Pattern("[^/]", |text| !text.trim_matches('/').is_empty()),
};

/// What names a process.
pub static PROCESS: Text =
    Text { what: "the name of a process", remedy: "it would match every process: name one", fits: FILLED };

/// The name of a builtin.
pub static BUILTIN: Text = Text {
    what: "the name of a builtin",
    remedy: "write it like cd: one word without a path",
    fits: Fits::Pattern("^[^/ \t\n\r]+$", |text| {
        !text.is_empty() && !text.contains(['/', ' ', '\t', '\n', '\r'])
    }),
};

/// The name of a program.
pub static PROGRAM: Text = Text {
    what: "a base name",
    remedy: "name the program without its directory",
    fits: Fits::Pattern("^[^/]+$", |text| !text.is_empty() && !text.contains('/')),
};
