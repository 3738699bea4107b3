//! What programs mean, compiled: their options, operands and effects. Must never say what is allowed.

use crate::policy::source::{named_enum, source_struct};

named_enum! {
    /// What a program does to something that it is given.
    Effect {
        /// Its content is read.
        Read = "read",
        /// Its content is made or replaced.
        Write = "write",
        /// It is removed.
        Delete = "delete",
        /// It is moved away.
        Move = "move",
        /// Its mode, owner or attributes change.
        Mode = "mode",
        /// It gets a further name.
        Link = "link",
        /// It is run, or read as a program.
        Execute = "execute",
        /// It is shell text.
        Shell = "shell",
        /// It is the start of a command line whose further words follow.
        Command = "command",
        /// It is a name in whose subscript the shell expands.
        Expand = "expand",
        /// It is the name of a variable that gets what is read from standard input.
        Assign = "assign",
        /// It is an assignment `NAME=…` that programs started later are given.
        Environment = "environment",
        /// It is a program in a language of `[[language]]`.
        Code = "code",
        /// Something is fetched from or sent over a network.
        Network = "network",
        /// It is sent away.
        Send = "send",
        /// The content of a file is sent away.
        Upload = "upload",
        /// Text is decoded or transformed.
        Decode = "decode",
        /// A definition `name=text` of a command.
        Alias = "alias",
        /// It narrows what is chosen.
        Filter = "filter",
        /// Nothing is done, it is only shown what would be.
        Dry = "dry",
        /// It is the directory in which the program works.
        Directory = "directory",
    }
}

named_enum! {
    /// What a program prints, as far as it names a place.
    Prints {
        /// Nothing that is known.
        Nothing = "nothing",
        /// A fresh path for temporary files.
        Temporary = "temporary",
        /// The working directory.
        Directory = "directory",
        /// The root of the workspace.
        Workspace = "workspace",
        /// Its operands.
        Operands = "operands",
        /// Paths below its operands.
        Paths = "paths",
        /// Where the program is that its operand names.
        Program = "program",
        /// Nothing, but it hands its input to the command that it runs.
        Fed = "fed",
    }
}

named_enum! {
    /// How a program reads its options.
    Style {
        /// POSIX and GNU: clusters, long options, options behind operands.
        Gnu = "gnu",
        /// Like GNU, but the first operand ends the options.
        Leading = "leading",
        /// Long options with one dash, no clusters (`openssl`, `terraform`).
        Single = "single",
        /// Long options with one dash behind the operands (`find`).
        Expression = "expression",
        /// Like GNU; the first operand may be a cluster without a dash (`tar xf`).
        Bundled = "bundled",
    }
}

named_enum! {
    /// Whether an option takes an argument.
    Argument {
        /// It takes none.
        None = "",
        /// In the same word or the next.
        Required = "=",
        /// In the same word only.
        Optional = "=?",
    }
}

/// One option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opt {
    /// All its names, with dashes.
    pub names: &'static [&'static str],
    /// Whether it takes an argument.
    pub argument: Argument,
    /// What is done to the argument, or what the option says of the whole command.
    pub effect: Option<Effect>,
    /// The language of an argument that is code.
    pub language: &'static str,
}

/// One operand in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What is done to it.
    pub effect: Option<Effect>,
    /// The language when it is code.
    pub language: &'static str,
    /// Whether there may be more of it.
    pub many: bool,
}

/// An operand of the form `key=value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// With what it starts.
    pub key: &'static str,
    /// What is done to the value.
    pub effect: Effect,
}

/// What the operands mean when one of some options is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The options; `&` joins those that must be given together.
    pub options: &'static [&'static str],
    /// The operands then.
    pub operands: &'static [Slot],
}

/// The options and operands of a program or of one of its subcommands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its options.
    pub options: &'static [Opt],
    /// Its operands.
    pub operands: &'static [Slot],
    /// Other meanings of the operands; the first that applies counts.
    pub variants: &'static [Variant],
    /// Operands with a key.
    pub keys: &'static [Key],
    /// What it does besides.
    pub effects: &'static [Effect],
    /// What it does to its standard input when it has no operand.
    pub input: Option<Effect>,
    /// What it prints.
    pub prints: Prints,
}

/// A subcommand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sub {
    /// The words that name it.
    pub words: &'static [&'static str],
    /// Its options and operands.
    pub form: Form,
}

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its base names; the first is the one that rules use.
    pub names: &'static [&'static str],
    /// How it reads options.
    pub style: Style,
    /// Its own options and operands.
    pub form: Form,
    /// Its subcommands.
    pub commands: &'static [Sub],
}

/// How code in a language runs commands and changes files, told by marks in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// Its name.
    pub name: &'static str,
    /// Marks behind which shell text stands.
    pub run: &'static [&'static str],
    /// Names one of which the code must hold for what stands behind such a mark to be run surely; none when
    /// the language brings them along.
    pub loads: &'static [&'static str],
    /// Marks that make quotes of what stands behind them (`qx{…}`).
    pub quotes: &'static [&'static str],
    /// Marks of code that reads files.
    pub read: &'static [&'static str],
    /// Marks of code that sends something away.
    pub send: &'static [&'static str],
    /// Marks of code that writes files.
    pub write: &'static [&'static str],
    /// Marks of code that removes or moves them.
    pub delete: &'static [&'static str],
    /// Whether marks count only at the start of a command of the language, and the text is bare (`sed`).
    pub bare: bool,
}

/// Where things are on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Directories of the system.
    pub system: &'static [&'static str],
    /// Directories for temporary files.
    pub temporary: &'static [&'static str],
    /// Variables that name one.
    pub temporary_variables: &'static [&'static str],
    /// Home directories.
    pub homes: &'static [&'static str],
    /// Devices.
    pub devices: &'static [&'static str],
    /// Devices that hold nothing.
    pub harmless: &'static [&'static str],
    /// Directories of a home that hold what a person made.
    pub personal: &'static [&'static str],
    /// Files with secrets.
    pub secrets: &'static [&'static str],
    /// Files that only look so.
    pub not_secrets: &'static [&'static str],
}

/// All facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Programs.
    pub programs: &'static [Program],
    /// Base names in order, with the program's index.
    pub names: &'static [(&'static str, u16)],
    /// Languages.
    pub languages: &'static [Language],
    /// Places.
    pub places: Places,
}

source_struct!(Opt { names, argument, effect, language });
source_struct!(Slot { effect, language, many });
source_struct!(Key { key, effect });
source_struct!(Variant { options, operands });
source_struct!(Form { options, operands, variants, keys, effects, input, prints });
source_struct!(Sub { words, form });
source_struct!(Program { names, style, form, commands });
source_struct!(Language { name, run, loads, quotes, read, send, write, delete, bare });
source_struct!(Places {
    system,
    temporary,
    temporary_variables,
    homes,
    devices,
    harmless,
    personal,
    secrets,
    not_secrets,
});
source_struct!(Facts { programs, names, languages, places });

impl Facts {
    /// The program with this base name.
    #[must_use]
    pub fn program(&self, name: &[u8]) -> Option<&'static Program> {
        let at = self.names.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok()?;
        self.names.get(at).and_then(|(_, index)| self.programs.get(usize::from(*index)))
    }

    /// The language with this name.
    #[must_use]
    pub fn language(&self, name: &str) -> Option<&'static Language> {
        self.languages.iter().find(|language| language.name == name)
    }
}

impl Program {
    /// The name that rules use.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    /// Whether it or one of its subcommands has an option of this name.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        let forms = std::iter::once(&self.form).chain(self.commands.iter().map(|command| &command.form));
        forms.flat_map(|form| form.options).any(|option| option.names.contains(&name))
    }

    /// All names of the options of which this is one, its own and its subcommands'.
    pub fn names_of(&self, name: &str) -> impl Iterator<Item = &'static str> {
        let forms = std::iter::once(&self.form).chain(self.commands.iter().map(|command| &command.form));
        let options = forms.flat_map(|form| form.options);
        options.filter(move |option| option.names.contains(&name)).flat_map(|option| option.names).copied()
    }
}
