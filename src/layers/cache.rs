//! What was put together once and proved, kept for later calls. Owns the form of the files; must never
//! trust one: a file that is damaged, of another program or open to others is as if it were not there.

use super::{Source, Stack, files};
use crate::policy::source::leak;
use crate::policy::{self, Policy, binary};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// With what every file starts. Its number grows with the form.
const MAGIC: &[u8] = b"stanchion stack 1\n";

/// How many files are kept.
const MOST: usize = 64;

/// A directory of what was put together.
#[derive(Clone, Debug)]
pub struct Cache {
    /// The directory.
    pub directory: PathBuf,
}

/// What names a stack: the program and everything that goes into it. An attacker may run this program
/// with files of their own and so fill the cache; no such file may stand for another one's.
type Key = [u8; 32];

fn key(shipped: &[Policy], sources: &[Source]) -> Key {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(&policy::BUILD.to_le_bytes());
    for policy in shipped {
        part(policy.name.as_bytes());
    }
    for source in sources {
        part(&[source.layer as u8, u8::from(source.trusted), u8::from(source.text.is_ok())]);
        part(source.path.as_os_str().as_bytes());
        part(source.text.as_ref().unwrap_or_else(|error| error).as_bytes());
    }
    hash.finalize().into()
}

/// A sum that tells damage.
fn sum(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = bytes.len() as u64 ^ ODD;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    for word in words.iter().chain([&last]) {
        state = (state ^ u64::from_le_bytes(*word)).wrapping_mul(ODD).rotate_left(29);
    }
    state ^ state >> 32
}

impl Cache {
    /// The stack of some files, from the cache or put together now and kept.
    #[must_use]
    pub fn stack(&self, shipped: &[Policy], sources: &[Source]) -> Stack {
        let key = key(shipped, sources);
        let path = self.path(&key);
        if let Some(stack) = read(&path, &key) {
            return stack;
        }
        let stack = Stack::join(shipped, sources).bare();
        // A cache that cannot be written costs time and nothing else.
        if files::replace(&path, &written(&key, &stack)).is_ok() {
            let _ = self.prune();
        }
        stack
    }

    fn path(&self, key: &Key) -> PathBuf {
        let mut name = String::new();
        for byte in key.iter().take(16) {
            let _ = write!(name, "{byte:02x}");
        }
        self.directory.join(name + ".bin")
    }

    /// Removes the oldest files beyond what is kept.
    fn prune(&self) -> std::io::Result<()> {
        let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.directory)?.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|end| end == "bin") {
                files.push((entry.metadata()?.modified()?, path));
            }
        }
        files.sort();
        let surplus = files.len().saturating_sub(MOST);
        files.iter().take(surplus).try_for_each(|(_, path)| fs::remove_file(path))
    }
}

fn written(key: &Key, stack: &Stack) -> Vec<u8> {
    let body = binary::bytes(stack);
    [MAGIC, key, &sum(&body).to_le_bytes(), &body].concat()
}

fn read(path: &Path, key: &Key) -> Option<Stack> {
    let mut file = fs::File::open(path).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.permissions().mode() & 0o077 != 0 {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).ok()? + 1);
    std::io::Read::read_to_end(&mut file, &mut bytes).ok()?;
    let bytes: &'static [u8] = leak(bytes);
    let rest = bytes.strip_prefix(MAGIC)?.strip_prefix(key)?;
    let (told, body) = rest.split_first_chunk::<8>()?;
    (sum(body) == u64::from_le_bytes(*told)).then(|| binary::value(body)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Layer;

    const TEXT: &str = "version = 1\nname = \"mine\"\n[paths]\nprotected = [\"deploy/\"]\n";

    fn source(text: &str) -> Source {
        Source { layer: Layer::User, path: "/u/mine.toml".into(), text: Ok(text.to_owned()), trusted: false }
    }

    #[test]
    fn a_stack_is_kept_and_never_trusted_blindly() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        let cache = Cache { directory: directory.path().join("deep/er") };
        let sources = [source(TEXT)];
        let made = cache.stack(&[], &sources);
        assert_eq!(made.parts.len(), 1);
        let key = key(&[], &sources);
        let path = cache.path(&key);
        assert_eq!(fs::metadata(&path)?.permissions().mode() & 0o777, 0o600);
        assert_eq!(read(&path, &key), Some(made.clone()));
        let good = fs::read(&path)?;
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 0x10);
            fs::write(&path, &bad)?;
            assert_eq!(read(&path, &key), None, "byte {at}");
            fs::write(&path, good.get(..at).unwrap_or_default())?;
            assert_eq!(read(&path, &key), None, "cut at {at}");
        }
        assert_eq!(cache.stack(&[], &sources), made, "it is put together anew");
        assert_eq!(fs::read(&path)?, good, "and kept");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o622))?;
        assert_eq!(read(&path, &key), None, "others may have written it");
        Ok(())
    }

    #[test]
    fn everything_that_matters_names_a_stack() {
        let base = source(TEXT);
        let others = [
            source(&format!("{TEXT} ")),
            Source { layer: Layer::System, ..base.clone() },
            Source { path: "/u/other.toml".into(), ..base.clone() },
            Source { trusted: true, ..base.clone() },
            Source { text: Err(TEXT.to_owned()), ..base.clone() },
        ];
        let known = key(&[], std::slice::from_ref(&base));
        for other in others {
            assert_ne!(key(&[], &[other]), known);
        }
        let shipped: Vec<Policy> = policy::shipped("cwd").into_iter().collect();
        assert_ne!(key(&shipped, &[base]), known);
    }

    #[test]
    fn old_files_go() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        let cache = Cache { directory: directory.path().to_owned() };
        for number in 0..MOST + 5 {
            let _ = cache.stack(&[], &[source(&format!("{TEXT}# {number}"))]);
        }
        assert_eq!(fs::read_dir(directory.path())?.count(), MOST);
        Ok(())
    }
}
