//! Which machine, user and project an installation is for. Owns the environment's part of that.

use anyhow::{Context as _, anyhow};
use stanchion::harness;
use stanchion::install::{ALL, Harness, Scope, Site, find};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which harnesses, and whose configuration.
#[derive(clap::Args, Clone, Debug)]
pub struct Choice {
    /// Harnesses by name [default: every one that is found]
    #[arg(value_name = "HARNESS")]
    pub harnesses: Vec<String>,
    /// The project's configuration in place of the user's
    #[arg(long)]
    pub project: bool,
    /// The project's root [default: the nearest directory above that holds .git, else this directory]
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

impl Choice {
    /// Whose configuration it is.
    pub fn scope(&self) -> Scope {
        if self.project { Scope::Project } else { Scope::User }
    }

    /// The harnesses that are named, else those that `found` picks.
    pub fn harnesses(
        &self,
        found: impl Fn(&&'static Harness) -> bool,
    ) -> anyhow::Result<Vec<&'static Harness>> {
        if self.harnesses.is_empty() {
            return Ok(ALL.iter().filter(found).collect());
        }
        let known = || ALL.iter().map(|harness| harness.name).collect::<Vec<_>>().join(", ");
        // Other names, `pi-signed` say, mean the same as for `hook --harness`.
        let one = |name: &str| harness::named(name).and_then(|harness| find(harness.name));
        let named = self.harnesses.iter();
        named
            .map(|name| one(name).with_context(|| format!("no harness `{name}`; known: {}", known())))
            .collect()
    }

    /// The machine, the user and the project.
    pub fn site(&self) -> anyhow::Result<Site> {
        let home = variable("HOME").context("HOME is not set: there is no user's configuration")?;
        let program = std::env::current_exe().context("this program's path is not known")?;
        let odd = |ch: char| ch.is_control() || "$`'\"\\".contains(ch);
        if program.to_str().is_none_or(|path| path.contains(odd)) {
            return Err(anyhow!(
                "{}: harnesses cannot be given this path; move the program",
                program.display()
            ));
        }
        let working = std::env::current_dir()?;
        let nearest = || working.ancestors().find(|path| path.join(".git").exists()).map(Path::to_owned);
        let root = self.root.clone().or_else(nearest).unwrap_or_else(|| working.clone());
        let project = std::fs::canonicalize(&root).with_context(|| root.display().to_string())?;
        let names = ALL.iter().map(|harness| harness.directory.variable).filter(|name| !name.is_empty());
        let variables: BTreeMap<String, PathBuf> =
            names.filter_map(|name| Some((name.to_owned(), variable(name)?))).collect();
        let search = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect());
        Ok(Site { program, home, project, variables, search: search.unwrap_or_default() })
    }
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}
