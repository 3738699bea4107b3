//! Where a call runs: its directory, root and home. Owns the defaults and the variables that give
//! them; must never look at the command.

use super::checkout;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::harness::PROJECT_VARIABLES;
use std::path::{Path, PathBuf};

/// What the command line says of the place.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Place {
    /// The project's root [default: the harness's project directory, else the nearest directory
    /// above that holds .git, else the working directory]
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// The home of the guarded system [default: the variable that the policy names, else the root]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Whether no variable counts
    #[arg(skip)]
    pub closed: bool,
}

impl Place {
    /// Looks up the checkout of a call where a policy asks for it. `named` is the directory that the
    /// caller named; without it the working directory counts, unless it lies outside of `--root`.
    pub fn look(&self, call: &mut ToolCall, named: Option<&Path>, gate: &Gate) {
        let Some(entries) = gate.asks_checkout(&call.command) else { return };
        let working = call.cwd.as_deref();
        let within = |root: &Path| working.is_some_and(|working| working.starts_with(root));
        let root = self.root.as_deref().filter(|root| !within(root));
        if let Some(directory) = named.or(root).or(working) {
            call.checkout = checkout::find(directory, &entries);
        }
    }

    /// The project's root of a call that runs in this directory, or else in the working directory.
    pub fn root(&self, cwd: Option<&Path>) -> Option<PathBuf> {
        let here = || std::env::current_dir().ok();
        let told = || PROJECT_VARIABLES.into_iter().find_map(|variable| self.directory(variable));
        let nearest = || default_root(cwd.map(Path::to_owned).or_else(here).as_deref());
        self.root.clone().or_else(told).or_else(nearest)
    }

    /// A call in its place. `variable` is the policy's name for the home variable.
    pub fn call(&self, command: Vec<u8>, cwd: Option<PathBuf>, variable: Option<&str>) -> ToolCall {
        let root = self.root(cwd.as_deref());
        self.rooted(command, cwd, root, variable)
    }

    /// The same where the root is known.
    pub fn rooted(
        &self,
        command: Vec<u8>,
        cwd: Option<PathBuf>,
        root: Option<PathBuf>,
        variable: Option<&str>,
    ) -> ToolCall {
        let cwd = cwd.or_else(|| std::env::current_dir().ok());
        let home = self.home.clone().or_else(|| self.directory(variable?)).or_else(|| root.clone());
        ToolCall { command, cwd, root, home, user_home: self.directory("HOME"), ..ToolCall::default() }
    }

    /// The directory that a variable names.
    fn directory(&self, variable: &str) -> Option<PathBuf> {
        let value = std::env::var_os(variable).filter(|value| !value.is_empty() && !self.closed);
        value.map(PathBuf::from)
    }
}

fn default_root(cwd: Option<&Path>) -> Option<PathBuf> {
    let nearest = cwd?.ancestors().find(|path| path.join(".git").exists());
    nearest.or(cwd).map(Path::to_owned)
}
