//! What `check`, `explain` and `dump-tree` show of a script. Owns the public JSON shapes, which are
//! apart from the internal types; must never drop an unknown word.

use serde::Serialize;
use stanchion::shell::model::{Command, Script};
use stanchion::span::Span;
use stanchion::verdict::{Finding, Verdict};
use std::io::Read as _;

/// The version of the JSON that these commands write.
pub const SCHEMA: u32 = 1;

/// A byte range, `[from, to]`.
pub type Range = [usize; 2];

/// A span as people's programs read it.
pub fn range(span: Span) -> Range {
    [span.start, span.end]
}

/// A command that the text executes or may execute.
#[derive(Serialize)]
pub struct Execution {
    argv: Vec<Option<String>>,
    span: Range,
    chain: Vec<String>,
    certain: bool,
}

/// What decides, in one line.
#[derive(Serialize)]
pub struct Answer<'a> {
    decision: &'static str,
    code: Option<&'a str>,
    reason: Option<&'a str>,
}

/// A finding with its place.
#[derive(Serialize)]
pub struct Found<'a> {
    guard: &'a str,
    decision: &'static str,
    code: &'a str,
    reason: &'a str,
    span: Range,
    chain: &'a [String],
}

/// The deciding part of a verdict.
pub fn answer(verdict: &Verdict) -> Answer<'_> {
    let deciding = verdict.deciding();
    Answer {
        decision: verdict.decision().name(),
        code: deciding.map(|finding| finding.code.as_str()),
        reason: deciding.map(|finding| finding.reason.as_str()),
    }
}

/// Findings, the strongest first.
pub fn findings(findings: &[Finding]) -> Vec<Found<'_>> {
    findings.iter().map(found).collect()
}

fn found(finding: &Finding) -> Found<'_> {
    Found {
        guard: finding.guard,
        decision: finding.decision.name(),
        code: &finding.code,
        reason: &finding.reason,
        span: range(finding.span),
        chain: &finding.chain,
    }
}

/// Every command with words.
pub fn executions(script: &Script) -> Vec<Execution> {
    let commands = script.commands.iter().filter(|command| !command.words.is_empty());
    commands.map(|command| execution(script, command)).collect()
}

fn execution(script: &Script, command: &Command) -> Execution {
    Execution {
        argv: command.words.iter().map(|word| word.exact().map(text)).collect(),
        span: range(command.span),
        chain: script.chain(command),
        certain: command.certain,
    }
}

/// The opaque regions.
pub fn opaque(script: &Script) -> Vec<Range> {
    script.opaque.iter().map(|opaque| range(opaque.span)).collect()
}

/// Bytes for people.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The command line to look at: the argument, or all of stdin.
pub fn submitted(argument: Option<&std::ffi::OsString>) -> anyhow::Result<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt as _;
    if let Some(argument) = argument {
        return Ok(argument.as_bytes().to_vec());
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}
