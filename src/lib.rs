//! stanchion reads a shell command as bash would and judges what it executes.

pub mod call;
pub mod gate;
pub mod harness;
pub mod matrix;
pub mod policy;
pub mod shell;
pub mod span;
pub mod verdict;
