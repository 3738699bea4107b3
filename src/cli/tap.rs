//! `stanchion tap`: an event after a call in, a line in `tools.jsonl`. Owns the rule that an observer never says
//! a word and never fails, whatever comes in: what it printed would be told to the model.

use super::{out, records};
use stanchion::harness::{self, Harness};
use stanchion::mission::{File, Observed, Records};
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What `--help` prints.
const HELP: &str = "\
Note what a tool did, from the event after its call

Usage: stanchion tap [--record-dir <DIR>] [--harness <NAME>]

Reads the event (PostToolUse, PostToolUseFailure and their like) as JSON from stdin and appends one line to
tools.jsonl in the record directory (docs/mission.md). Exit 0, and no output, whatever comes in.

Options:
      --record-dir <DIR>  The record directory [default: `mission` beside the other records]
      --harness <NAME>    Who sends the event, where it does not show
  -h, --help              Print help
";

/// Runs the tap with the arguments behind `tap`. The status is always 0.
pub fn status(argv: &[OsString]) -> u8 {
    if argv.iter().any(|word| word == "--help" || word == "-h") {
        out::say(HELP);
        return 0;
    }
    let directory = value(argv, "--record-dir").map(PathBuf::from).filter(|path| path.is_absolute());
    let directory = directory.or_else(|| Some(records::directory()?.join("mission")));
    let hint = value(argv, "--harness").and_then(OsStr::to_str).and_then(harness::named);
    if let Some(directory) = directory {
        note(&directory, hint);
    }
    0
}

/// Notes the event that stands on stdin.
pub fn note(directory: &Path, hint: Option<&'static Harness>) {
    records::watch_panics();
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let mut event = Vec::new();
        if std::io::stdin().lock().read_to_end(&mut event).is_err() {
            return;
        }
        if let Some(after) = harness::observe(&event, hint) {
            let observed = Observed::new(after, SystemTime::now(), std::process::id());
            let _ = Records::new(directory).append(File::Tools, &observed.line());
        }
    }));
}

/// The value of an option; what is not known is passed over.
pub fn value<'a>(argv: &'a [OsString], name: &str) -> Option<&'a OsStr> {
    let mut words = argv.iter();
    while let Some(word) = words.next() {
        if word == name {
            return words.next().map(OsString::as_os_str);
        }
        let inline = word.to_str().and_then(|word| word.strip_prefix(name)?.strip_prefix('='));
        if inline.is_some() {
            return inline.map(OsStr::new);
        }
    }
    None
}
