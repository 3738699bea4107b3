//! The integration tests: one crate, so that it builds and links once.

mod bash_oracle;
mod queries;
mod tidy;
