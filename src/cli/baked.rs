//! A program with a policy in it. Owns the few commands that such a program has; must never let a file, an option
//! or a variable say what applies.

use super::bake::{Row, rows};
use super::{batch, guest, hook, is_call_waiting, out, records, tap};
use serde::Serialize;
use stanchion::call::{Origin, ToolCall};
use stanchion::harness;
use stanchion::mission::seal::{Sealed, State};
use stanchion::mission::{File, Records};
use stanchion::verdict::Decision;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The version of the JSON.
const SCHEMA: u32 = 1;

/// What `--help` prints.
const HELP: &str = "\
The gate of a guest, with its policy inside: no file, option or variable changes what applies.

Usage: FILE hook [--harness <NAME>]    answer a hook call on stdin
       FILE tap [--harness <NAME>]     note what a tool did, from the event after its call
       FILE doctor [--json]            whether it protects
       FILE batch take [--limit <N>]   write the records that wait to be fetched to stdout
       FILE batch ack <ID>...          remove records that are stored
       FILE --version                  the seal, and the digests of its policies
";

/// Runs the program with the arguments behind its name.
pub fn run(state: State, argv: &[OsString]) -> u8 {
    let Some((first, rest)) = argv.split_first() else {
        return if is_call_waiting() { answer(state, &[]) } else { usage() };
    };
    match first.to_str() {
        Some("hook") => answer(state, rest),
        Some("tap") => note(&state, rest),
        Some("batch") => take(&state, rest),
        Some("doctor") => doctor(&state, rest),
        Some("--version" | "-V" | "version") => version(&state),
        Some("--help" | "-h" | "help") => {
            out::say(HELP);
            0
        }
        _ => usage(),
    }
}

fn usage() -> u8 {
    out::complain(&format!(
        "stanchion: a policy is baked into this program, which has no such command\n\n{HELP}"
    ));
    super::USAGE
}

fn directory(state: &State) -> Option<PathBuf> {
    match state {
        State::Open => None,
        State::Sealed(sealed) => Some(sealed.baked.records.clone()),
        State::Broken { records, .. } => records.clone(),
    }
}

/// Answers a call. A gate whose seal is broken cannot work: it says so in a record, and objects to nothing.
fn answer(state: State, argv: &[OsString]) -> u8 {
    match state {
        State::Sealed(sealed) => hook::sealed(sealed, argv),
        State::Broken { why, records } => {
            records::watch_panics();
            let mut event = Vec::new();
            let _ = std::io::stdin().lock().read_to_end(&mut event);
            if let Some(records) = records {
                let why = format!("the seal is broken: {why}");
                guest::inert(&records, &why, &event, &Origin::default());
            }
            0
        }
        State::Open => 0,
    }
}

fn note(state: &State, argv: &[OsString]) -> u8 {
    let hint = tap::value(argv, "--harness").and_then(OsStr::to_str).and_then(harness::named);
    if let Some(directory) = directory(state) {
        tap::note(&directory, hint);
    }
    0
}

fn take(state: &State, argv: &[OsString]) -> u8 {
    let Some(directory) = directory(state) else { return usage() };
    let words: Vec<&str> = argv.iter().filter_map(|word| word.to_str()).collect();
    match words.as_slice() {
        ["take"] => batch::take(&directory, usize::MAX),
        ["take", "--limit", limit] => {
            limit.parse().map_or_else(|_| usage(), |limit| batch::take(&directory, limit))
        }
        ["ack", ids @ ..] if !ids.is_empty() => {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            batch::acknowledge(&directory, &ids).unwrap_or_else(|error| {
                out::complain(&format!("stanchion batch: {error}\n"));
                super::USAGE
            })
        }
        _ => usage(),
    }
}

fn version(state: &State) -> u8 {
    let mut text = format!("stanchion {}\n", env!("CARGO_PKG_VERSION"));
    match state {
        State::Sealed(sealed) => {
            text += &format!("seal {}\nrecords {}\n", sealed.digest, sealed.baked.records.display());
            for Row { name, digest } in rows(&sealed.policies) {
                text += &format!("policy {name} {digest}\n");
            }
            out::say(text);
            0
        }
        State::Broken { why, .. } => {
            out::say(text + &format!("the seal is broken: {why}\n"));
            1
        }
        State::Open => 1,
    }
}

#[derive(Serialize)]
struct Report {
    schema: u32,
    healthy: bool,
    seal: Option<String>,
    record_dir: Option<String>,
    policies: Vec<Row>,
    problems: Vec<String>,
}

/// What some policy denies. None of it is ever run: the gate only judges it.
const DENIED: [&str; 3] =
    ["rm -rf /", "git push --force origin main", "claude --dangerously-skip-permissions"];

/// Says whether the gate protects. The status is 1 when it does not.
fn doctor(state: &State, argv: &[OsString]) -> u8 {
    let mut problems = match state {
        State::Sealed(sealed) => unprotected(sealed),
        State::Broken { why, .. } => vec![format!("the seal is broken ({why}): bake and install it anew")],
        State::Open => Vec::new(),
    };
    let directory = directory(state);
    problems.extend(directory.as_deref().and_then(unwritable));
    let policies = if let State::Sealed(sealed) = state { rows(&sealed.policies) } else { Vec::new() };
    let seal = if let State::Sealed(sealed) = state { Some(sealed.digest.clone()) } else { None };
    let record_dir = directory.map(|directory| directory.display().to_string());
    let report =
        Report { schema: SCHEMA, healthy: problems.is_empty(), seal, record_dir, policies, problems };
    if argv.iter().any(|word| word == "--json") {
        // Strings only: nothing that JSON could not hold.
        let _ = out::json(&report);
    } else {
        let said: String = report.problems.iter().map(|problem| format!("{problem}\n")).collect();
        out::say(if report.healthy { "the gate protects\n".to_owned() } else { said });
    }
    u8::from(!report.healthy)
}

/// What is wrong when none of what a gate should deny is denied, or something harmless is.
fn unprotected(sealed: &Sealed) -> Vec<String> {
    let gate = super::selection::Loaded::sealed(sealed).gate;
    let decision = |text: &str| gate.judge(&ToolCall::shell(text)).decision();
    let asks = gate.asks_tools();
    let mut problems = Vec::new();
    if !asks && DENIED.iter().all(|text| decision(text) != Decision::Deny) {
        problems.push("its policies deny nothing by which it can be tried".to_owned());
    }
    if decision("echo stanchion") != Decision::Allow {
        problems.push("its policies object to `echo stanchion`".to_owned());
    }
    problems
}

fn unwritable(directory: &Path) -> Option<String> {
    let tried = Records::new(directory).append(File::Tools, b"");
    tried.err().map(|error| {
        format!("{}: records cannot be written ({error}): make it writable", directory.display())
    })
}
