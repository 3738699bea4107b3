//! From a line of a transcript to the calls in it. Owns the search; must never take a text for a call because it
//! looks like one inside of a string.

use super::table::{FORMATS, Format, SHELLS, Shape};
use crate::audit::MARK;
use crate::call::{Effect, Tool};
use crate::harness::{self, past};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// A call that an agent made, or wanted to make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// The format's place in `FORMATS`.
    pub format: usize,
    /// The harness's session.
    pub session: Option<String>,
    /// The harness's name for the call.
    pub id: Option<String>,
    /// The directory.
    pub cwd: Option<PathBuf>,
    /// The kind of tool.
    pub tool: Tool,
    /// The text that goes to the shell, or does what a file tool would.
    pub command: Vec<u8>,
    /// What a file tool would touch.
    pub paths: Vec<(Effect, PathBuf)>,
    /// Whether a part of the command was left out when it was recorded, a secret or the middle.
    pub partial: bool,
    /// Whether it only repeats another line about the same call.
    pub repeats: bool,
}

/// What stands around the calls of a file or of a line.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// The directory.
    pub cwd: Option<PathBuf>,
    /// The session.
    pub session: Option<String>,
}

/// Members that name a directory, and members that name a session.
const CWD: [&str; 3] = ["cwd", "directory", "workdir"];
const SESSION: [&str; 3] = ["sessionId", "session_id", "sessionID"];

impl Around {
    /// What one object says, else what held before.
    fn with(&self, object: &Map<String, Value>) -> Self {
        let text = |names: &[&str]| names.iter().find_map(|name| object.get(*name)?.as_str());
        let cwd = text(&CWD).map(|cwd| cwd.strip_prefix("file://").unwrap_or(cwd));
        let cwd = cwd.filter(|cwd| cwd.starts_with('/')).map(PathBuf::from);
        let session = text(&SESSION).map(ToOwned::to_owned);
        Self { cwd: cwd.or_else(|| self.cwd.clone()), session: session.or_else(|| self.session.clone()) }
    }

    /// The first directory and session that a value tells of.
    pub fn of(value: &Value) -> Self {
        let mut found = Self::default();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if let Value::Object(object) = value {
                found = Self::default().with(object).or(found);
                open.extend(object.values());
            }
        }
        found
    }

    /// This, and the other where this says nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { cwd: self.cwd.or(other.cwd), session: self.session.or(other.session) }
    }
}

/// The calls in a value.
#[must_use]
pub fn calls(format: &'static Format, value: &Value, around: &Around) -> Vec<Past> {
    let mut found = Vec::new();
    collect(format, value, around, &mut found);
    found
}

/// Whether a text is JSON with a call of this format in it.
pub fn has_call(format: &'static Format, text: &str) -> bool {
    let value: Result<Value, _> = serde_json::from_str(text);
    value.is_ok_and(|value| !calls(format, &value, &Around::default()).is_empty())
}

fn collect(format: &'static Format, value: &Value, around: &Around, found: &mut Vec<Past>) {
    match value {
        Value::Object(object) => {
            if let Some(shape) = format.shapes.iter().find(|shape| fits(shape, object)) {
                found.extend(call(format, shape, object, &around.with(object)));
                return;
            }
            let around = around.with(object);
            object.values().for_each(|value| collect(format, value, &around, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(format, item, around, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn fits(shape: &Shape, object: &Map<String, Value>) -> bool {
    shape.has.iter().all(|(name, text)| match (object.get(*name), text) {
        (Some(value), Some(text)) => value.as_str() == Some(text),
        (Some(_), None) => true,
        (None, _) => false,
    })
}

fn call(
    format: &'static Format,
    shape: &Shape,
    object: &Map<String, Value>,
    around: &Around,
) -> Option<Past> {
    let text = |name: &str| Some(object.get(name)?.as_str()?.to_owned());
    let (first, rest) = shape.input.split_once('.').unwrap_or((shape.input, ""));
    let input = rest
        .split('.')
        .filter(|name| !name.is_empty())
        .try_fold(object.get(first)?, |value, name| value.get(name))?;
    let base = Past {
        format: FORMATS.iter().position(|known| std::ptr::eq(known, format))?,
        session: around.session.clone(),
        id: text(shape.id),
        cwd: around.cwd.clone(),
        ..Past::default()
    };
    let Some(tool) = shape.tool else { return direct(base, object, input) };
    let payload = past(harness::named(format.name), &text(tool)?, input);
    let cwd = payload.cwd.or(base.cwd);
    let kept = !payload.command.is_empty();
    kept.then_some(Past { cwd, tool: payload.tool, command: payload.command, paths: payload.paths, ..base })
}

/// A call that tells its command itself: a record, or what a harness ran.
fn direct(base: Past, object: &Map<String, Value>, input: &Value) -> Option<Past> {
    let command = match input {
        Value::String(text) => text.clone(),
        Value::Array(words) => joined(words)?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let length = object.get("command_bytes").and_then(Value::as_u64);
    let partial = length.is_some_and(|length| length != command.len() as u64)
        || (length.is_some() && command.contains(MARK));
    let repeats = object.get("finding").and_then(Value::as_u64).is_some_and(|finding| finding > 0);
    Some(Past { command: command.into_bytes(), partial, repeats, ..base })
        .filter(|past| !past.command.is_empty())
}

/// The text that a program's words run: of a shell's `-c` the text, else the words.
fn joined(words: &[Value]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
    if let [program, option, text] = words.as_slice()
        && SHELLS.contains(&program.rsplit('/').next().unwrap_or(program))
        && option.starts_with('-')
        && option.ends_with('c')
    {
        return Some((*text).to_owned());
    }
    let quoted = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''")));
    Some(quoted.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_become_the_text_that_runs() {
        let text = |words: Value| joined(words.as_array().map_or(&[], Vec::as_slice));
        assert_eq!(
            text(json!(["/bin/bash", "-lc", "git reset --hard"])).as_deref(),
            Some("git reset --hard")
        );
        assert_eq!(text(json!(["grep", "-c", "rm -rf /"])).as_deref(), Some("'grep' '-c' 'rm -rf /'"));
        assert_eq!(text(json!(["rm", "it's"])).as_deref(), Some("'rm' 'it'\\''s'"));
        assert_eq!(text(json!(["ls", 1])), None);
    }
}
