//! Integration tests: one crate, so that it builds and links once.

mod tidy;
