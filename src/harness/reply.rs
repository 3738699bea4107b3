//! What a hook answers. Owns the exact bytes; must never say "allow" to a harness.

use crate::verdict::{Decision, Finding, Verdict};
use serde::Serialize;

/// The answer of one hook process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The exit status.
    pub status: u8,
    /// The bytes of standard output.
    pub stdout: Vec<u8>,
    /// The bytes of standard error.
    pub stderr: Vec<u8>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HookObject<'a> {
    hook_specific_output: HookOutput,
    system_message: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HookOutput {
    hook_event_name: &'static str,
    permission_decision: &'static str,
}

#[derive(Serialize)]
struct FlatObject<'a> {
    decision: &'static str,
    reason: &'a str,
}

/// Renders a verdict. These harnesses cannot ask, so `ask` is answered with a denial. `quiet`
/// leaves stdout empty: Claude ignores a denial when stdout is not.
#[must_use]
pub fn reply(verdict: &Verdict, quiet: bool) -> Reply {
    match verdict.deciding() {
        Some(finding) if finding.decision > Decision::Allow => deny(&message(finding), quiet),
        Some(_) | None => Reply::default(),
    }
}

/// A finding's text for an agent: `[code] reason`.
#[must_use]
pub fn message(finding: &Finding) -> String {
    format!("[{}] {}", finding.code, finding.reason)
}

/// The denial with this message.
#[must_use]
pub fn deny(message: &str, quiet: bool) -> Reply {
    Reply { status: 2, stdout: if quiet { Vec::new() } else { flat(message) }, stderr: hook(message) }
}

fn hook(message: &str) -> Vec<u8> {
    line(&HookObject {
        hook_specific_output: HookOutput { hook_event_name: "PreToolUse", permission_decision: "deny" },
        system_message: message,
    })
}

fn flat(message: &str) -> Vec<u8> {
    line(&FlatObject { decision: "deny", reason: message })
}

fn line(object: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(object).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_byte_for_byte() {
        let reply = deny("[code] a \"word\"", false);
        assert_eq!(reply.status, 2);
        assert_eq!(
            String::from_utf8_lossy(&reply.stderr),
            "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\"},\
             \"systemMessage\":\"[code] a \\\"word\\\"\"}\n"
        );
        assert_eq!(
            String::from_utf8_lossy(&reply.stdout),
            "{\"decision\":\"deny\",\"reason\":\"[code] a \\\"word\\\"\"}\n"
        );
        assert!(deny("[code] x", true).stdout.is_empty());
    }

    #[test]
    fn allow_is_silence() {
        assert_eq!(reply(&Verdict::default(), false), Reply::default());
    }
}
