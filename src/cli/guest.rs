//! What the hook writes into a guest's record directory. Owns the moment and the process that records tell;
//! must never change an answer.

use super::records::Judged;
use stanchion::call::Origin;
use stanchion::mission::{self, File, Inert, Records};
use stanchion::verdict::Decision;
use std::path::Path;
use std::time::SystemTime;

/// Records a judged call, if anything objected to it. `answered` is what the harness was told.
pub fn judged(directory: &Path, judged: &Judged, event: &[u8], answered: Decision) {
    let judged = mission::Judged {
        time: SystemTime::now(),
        process: std::process::id(),
        origin: judged.call.origin.clone(),
        cwd: judged.call.cwd.as_deref(),
        event,
        verdict: &judged.verdict,
        answered,
        policies: judged.loaded.gate.policies(),
    };
    let records = Records::new(directory);
    // There is nobody to tell, and the answer stands.
    if let Some(denial) = judged.denied() {
        let _ = records.append(File::Denied, &denial.line());
    }
    if let Some(denial) = judged.would_deny() {
        let _ = records.append(File::WouldDeny, &denial.line());
    }
}

/// Records a call that could not be judged.
pub fn inert(directory: &Path, why: &str, event: &[u8], origin: &Origin) {
    let inert = Inert::new(why, event, origin.clone(), SystemTime::now(), std::process::id());
    let _ = Records::new(directory).append(File::Inert, &inert.line());
}

/// An event for a command that came without one.
pub fn made(command: &[u8]) -> Vec<u8> {
    let command = String::from_utf8_lossy(command);
    serde_json::to_vec(&serde_json::json!({ "tool_input": { "command": command } })).unwrap_or_default()
}
