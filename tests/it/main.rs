//! The integration tests, linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod child;
mod cli;
mod hook;
