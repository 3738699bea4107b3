//! Calls as a transcript keeps them: a tool's name and its input, apart from the event that a hook would
//! have got. Must read them as the hook would have.

use super::payload::{Members, Payload};
use super::read::read;
use super::table::Harness;
use serde_json::Value;
use serde_json::value::to_raw_value;

static UNKNOWN: Harness = Harness::UNKNOWN;

/// What a call of a tool asks for. An input may be spelled as a string of JSON.
#[must_use]
pub fn past(harness: Option<&'static Harness>, tool: &str, input: &Value) -> Payload {
    let own = harness.unwrap_or(&UNKNOWN);
    let table = Harness {
        event: &[],
        tool: &["tool"],
        input: &["input"],
        cwd: &["cwd"],
        session: &[],
        agent: &[],
        agent_type: &[],
        tool_use: &[],
        attended: &[],
        twin: None,
        ..*own
    };
    let (Ok(tool), Ok(input)) = (to_raw_value(tool), to_raw_value(input)) else { return Payload::default() };
    let event: Members<'_> = [("tool".to_owned(), &*tool), ("input".to_owned(), &*input)].into();
    read(&event, &table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Tool;
    use crate::harness::named;
    use serde_json::json;

    #[test]
    fn inputs_are_read_as_their_harness_sends_them() {
        let text = |name: &str, tool: &str, input: Value| past(named(name), tool, &input);
        assert_eq!(text("codex", "exec_command", json!("{\"cmd\":\"ls\"}")).command, b"ls");
        assert_eq!(
            text("claude", "Bash", json!({"command": "ls", "run_in_background": true})).tool,
            Tool::BackgroundShell
        );
        assert_eq!(text("claude", "Write", json!({"file_path": "/a", "content": "x"})).paths.len(), 1);
        assert!(text("gemini", "google_web_search", json!({"query": "ls"})).command.is_empty());
    }
}
