//! `stanchion hook`: a harness's call in, silence or a denial out. Owns its small argument parser
//! and the rule that a broken hook has no opinion; must never build clap's commands.

use super::out;
use super::place::Place;
use super::records::{self, Judged};
use super::selection::{Loaded, Selection, Unusable};
use stanchion::audit::Source;
use stanchion::call::ToolCall;
use stanchion::harness::{self, Payload, Reply};
use stanchion::span::Span;
use stanchion::verdict::{Decision, Finding, Verdict};
use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::mem::ManuallyDrop;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Answer a harness's hook call

Usage: stanchion hook [OPTIONS]

Reads the call as JSON from stdin (tool_input.command or toolInput.command) unless --command is
given. No objection: exit 0, no output. Denied: exit 2, the reason as JSON on stderr, and on stdout
unless --claude. Input that is not a shell call is no objection.

Options:
      --command <CMD>       The command, in place of JSON on stdin
      --claude              Leave stdout empty
      --harness <NAME>      The harness that calls
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
    let started = Instant::now();
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
    records::watch_panics();
    let answer = catch_unwind(AssertUnwindSafe(|| answer(&args))).unwrap_or_default();
    let status = send(&answer.reply);
    // The answer is out; whatever becomes of the record, the status stands.
    let _ = catch_unwind(AssertUnwindSafe(|| record(answer, status, started)));
    status
}

/// An answer, and what there is to record of it.
#[derive(Default)]
struct Answer {
    reply: Reply,
    source: Source,
    judged: Option<ManuallyDrop<Judged>>,
    unusable: Option<Unusable>,
}

fn answer(args: &Args) -> Answer {
    let Some(payload) = payload(args) else { return Answer::default() };
    let Payload { command, cwd, origin } = payload;
    let source = records::source(origin);
    let loaded = match args.selection.load() {
        Ok(loaded) => loaded,
        Err(error) => return Answer { unusable: error.downcast().ok(), source, ..Answer::default() },
    };
    if !loaded.gate.may_concern(&command) {
        // The process ends with the answer: nothing is gained by giving its memory back piece by piece.
        std::mem::forget(loaded);
        return Answer { source, ..Answer::default() };
    }
    let mut call = args.place.call(command, cwd.clone(), loaded.home_variable.as_deref());
    args.place.look(&mut call, cwd.as_deref(), &loaded.gate);
    let verdict = judge(&loaded, &call);
    let reply = harness::reply(&verdict, args.claude);
    let judged = Some(ManuallyDrop::new(Judged { call, verdict, loaded }));
    Answer { reply, source, judged, unusable: None }
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

fn record(answer: Answer, status: u8, started: Instant) {
    let latency = started.elapsed();
    let Some(directory) = records::directory() else { return };
    records::faults(&directory, answer.unusable.as_ref(), &answer.source);
    if let Some(judged) = &answer.judged {
        let answered = if status == 0 { Decision::Allow } else { Decision::Deny };
        records::decided(&directory, judged, answer.source, answered, latency);
    }
}

fn payload(args: &Args) -> Option<Payload> {
    if let Some(command) = &args.command {
        let command = Some(command.clone()).filter(|command| !command.is_empty())?;
        return Some(Payload { command, ..Payload::default() });
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).ok()?;
    if args.native.as_ref().is_some_and(|native| is_left(native, &bytes)) {
        return None;
    }
    harness::decode(&bytes)
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
        field(&mut args, value);
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

type Setter = fn(&mut Args, OsString);

fn option(name: &[u8]) -> Option<Setter> {
    Some(match name {
        b"--command" => |args, value| args.command = Some(value.into_vec()),
        b"--background" | b"--harness" => |_, _| {},
        b"--native" => |args, value| args.native = Some(value),
        b"--root" => |args, value| args.place.root = Some(PathBuf::from(value)),
        b"--home" => |args, value| args.place.home = Some(PathBuf::from(value)),
        b"--policy" => |args, value| args.selection.policies.push(PathBuf::from(value)),
        b"--queries" => |args, value| args.selection.queries = Some(PathBuf::from(value)),
        _ => return None,
    })
}
