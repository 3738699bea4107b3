//! Rules, compiled: what is objected to and why. Valid by construction. Must never know how a command
//! is read.

use crate::policy::binary::{Binary, Reader};
use crate::policy::facts::types::Effect;
use crate::policy::source::{Source, named_enum, source_struct};

named_enum! {
    /// What a rule answers, in rules' own terms.
    Answer {
        /// Nothing.
        Allow = "allow",
        /// A person should decide.
        Ask = "ask",
        /// It must not run.
        Deny = "deny",
    }
}

named_enum! {
    /// What kind of place a path names.
    Class {
        /// The root of the file system, or everything in it.
        Root = "root",
        /// A home directory, what holds it, or everything in it.
        Home = "home",
        /// A directory of the system or something in one.
        System = "system",
        /// The workspace's root, the working directory, what holds them, or everything in them.
        Workspace = "workspace",
        /// Something inside the workspace.
        Inside = "inside",
        /// A directory of a home that holds what a person made.
        Personal = "personal",
        /// Something else below a home.
        User = "user",
        /// Something for temporary use.
        Temp = "temp",
        /// A device that holds data.
        Device = "device",
        /// A path that a policy protects, or one in it.
        Protected = "protected",
        /// What holds a protected path.
        Holds = "holds-protected",
        /// A file with secrets.
        Secret = "secret",
        /// Some other place.
        Other = "other",
        /// It cannot be known.
        Unknown = "unknown",
    }
}

named_enum! {
    /// What a command stands in, by what `queries/contexts.scm` captures.
    Context {
        /// An element of a list that `&` ends.
        Background = "background",
        /// A stage of a pipeline.
        Pipeline = "pipeline",
        /// Behind `!`.
        Negated = "negated",
        /// `( … )`.
        Subshell = "subshell",
        /// `{ …; }`.
        Group = "group",
        /// Condition or body of `if`.
        If = "if",
        /// Condition or body of `while` or `until`.
        While = "while",
        /// Body of `for`.
        For = "for",
        /// Body of `select`.
        Select = "select",
        /// An arm of `case`.
        Case = "case",
        /// The body of a function.
        Function = "function",
        /// `$( … )` and its like.
        CommandSubstitution = "command_substitution",
        /// `<( … )` or `>( … )`.
        ProcessSubstitution = "process_substitution",
        /// The operands of a wrapper such as `sudo`.
        Wrapper = "wrapper",
        /// A text that a sink such as `bash -c` reads as shell.
        Sink = "sink",
    }
}

/// When a rule objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// All of them hold.
    All(&'static [Condition]),
    /// One of them holds.
    Any(&'static [Condition]),
    /// It does not hold.
    Not(&'static Condition),
    /// The program is one of these.
    Program(&'static [&'static str]),
    /// The subcommand is one of these, words joined with blanks.
    Subcommand(&'static [&'static str]),
    /// One of these options is given.
    Option(&'static [&'static str]),
    /// One of the options has one of the values (globs).
    Value(&'static [(&'static str, &'static [&'static str])]),
    /// One operand matches one of these globs.
    Operand(&'static [&'static str]),
    /// One of these happens to something that fits.
    Effect(&'static Happening),
    /// What feeds the command fits: a stage before it, a substitution, a variable.
    FedBy(&'static Condition),
    /// One of these variables (globs) is assigned before the command.
    Environment(&'static [&'static str]),
    /// The number of operands is within these bounds.
    Count(u16, u16),
    /// The command stands in one of these.
    Within(&'static [Context]),
}

/// An effect and what it must happen to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happening {
    /// The kinds.
    pub effects: &'static [Effect],
    /// The classes of its target; empty when any will do.
    pub classes: &'static [Class],
    /// What must feed the target.
    pub fed_by: Option<Condition>,
    /// Globs one of which the target's text must match; empty when any will do.
    pub text: &'static [&'static str],
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its identifier, which is the code of its findings.
    pub id: &'static str,
    /// What it answers.
    pub answer: Answer,
    /// What it answers for text that could not be read and mentions its programs.
    pub unparsed: Answer,
    /// Whether it is only recorded what it would answer.
    pub shadow: bool,
    /// What is wrong.
    pub reason: &'static str,
    /// How to do it right.
    pub advice: &'static str,
    /// When it objects.
    pub when: Condition,
    /// Command lines to which it objects.
    pub matches: &'static [&'static str],
    /// Command lines to which it does not.
    pub not_matches: &'static [&'static str],
    /// Words one of which a text must hold for the rule to object.
    pub needles: &'static [&'static str],
}

impl Condition {
    /// Whether it is about what happens to protected paths.
    #[must_use]
    pub fn speaks_of_protected(&self) -> bool {
        match self {
            Self::All(all) | Self::Any(all) => all.iter().any(Self::speaks_of_protected),
            Self::Effect(happening) => {
                happening.classes.iter().any(|class| matches!(class, Class::Protected | Class::Holds))
            }
            Self::Not(_)
            | Self::Program(_)
            | Self::Subcommand(_)
            | Self::Option(_)
            | Self::Value(_)
            | Self::Operand(_)
            | Self::FedBy(_)
            | Self::Environment(_)
            | Self::Count(..)
            | Self::Within(_) => false,
        }
    }
}

source_struct!(Happening { effects, classes, fed_by, text });
source_struct!(Rule { id, answer, unparsed, shadow, reason, advice, when, matches, not_matches, needles });

impl Source for Condition {
    fn source(&self) -> String {
        match self {
            Self::All(all) => format!("Condition::All({})", all.source()),
            Self::Any(any) => format!("Condition::Any({})", any.source()),
            Self::Not(inner) => format!("Condition::Not(&{})", inner.source()),
            Self::Program(names) => format!("Condition::Program({})", names.source()),
            Self::Subcommand(names) => format!("Condition::Subcommand({})", names.source()),
            Self::Option(names) => format!("Condition::Option({})", names.source()),
            Self::Value(values) => format!("Condition::Value({})", values.source()),
            Self::Operand(globs) => format!("Condition::Operand({})", globs.source()),
            Self::Effect(happening) => format!("Condition::Effect(&{})", happening.source()),
            Self::FedBy(inner) => format!("Condition::FedBy(&{})", inner.source()),
            Self::Environment(names) => format!("Condition::Environment({})", names.source()),
            Self::Within(contexts) => format!("Condition::Within({})", contexts.source()),
            Self::Count(least, most) => format!("Condition::Count({least}, {most})"),
        }
    }
}

impl Binary for Condition {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::All(all) => tagged(0, all, out),
            Self::Any(any) => tagged(1, any, out),
            Self::Not(inner) => tagged(2, *inner, out),
            Self::Program(names) => tagged(3, names, out),
            Self::Subcommand(names) => tagged(4, names, out),
            Self::Option(names) => tagged(5, names, out),
            Self::Value(values) => tagged(6, values, out),
            Self::Operand(globs) => tagged(7, globs, out),
            Self::Effect(happening) => tagged(8, *happening, out),
            Self::FedBy(inner) => tagged(9, *inner, out),
            Self::Environment(names) => tagged(10, names, out),
            Self::Count(least, most) => tagged(11, &(*least, *most), out),
            Self::Within(contexts) => tagged(12, contexts, out),
        }
    }

    fn take(from: &mut Reader) -> Option<Self> {
        from.nested(|from| {
            Some(match u8::take(from)? {
                0 => Self::All(Binary::take(from)?),
                1 => Self::Any(Binary::take(from)?),
                2 => Self::Not(leak_one(Self::take(from)?)),
                3 => Self::Program(Binary::take(from)?),
                4 => Self::Subcommand(Binary::take(from)?),
                5 => Self::Option(Binary::take(from)?),
                6 => Self::Value(Binary::take(from)?),
                7 => Self::Operand(Binary::take(from)?),
                8 => Self::Effect(leak_one(Happening::take(from)?)),
                9 => Self::FedBy(leak_one(Self::take(from)?)),
                10 => Self::Environment(Binary::take(from)?),
                11 => {
                    let (least, most) = Binary::take(from)?;
                    Self::Count(least, most)
                }
                12 => Self::Within(Binary::take(from)?),
                _ => return None,
            })
        })
    }
}

fn tagged(tag: u8, value: &impl Binary, out: &mut Vec<u8>) {
    out.push(tag);
    value.put(out);
}

fn leak_one<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
