//! What was put together once and proved, kept for later calls. Owns the form of the files; must never
//! trust one: a file that is damaged, of another program or open to others is as if it were not there.

use super::Stack;
use super::files::{self, Found, Places, Source, Stamp};
use crate::policy::binary::{self, binary_struct};
use crate::policy::{self, Policy};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// With what every file starts. Its number grows with the form.
const MAGIC: &[u8] = b"stanchion stack 1\n";

/// How large a file may be.
const LARGEST: usize = 64 << 20;

/// How many files are kept.
const MOST: usize = 64;

/// A directory of what was put together.
#[derive(Clone, Debug)]
pub struct Cache {
    /// The directory.
    pub directory: PathBuf,
}

/// The SHA-256 of the program and of everything that goes into a stack.
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

/// Which files a stack was made of, compared as a whole: a file that was not changed since need not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Made {
    build: u64,
    shipped: Vec<String>,
    found: Vec<Found>,
    pins: Option<Stamp>,
}

binary_struct!(Made { build, shipped, found, pins });

/// A kept stack.
struct Kept {
    /// Whether a change after it was made would have shown in what it was made of.
    settled: bool,
    made: &'static [u8],
    key: &'static Key,
    body: &'static [u8],
}

/// A sum that tells damage, and names files.
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
    /// The stack of some files: the one that was kept of the same files, or one that is put together now.
    #[must_use]
    pub fn stack(&self, shipped: &[Policy], found: &[Found], places: &Places) -> Stack {
        let names = shipped.iter().map(|policy| policy.name.to_owned()).collect();
        let (found, pins) = (found.to_vec(), places.pinned(found));
        let made = Made { build: policy::BUILD, shipped: names, found, pins };
        let path = self.path(&made);
        let bytes = binary::bytes(&made);
        let kept = read(&path);
        if let Some(kept) = &kept
            && kept.settled
            && kept.made == bytes
            && let Some(stack) = binary::value(kept.body)
        {
            return stack;
        }
        // Before the files are read: what changes while they are must count as changed.
        let now = SystemTime::now();
        let sources: Vec<Source> =
            made.found.iter().map(|found| found.source(places.pins.as_deref())).collect();
        let key = key(shipped, &sources);
        let same = kept.filter(|kept| *kept.key == key).and_then(|kept| binary::value(kept.body));
        let stack: Stack = same.unwrap_or_else(|| Stack::join(shipped, &sources).bare());
        let settled = made.found.iter().all(|found| found.is_settled(now))
            && made.pins.is_none_or(|pins| pins.is_settled(now));
        // A cache that cannot be written costs time and nothing else.
        if files::replace(&path, &written(settled, &bytes, &key, &stack)).is_ok() {
            let _ = self.prune();
        }
        stack
    }

    /// One place for the same paths, whatever stands in the files.
    fn path(&self, made: &Made) -> PathBuf {
        let names = made.shipped.iter().map(String::as_bytes);
        let paths = made.found.iter().map(|found| found.path.as_os_str().as_bytes());
        let named: Vec<&[u8]> = names.chain(paths).collect();
        self.directory.join(format!("{:016x}.bin", sum(&named.join(&0))))
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

fn written(settled: bool, made: &[u8], key: &Key, stack: &Stack) -> Vec<u8> {
    let length = (made.len() as u64).to_le_bytes();
    let rest = [&[u8::from(settled)], length.as_slice(), made, key, &binary::bytes(stack)].concat();
    [MAGIC, &sum(&rest).to_le_bytes(), &rest].concat()
}

fn read(path: &Path) -> Option<Kept> {
    let mut file = fs::File::open(path).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.permissions().mode() & 0o077 != 0 {
        return None;
    }
    // Files are replaced and never written to, so the size stands.
    let size = usize::try_from(meta.len()).ok().filter(|size| *size <= LARGEST)?;
    let mut bytes = vec![0; size];
    std::io::Read::read_exact(&mut file, &mut bytes).ok()?;
    // What is read of it is not copied.
    let bytes: &'static [u8] = Vec::leak(bytes);
    let (told, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    if sum(rest) != u64::from_le_bytes(*told) {
        return None;
    }
    let (settled, rest) = rest.split_first()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (made, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let (key, body) = rest.split_first_chunk::<32>()?;
    Some(Kept { settled: *settled == 1, made, key, body })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Layer;
    use std::time::Duration;

    const TEXT: &str = "version = 1\nname = \"mine\"\n[paths]\nprotected = [\"deploy/\"]\n";

    fn source(text: &str) -> Source {
        Source { layer: Layer::User, path: "/u/mine.toml".into(), text: Ok(text.to_owned()), trusted: false }
    }

    struct World {
        directory: tempfile::TempDir,
        cache: Cache,
        places: Places,
    }

    impl World {
        fn new() -> std::io::Result<Self> {
            let directory = tempfile::tempdir()?;
            let user = directory.path().join("user");
            fs::create_dir(&user)?;
            let cache = Cache { directory: directory.path().join("deep/er") };
            Ok(Self { directory, cache, places: Places { user: Some(user), ..Places::default() } })
        }

        fn write(&self, name: &str, text: &str) -> std::io::Result<()> {
            fs::write(self.directory.path().join("user").join(name), text)
        }

        fn stack(&self) -> Stack {
            self.cache.stack(&[], &self.places.found(), &self.places)
        }

        fn file(&self) -> std::io::Result<PathBuf> {
            let entry = fs::read_dir(&self.cache.directory)?.next();
            Ok(entry.transpose()?.map(|entry| entry.path()).unwrap_or_default())
        }
    }

    #[test]
    fn a_stack_is_kept_and_never_trusted_blindly() -> std::io::Result<()> {
        let world = World::new()?;
        world.write("mine.toml", TEXT)?;
        let made = world.stack();
        assert_eq!(made.parts.len(), 1);
        let path = world.file()?;
        assert_eq!(fs::metadata(&path)?.permissions().mode() & 0o777, 0o600);
        assert!(read(&path).is_some());
        let good = fs::read(&path)?;
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 0x10);
            fs::write(&path, &bad)?;
            assert!(read(&path).is_none(), "byte {at}");
            fs::write(&path, good.get(..at).unwrap_or_default())?;
            assert!(read(&path).is_none(), "cut at {at}");
        }
        assert_eq!(world.stack(), made, "it is put together anew");
        assert!(read(&path).is_some(), "and kept");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o622))?;
        assert!(read(&path).is_none(), "others may have written it");
        Ok(())
    }

    #[test]
    fn a_change_shows_however_fast_it_comes() -> std::io::Result<()> {
        let world = World::new()?;
        for number in 0..200 {
            let name = if number % 2 == 0 { "one" } else { "two" };
            world.write("mine.toml", &TEXT.replace("deploy", name))?;
            let protected = world.stack().parts.first().map(|part| part.policy.protected_paths.join(","));
            assert_eq!(protected, Some(format!("{name}/")), "{number}");
        }
        world.write("other.toml", &TEXT.replace("mine", "other"))?;
        assert_eq!(world.stack().parts.len(), 2);
        fs::remove_file(world.directory.path().join("user/mine.toml"))?;
        assert_eq!(world.stack().parts.len(), 1);
        Ok(())
    }

    #[test]
    fn what_is_settled_is_not_read_again() -> std::io::Result<()> {
        let world = World::new()?;
        world.write("mine.toml", TEXT)?;
        let made = world.stack();
        assert_eq!(read(&world.file()?).map(|kept| kept.settled), Some(false));
        std::thread::sleep(Duration::from_millis(3100));
        assert_eq!(world.stack(), made);
        assert_eq!(read(&world.file()?).map(|kept| kept.settled), Some(true));
        // A change that keeps size and time of modification still changes the stamp.
        let path = world.directory.path().join("user/mine.toml");
        let modified = fs::metadata(&path)?.modified()?;
        world.write("mine.toml", &TEXT.replace("deploy", "employ"))?;
        fs::File::options().write(true).open(&path)?.set_modified(modified)?;
        let protected = world.stack().parts.first().map(|part| part.policy.protected_paths.join(","));
        assert_eq!(protected, Some("employ/".to_owned()));
        Ok(())
    }

    #[test]
    fn everything_that_matters_makes_the_key() {
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
        let world = World::new()?;
        for number in 0..MOST + 5 {
            let project = world.directory.path().join(format!("p{number}"));
            fs::create_dir(&project)?;
            fs::write(project.join(files::PROJECT_FILE), TEXT)?;
            let places = Places { project: Some(project), ..Places::default() };
            let _ = world.cache.stack(&[], &places.found(), &places);
        }
        assert_eq!(fs::read_dir(&world.cache.directory)?.count(), MOST);
        Ok(())
    }
}
