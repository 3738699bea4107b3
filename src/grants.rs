//! What a person allowed once: one command text, in one directory, under one set of policies, for some
//! minutes. Owns the files of grants and that each is used up by its first use; must never be asked
//! before there is an objection, and no verdict depends on it.

use crate::policy::Policy;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The version of the files.
const SCHEMA: u32 = 1;

/// How long a grant may wait for its use. One that claims to wait longer is none.
pub const LONGEST: Duration = Duration::from_secs(3600);

/// A directory of grants.
#[derive(Clone, Debug)]
pub struct Grants {
    /// The directory.
    pub directory: PathBuf,
}

/// What a grant is for.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// The exact text.
    pub command: &'a [u8],
    /// Where it would run.
    pub cwd: &'a Path,
    /// By what it is judged.
    pub policies: &'a [Policy],
}

#[derive(Serialize, Deserialize)]
struct Written {
    schema: u32,
    bound: String,
    /// Seconds since the epoch.
    expires: u64,
}

impl Bound<'_> {
    /// Names what it is for.
    fn key(&self) -> String {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(self.command);
        part(fs::canonicalize(self.cwd).as_deref().unwrap_or(self.cwd).as_os_str().as_bytes());
        for policy in self.policies {
            part(policy.name.as_bytes());
            part(&policy.digest.to_le_bytes());
            // What other layers took from it.
            part(&(policy.rules.len() as u64).to_le_bytes());
            part(&[u8::from(policy.unattended)]);
        }
        let mut name = String::new();
        for byte in hash.finalize() {
            let _ = write!(name, "{byte:02x}");
        }
        name
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl Grants {
    fn path(&self, key: &str) -> PathBuf {
        self.directory.join(format!("{key}.json"))
    }

    /// Grants one use until a time from now.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, bound: &Bound<'_>, now: SystemTime, time: Duration) -> io::Result<()> {
        let key = bound.key();
        let expires = seconds(now + time.min(LONGEST));
        let written = Written { schema: SCHEMA, bound: key.clone(), expires };
        crate::layers::replace(&self.path(&key), &serde_json::to_vec(&written).map_err(io::Error::other)?)
    }

    /// Uses a grant up. Whatever happens at the same moment, one use of it is told `true` and no more.
    #[must_use]
    pub fn take(&self, bound: &Bound<'_>, now: SystemTime) -> bool {
        // Mostly there is none, and naming it costs more than looking.
        if !self.directory.is_dir() {
            return false;
        }
        let key = bound.key();
        let path = self.path(&key);
        let Ok(bytes) = fs::read(&path) else { return false };
        let Ok(written) = serde_json::from_slice::<Written>(&bytes) else { return false };
        let left = written.expires.saturating_sub(seconds(now));
        let holds =
            written.schema == SCHEMA && written.bound == key && (1..=LONGEST.as_secs()).contains(&left);
        // Of many that remove a file one succeeds.
        fs::remove_file(&path).is_ok() && holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::shipped;

    const MINUTE: Duration = Duration::from_secs(60);

    fn bound<'a>(command: &'a str, cwd: &'a str, policies: &'a [Policy]) -> Bound<'a> {
        Bound { command: command.as_bytes(), cwd: Path::new(cwd), policies }
    }

    #[test]
    fn a_grant_is_used_once_and_for_one_thing() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let grants = Grants { directory: directory.path().join("grants") };
        let policies: Vec<Policy> = shipped("core.git").into_iter().collect();
        let own = bound("git reset --hard", "/", &policies);
        let now = SystemTime::now();
        assert!(!grants.take(&own, now));
        grants.put(&own, now, MINUTE)?;
        let unattended: Vec<Policy> =
            policies.iter().map(|policy| Policy { unattended: true, ..policy.clone() }).collect();
        for other in [
            bound("git reset --hard ", "/", &policies),
            bound("git reset --hard", "/usr", &policies),
            bound("git reset --hard", "/", &[]),
            bound("git reset --hard", "/", &unattended),
        ] {
            assert!(!grants.take(&other, now));
        }
        assert!(grants.take(&own, now));
        assert!(!grants.take(&own, now));
        Ok(())
    }

    #[test]
    fn a_grant_expires_and_none_is_for_long() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let grants = Grants { directory: directory.path().to_owned() };
        let own = bound("x", "/", &[]);
        let now = SystemTime::now();
        grants.put(&own, now, MINUTE)?;
        assert!(!grants.take(&own, now + MINUTE));
        grants.put(&own, now, MINUTE)?;
        assert!(!grants.take(&own, now - 2 * LONGEST), "a clock that was set back");
        grants.put(&own, now, MINUTE * 600)?;
        assert!(!grants.take(&own, now + LONGEST));
        Ok(())
    }

    #[test]
    fn of_many_one_is_told_so() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let grants = Grants { directory: directory.path().to_owned() };
        let now = SystemTime::now();
        for _ in 0..50 {
            grants.put(&bound("x", "/", &[]), now, MINUTE)?;
            let told = std::thread::scope(|scope| {
                let taking: Vec<_> =
                    (0..4).map(|_| scope.spawn(|| grants.take(&bound("x", "/", &[]), now))).collect();
                taking.into_iter().filter_map(|thread| thread.join().ok()).filter(|told| *told).count()
            });
            assert_eq!(told, 1);
        }
        Ok(())
    }
}
