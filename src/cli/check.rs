//! `stanchion check`: the verdict for people and programs. Owns its report and exit codes.

mod lines;

use super::layers::Around;
use super::place::Place;
use super::selection::{Loaded, Selection};
use super::{out, shown};
use serde::Serialize;
use stanchion::shell;
use stanchion::verdict::{Decision, Verdict};
use std::ffi::OsString;
use std::path::PathBuf;

/// Judge a command line
///
/// Exit status: 0 allow, 3 ask, 2 deny; with --jsonl 0; 64 wrong usage.
#[derive(clap::Args)]
pub struct Args {
    /// The command line; stdin when left out
    #[arg(conflicts_with = "jsonl")]
    command: Option<OsString>,
    /// Print the verdict as one JSON object
    #[arg(long, conflicts_with = "jsonl")]
    json: bool,
    /// Read {"id","command","cwd"?} lines from stdin and answer each with one line
    #[arg(long)]
    jsonl: bool,
    /// List every command that the text executes or may execute
    #[arg(long)]
    executions: bool,
    /// The directory in which the command would run
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    #[serde(flatten)]
    answer: shown::Answer<'a>,
    findings: Vec<shown::Found<'a>>,
    shadowed: Vec<shown::Found<'a>>,
    #[serde(flatten)]
    listed: Listed,
}

/// What a text executes and what could not be read.
#[derive(Serialize)]
struct Listed {
    executions: Vec<shown::Execution>,
    opaque: Vec<shown::Range>,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let root = args.place.root(args.cwd.as_deref());
    let loaded = args.selection.load(Around::Fresh(root.as_deref()))?;
    out::left_out(&loaded.faults);
    if args.jsonl {
        lines::run(args, &loaded)?;
        return Ok(0);
    }
    single(args, &loaded)
}

fn single(args: &Args, loaded: &Loaded) -> anyhow::Result<u8> {
    let command = shown::submitted(args.command.as_ref())?;
    let mut call = args.place.call(command, args.cwd.clone(), loaded.home_variable.as_deref());
    args.place.look(&mut call, args.cwd.as_deref(), &loaded.gate);
    let script = shell::read(&call.command, loaded.queries);
    let verdict = loaded.gate.judge_script(&call, &script);
    if args.json {
        out::json(&Report {
            schema: shown::SCHEMA,
            answer: shown::answer(&verdict),
            findings: shown::findings(verdict.findings()),
            shadowed: shown::findings(verdict.shadowed()),
            listed: listed(&script),
        })?;
    } else {
        out::say(people(&verdict));
        if args.executions {
            out::say(listing(&script)?);
        }
    }
    Ok(status(verdict.decision()))
}

fn listed(script: &shell::model::Script) -> Listed {
    Listed { executions: shown::executions(script), opaque: shown::opaque(script) }
}

fn status(decision: Decision) -> u8 {
    match decision {
        Decision::Allow => 0,
        Decision::Ask => 3,
        Decision::Deny => 2,
    }
}

fn people(verdict: &Verdict) -> String {
    let line = |finding: &stanchion::verdict::Finding| {
        let chain = finding.chain.join(" > ");
        format!("{} [{}] {} ({chain})\n", finding.decision.name(), finding.code, finding.reason)
    };
    let mut text: String = verdict.findings().iter().map(line).collect();
    if text.is_empty() {
        text += "allow\n";
    }
    for finding in verdict.shadowed() {
        text += &format!("only recorded: {}", line(finding));
    }
    text
}

fn listing(script: &shell::model::Script) -> anyhow::Result<String> {
    let mut text = String::new();
    for execution in shown::executions(script) {
        text += &format!("executes {}\n", serde_json::to_string(&execution)?);
    }
    for [from, to] in shown::opaque(script) {
        text += &format!("opaque {from}..{to}\n");
    }
    Ok(text)
}
