//! What there is to know of a harness: where its configuration lives, in which form, and what only a
//! person can do. Owns the kinds of facts; the facts themselves stand in `table`.

mod table;

pub use table::{ALL, find};

/// Where a harness keeps what belongs to a user.
#[derive(Clone, Copy, Debug)]
pub struct Directory {
    /// The variable that names it, if any.
    pub variable: &'static str,
    /// Where it is below what that variable names; empty for that directory itself.
    pub below_variable: &'static str,
    /// Where it is without that variable, below the home directory.
    pub below_home: &'static str,
}

/// An entry of a JSON configuration.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The array that holds it.
    pub path: &'static [&'static str],
    /// The entry. `$PROGRAM` is the program, `$ARGS` its arguments, `$LINE` both as a shell line, `$CALL`
    /// the members of a start without a shell where that is safe.
    pub element: &'static str,
}

/// The form of a registration.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Entries of a JSON file.
    Json {
        /// Members that must exist, with their values.
        ensure: &'static [(&'static str, &'static str)],
        /// The entries.
        slots: &'static [Slot],
    },
    /// An entry of the array of tables `hooks` in a TOML file.
    Toml,
    /// The key `hooks` of a YAML file.
    Yaml,
    /// A file of its own.
    Whole(&'static str),
}

/// A setting that turns hooks off.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The file, relative to the harness's directory (of the user and of the project).
    pub file: &'static str,
    /// The name of the setting.
    pub path: &'static [&'static str],
    /// The value that turns hooks off.
    pub off: &'static str,
}

/// Where a harness remembers what a person trusts.
#[derive(Clone, Copy, Debug)]
pub struct Trust {
    /// The file, in the harness's directory.
    pub file: &'static str,
    /// A setting of `settings.json` without which nothing need be trusted.
    pub only_if: &'static [&'static str],
    /// What a person must do.
    pub remedy: &'static str,
}

/// How long a hook may take, as the harness counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Thousandths of a second.
    Milliseconds,
    /// There is no time-out.
    None,
}

/// One harness.
#[derive(Clone, Copy, Debug)]
pub struct Harness {
    /// Its name, also for `hook --harness`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The program that starts it.
    pub program: &'static str,
    /// Where it keeps what belongs to a user.
    pub directory: Directory,
    /// The user's registration file, in `directory`; empty when there is none.
    pub user: &'static str,
    /// The project's registration file; empty when there is none.
    pub project: &'static str,
    /// The form of both.
    pub form: Form,
    /// Entries for what it tells after a call, in the user's file; none where that is not known.
    pub after: &'static [Slot],
    /// A second file that the harness needs: path from the registration's directory, and text.
    pub beside: Option<(&'static str, &'static str)>,
    /// The unit of the time-out.
    pub unit: Unit,
    /// What turns hooks off.
    pub switches: &'static [Switch],
    /// What must be trusted before a project's registration counts.
    pub trust: Option<Trust>,
    /// What only a person can do, said after an installation.
    pub by_hand: &'static str,
    /// The harnesses whose files it reads in place of own ones: for a user, and in a project.
    pub lodges: Option<(&'static str, &'static str)>,
    /// The name for `hook --harness` in the project's file, where it is not `name`.
    pub project_name: &'static str,
    /// Other harnesses that read this one's user file.
    pub user_readers: &'static [&'static str],
    /// Other harnesses that read this one's project file.
    pub project_readers: &'static [&'static str],
    /// A call as the harness sends it; `$COMMAND` is the command as a JSON string, `$CWD` a directory.
    pub call: &'static str,
}
