//! stanchion reads a shell command as bash would and judges what it executes.
//!
//! [`gate::Gate`] judges calls by policies; [`shell::read`] alone tells what a text executes. The
//! library never prints, exits or reads the environment.

pub mod audit;
pub mod call;
pub mod gate;
pub mod grants;
pub mod guards;
pub mod harness;
pub mod history;
pub mod install;
pub mod layers;
pub mod matrix;
pub mod mission;
pub mod policy;
pub mod replay;
pub mod shell;
pub mod span;
pub mod verdict;
