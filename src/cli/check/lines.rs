//! `check --jsonl`: one answer line for each line, in order, as they come. Must never stop at a bad
//! line and never hold more than one.

use super::{Args, Listed, listed};
use crate::cli::{selection::Loaded, shown};
use serde::Serialize;
use serde_json::value::RawValue;
use stanchion::call::ToolCall;
use stanchion::harness::payload::{object, string};
use stanchion::shell;
use stanchion::verdict::Verdict;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

#[derive(Serialize)]
struct Line<'a> {
    id: Option<&'a RawValue>,
    #[serde(flatten)]
    answer: shown::Answer<'a>,
    #[serde(flatten)]
    listed: Option<Listed>,
}

#[derive(Serialize)]
struct Bad<'a> {
    id: Option<&'a RawValue>,
    error: String,
}

/// Answers stdin's lines on stdout until either ends.
pub fn run(args: &Args, loaded: &Loaded) -> anyhow::Result<()> {
    let input = BufReader::with_capacity(1 << 16, std::io::stdin().lock());
    let output = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    match stream(input, output, Judge { args, loaded, place: None }) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

fn stream<R: std::io::Read>(
    mut input: BufReader<R>,
    mut output: impl Write,
    mut judge: Judge,
) -> std::io::Result<()> {
    let mut line = Vec::new();
    for number in 1_usize.. {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if !line.trim_ascii().is_empty() {
            judge.answer(&line, number, &mut output)?;
        }
        // Whoever waits for an answer before the next question must get it.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    output.flush()
}

/// Judges lines; remembers the last place, since it mostly stays the same.
struct Judge<'a> {
    args: &'a Args,
    loaded: &'a Loaded,
    place: Option<(Option<PathBuf>, ToolCall)>,
}

impl Judge<'_> {
    fn answer(&mut self, line: &[u8], number: usize, output: &mut impl Write) -> std::io::Result<()> {
        let members = std::str::from_utf8(line).ok().and_then(object);
        let Some(members) = members else {
            return put(output, &bad(None, number, "not a JSON object"));
        };
        let id = members.get("id").copied();
        let Some(command) = members.get("command").and_then(|value| string(value)) else {
            return put(output, &bad(id, number, "no `command` that is a string"));
        };
        let cwd = members.get("cwd").and_then(|value| string(value));
        let cwd = cwd.map(|bytes| PathBuf::from(std::ffi::OsString::from_vec(bytes)));
        let cwd = cwd.or_else(|| self.args.cwd.clone());
        let mut call = self.call(command, cwd.clone());
        self.args.place.look(&mut call, cwd.as_deref(), &self.loaded.gate);
        let (verdict, listed) = self.judge(&call);
        put(output, &Line { id, answer: shown::answer(&verdict), listed })
    }

    fn judge(&self, call: &ToolCall) -> (Verdict, Option<Listed>) {
        if !self.args.executions {
            return (self.loaded.gate.judge(call), None);
        }
        let script = shell::read(&call.command, self.loaded.queries);
        (self.loaded.gate.judge_script(call, &script), Some(listed(&script)))
    }

    fn call(&mut self, command: Vec<u8>, cwd: Option<PathBuf>) -> ToolCall {
        match &self.place {
            Some((known, call)) if *known == cwd => ToolCall { command, ..call.clone() },
            Some(_) | None => {
                let variable = self.loaded.home_variable.as_deref();
                let call = self.args.place.call(command, cwd.clone(), variable);
                let place = ToolCall { command: Vec::new(), ..call.clone() };
                self.place = Some((cwd, place));
                call
            }
        }
    }
}

fn bad<'a>(id: Option<&'a RawValue>, number: usize, what: &str) -> Bad<'a> {
    Bad { id, error: format!("line {number}: {what}") }
}

fn put(output: &mut impl Write, line: &impl Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(line).map_err(std::io::Error::other)?;
    text.push(b'\n');
    output.write_all(&text)
}
