//! `stanchion replay`: what a policy would have answered to what agents did before. Owns the arguments, the usual
//! places of transcripts and the report; must never judge.

mod places;
mod report;

use super::layers::Around;
use super::out;
use super::progress::Line;
use super::selection::{Loaded, Selection};
use anyhow::{Context as _, anyhow, bail};
use places::Places;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::history::{Chunks, Known, Past, Source, below, usual};
use stanchion::replay::{Limit, Replay, name};
use std::path::PathBuf;
use std::thread::available_parallelism;

/// The word for the policies that apply now.
const CURRENT: &str = "current";

/// Judge the calls of a history by a policy
///
/// Without PATH: this program's records and the transcripts of Claude Code, Codex, Grok, Gemini, OpenCode, Pi,
/// Copilot and Qwen, in their usual places. Nothing of them is run.
///
/// Exit status: 0 judged, 1 a bound is exceeded, 64 wrong usage or a file that cannot be used.
#[derive(clap::Args)]
pub struct Args {
    /// Transcripts, records, lists of commands ({"command": "…"} on each line), or folders of them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// Compare with this policy: a name or file as for --policy, or `current` for what applies without --policy
    #[arg(long, value_name = "NAME|FILE")]
    against: Vec<PathBuf>,
    /// Exit with 1 when this is exceeded: deny>0.5%, ask>100, new-deny>0; may be given more than once
    #[arg(long = "fail-on", value_name = "BOUND")]
    limits: Vec<Limit>,
    /// Print one JSON object (see docs/replay.md)
    #[arg(long)]
    json: bool,
    /// Print every call that is found, each as a line of JSON, and judge none
    #[arg(long, conflicts_with_all = ["json", "against", "limits"])]
    calls: bool,
    /// How many threads judge [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let sources = sources(&args.paths)?;
    if args.calls {
        return Ok(list(sources));
    }
    if args.against.is_empty() && args.limits.iter().any(Limit::compares) {
        bail!("a bound of new-deny compares two policies: name the other one with --against");
    }
    let loaded = args.selection.load(Around::Fresh(None))?;
    out::left_out(&loaded.faults);
    let against = against(args)?;
    let places = Places::new([Some(&loaded), against.as_ref()]);
    let place = |past: &Past, gate: &Gate| -> ToolCall { places.call(past, gate) };
    let threads = args.threads.map(usize::from);
    let threads = threads.or_else(|| available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let replay = Replay {
        gate: &loaded.gate,
        against: against.as_ref().map(|other| &other.gate),
        threads,
        place: &place,
    };
    let mut line = Line::new();
    let tally = replay.run(&sources, |progress| {
        line.show(|| format!("{} calls, {} MB", progress.calls, progress.bytes >> 20));
    });
    drop(line);
    let exceeded: Vec<&Limit> = args.limits.iter().filter(|limit| limit.is_exceeded(&tally)).collect();
    let report = report::Report::new(
        &sources,
        &tally,
        &loaded.gate,
        against.as_ref().map(|other| &other.gate),
        &exceeded,
    );
    if args.json {
        out::json(&report)?
    } else {
        out::say(report.text())
    }
    for damage in &tally.unreadable {
        let path =
            sources.get(damage.file).map(|source| source.path.display().to_string()).unwrap_or_default();
        out::complain(&format!("stanchion replay: {path}: {}\n", damage.message));
    }
    for limit in &exceeded {
        out::complain(&format!("stanchion replay: {limit}\n"));
    }
    Ok(u8::from(!exceeded.is_empty()))
}

fn against(args: &Args) -> anyhow::Result<Option<Loaded>> {
    if args.against.is_empty() {
        return Ok(None);
    }
    let named = args.against.iter().filter(|name| name.as_os_str() != CURRENT).cloned().collect();
    let only = args.selection.only && args.against.iter().all(|name| name.as_os_str() != CURRENT);
    let selection = Selection { policies: named, only, ..args.selection.clone() };
    selection.load(Around::Fresh(None)).map(Some)
}

/// The files that are named, or those in the usual places.
fn sources(paths: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    if paths.is_empty() {
        let found = usual(places::folder)?;
        return if found.is_empty() {
            Err(anyhow!("there is no transcript and no record in the usual places; name one"))
        } else {
            Ok(found)
        };
    }
    let mut all = Vec::new();
    for path in paths {
        let found = below(path).with_context(|| path.display().to_string())?;
        if found.is_empty() {
            bail!("{}: there is no transcript and no record that is known", path.display());
        }
        all.extend(found);
    }
    Ok(all)
}

/// Prints the calls of a history.
fn list(sources: Vec<Source>) -> u8 {
    let mut known = Known::default();
    let mut status = 0;
    for chunk in Chunks::new(sources) {
        let chunk = match chunk {
            Ok(chunk) => chunk,
            Err(damage) => {
                out::complain(&format!("stanchion replay: {}\n", damage.message));
                status = 1;
                continue;
            }
        };
        let mut lines = String::new();
        for (_, call) in chunk.calls().0 {
            if call.repeats || known.met(&call, chunk.file) {
                continue;
            }
            let value = serde_json::json!({
                "schema": report::SCHEMA,
                "harness": name(call.format),
                "session": call.session,
                "cwd": call.cwd.as_deref().map(std::path::Path::to_string_lossy),
                "shell": call.tool.is_shell(),
                "command": String::from_utf8_lossy(&call.command),
            });
            lines += &format!("{value}\n");
        }
        out::say(lines);
    }
    status
}
