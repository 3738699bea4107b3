//! What a harness hands to a hook on stdin. Owns the field names; must never refuse a payload
//! aloud: what is not a shell call is `None`, and the hook then has no opinion.

use super::string::decoded;
use super::tools;
use crate::call::{Effect, Origin, Tool};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The members of a JSON object, unread.
pub type Members<'t> = BTreeMap<String, &'t RawValue>;

/// A tool call as a harness describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// The text that would go to the shell, or does what a file tool would; empty for other tools. A lone surrogate escape, which no
    /// UTF-8 text can hold, stands as its three generalised UTF-8 (WTF-8) bytes: the words around it
    /// are judged still.
    pub command: Vec<u8>,
    /// The directory that the payload names.
    pub cwd: Option<PathBuf>,
    /// What kind of tool is called.
    pub tool: Tool,
    /// The paths that a file tool would touch.
    pub paths: Vec<(Effect, PathBuf)>,
    /// Whether the harness cut the input off.
    pub cut: bool,
    /// Whether the payload says that a person can be asked.
    pub attended: bool,
    /// Who makes the call.
    pub origin: Origin,
}

/// Reads a payload of the first forms: `tool_input.command` (Codex, Claude, and most others) or
/// `toolInput.command` (Grok). `None` when it is not a JSON object with a command that is a
/// non-empty string, or when its tool is known to run none.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<Payload> {
    let event = object(std::str::from_utf8(bytes).ok()?)?;
    let command = command(&event)?;
    let cwd = event.get("cwd").and_then(|cwd| string(cwd)).filter(|cwd| !cwd.is_empty());
    Some(Payload { command, cwd: cwd.map(path), ..Payload::default() })
}

/// The command where the first forms have it.
pub(super) fn command(event: &Members<'_>) -> Option<Vec<u8>> {
    let command = ["tool_input", "toolInput"]
        .into_iter()
        .filter_map(|key| object(event.get(key)?.get()))
        .find_map(|input| string(input.get("command")?))
        .filter(|command| !command.is_empty())?;
    let tool = text(event, &["tool_name", "toolName"]).and_then(|name| tools::kind(&name));
    tool.is_none_or(Tool::is_shell).then_some(command)
}

/// The members of a JSON object, unread; the last of equal names counts.
#[must_use]
pub fn object(text: &str) -> Option<Members<'_>> {
    serde_json::from_str(text).ok()
}

/// The value at a place: member names from the top, joined by dots; a number counts in an array.
#[must_use]
pub fn at<'t>(event: &Members<'t>, place: &str) -> Option<&'t RawValue> {
    let mut names = place.split('.');
    let mut value = *event.get(names.next()?)?;
    for name in names {
        value = match name.parse::<usize>() {
            Ok(index) => serde_json::from_str::<Vec<&RawValue>>(value.get()).ok()?.get(index).copied()?,
            Err(_) => *object(value.get())?.get(name)?,
        };
    }
    Some(value)
}

/// The first non-empty string among some places.
#[must_use]
pub fn text(event: &Members<'_>, places: &[&str]) -> Option<String> {
    let value = places.iter().find_map(|place| string(at(event, place)?))?;
    Some(String::from_utf8_lossy(&value).into_owned()).filter(|value| !value.is_empty())
}

/// The bytes of a JSON string; `None` for every other value.
#[must_use]
pub fn string(value: &RawValue) -> Option<Vec<u8>> {
    decoded(value.get())
}

/// Bytes as a path.
#[must_use]
pub fn path(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(payload: &str) -> Option<Vec<u8>> {
        decode(payload.as_bytes()).map(|payload| payload.command)
    }

    #[test]
    fn both_spellings() {
        assert_eq!(command(r#"{"tool_input":{"command":"ls"}}"#), Some(b"ls".to_vec()));
        assert_eq!(command(r#"{"toolInput":{"command":"ls"}}"#), Some(b"ls".to_vec()));
        let mixed = r#"{"tool_input":"cut [truncated]","toolInput":{"command":"ls"}}"#;
        assert_eq!(command(mixed), Some(b"ls".to_vec()));
    }

    #[test]
    fn no_opinion() {
        for payload in [
            "",
            " ",
            "null",
            "[]",
            "{",
            "x",
            "{}",
            r#"{"tool_input":{}}"#,
            r#"{"tool_input":null}"#,
            r#"{"tool_input":{"command":1}}"#,
            r#"{"tool_input":{"command":null}}"#,
            r#"{"tool_input":{"command":["ls"]}}"#,
            r#"{"tool_input":{"command":""}}"#,
            r#"{"tool_input":{"command":"ls"}} trailing"#,
            r#"{"command":"ls"}"#,
        ] {
            assert_eq!(command(payload), None, "{payload}");
        }
        assert_eq!(decode(b"{\"tool_input\":{\"command\":\"\xff\"}}"), None);
    }

    #[test]
    fn odd_text_is_text() {
        assert_eq!(command(r#"{"tool_input":{"command":"a\u0000b"}}"#), Some(b"a\0b".to_vec()));
        assert_eq!(command(r#"{"tool_input":{"command":"\ud800;x"}}"#), Some(b"\xed\xa0\x80;x".to_vec()));
        assert_eq!(command(r#"{"tool_input":{"command":"\ud83d\ude00"}}"#), Some("😀".into()));
        assert_eq!(command(r#"{"x":"\ud800","tool_input":{"command":"ls"}}"#), Some(b"ls".to_vec()));
    }
}
