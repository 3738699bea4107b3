//! The shipped policies, compiled by `build.rs`: nothing is parsed at run time.

use super::types::{Kill, KillVerb, Policy, Protected, ProtectedScript};

include!(concat!(env!("OUT_DIR"), "/policies.rs"));
