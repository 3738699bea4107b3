//! Printing. Owns the two streams; must never panic when nobody reads them.

use stanchion::layers::Fault;
use std::io::{IsTerminal as _, Write as _};

/// Writes to stdout. A closed stream is ignored: there is nobody to tell.
pub fn say(bytes: impl AsRef<[u8]>) {
    let mut stream = std::io::stdout().lock();
    let _ = stream.write_all(bytes.as_ref()).and_then(|()| stream.flush());
}

/// Writes to stderr. A closed stream is ignored.
pub fn complain(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Tells of policy files that were left out, on stderr.
pub fn left_out(faults: &[Fault]) {
    for Fault { layer, message, .. } in faults {
        complain(&format!("stanchion: left out of the {} layer: {message}\n", layer.name()));
    }
}

/// Writes one JSON value and a newline to stdout.
pub fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    say(text);
    Ok(())
}

/// Whether stdout may carry colour: a terminal that is not dumb, and no wish against it.
pub fn colour() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal()
        && !set("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
