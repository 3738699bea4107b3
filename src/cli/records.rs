//! What the hook keeps of its answers. Owns the place of the records and the panics that were met; must
//! never change an answer, and keeps nothing of a call to which nobody objected.

use super::selection::{Loaded, Unusable};
use stanchion::audit::{Call, Fault, FaultKind, Store};
use stanchion::call::{Origin, ToolCall};
use stanchion::verdict::{Decision, Verdict};
use stanchion::{layers, policy};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// A judged call with all that a record needs.
pub struct Judged {
    /// The call.
    pub call: ToolCall,
    /// Its verdict.
    pub verdict: Verdict,
    /// The policies that gave it.
    pub loaded: Loaded,
    /// Whether a person had allowed it once.
    pub granted: bool,
}

/// Where records are kept (XDG Base Directory Specification): nowhere without a home.
pub fn directory() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("stanchion"))
}

/// Records every finding on a call. `answered` is what the harness was told.
pub fn decided(directory: &Path, judged: &Judged, answered: Decision, latency: Duration) {
    let (findings, shadowed) = (judged.verdict.findings(), judged.verdict.shadowed());
    if findings.is_empty() && shadowed.is_empty() {
        return;
    }
    let call = Call {
        time: SystemTime::now(),
        latency,
        process: std::process::id(),
        source: judged.call.origin.clone(),
        cwd: judged.call.cwd.as_deref(),
        command: &judged.call.command,
        answered,
        granted: judged.granted,
        policies: judged.loaded.gate.policies(),
    };
    // There is nobody to tell, and the answer stands.
    let _ = Store::decisions(directory).append(&call.lines(findings, shadowed));
}

/// Records what could not be used, and the panics met so far.
pub fn faults(directory: &Path, unusable: &[Unusable], origin: &Origin) {
    let time = SystemTime::now();
    let store = Store::faults(directory);
    let fault = |kind, file: &str, message: &str| Fault::new(kind, file, message, time, origin.clone());
    for Unusable { kind, file, message } in unusable {
        let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        let digest = layers::text(file).ok().map(|text| policy::digest(&text));
        let _ = fault(*kind, &path.to_string_lossy(), message).with_digest(digest).record(&store);
    }
    for Panic { place, message } in panics() {
        let _: io::Result<bool> = fault(FaultKind::Panic, &place, &message).record(&store);
    }
}

/// A panic that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Panic {
    place: String,
    message: String,
}

static PANICS: Mutex<Vec<Panic>> = Mutex::new(Vec::new());

/// Keeps panics silent, since both streams belong to the answer, but not unseen.
pub fn watch_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, ToString::to_string);
        let text = info.payload().downcast_ref::<&str>().copied();
        let text = text.or_else(|| info.payload().downcast_ref::<String>().map(String::as_str));
        let message = text.unwrap_or("no message").to_owned();
        PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(Panic { place, message });
    }));
}

/// The panics met so far.
fn panics() -> Vec<Panic> {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
