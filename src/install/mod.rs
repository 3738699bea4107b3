//! Registers the hook with harnesses, undoes that, and finds out whether it works. Owns the
//! configuration files of others, which it changes as little as can be; must never decide a call,
//! print, exit or read the environment.

pub mod doctor;
pub mod entry;
pub mod facts;
pub mod files;
pub mod guest;
pub mod json;
pub mod merge;
pub mod plan;
pub mod probe;
pub mod site;
mod toml;
mod yaml;

pub use facts::{ALL, Harness, find};
pub use files::Trouble;
pub use plan::{Backup, Change, Wish, apply, install, uninstall};
pub use site::{Scope, Site};
