//! The lines of `tools.jsonl`: what tools did. Owns their form; must never hold a secret in clear, nor more of
//! an answer than it may.

use super::denial::Common;
use super::payload::clean;
use crate::audit::line;
use crate::call::{Effect, Tool};
use crate::harness::After;
use serde::Serialize;
use std::time::SystemTime;

/// How much of a command is kept.
const COMMAND: usize = 8 << 10;

/// How much of an answer is kept.
const RESPONSE: usize = 4 << 10;

/// One line of `tools.jsonl`.
#[derive(Clone, Debug, Serialize)]
pub struct Observed {
    #[serde(flatten)]
    common: Common,
    kind: &'static str,
    path: Option<String>,
    paths: Vec<Touched>,
    command: Option<String>,
    ok: Option<bool>,
    exit_status: Option<i64>,
    duration_ms: Option<u64>,
    response: Option<String>,
    response_bytes: Option<usize>,
}

/// A path that a tool touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Touched {
    effect: &'static str,
    path: String,
}

impl Observed {
    /// A call that was made, noted now by this process.
    #[must_use]
    pub fn new(after: After, time: SystemTime, process: u32) -> Self {
        let After { call, response, ok, status, duration_ms } = after;
        let paths: Vec<Touched> = call
            .paths
            .iter()
            .map(|(effect, path)| Touched {
                effect: match effect {
                    Effect::Read => "read",
                    Effect::Write => "write",
                    Effect::Delete => "delete",
                },
                path: path.to_string_lossy().into_owned(),
            })
            .collect();
        let shell = call.tool.is_shell();
        let response = response.filter(|_| shell);
        let command = String::from_utf8_lossy(&call.command);
        Self {
            kind: kind(call.tool),
            path: paths.first().map(|touched| touched.path.clone()),
            paths,
            command: shell.then(|| clean(&command, COMMAND)),
            ok,
            exit_status: status,
            duration_ms,
            response_bytes: response.as_ref().map(String::len),
            response: response.map(|text| clean(&text, RESPONSE)),
            common: Common::new(time, process, call.origin, call.cwd.as_deref()),
        }
    }

    /// The line.
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        line(self)
    }
}

fn kind(tool: Tool) -> &'static str {
    match tool {
        Tool::Shell | Tool::BackgroundShell | Tool::Monitor => "shell",
        Tool::Read => "read",
        Tool::Write => "write",
        Tool::Edit => "edit",
        Tool::Patch => "patch",
        Tool::Notebook => "notebook",
        Tool::Delete => "delete",
        Tool::Agent => "agent",
        Tool::Other => "other",
    }
}
