//! Which database of events. Owns the option, the default and the variables that stand for them.

use super::layers::directory;
use anyhow::Context as _;
use stanchion::mission::host::Fault;
use stanchion::mission::host::store::{self, Purpose, Store};
use std::path::PathBuf;

/// The variable in place of the option.
const VARIABLE: &str = "STANCHION_STORE";

/// The password of a `PostgreSQL` user whose URL has none (libpq, "Environment Variables").
const PASSWORD: &str = "PGPASSWORD";

/// What the command line says of it.
#[derive(clap::Args, Clone, Debug)]
pub struct Database {
    /// A file of SQLite, or the URL of a PostgreSQL database (postgres://USER@HOST/NAME) [default:
    /// STANCHION_STORE, else missions.sqlite beside the user's records]
    #[arg(long, value_name = "FILE|URL")]
    store: Option<String>,
}

impl Database {
    /// Its name.
    pub fn name(&self) -> anyhow::Result<String> {
        let set = || std::env::var(VARIABLE).ok().filter(|value| !value.is_empty());
        let default = || Some(state()?.join("missions.sqlite").to_str()?.to_owned());
        let name = self.store.clone().or_else(set).or_else(default);
        name.context("HOME is not set: name the database with --store")
    }

    /// Opens it.
    pub fn open(name: &str, purpose: Purpose) -> Result<Box<dyn Store>, Fault> {
        store::open(name, std::env::var(PASSWORD).ok().as_deref(), purpose)
    }
}

/// Where the user's records are.
pub fn state() -> Option<PathBuf> {
    directory("XDG_STATE_HOME", ".local/state")
}
