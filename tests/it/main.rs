//! The integration tests: one crate, so that it builds and links once.

mod bash_oracle;
mod cook;
mod grammar_cases;
mod queries;
mod tidy;
