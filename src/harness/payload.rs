//! What a harness hands to a hook on stdin. Owns the field names; must never refuse a payload
//! aloud: what is not a shell call is `None`, and the hook then has no opinion.

use serde::de::{Deserializer as _, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A shell call as a harness describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// The text that would go to the shell. A lone surrogate escape, which no UTF-8 text can hold,
    /// stands as its three generalised UTF-8 (WTF-8) bytes: the words around it are judged still.
    pub command: Vec<u8>,
    /// The directory that the payload names.
    pub cwd: Option<PathBuf>,
    /// Who makes the call.
    pub origin: Origin,
}

/// Who makes a call, where the payload tells. No verdict depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The harness's session.
    pub session: Option<String>,
    /// The sub-agent.
    pub agent: Option<String>,
    /// The sub-agent's kind.
    pub agent_type: Option<String>,
    /// The hook's event.
    pub event: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// The harness's own name for the call.
    pub tool_use: Option<String>,
}

/// Reads a payload: `tool_input.command` (Codex, Claude, and most others) or `toolInput.command`
/// (Grok). `None` when it is not a JSON object with a command that is a non-empty string.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<Payload> {
    let event = object(std::str::from_utf8(bytes).ok()?)?;
    let command = ["tool_input", "toolInput"]
        .into_iter()
        .filter_map(|key| object(event.get(key)?.get()))
        .find_map(|input| string(input.get("command")?))
        .filter(|command| !command.is_empty())?;
    let cwd = event.get("cwd").and_then(|cwd| string(cwd)).filter(|cwd| !cwd.is_empty());
    Some(Payload { command, cwd: cwd.map(path), origin: origin(&event) })
}

/// Each field has a spelling with underscores, and one without in Grok and Copilot.
fn origin(event: &BTreeMap<String, &RawValue>) -> Origin {
    let text = |names: &[&str]| {
        let value = names.iter().find_map(|name| string(event.get(*name)?))?;
        Some(String::from_utf8_lossy(&value).into_owned()).filter(|value| !value.is_empty())
    };
    Origin {
        session: text(&["session_id", "sessionId"]),
        agent: text(&["agent_id", "agentId"]),
        agent_type: text(&["agent_type", "agentType", "subagentType"]),
        event: text(&["hook_event_name", "hookEventName"]),
        tool: text(&["tool_name", "toolName"]),
        tool_use: text(&["tool_use_id", "toolUseId"]),
    }
}

/// The members of a JSON object, unread; the last of equal names counts.
#[must_use]
pub fn object(text: &str) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(text).ok()
}

/// The bytes of a JSON string; `None` for every other value.
#[must_use]
pub fn string(value: &RawValue) -> Option<Vec<u8>> {
    serde_json::Deserializer::from_str(value.get()).deserialize_bytes(Bytes).ok()
}

fn path(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

/// Takes a JSON string as bytes, the only reading that accepts lone surrogates.
struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
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
