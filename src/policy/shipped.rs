//! The shipped policies, compiled by `build.rs`: nothing is parsed at run time.

use super::facts::types::Effect;
#[allow(unused_imports, reason = "shipped policies may have no task")]
use super::mission::{Mission, Role, Task};
#[allow(unused_imports, reason = "it is for the rules, of which none may ask for it")]
use super::rule::types::Context;
use super::rule::types::{Answer, Class, Condition, Happening, Rule};
use super::settings::Settings;
use super::types::{Cwd, DirectoryCommand, Kill, KillVerb, Policy, Protected, ProtectedScript, ShellText};

include!(concat!(env!("OUT_DIR"), "/policies.rs"));
