//! Rules as data: written, checked, compiled. Must never judge a command.

pub(super) mod needles;
pub(super) mod raw;
mod sense;
pub mod types;
