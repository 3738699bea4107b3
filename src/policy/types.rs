//! The compiled form of a policy. Valid by construction: only `raw` and the tables that `build.rs`
//! emits make one.

use super::mission::Mission;
use super::rule::types::Rule;
use super::settings::Settings;
use super::source::source_struct;
use std::fmt;

/// The codes of the guards, in order of precedence.
pub const CODES: [&str; 9] = [
    "broad-watcher-kill",
    "unclassifiable-protected-command",
    "watcher-direct",
    "watcher-nested",
    "watcher-background",
    "watcher-pipeline",
    "watcher-redirection",
    "watcher-bundled",
    "persistent-cd",
];

/// A compiled policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Its name.
    pub name: &'static str,
    /// The digest of its source, by which records name it.
    pub digest: u64,
    pub(crate) home_variable: Option<&'static str>,
    /// Protected scripts and the shape in which they may run.
    pub protected: Protected,
    /// What counts as a broad kill.
    pub kill: Kill,
    /// What counts as a lasting change of directory.
    pub cwd: Cwd,
    /// Paths that no command may change: suffixes, or absolute ones, `*` within a part; all that is
    /// below a directory with `/` at its end.
    pub protected_paths: &'static [&'static str],
    /// Commands by which a person or an agent mends what is guarded, or the guard: proved to be allowed.
    pub repair: &'static [&'static str],
    /// Which tools the task and its roles may use, and where a guest keeps its records.
    pub mission: Mission,
    /// Rules.
    pub rules: &'static [Rule],
    /// Whether nobody is there to ask: every question of a rule is a denial.
    pub unattended: bool,
    /// How it answers besides.
    pub settings: Settings,
    /// Words one of which a text must hold for any rule to object; empty when nothing is known of that.
    pub needles: &'static [&'static str],
    /// One text per code of `CODES`; empty for those that this policy cannot give.
    pub(crate) reasons: &'static [&'static str],
}

/// Protected scripts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Protected {
    /// The scripts.
    pub scripts: &'static [ProtectedScript],
    /// Commands that put a script into the background.
    pub background: &'static [&'static str],
    /// Wrappers that may stand before the final node.
    pub exec: &'static [&'static str],
    /// Files that may be sourced before it, relative to the home.
    pub setup_files: &'static [&'static str],
}

/// One protected script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProtectedScript {
    /// Its short name.
    pub identity: &'static str,
    /// The path suffix that names it, relative and folded.
    pub path: &'static str,
    /// Whether there is a shape in which it may run.
    pub blessed: bool,
}

/// Broad kills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kill {
    /// What names the process.
    pub names: &'static [&'static str],
    /// Programs that kill by pattern.
    pub verbs: &'static [KillVerb],
    /// Programs that kill by process id.
    pub kill: &'static [&'static str],
    /// Programs that find processes.
    pub finders: &'static [&'static str],
}

/// A program that kills by pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KillVerb {
    /// Its base name.
    pub program: &'static str,
    /// Its options with an argument.
    pub options: &'static [&'static str],
    /// Options without which it does not kill; empty when it always does.
    pub only: &'static [&'static str],
}

/// Changes of the directory that outlast the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cwd {
    /// Builtins that change the directory of the shell in which they run.
    pub commands: &'static [DirectoryCommand],
    /// Builtins that run their operands in the same shell.
    pub keep: &'static [&'static str],
    /// Builtins that read text in the same shell.
    pub texts: &'static [ShellText],
    /// Whether it is guarded in plain checkouts only.
    pub plain_checkout: bool,
    /// What must exist at the checkout's root; a directory ends in `/`.
    pub entries: &'static [&'static str],
}

/// A builtin that changes the directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirectoryCommand {
    /// Its name.
    pub name: &'static str,
    /// Options with which it does not.
    pub inert: &'static [&'static str],
}

/// A builtin that reads text in the shell in which it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShellText {
    /// Its name.
    pub program: &'static str,
    /// Operands, upper or lower case, of which it needs one; empty when it always reads the text.
    pub conditions: &'static [&'static str],
}

/// One thing that is wrong with a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// The line's text.
    pub excerpt: String,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub remedy: String,
}

source_struct!(Policy {
    name,
    digest,
    home_variable,
    protected,
    kill,
    cwd,
    protected_paths,
    repair,
    mission,
    rules,
    unattended,
    settings,
    needles,
    reasons,
});
source_struct!(Protected { scripts, background, exec, setup_files });
source_struct!(ProtectedScript { identity, path, blessed });
source_struct!(Kill { names, verbs, kill, finders });
source_struct!(KillVerb { program, options, only });
source_struct!(Cwd { commands, keep, texts, plain_checkout, entries });
source_struct!(DirectoryCommand { name, inert });
source_struct!(ShellText { program, conditions });

/// Everything that is wrong with a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyErrors(pub Vec<PolicyError>);

impl std::error::Error for PolicyErrors {}

impl fmt::Display for PolicyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, remedy, .. } = self;
        write!(out, "{file}:{line}:{column}: {message}; {remedy}")
    }
}

/// How much of a long line is shown on each side of a problem.
const AROUND: usize = 60;

impl PolicyError {
    /// The problem with the line in which it is and a mark below its place.
    #[must_use]
    pub fn shown(&self) -> String {
        let Self { file, line, column, excerpt, message, remedy } = self;
        let before = excerpt.get(..column.saturating_sub(1)).unwrap_or(excerpt);
        let rest = excerpt.get(before.len()..).unwrap_or_default();
        let skipped = before.chars().count().saturating_sub(AROUND);
        let before: String = before.chars().skip(skipped).collect();
        let cut = |short: bool| if short { "…" } else { "" };
        let (start, end) = (cut(skipped > 0), cut(rest.chars().count() > AROUND));
        let shown: String = rest.chars().take(AROUND).collect();
        // A tab stays one, so that the mark stands below its place however wide tabs are.
        let blank = |ch: char| if ch == '\t' { ch } else { ' ' };
        let mark: String = start.chars().chain(before.chars()).map(blank).collect();
        format!("{file}:{line}:{column}: {message}\n  | {start}{before}{shown}{end}\n  | {mark}^ {remedy}\n")
    }
}

impl fmt::Display for PolicyErrors {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        out.write_str(&lines.join("\n"))
    }
}

impl Cwd {
    /// Whether it matters in which checkout a call runs.
    #[must_use]
    pub fn is_scoped(&self) -> bool {
        self.plain_checkout || !self.entries.is_empty()
    }
}

impl Policy {
    /// The variable that names the home of the guarded system.
    #[must_use]
    pub fn home_variable(&self) -> Option<&str> {
        self.home_variable
    }

    /// Whether a text without quoting may concern a rule. A strict superset: `false` means that none can
    /// object.
    #[must_use]
    pub fn concerns(&self, unquoted: &[u8]) -> bool {
        if self.rules.is_empty() {
            return false;
        }
        // Sorted, and none starts another: the one before the place of a text is the only one to ask.
        let starts = |at: usize| {
            let rest = unquoted.get(at..).unwrap_or_default();
            let place = self.needles.partition_point(|needle| needle.as_bytes() <= rest);
            let needle = place.checked_sub(1).and_then(|place| self.needles.get(place));
            needle.is_some_and(|needle| rest.starts_with(needle.as_bytes()))
        };
        self.needles.is_empty() || (0..unquoted.len()).any(starts)
    }

    /// A code's reason text.
    #[must_use]
    pub fn reason(&self, code: &str) -> &str {
        let at = CODES.iter().position(|known| *known == code);
        at.and_then(|at| self.reasons.get(at)).copied().unwrap_or_default()
    }
}
