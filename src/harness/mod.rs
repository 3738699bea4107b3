//! Between harnesses and the gate: bytes to a tool call, a verdict to a reply. Owns what harnesses
//! send and understand; must never decide, print, exit or read the environment.

pub mod host;
pub mod payload;
pub mod reply;

pub use payload::{Payload, decode};
pub use reply::{Reply, reply};

/// Variables in which harnesses name the project's directory, the surest first.
pub const PROJECT_VARIABLES: [&str; 4] =
    ["CLAUDE_PROJECT_DIR", "GROK_WORKSPACE_ROOT", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR"];
