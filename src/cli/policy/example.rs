//! The spellings of an example: the same command through sudo, `bash -c`, a subshell, quotes and an
//! assignment. Must never change what the command does.

use stanchion::shell;
use stanchion::shell::query::Queries;

/// A command line and how it was made from the example.
pub struct Spelling {
    /// How.
    pub how: &'static str,
    /// The command line.
    pub line: String,
}

/// The example itself and its other spellings.
pub fn spellings(example: &str) -> Vec<Spelling> {
    let quoted = format!("'{}'", example.replace('\'', "'\\''"));
    let mut all = vec![
        Spelling { how: "as written", line: example.to_owned() },
        Spelling { how: "bash -c", line: format!("bash -c {quoted}") },
        Spelling { how: "subshell", line: format!("({example}\n)") },
    ];
    let Some((first, rest)) = plain_start(example) else {
        all.push(Spelling { how: "assignment", line: format!("EXAMPLE=1\n{example}") });
        all.push(Spelling { how: "sudo", line: format!("sudo bash -c {quoted}") });
        return all;
    };
    all.push(Spelling { how: "quotes", line: format!("'{first}'{rest}") });
    all.push(Spelling { how: "assignment", line: format!("EXAMPLE=1 {example}") });
    all.push(Spelling { how: "sudo", line: format!("sudo {example}") });
    all
}

/// The first word of an example that is one simple command and starts with a plain word, and the rest.
fn plain_start(example: &str) -> Option<(&str, &str)> {
    let script = shell::read(example.as_bytes(), Queries::shipped());
    let [item] = script.items.as_slice() else { return None };
    let command = script.commands.get(item.command?)?;
    let plain = |ch: char| ch.is_ascii_alphanumeric() || "/._-".contains(ch);
    let end = example.find(|ch| !plain(ch)).unwrap_or(example.len());
    let (first, rest) = example.split_at_checked(end)?;
    let name = command.words.first()?.exact()?;
    // Builtins change the shell itself: not through sudo.
    let builtin = ["cd", "pushd", "eval", "source", ".", "export", "alias", "read"].contains(&first);
    (name == first.as_bytes() && !builtin).then_some((first, rest))
}
