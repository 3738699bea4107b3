//! `stanchion hook`: a harness's call in, silence or a denial out. Owns its small argument parser
//! and the rule that a broken hook has no opinion; must never build clap's commands.

use super::out;
use super::place::Place;
use super::selection::{Loaded, Selection};
use stanchion::call::ToolCall;
use stanchion::harness::{self, Asking, Choice, Harness, Payload, Reply, Voice};
use stanchion::span::Span;
use stanchion::verdict::{Decision, Finding, Verdict};
use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::mem::ManuallyDrop;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
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
      --queries <DIR>       Edited query files to read instead of the shipped ones
  -h, --help                Print help
";

/// Why a panic denies: what cannot be judged is answered as a text that cannot be read.
const PANIC: &str =
    "The command may concern a guarded program and could not be judged; write it as one plain command.";

/// Arguments of the hook.
#[derive(Debug, Default)]
struct Args {
    command: Option<Vec<u8>>,
    native: Option<OsString>,
    claude: bool,
    harness: Option<Choice>,
    asking: Asking,
    help: bool,
    place: Place,
    selection: Selection,
}

/// Runs the hook with the arguments behind `hook`.
pub fn main(argv: &[OsString]) -> ExitCode {
    ExitCode::from(status(argv))
}

/// Runs the hook and gives its exit status.
pub fn status(argv: &[OsString]) -> u8 {
    let args = match parse(argv) {
        Ok(args) => args,
        Err(error) => {
            out::complain(&format!("stanchion hook: {error}\n\n{HELP}"));
            return 2;
        }
    };
    if args.help {
        out::say(HELP);
        return 0;
    }
    // Both streams belong to the answer.
    std::panic::set_hook(Box::new(|_| {}));
    catch_unwind(AssertUnwindSafe(|| answer(&args))).map_or(0, |reply| send(&reply))
}

fn answer(args: &Args) -> Reply {
    let Some((payload, voice)) = payload(args) else { return Reply::default() };
    // The process ends with the answer: nothing is gained by giving its memory back piece by piece.
    let Ok(loaded) = args.selection.load().map(ManuallyDrop::new) else { return Reply::default() };
    let Payload { command, cwd, tool, paths, cut, attended, origin } = payload;
    if !cut && !loaded.gate.may_concern(&command) {
        return Reply::default();
    }
    let place = args.place.call(command, cwd.clone(), loaded.home_variable.as_deref());
    let mut call = ToolCall { tool, paths, cut, origin, ..place };
    args.place.look(&mut call, cwd.as_deref(), &loaded.gate);
    let verdict = judge(&loaded, &call);
    match voice {
        Voice::First { quiet } => harness::reply(&verdict, quiet),
        Voice::Of(harness) => harness::answer(&verdict, harness, &call.command, args.asking, attended),
    }
}

fn judge(loaded: &Loaded, call: &ToolCall) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| loaded.gate.judge(call))).unwrap_or_else(|_| {
        Verdict::fold(vec![Finding {
            guard: "gate",
            decision: Decision::Deny,
            code: "unclassifiable-protected-command".to_owned(),
            reason: PANIC.to_owned(),
            span: Span::new(0, call.command.len()),
            chain: Vec::new(),
            rank: 0,
        }])
    })
}

fn payload(args: &Args) -> Option<(Payload, Voice)> {
    let choice = args.harness.unwrap_or(Choice::First { quiet: args.claude });
    if let Some(command) = &args.command {
        let command = Some(command.clone()).filter(|command| !command.is_empty())?;
        return Some((Payload { command, ..Payload::default() }, voice(choice)));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).ok()?;
    if args.native.as_ref().is_some_and(|native| is_left(native, &bytes)) {
        return None;
    }
    harness::receive(&bytes, choice)
}

/// The voice for a command without a payload.
fn voice(choice: Choice) -> Voice {
    static UNKNOWN: Harness = Harness::UNKNOWN;
    match choice {
        Choice::First { quiet } => Voice::First { quiet },
        Choice::Auto => Voice::Of(&UNKNOWN),
        Choice::Named(harness) => Voice::Of(harness),
    }
}

/// Whether a call comes from a harness that asks through a registration of its own, too.
fn is_left(native: &OsStr, bytes: &[u8]) -> bool {
    let guest = harness::host::guest(bytes).unwrap_or_default();
    !guest.is_empty() && native.as_bytes().split(|byte| *byte == b',').any(|name| name == guest.as_bytes())
}

/// Writes a reply. A harness that closed stdout cannot be answered: no opinion then.
fn send(reply: &Reply) -> u8 {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(&reply.stdout).and_then(|()| stdout.flush()).is_err() {
        return 0;
    }
    let _ = std::io::stderr().lock().write_all(&reply.stderr);
    reply.status
}

fn parse(argv: &[OsString]) -> Result<Args, String> {
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
        b"--queries" => |args, value| set(&mut args.selection.queries, PathBuf::from(value)),
        _ => return None,
    })
}

#[expect(clippy::unnecessary_wraps, reason = "a setter may refuse its value")]
fn set<T>(field: &mut Option<T>, value: T) -> Result<(), String> {
    *field = Some(value);
    Ok(())
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
