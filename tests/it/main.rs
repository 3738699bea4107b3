//! The integration tests: one crate, so that it builds and links once.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::too_many_lines,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail loudly"
)]

mod bash_oracle;
mod captures;
mod child;
mod cli;
mod cook;
mod cwd;
mod grammar_cases;
mod guards;
mod hook;
mod install;
mod layers;
mod limits;
mod matrix;
mod mission;
mod mission_host;
mod mutate;
mod padding;
mod payloads;
mod policy_commands;
mod policy_form;
mod properties;
#[path = "../properties/mod.rs"]
mod property;
mod queries;
mod questions;
mod readings;
mod reasons;
mod records;
mod replay;
mod rules;
mod settings;
mod snapshots;
mod tampering;
mod tidy;
