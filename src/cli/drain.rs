//! `stanchion drain`: takes records out of guests into a database. Owns its arguments, repetition and
//! exit codes.

mod progress;
mod sources;

use super::database::Database;
use super::out;
use progress::Progress;
use serde::Serialize;
use stanchion::mission::host::store::{Purpose, Store};
use stanchion::mission::host::{self, Cap, Job, Report};
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Take the records of guests into a database, without loss and without doubles
///
/// What a guest recorded becomes events (see `stanchion events`); what is stored is removed from the
/// guest. It may be killed at any time: the next drain goes on.
///
/// Exit status: 0 all is stored, 1 something waits for the next drain, 64 wrong usage.
#[derive(clap::Args)]
pub struct Args {
    /// dir:PATH, docker:CONTAINER[:PATH], podman:CONTAINER[:PATH], ssh:HOST[:PATH] or cmd:PROGRAM
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
    /// A TOML file with more of them ([[source]] from, mission, phase, run, agent, sessions, program,
    /// client, options)
    #[arg(long = "sources", value_name = "FILE")]
    file: Option<PathBuf>,
    /// The mission to which the records belong
    #[arg(long, value_name = "NAME")]
    mission: Option<String>,
    /// The phase of the mission
    #[arg(long, value_name = "NAME")]
    phase: Option<String>,
    /// The run
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// The agent that works in the guest, where it is the only one
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Whose a session of the harness is; may be repeated
    #[arg(long = "session", value_name = "SESSION=AGENT", value_parser = sources::session)]
    sessions: Vec<(String, String)>,
    /// What runs in a guest in place of `stanchion`: the path of a baked program
    #[arg(long, value_name = "PATH")]
    program: Option<String>,
    /// How many tool.call and file.touch events a phase keeps, over all drains; or `none`
    #[arg(long, value_name = "N", default_value_t = Cap::LIMIT.to_string())]
    cap: String,
    /// Drain again and again, so many seconds apart
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// How many sources are drained at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    at_once: u16,
    /// How many seconds a guest may be silent
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    patience: u64,
    /// Print one JSON object for each drain
    #[arg(long)]
    json: bool,
    /// Say nothing of the progress on stderr
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    database: Database,
}

#[derive(Serialize)]
struct Drained<'a> {
    schema: u32,
    sources: &'a [Report],
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let mut jobs = sources::jobs(args)?;
    let sources::Cap(cap) = sources::cap(&args.cap).map_err(|what| anyhow::anyhow!("--cap: {what}"))?;
    let name = args.database.name()?;
    let mut open = None;
    loop {
        let started = Instant::now();
        let status = once(args, &mut jobs, &name, &mut open, cap)?;
        let Some(every) = args.every else { return Ok(status) };
        sleep(Duration::from_secs(every).saturating_sub(started.elapsed()));
    }
}

/// One drain of all sources. A database that cannot be opened is tried again next time.
fn once(
    args: &Args,
    jobs: &mut [Job],
    name: &str,
    open: &mut Option<Mutex<Box<dyn Store>>>,
    cap: Option<u64>,
) -> anyhow::Result<u8> {
    let store = match open.take() {
        Some(store) => store,
        None => match Database::open(name, Purpose::Write) {
            Ok(store) => Mutex::new(store),
            Err(fault) => {
                out::complain(&format!("stanchion: {}\n", super::trust::printable(&fault.message)));
                return Ok(1);
            }
        },
    };
    let names = jobs.iter().map(|job| job.name.clone()).collect();
    let progress = Progress::new(names, args.quiet);
    let observe = |source, step: host::Step<'_>| {
        if let Some(progress) = &progress {
            progress.step(source, step);
        }
    };
    let reports = host::drain(jobs, &store, cap, args.at_once.into(), &observe);
    drop(progress);
    *open = Some(store);
    if args.json {
        out::json(&Drained { schema: host::SCHEMA, sources: &reports })?;
    } else {
        out::say(reports.iter().map(progress::line).collect::<String>());
    }
    let waits = |report: &Report| !report.faults.is_empty() || !report.busy.is_empty();
    Ok(u8::from(reports.len() < jobs.len() || reports.iter().any(waits)))
}
