//! Between harnesses and the gate: bytes to a tool call, a verdict to a reply. Owns what harnesses
//! send and understand; must never decide, print, exit or read the environment.

mod after;
pub mod answer;
mod commands;
pub mod cut;
mod detect;
pub mod host;
mod past;
pub mod patch;
pub mod payload;
mod read;
pub mod reply;
mod same;
mod string;
pub mod table;
pub mod tools;

mod antigravity;
mod claude;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod droid;
mod gemini;
mod goose;
mod grok;
mod hermes;
mod kimi;
mod kiro;
mod opencode;
mod pi;
mod qwen;
mod vscode;
mod windsurf;

pub use after::{After, observe};
pub use answer::{Asking, Told, Voice};
pub use past::past;
pub use payload::{Payload, decode};
pub use read::{Choice, is_event, receive, unseen};
pub use reply::{Reply, reply};
pub use table::Harness;

/// Variables in which harnesses name the project's directory, the surest first.
pub const PROJECT_VARIABLES: [&str; 4] =
    ["CLAUDE_PROJECT_DIR", "GROK_WORKSPACE_ROOT", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR"];

/// Every harness that is known by name.
pub static ALL: [&Harness; 19] = [
    &claude::HARNESS,
    &codex::HARNESS,
    &grok::HARNESS,
    &opencode::HARNESS,
    &pi::HARNESS,
    &cursor::HARNESS,
    &gemini::HARNESS,
    &copilot::HARNESS,
    &vscode::HARNESS,
    &qwen::HARNESS,
    &droid::HARNESS,
    &kimi::HARNESS,
    &crush::HARNESS,
    &goose::HARNESS,
    &kiro::HARNESS,
    &windsurf::HARNESS,
    &hermes::HARNESS,
    &cline::HARNESS,
    &antigravity::HARNESS,
];

/// The harness of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Harness> {
    ALL.into_iter().find(|harness| harness.name == name || harness.also.contains(&name))
}
