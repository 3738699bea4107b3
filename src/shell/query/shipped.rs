//! The shipped queries as `build.rs` compiled them. Owns nothing else; must do no work at start.

#[allow(unused_imports, reason = "which of them the tables need depends on the queries")]
use super::table::{Check, Facts, Item, Named, Place, Shape, Tables, Test};
use std::borrow::Cow;

include!(concat!(env!("OUT_DIR"), "/queries.rs"));
