//! `stanchion explain`: what a command line executes, and why it is judged as it is. Owns the notes
//! and their JSON; must never judge differently from `check`.

mod diagram;

use super::layers::Around;
use super::place::Place;
use super::selection::Selection;
use super::{out, shown};
use diagram::{Mark, Note};
use serde::Serialize;
use stanchion::call::ToolCall;
use stanchion::shell;
use stanchion::shell::model::{Command, Cooked, Script, Word};
use stanchion::verdict::{Finding, Verdict};
use std::ffi::OsString;
use std::path::PathBuf;

/// Show what a command line executes, and why it is judged as it is
#[derive(clap::Args)]
pub struct Args {
    /// The command line; stdin when left out
    command: Option<OsString>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The directory in which the command would run
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    selection: Selection,
}

/// Everything that there is to explain.
struct Explained {
    call: ToolCall,
    script: Script,
    verdict: Verdict,
    trace: Vec<(String, String)>,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let root = args.place.root(args.cwd.as_deref());
    let loaded = args.selection.load(Around::Fresh(root.as_deref()))?;
    out::left_out(&loaded.faults);
    let command = shown::submitted(args.command.as_ref())?;
    let mut call = args.place.call(command, args.cwd.clone(), loaded.home_variable.as_deref());
    args.place.look(&mut call, args.cwd.as_deref(), &loaded.gate);
    let script = shell::read(&call.command, loaded.queries);
    let verdict = loaded.gate.judge_script(&call, &script);
    let trace = loaded.gate.trace(&call, &script);
    let trace = trace.into_iter().map(|(guard, why)| (guard.to_string(), why)).collect();
    let explained = Explained { call, script, verdict, trace };
    if args.json {
        out::json(&explained.report())?;
    } else {
        out::say(explained.people(out::colour()));
    }
    Ok(0)
}

impl Explained {
    fn people(&self, colour: bool) -> String {
        let decision = self.verdict.decision().name();
        let code = self.verdict.deciding().map(|finding| format!(" [{}]", finding.code));
        let mut text = format!("{decision}{}\n", code.unwrap_or_default());
        text += &diagram::render(&self.call.command, self.notes(), colour);
        for finding in self.verdict.findings() {
            text += &format!("  = {}: [{}] {}\n", finding.guard, finding.code, finding.reason);
        }
        for finding in self.verdict.shadowed() {
            let Finding { guard, code, decision, reason, .. } = finding;
            text += &format!("  = {guard}: only recorded: {} [{code}] {reason}\n", decision.name());
        }
        for (guard, why) in &self.trace {
            text += &format!("  = {guard}: nothing, {why}\n");
        }
        text
    }

    fn notes(&self) -> Vec<Note> {
        let script = &self.script;
        let commands = script.commands.iter().filter_map(|command| executed(script, command));
        let cooked = script.commands.iter().flat_map(|command| &command.words).filter_map(|word| {
            let value = differs(&script.source, word)?;
            Some(Note::new(word.span, Mark::Value, format!("is {value}")))
        });
        let data =
            script.data.iter().map(|data| Note::new(data.span, Mark::Data, format!("data: {}", data.kind)));
        let opaque = script
            .opaque
            .iter()
            .map(|opaque| Note::new(opaque.span, Mark::Opaque, format!("cannot be read: {}", opaque.reason)));
        let findings = self.verdict.findings().iter().map(|finding| {
            let what = format!("{} [{}]", finding.decision.name(), finding.code);
            Note::new(finding.span, Mark::Finding, what)
        });
        commands.chain(cooked).chain(data).chain(opaque).chain(findings).collect()
    }

    fn report(&self) -> Report<'_> {
        let script = &self.script;
        Report {
            schema: shown::SCHEMA,
            command: shown::text(&script.source),
            answer: shown::answer(&self.verdict),
            findings: shown::findings(self.verdict.findings()),
            shadowed: shown::findings(self.verdict.shadowed()),
            executions: shown::executions(script),
            words: script
                .commands
                .iter()
                .flat_map(|command| &command.words)
                .map(|word| cooked(script, word))
                .collect(),
            data: script
                .data
                .iter()
                .map(|data| Region { span: shown::range(data.span), what: data.kind })
                .collect(),
            opaque: script
                .opaque
                .iter()
                .map(|opaque| Region { span: shown::range(opaque.span), what: opaque.reason })
                .collect(),
            trace: self.trace.iter().map(|(guard, why)| Silent { guard, why }).collect(),
        }
    }
}

/// The note on a command's first word: how it was reached.
fn executed(script: &Script, command: &Command) -> Option<Note> {
    let word = command.words.first()?;
    let verb = if command.certain { "executed" } else { "may be executed" };
    let chain = script.chain(command).join(" > ");
    Some(Note::new(word.span, Mark::Command, format!("{verb}: {chain}")))
}

/// A word's value where it is not what is written.
fn differs(source: &[u8], word: &Word) -> Option<String> {
    let written = word.span.slice(source);
    if word.exact() == Some(written) {
        return None;
    }
    let values: Vec<String> = word.values().map(value).collect();
    Some(values.join(" or "))
}

fn value(cooked: &Cooked) -> String {
    match cooked {
        Cooked::Exact(bytes) => format!("{:?}", shown::text(bytes)),
        Cooked::Affix { head, tail } => format!("{:?} … {:?}", shown::text(head), shown::text(tail)),
        Cooked::Pattern(glob) => format!("names like {:?}", shown::text(glob)),
        Cooked::Opaque => "unknown".to_owned(),
    }
}

fn cooked(script: &Script, word: &Word) -> CookedWord {
    CookedWord {
        span: shown::range(word.span),
        written: shown::text(word.span.slice(&script.source)),
        values: word.values().map(value).collect(),
        exact: word.exact().map(shown::text),
    }
}

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    command: String,
    #[serde(flatten)]
    answer: shown::Answer<'a>,
    findings: Vec<shown::Found<'a>>,
    shadowed: Vec<shown::Found<'a>>,
    executions: Vec<shown::Execution>,
    words: Vec<CookedWord>,
    data: Vec<Region<'a>>,
    opaque: Vec<Region<'a>>,
    trace: Vec<Silent<'a>>,
}

#[derive(Serialize)]
struct CookedWord {
    span: shown::Range,
    written: String,
    values: Vec<String>,
    exact: Option<String>,
}

#[derive(Serialize)]
struct Region<'a> {
    span: shown::Range,
    what: &'a str,
}

#[derive(Serialize)]
struct Silent<'a> {
    guard: &'a str,
    why: &'a str,
}
