//! Which harness sent a payload. Owns the marks that one harness alone leaves; must never heed the
//! environment, which children inherit, and must be silent in doubt.

use super::payload::{Members, at, object, text};
use super::{
    Harness, antigravity, claude, cline, codex, copilot, crush, cursor, droid, gemini, goose, grok, hermes,
    kimi, kiro, opencode, pi, qwen, vscode, windsurf,
};

/// The harness that sent a payload, where it shows.
#[must_use]
pub fn detect(event: &Members<'_>) -> Option<&'static Harness> {
    by_members(event).or_else(|| by_event(event)).or_else(|| by_names(event))
}

/// Members that one harness alone sends.
fn by_members(event: &Members<'_>) -> Option<&'static Harness> {
    let has = |name: &str| event.contains_key(name);
    Some(match () {
        () if has("cursor_version") => &cursor::HARNESS,
        () if has("agent_action_name") => &windsurf::HARNESS,
        () if has("clineVersion") || has("hookName") => &cline::HARNESS,
        () if has("toolCall") => &antigravity::HARNESS,
        () if has("client_type") => &kimi::HARNESS,
        () if has("toolArgs") => &copilot::HARNESS,
        () if has("toolInput") => &grok::HARNESS,
        () if has("hookEventName") => &vscode::HARNESS,
        () if is_object(event, "event") && has("ctx") => &pi::HARNESS,
        () if has("toolCallId") && has("toolName") => &pi::HARNESS,
        () if at(event, "output.args").is_some() || at(event, "input.tool").is_some() => &opencode::HARNESS,
        () if has("tool") && has("sessionID") => &opencode::HARNESS,
        () if has("matcher_context") => &goose::HARNESS,
        () if has("event") && has("tool_input") => &crush::HARNESS,
        () if has("turn_id") => &codex::HARNESS,
        () => return None,
    })
}

fn is_object(event: &Members<'_>, name: &str) -> bool {
    event.get(name).is_some_and(|value| object(value.get()).is_some())
}

/// Event names that one harness alone uses.
fn by_event(event: &Members<'_>) -> Option<&'static Harness> {
    match text(event, &["hook_event_name"])?.as_str() {
        "BeforeTool" | "AfterTool" => Some(&gemini::HARNESS),
        "pre_tool_call" | "post_tool_call" => Some(&hermes::HARNESS),
        "preToolUse" if !event.contains_key("session_id") => Some(&kiro::HARNESS),
        _ => None,
    }
}

/// Names of tools, modes and calls.
fn by_names(event: &Members<'_>) -> Option<&'static Harness> {
    let value = |name: &str| text(event, &[name]).unwrap_or_default();
    let (tool, mode) = (value("tool_name"), value("permission_mode"));
    if tool == "Execute" || matches!(mode.as_str(), "off" | "spec") || mode.starts_with("auto-") {
        return Some(&droid::HARNESS);
    }
    if event.contains_key("timestamp") {
        let qwen = tool == "run_shell_command" || matches!(mode.as_str(), "yolo" | "auto_edit");
        return qwen.then_some(&qwen::HARNESS);
    }
    let claude = event.contains_key("prompt_id") || value("tool_use_id").starts_with("toolu_");
    claude.then_some(&claude::HARNESS)
}
