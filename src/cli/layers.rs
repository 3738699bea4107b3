//! Where this machine, user and project keep their policies. Owns the environment's part of that; must
//! never read a policy.

use super::records;
use stanchion::layers::{Cache, Places};
use stanchion::policy::Policy;
use std::path::{Path, PathBuf};

/// The machine's policies.
const SYSTEM: &str = "/etc/stanchion";

/// Which files apply besides those that the command line names.
#[derive(Clone, Copy, Debug)]
pub enum Around<'a> {
    /// Those of the machine and the user, and of this project; put together anew.
    Fresh(Option<&'a Path>),
    /// The same, from the cache where they are the same files.
    Kept(Option<&'a Path>),
    /// None.
    Nothing,
}

impl Around<'_> {
    /// Where the files are.
    pub fn places(self) -> Places {
        match self {
            Self::Nothing => Places::default(),
            Self::Fresh(project) | Self::Kept(project) => Places {
                system: Some(SYSTEM.into()),
                user: directory("XDG_CONFIG_HOME", ".config"),
                project: project.map(Path::to_owned),
                pins: pins(),
            },
        }
    }

    /// Where what was put together is kept.
    pub fn cache(self) -> Option<Cache> {
        let directory = directory("XDG_CACHE_HOME", ".cache").filter(|_| matches!(self, Self::Kept(_)))?;
        Some(Cache { directory })
    }
}

/// The file of what the user trusts.
pub fn pins() -> Option<PathBuf> {
    Some(records::directory()?.join("trusted.json"))
}

/// A directory of this program's (XDG Base Directory Specification): nowhere without a home.
pub fn directory(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute(variable).or_else(|| Some(absolute("HOME")?.join(below_home)))?;
    Some(base.join("stanchion"))
}

/// Protects what this program rests on where it really is, with the first policy that protects paths at
/// all: the program itself, directories that the environment moves, and the files that are named.
pub fn protect(policies: &mut [Policy], named: &[PathBuf]) {
    if policies.iter().all(|policy| policy.protected_paths.is_empty()) {
        return;
    }
    let records: Vec<PathBuf> =
        policies.iter().filter_map(|policy| policy.mission.records).map(PathBuf::from).collect();
    let moved =
        [("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state"), ("XDG_CACHE_HOME", ".cache")];
    let moved = moved.iter().filter(|(variable, _)| std::env::var_os(variable).is_some());
    let directories = moved.filter_map(|(variable, below)| directory(variable, below));
    let named = named.iter().chain(&records).filter_map(|file| std::path::absolute(file).ok());
    let all: Vec<PathBuf> = directories.chain(std::env::current_exe().ok()).chain(named).collect();
    protect_also(policies, &all);
}

/// Protects some paths, and all that is below them, with the first policy that protects paths at all.
pub fn protect_also(policies: &mut [Policy], paths: &[PathBuf]) {
    let Some(policy) = policies.iter_mut().find(|policy| !policy.protected_paths.is_empty()) else { return };
    // A pattern of one's own making must not match what it does not name.
    let plain = |path: &&str| !path.contains(|ch| "*?[\\".contains(ch));
    let own = paths.iter().filter_map(|path| path.to_str()).filter(plain);
    let own = own.map(|path| &*String::leak(path.to_owned()));
    let all: Vec<&'static str> = policy.protected_paths.iter().copied().chain(own).collect();
    policy.protected_paths = Vec::leak(all);
}
