//! Layers of policies: shipped < system < user < project, and files that a registration names. Owns
//! which files there are, how they are put together, what is proved of them, and what is kept of that.
//! Must never read the environment; what cannot be used is left out and told, and the rest applies.

mod cache;
mod files;
mod join;
mod proof;
mod tighten;
pub mod trust;

pub use cache::Cache;
pub use files::{Found, PROJECT_FILE, Places, Source, replace, text};
pub use join::{Fault, Part, Replaced, Stack};
pub use proof::{prove, prove_shipped};

use crate::policy::binary::{Binary, Reader};

/// Where a policy comes from. Ordered: what comes later may replace rules of what comes before, except
/// for `Named`, which only adds, and `Project`, which only adds unless it is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Part of the program.
    Shipped,
    /// A file that the command line names.
    Named,
    /// A file of the machine: `/etc/stanchion/*.toml`.
    System,
    /// A file of the user: `$XDG_CONFIG_HOME/stanchion/*.toml`.
    User,
    /// A file of whoever writes the repository, the agent included: `.stanchion.toml`.
    Project,
}

impl Layer {
    /// Every one, in order.
    pub const ALL: [Self; 5] = [Self::Shipped, Self::Named, Self::System, Self::User, Self::Project];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::Named => "named",
            Self::System => "system",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl Binary for Layer {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u8).put(out);
    }

    fn take(from: &mut Reader) -> Option<Self> {
        Self::ALL.get(usize::from(u8::take(from)?)).copied()
    }
}
