//! `stanchion grant`: a person at a terminal allows one command text once. Owns the question; must never
//! grant where nobody can answer it, and no denial may tell of it.

use super::layers::{Around, directory};
use super::out;
use super::place::Place;
use super::selection::Selection;
use super::trust::{own_name, printable};
use anyhow::{Context as _, anyhow};
use stanchion::grants::{Bound, Grants};
use std::ffi::OsString;
use std::io::{BufRead as _, IsTerminal as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Allow one exact command text once, in one directory
///
/// Exit status: 0 granted, 1 not confirmed or not needed, 64 wrong usage or no terminal.
#[derive(clap::Args)]
pub struct Args {
    /// The exact text that was objected to
    command: OsString,
    /// The directory in which it will run [default: this one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// How long the grant waits for its use
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=60))]
    minutes: u16,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    selection: Selection,
}

/// Where grants are.
pub fn grants() -> Option<Grants> {
    Some(Grants { directory: directory("XDG_STATE_HOME", ".local/state")?.join("grants") })
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    own_name()?;
    let stdin = std::io::stdin();
    if !stdin.is_terminal() || !std::io::stderr().is_terminal() {
        return Err(anyhow!("a grant is given by a person at a terminal, and there is none"));
    }
    let grants = grants().context("HOME is not set: there is nowhere to keep a grant")?;
    let root = args.place.root(args.cwd.as_deref());
    // As the hook will load it.
    let loaded = args.selection.load(Around::Fresh(root.as_deref()))?;
    let command = args.command.clone().into_vec();
    let mut call = args.place.call(command, args.cwd.clone(), loaded.home_variable.as_deref());
    args.place.look(&mut call, args.cwd.as_deref(), &loaded.gate);
    let cwd = call.cwd.clone().context("the directory is not known; name it with --cwd")?;
    let verdict = loaded.gate.judge(&call);
    if verdict.findings().is_empty() {
        out::complain("stanchion: nothing objects to it under these policies; nothing was granted\n");
        return Ok(1);
    }
    let text = String::from_utf8_lossy(&call.command).into_owned();
    for line in text.lines() {
        out::complain(&format!("  {}\n", printable(line)));
    }
    for finding in verdict.findings() {
        let reason = printable(&finding.reason);
        out::complain(&format!("{} [{}] {reason}\n", finding.decision.name(), finding.code));
    }
    let (place, minutes) = (cwd.display(), args.minutes);
    out::complain(&format!("allow this once in {place} within {minutes} minutes? Type yes: "));
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    if answer.trim() != "yes" {
        out::complain("stanchion: nothing was granted\n");
        return Ok(1);
    }
    let bound = Bound { command: &call.command, cwd: &cwd, policies: loaded.gate.policies() };
    let time = Duration::from_secs(60 * u64::from(minutes));
    grants.put(&bound, SystemTime::now(), time).with_context(|| grants.directory.display().to_string())?;
    out::complain("stanchion: granted once\n");
    Ok(0)
}
