//! Which harness sends a call through another harness's registration. Owns the marks by which its
//! payload is known, keys that nobody else sends; must never look at the command.

use super::payload::{Members, object, string};

/// The harness that sends this payload, if it is one that reads the files of others.
#[must_use]
pub fn guest(bytes: &[u8]) -> Option<&'static str> {
    sender(&object(std::str::from_utf8(bytes).ok()?)?)
}

/// The same for a payload that was read already.
#[must_use]
pub fn sender(call: &Members<'_>) -> Option<&'static str> {
    let has = |key: &str| call.contains_key(key);
    let event = call.get("hookEventName").and_then(|value| string(value));
    if has("cursor_version") {
        Some("cursor")
    } else if event.as_deref() == Some(b"pre_tool_use") && has("workspaceRoot") {
        Some("grok")
    } else if event.is_some() && has("sessionId") && has("timestamp") {
        Some("vscode")
    } else if has("timestamp") && has("session_id") && !has("transcript_path") && !has("tool_use_id") {
        Some("copilot")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::guest;

    #[test]
    fn guests_are_known_by_their_payload() {
        let claude = br#"{"session_id":"a","transcript_path":"t","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}"#;
        assert_eq!(guest(claude), None);
        assert_eq!(guest(br#"{"cursor_version":"1","hook_event_name":"PreToolUse"}"#), Some("cursor"));
        let grok =
            br#"{"hookEventName":"pre_tool_use","workspaceRoot":"/p","sessionId":"s","timestamp":"t"}"#;
        assert_eq!(guest(grok), Some("grok"));
        let code = br#"{"hookEventName":"PreToolUse","sessionId":"s","timestamp":"t","tool_use_id":"x"}"#;
        assert_eq!(guest(code), Some("vscode"));
        let copilot = br#"{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"t","cwd":"/"}"#;
        assert_eq!(guest(copilot), Some("copilot"));
        assert_eq!(guest(b"{"), None);
    }
}
