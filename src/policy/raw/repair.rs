//! The table `[repair]`: its written form. That its commands are allowed is proved where policies are
//! put together, since it depends on all of them.

use super::{leak, leak_text};
use crate::policy::form::table::{Shape, Written, table};
use crate::policy::form::texts::LINE;

table! {
    /// Commands that must always work, so that nobody is locked out.
    pub RawRepair as "table of repair commands" {
        /// Whole command lines. Loading proves that each is allowed by all policies that apply together.
        optional commands: Vec<Written<String>> = Shape::List(&Shape::Text(&LINE), 0);
    }
}

impl RawRepair {
    pub(super) fn meant(&self) -> &'static [&'static str] {
        leak(self.commands.iter().map(|command| leak_text(command.get_ref().trim())).collect())
    }
}
