//! What was wrong with the hook itself. Owns the schema of `faults.jsonl` and what makes two faults the
//! same; must never hold a secret in clear.

use super::record::line;
use super::redact::redacted;
use super::{SCHEMA, Store, time};
use crate::call::Origin;
use serde::{Deserialize, Serialize};
use std::io;
use std::time::SystemTime;

/// How much of a message is kept, in bytes.
const MESSAGE: usize = 4096;

/// What cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// A policy that cannot be read or does not load.
    Policy,
    /// Query files that cannot be read or do not compile.
    Queries,
    /// A panic in the program.
    Panic,
}

/// One line of `faults.jsonl`. What comes before `schema` makes faults the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What cannot be used.
    pub kind: FaultKind,
    /// The file or directory; for a panic the place in the source.
    pub file: String,
    /// The first 64 bits of the file's SHA-256 in hexadecimal, where it can be read.
    pub digest: Option<String>,
    /// What is wrong.
    pub message: String,
    /// The version of this form.
    pub schema: u32,
    /// When it was met first (RFC 3339, UTC).
    pub time: String,
    /// The version of the program.
    pub version: String,
    /// Whose call met it.
    #[serde(flatten)]
    pub source: Origin,
}

/// What makes two faults the same, in the order of `Fault`.
#[derive(Serialize)]
struct Same<'a> {
    kind: FaultKind,
    file: &'a str,
    digest: &'a Option<String>,
    message: &'a str,
}

impl Fault {
    /// A fault, met now by a call from this source.
    #[must_use]
    pub fn new(kind: FaultKind, file: &str, message: &str, time: SystemTime, source: Origin) -> Self {
        let message = redacted(message);
        Self {
            kind,
            file: file.to_owned(),
            digest: None,
            message: beginning(&message).to_owned(),
            schema: SCHEMA,
            time: time::rfc3339(time),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            source,
        }
    }

    /// The same with the digest of the file.
    #[must_use]
    pub fn with_digest(self, digest: Option<u64>) -> Self {
        Self { digest: digest.map(|digest| format!("{digest:016x}")), ..self }
    }

    /// Records it unless it is recorded already. Tells whether it did.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record(&self, store: &Store) -> io::Result<bool> {
        let Self { kind, file, digest, message, .. } = self;
        let mut same = line(&Same { kind: *kind, file, digest, message });
        // The closing brace and the newline: more fields follow in the record.
        same.truncate(same.len().saturating_sub(2));
        same.push(b',');
        store.append_once(&same, &line(self))
    }
}

/// The beginning of a message that may be very long.
fn beginning(message: &str) -> &str {
    let end = (0..=MESSAGE.min(message.len())).rev().find(|end| message.is_char_boundary(*end));
    message.get(..end.unwrap_or(0)).unwrap_or_default()
}
