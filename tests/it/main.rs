//! The integration tests: one crate, so that it builds and links once.

mod bash_oracle;
mod child;
mod cli;
mod cook;
mod grammar_cases;
mod guards;
mod hook;
mod queries;
mod tidy;
