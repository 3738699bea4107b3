//! Runs a registered hook as its harness would. Owns the child process and its time-out, and what
//! an answer means; must never interpret the command itself.

use super::entry::Command;
use super::facts::Harness;
use super::json::parse;
use process_control::{ChildExt as _, Control as _};
use std::io::Write as _;
use std::path::Path;
use std::process::{self, Stdio};
use std::time::{Duration, Instant};

/// A place in which no file can be made.
const NOWHERE: &str = "/dev/null";

/// What a hook answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its exit status; `None` when it was killed or never started.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Why it could not be run.
    pub fault: Option<String>,
    /// How long it took, in thousandths of a second.
    pub millis: u128,
}

/// What an answer means to a harness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The call is blocked.
    Blocked,
    /// There is no objection.
    Silent,
    /// The answer is not one that all harnesses read alike.
    Noise,
}

/// The payload of a harness's call.
#[must_use]
pub fn payload(harness: &Harness, command: &str, directory: &Path) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let directory = quoted(&directory.to_string_lossy());
    let inner = directory.get(1..directory.len().saturating_sub(1)).unwrap_or_default();
    harness.call.replace("$CWD", inner).replace("$COMMAND", &quoted(command))
}

/// Runs a command as the harness would: directly, or by a shell.
#[must_use]
pub fn run(command: &Command, direct: bool, input: &str, directory: &Path, limit: Duration) -> Answer {
    let started = Instant::now();
    let mut child = if direct {
        let mut child = process::Command::new(command.program());
        child.args(command.arguments());
        child
    } else {
        let mut child = process::Command::new("sh");
        child.arg("-c").arg(command.line());
        child
    };
    // A trial is nothing that happened: it leaves no record.
    child.env("XDG_STATE_HOME", NOWHERE);
    child.current_dir(directory).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut answer = match child.spawn() {
        Ok(child) => finish(child, input, limit),
        Err(error) => Answer { fault: Some(error.to_string()), ..Answer::default() },
    };
    answer.millis = started.elapsed().as_millis();
    answer
}

fn finish(mut child: process::Child, input: &str, limit: Duration) -> Answer {
    if let Some(mut stdin) = child.stdin.take() {
        // A hook that does not read its input is no problem.
        let _ = stdin.write_all(input.as_bytes());
    }
    match child.controlled_with_output().time_limit(limit).terminate_for_timeout().wait() {
        Ok(Some(output)) => Answer {
            status: output.status.code().and_then(|code| i32::try_from(code).ok()),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            ..Answer::default()
        },
        Ok(None) => {
            Answer { fault: Some(format!("no answer within {} ms", limit.as_millis())), ..Answer::default() }
        }
        Err(error) => Answer { fault: Some(error.to_string()), ..Answer::default() },
    }
}

/// What an answer means.
#[must_use]
pub fn meaning(answer: &Answer) -> Meaning {
    let stdout = answer.stdout.trim();
    let object = parse(stdout).ok().filter(|tree| !tree.root.members().is_empty() || stdout == "{}");
    let said = |names: &[&str]| -> Option<String> {
        let root = &object.as_ref()?.root;
        root.at(names)?.text().map(str::to_owned)
    };
    let paths: [&[&str]; 5] = [
        &["decision"],
        &["permission"],
        &["permissionDecision"],
        &["hookSpecificOutput", "permissionDecision"],
        &["action"],
    ];
    let words: Vec<String> = paths.into_iter().filter_map(said).collect();
    let cancels = object.as_ref().and_then(|tree| tree.root.get("cancel")).is_some();
    let blocks =
        cancels || words.iter().any(|word| matches!(word.as_str(), "deny" | "block" | "ask" | "force_ask"));
    let clean = stdout.is_empty() || object.is_some();
    match answer.status {
        Some(2) if clean && (blocks || !answer.stderr.trim().is_empty()) => Meaning::Blocked,
        Some(0) if clean && blocks => Meaning::Blocked,
        Some(0) if clean && answer.stderr.trim().is_empty() => Meaning::Silent,
        Some(_) | None => Meaning::Noise,
    }
}
