//! Where a registration goes: the files of each harness for a user and for a project. Owns the
//! paths; must never read the environment (the caller tells it).

use super::facts::{self, Harness};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Whose configuration it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's: every project.
    User,
    /// The project's.
    Project,
}

impl Scope {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// A machine, a user and a project.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// The program that registrations call.
    pub program: PathBuf,
    /// The user's home directory.
    pub home: PathBuf,
    /// The project's root.
    pub project: PathBuf,
    /// Variables that name directories of harnesses.
    pub variables: BTreeMap<String, PathBuf>,
    /// Directories in which programs are looked for.
    pub search: Vec<PathBuf>,
}

impl Site {
    /// The harness in whose files this one's registration stands: mostly its own.
    #[must_use]
    pub fn host(harness: &'static Harness, scope: Scope) -> &'static Harness {
        let Some((user, project)) = harness.lodges else { return harness };
        let name = if scope == Scope::User { user } else { project };
        facts::find(name).unwrap_or(harness)
    }

    /// Where a harness keeps what belongs to the user.
    #[must_use]
    pub fn directory(&self, harness: &Harness) -> PathBuf {
        let directory = &harness.directory;
        match self.variables.get(directory.variable) {
            Some(path) => path.join(directory.below_variable),
            None => self.home.join(directory.below_home),
        }
    }

    /// The registration file, if there can be one.
    #[must_use]
    pub fn file(&self, harness: &'static Harness, scope: Scope) -> Option<PathBuf> {
        let host = Self::host(harness, scope);
        match scope {
            Scope::User => {
                Some(host.user).filter(|file| !file.is_empty()).map(|file| self.directory(host).join(file))
            }
            Scope::Project => {
                Some(host.project).filter(|file| !file.is_empty()).map(|file| self.project.join(file))
            }
        }
    }

    /// Whether a harness is on this machine: its directory, or its program.
    #[must_use]
    pub fn has(&self, harness: &Harness) -> bool {
        let found = |name: &str| self.search.iter().any(|directory| directory.join(name).is_file());
        let own = harness.lodges.is_none() && self.directory(harness).is_dir();
        own || found(harness.program)
    }

    /// A path as people write it.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) if self.home.parent().is_some() => format!("~/{}", rest.display()),
            Ok(_) | Err(_) => path.display().to_string(),
        }
    }
}
