//! `stanchion hook`: a harness's call in, silence or a denial out. Owns the rule that a broken hook has
//! no opinion; must never keep an answer waiting for a record.

mod arguments;

use super::grant::grants;
use super::guest;
use super::layers::Around;
use super::out;
use super::records::{self, Judged};
use super::selection::{Loaded, Unusable};
use arguments::{Args, HELP};
use stanchion::call::{Origin, ToolCall};
use stanchion::grants::Bound;
use stanchion::harness::{self, Choice, Payload, Reply, Told, Voice};
use stanchion::mission::seal::Sealed;
use stanchion::span::Span;
use stanchion::verdict::{Decision, Finding, Verdict};
use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Instant, SystemTime};

/// Why a panic denies: what cannot be judged is answered as a text that cannot be read.
const PANIC: &str =
    "The command may concern a guarded program and could not be judged; write it as one plain command.";

/// Runs the hook with the arguments behind `hook`, and gives its exit status.
pub fn status(argv: &[OsString]) -> u8 {
    let started = Instant::now();
    let args = match arguments::parse(argv) {
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
    run(&args, started)
}

/// Runs the hook of a program with a policy in it.
pub fn sealed(sealed: Box<Sealed>, argv: &[OsString]) -> u8 {
    run(&arguments::sealed(sealed, argv), Instant::now())
}

fn run(args: &Args, started: Instant) -> u8 {
    records::watch_panics();
    let broken = |_| Answer { inert: Some("a panic in the program".to_owned()), ..Answer::of(args) };
    let answer = catch_unwind(AssertUnwindSafe(|| answer(args))).unwrap_or_else(broken);
    let sent = send(&answer.told.reply);
    let status = if sent { answer.told.reply.status } else { 0 };
    // The answer is out; whatever becomes of the record, the status stands.
    let _ = catch_unwind(AssertUnwindSafe(|| record(answer, sent, started, args.sealed.is_some())));
    status
}

/// An answer, and what there is to record of it.
#[derive(Default)]
struct Answer {
    told: Told,
    judged: Option<ManuallyDrop<Judged>>,
    unusable: Vec<Unusable>,
    origin: Origin,
    /// The event as it came.
    event: Vec<u8>,
    /// Why the call could not be judged.
    inert: Option<String>,
    /// Where a guest keeps its records.
    records: Option<PathBuf>,
}

impl Answer {
    /// No objection, and nothing to record yet.
    fn of(args: &Args) -> Self {
        Self { records: args.selection.records.clone(), ..Self::default() }
    }
}

/// What came on stdin or as an argument.
enum Received {
    /// A call.
    Call(Box<Payload>, Voice),
    /// No call, or one that is not answered here.
    Nothing,
    /// It cannot be read.
    Unread,
}

fn answer(args: &Args) -> Answer {
    let mut event = Vec::new();
    let received = receive(args, &mut event);
    let Received::Call(payload, voice) = received else {
        let unread = matches!(received, Received::Unread);
        let inert = unread.then(|| "the call is no JSON object".to_owned());
        return Answer { event, inert, ..Answer::of(args) };
    };
    let Payload { command, cwd, tool, paths, cut, attended, mut origin } = *payload;
    let root = args.place.root(cwd.as_deref());
    let load = || match &args.sealed {
        Some(sealed) => Ok(Loaded::sealed(sealed)),
        None => args.selection.load(Around::Kept(root.as_deref())),
    };
    let mut loaded = match load() {
        Ok(loaded) => loaded,
        Err(error) => {
            let inert = Some(format!("the policy cannot be used: {error}"));
            let unusable = error.downcast().into_iter().collect();
            return Answer { unusable, origin, event, inert, ..Answer::of(args) };
        }
    };
    let unusable = std::mem::take(&mut loaded.faults).into_iter().map(Unusable::left_out).collect();
    if loaded.gate.asks_tools() && args.command.is_none() {
        // A call that does not tell its tool is one of a tool that no task allows.
        origin.tool.get_or_insert_default();
    }
    if !cut && !loaded.gate.may_concern(&command) && !loaded.gate.objects_to(tool, &origin) {
        // The process ends with the answer: nothing is gained by giving its memory back piece by piece.
        std::mem::forget(loaded);
        return Answer { unusable, origin, ..Answer::of(args) };
    }
    let told = loaded.gate.policies().iter().find_map(|policy| policy.mission.records);
    let records = args.selection.records.clone().or_else(|| told.map(PathBuf::from));
    if records.is_none() {
        // Nobody will record it, and it may be large.
        event = Vec::new();
    }
    let place = args.place.rooted(command, cwd.clone(), root, loaded.home_variable.as_deref());
    let mut call = ToolCall { tool, paths, cut, origin: origin.clone(), ..place };
    args.place.look(&mut call, cwd.as_deref(), &loaded.gate);
    let verdict = judge(&loaded, &call);
    let granted = args.sealed.is_none() && is_granted(&call, &verdict, &loaded);
    let heard = if granted { &Verdict::default() } else { &verdict };
    let unasked = loaded.gate.on_ask(voice.harness());
    let told = voice.tell(heard, &call.command, args.asking, attended, unasked);
    let judged = Judged { call, verdict, loaded, granted };
    Answer { told, judged: Some(ManuallyDrop::new(judged)), unusable, origin, event, inert: None, records }
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

/// Whether a person allowed this once; then it is used up. Asked only when there is an objection.
fn is_granted(call: &ToolCall, verdict: &Verdict, loaded: &Loaded) -> bool {
    if verdict.findings().is_empty() || call.cut || !call.tool.is_shell() {
        return false;
    }
    let Some((grants, cwd)) = grants().zip(call.cwd.as_deref()) else { return false };
    let bound = Bound { command: &call.command, cwd, policies: loaded.gate.policies() };
    grants.take(&bound, SystemTime::now())
}

fn receive(args: &Args, event: &mut Vec<u8>) -> Received {
    let choice = args.harness.unwrap_or(Choice::First { quiet: args.claude });
    if let Some(command) = &args.command {
        let (voice, origin) = harness::unseen(choice);
        *event = guest::made(command);
        return match command.is_empty() {
            true => Received::Nothing,
            false => {
                let payload = Payload { command: command.clone(), origin, ..Payload::default() };
                Received::Call(Box::new(payload), voice)
            }
        };
    }
    if std::io::stdin().lock().read_to_end(event).is_err() {
        return Received::Unread;
    }
    if args.native.as_ref().is_some_and(|native| is_left(native, event)) {
        return Received::Nothing;
    }
    match harness::receive(event, choice) {
        Some((payload, voice)) => Received::Call(Box::new(payload), voice),
        None if harness::is_event(event) => Received::Nothing,
        None => Received::Unread,
    }
}

/// Whether a call comes from a harness that asks through a registration of its own, too.
fn is_left(native: &OsStr, bytes: &[u8]) -> bool {
    let guest = harness::host::guest(bytes).unwrap_or_default();
    !guest.is_empty() && native.as_bytes().split(|byte| *byte == b',').any(|name| name == guest.as_bytes())
}

/// Writes a reply; tells whether it could. A harness that closed stdout cannot be answered: no opinion then.
fn send(reply: &Reply) -> bool {
    let mut stdout = std::io::stdout().lock();
    let sent = stdout.write_all(&reply.stdout).and_then(|()| stdout.flush()).is_ok();
    if sent {
        let _ = std::io::stderr().lock().write_all(&reply.stderr);
    }
    sent
}

fn record(answer: Answer, sent: bool, started: Instant, sealed: bool) {
    let latency = started.elapsed();
    let told = if sent { answer.told.decision } else { Decision::Allow };
    if let Some(records) = &answer.records {
        match (&answer.judged, &answer.inert) {
            (Some(judged), _) => guest::judged(records, judged, &answer.event, told),
            (None, Some(why)) => guest::inert(records, why, &answer.event, &answer.origin),
            (None, None) => {}
        }
    }
    let Some(directory) = records::directory().filter(|_| !sealed) else { return };
    records::faults(&directory, &answer.unusable, &answer.origin);
    if let Some(judged) = &answer.judged {
        records::decided(&directory, judged, told, latency);
    }
}
