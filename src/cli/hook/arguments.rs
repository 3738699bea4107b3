//! The arguments of `stanchion hook`. Owns their names and the help; must never build clap's commands,
//! which takes longer than judging.

use super::super::place::Place;
use super::super::selection::Selection;
use stanchion::harness::{self, Asking, Choice};
use stanchion::mission::seal::Sealed;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

/// What `--help` prints.
pub const HELP: &str = "\
Answer a harness's hook call

Usage: stanchion hook [OPTIONS]

Reads the call as JSON from stdin unless --command is given. No objection: exit 0, no output. With
--harness the answer is the one that this harness obeys. Without it: exit 2, the reason as JSON on
stderr, and on stdout unless --claude; a payload of another shape (no tool_input.command and no
toolInput.command) is answered as with --harness auto. Input that is no call is no objection.

Options:
      --command <CMD>       The command, in place of JSON on stdin
      --harness <NAME>      Who calls; `auto` goes by the payload, and where it does not tell, the
                            answer is one that blocks everywhere
      --ask <WHEN>          When a question may be put: `safe` (where the harness denies by itself when
                            nobody is there), `never`, or `attended` (a person is there) [default: safe]
      --claude              Leave stdout empty
      --native <NAMES>      Harnesses with registrations of their own, whose calls are not answered here
      --background <BOOL>   Accepted for compatibility; never changes a decision
      --root <DIR>          The project's root
      --home <DIR>          The home of the guarded system
      --policy <NAME|FILE>  A shipped policy or pack by name, or a file; may be given more than once
      --only                Only what is named: no files of the machine, the user and the project
      --record-dir <DIR>    Where a guest keeps its records (docs/mission.md) [default: what a policy says]
      --queries <DIR>       Edited query files to read instead of the shipped ones
  -h, --help                Print help
";

/// Arguments of the hook.
#[derive(Debug, Default)]
pub struct Args {
    pub command: Option<Vec<u8>>,
    pub native: Option<OsString>,
    pub claude: bool,
    pub harness: Option<Choice>,
    pub asking: Asking,
    pub help: bool,

    pub place: Place,
    pub selection: Selection,
    /// What is baked into the program: then nothing else of this says what applies.
    pub sealed: Option<Box<Sealed>>,
}

/// The arguments of a program with a policy in it: what is told behind `hook` only helps to know the harness.
pub fn sealed(sealed: Box<Sealed>, argv: &[OsString]) -> Args {
    let hint = super::super::tap::value(argv, "--harness").and_then(OsStr::to_str).and_then(harness::named);
    let selection = Selection { records: Some(sealed.baked.records.clone()), ..Selection::default() };
    Args {
        harness: Some(hint.map_or(Choice::Auto, Choice::Hinted)),
        place: Place { closed: true, ..Place::default() },
        selection,
        sealed: Some(sealed),
        ..Args::default()
    }
}

/// Reads the arguments behind `hook`.
pub fn parse(argv: &[OsString]) -> Result<Args, String> {
    let mut args = Args::default();
    let mut rest = argv.iter();
    while let Some(word) = rest.next() {
        let (name, inline) = split(word);
        if inline.is_none() && switch(&mut args, name) {
            continue;
        }
        let field = option(name).ok_or_else(|| format!("unknown argument `{}`", word.display()))?;
        let value = inline.map(ToOwned::to_owned).or_else(|| rest.next().cloned());
        let value = value.ok_or_else(|| format!("`{}` needs a value", word.display()))?;
        field(&mut args, value)?;
    }
    Ok(args)
}

/// `--name=value` in two.
fn split(word: &OsStr) -> (&[u8], Option<&OsStr>) {
    let bytes = word.as_bytes();
    match bytes.iter().position(|byte| *byte == b'=') {
        Some(at) if bytes.starts_with(b"--") => {
            let (name, value) = bytes.split_at(at);
            (name, value.get(1..).map(OsStr::from_bytes))
        }
        Some(_) | None => (bytes, None),
    }
}

fn switch(args: &mut Args, name: &[u8]) -> bool {
    match name {
        b"--claude" => args.claude = true,
        b"--only" => args.selection.only = true,
        b"--help" | b"-h" => args.help = true,
        _ => return false,
    }
    true
}

type Setter = fn(&mut Args, OsString) -> Result<(), String>;

fn option(name: &[u8]) -> Option<Setter> {
    Some(match name {
        b"--command" => |args, value| set(&mut args.command, value.into_vec()),
        b"--background" => |_, _| Ok(()),
        b"--harness" => |args, value| set(&mut args.harness, choice(&value)?),
        b"--ask" => |args, value| {
            args.asking = asking(&value)?;
            Ok(())
        },
        b"--native" => |args, value| set(&mut args.native, value),
        b"--root" => |args, value| set(&mut args.place.root, PathBuf::from(value)),
        b"--home" => |args, value| set(&mut args.place.home, PathBuf::from(value)),
        b"--policy" => |args, value| {
            args.selection.policies.push(PathBuf::from(value));
            Ok(())
        },
        b"--record-dir" => |args, value| set(&mut args.selection.records, absolute(value)?),
        b"--queries" => |args, value| set(&mut args.selection.queries, PathBuf::from(value)),
        _ => return None,
    })
}

#[expect(clippy::unnecessary_wraps, reason = "a setter may refuse its value")]
fn set<T>(field: &mut Option<T>, value: T) -> Result<(), String> {
    *field = Some(value);
    Ok(())
}

fn absolute(value: OsString) -> Result<PathBuf, String> {
    let path = PathBuf::from(value);
    if path.is_absolute() { Ok(path) } else { Err(format!("`{}` is not an absolute path", path.display())) }
}

fn choice(value: &OsStr) -> Result<Choice, String> {
    if value == "auto" {
        return Ok(Choice::Auto);
    }
    let named = value.to_str().and_then(harness::named).map(Choice::Named);
    named.ok_or_else(|| format!("no harness is named `{}`", value.display()))
}

fn asking(value: &OsStr) -> Result<Asking, String> {
    match value.as_bytes() {
        b"safe" => Ok(Asking::Safe),
        b"never" => Ok(Asking::Never),
        b"attended" => Ok(Asking::Attended),
        _ => Err(format!("`--ask` is safe, never or attended, not `{}`", value.display())),
    }
}
