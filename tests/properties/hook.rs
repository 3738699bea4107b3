//! The hook: any bytes are a payload or none, a text survives its JSON, and a reply says one thing.

use super::ensure;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::harness;
use stanchion::policy;
use stanchion::verdict::Decision;

/// Checks bytes as a payload, and as the command of one.
pub fn check(bytes: &[u8]) -> Result<(), String> {
    if let Some(payload) = harness::decode(bytes) {
        ensure(!payload.command.is_empty(), || "an empty command".to_owned())?;
        answer(payload.command)?;
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    for key in ["tool_input", "toolInput"] {
        let json = serde_json::json!({ "cwd": "/srv", key: { "command": text } }).to_string();
        let command = harness::decode(json.as_bytes()).map(|payload| payload.command);
        let wanted = Some(text.clone().into_bytes()).filter(|text| !text.is_empty());
        ensure(command == wanted, || format!("{json} gives {command:?}"))?;
    }
    answer(text.into_bytes())
}

fn answer(command: Vec<u8>) -> Result<(), String> {
    let gate = Gate::new(policy::shipped("firstmate").into_iter().collect());
    let verdict = gate.judge(&ToolCall::shell(command));
    for quiet in [false, true] {
        let reply = harness::reply(&verdict, quiet);
        let silent = reply == harness::Reply::default();
        ensure(silent == (verdict.decision() == Decision::Allow), || format!("{reply:?}"))?;
        if silent {
            continue;
        }
        ensure(reply.status == 2 && quiet == reply.stdout.is_empty(), || format!("{reply:?}"))?;
        let json = serde_json::from_slice::<serde_json::Value>(&reply.stderr);
        let message = json.ok().and_then(|json| Some(json.get("systemMessage")?.as_str()?.to_owned()));
        ensure(message.is_some_and(|text| text.starts_with('[')), || format!("{reply:?}"))?;
    }
    Ok(())
}
