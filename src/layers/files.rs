//! The files of the layers. Owns where they are looked for and what is read of them; must never wait
//! for one or read one of any size.

use super::Layer;
use super::trust::Pins;
use crate::policy::binary::binary_struct;
use std::fs;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file of a project, in its root.
pub const PROJECT_FILE: &str = ".stanchion.toml";

/// After how many seconds without a change a later one is sure to show.
const SETTLED: u64 = 2;

/// How large a policy file may be.
const LARGEST: u64 = 1 << 20;

/// How large a project's may be: whoever writes it must not make the proof so long that a harness gives up.
const LARGEST_PROJECT: u64 = 64 << 10;

/// Where files may be. What is `None` has no place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The machine's directory.
    pub system: Option<PathBuf>,
    /// The user's directory.
    pub user: Option<PathBuf>,
    /// The project's root.
    pub project: Option<PathBuf>,
    /// The file of what the user trusts.
    pub pins: Option<PathBuf>,
}

/// A file of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The layer.
    pub layer: Layer,
    /// Its path.
    pub path: PathBuf,
    /// What is written in it, or why that cannot be read.
    pub text: Result<String, String>,
    /// Whether the user trusted exactly this text.
    pub trusted: bool,
}

impl Source {
    /// A file that is named.
    #[must_use]
    pub fn named(path: &Path) -> Self {
        Self::read(Layer::Named, path)
    }

    fn read(layer: Layer, path: &Path) -> Self {
        let largest = if layer == Layer::Project { LARGEST_PROJECT } else { LARGEST };
        let text = text_within(path, largest).map_err(|error| format!("cannot be read: {error}"));
        Self { layer, path: path.to_owned(), text, trusted: false }
    }
}

/// A file of a layer that was not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The layer.
    pub layer: Layer,
    /// Its path.
    pub path: PathBuf,
    /// Which file it is, where there is one.
    pub stamp: Option<Stamp>,
    /// Why its directory cannot be listed, when it stands for that.
    pub fault: Option<String>,
}

/// What tells that a file is the same and was not changed. Nobody but the kernel sets the time of the last
/// change (`ctime`, stat(2)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    file: u64,
    size: u64,
    /// Seconds and nanoseconds.
    changed: (u64, u64),
}

binary_struct!(Found { layer, path, stamp, fault });
binary_struct!(Stamp { device, file, size, changed });

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        let changed = (meta.ctime().cast_unsigned(), meta.ctime_nsec().cast_unsigned());
        Some(Self { device: meta.dev(), file: meta.ino(), size: meta.len(), changed })
    }

    /// Whether a change after this time would show. Clocks of files are coarse.
    #[must_use]
    pub fn is_settled(self, now: SystemTime) -> bool {
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        self.changed.0.saturating_add(SETTLED) <= now
    }
}

impl Found {
    fn new(layer: Layer, path: PathBuf) -> Self {
        Self { layer, stamp: Stamp::of(&path), path, fault: None }
    }

    /// A file that is named.
    #[must_use]
    pub fn named(path: &Path) -> Self {
        Self::new(Layer::Named, path.to_owned())
    }

    /// Whether a change after this time would show in the stamp.
    #[must_use]
    pub fn is_settled(&self, now: SystemTime) -> bool {
        self.fault.is_none() && self.stamp.is_none_or(|stamp| stamp.is_settled(now))
    }

    /// Reads it.
    #[must_use]
    pub fn source(&self, pins: Option<&Path>) -> Source {
        if let Some(fault) = &self.fault {
            return Source {
                layer: self.layer,
                path: self.path.clone(),
                text: Err(fault.clone()),
                trusted: false,
            };
        }
        let source = Source::read(self.layer, &self.path);
        let project = self.layer == Layer::Project;
        let trusted = source.text.as_ref().is_ok_and(|text| {
            let pins = pins.filter(|_| project).map(Pins::read);
            pins.is_some_and(|pins| pins.is_ok_and(|pins| pins.has(&self.path, text)))
        });
        Source { trusted, ..source }
    }
}

impl Places {
    /// The files, in order.
    #[must_use]
    pub fn found(&self) -> Vec<Found> {
        let mut all = Vec::new();
        for (layer, directory) in [(Layer::System, &self.system), (Layer::User, &self.user)] {
            let Some(directory) = directory else { continue };
            match listed(directory) {
                Ok(files) => all.extend(files.into_iter().map(|file| Found::new(layer, file))),
                Err(error) => {
                    let fault = Some(format!("cannot be listed: {error}"));
                    all.push(Found { layer, path: directory.clone(), stamp: None, fault });
                }
            }
        }
        let project = self.project.as_deref().map(|root| root.join(PROJECT_FILE));
        // Nothing there is the common case, and one question.
        let project = project.filter(|path| fs::symlink_metadata(path).is_ok());
        all.extend(project.map(|path| Found::new(Layer::Project, path)));
        all
    }

    /// The same, read.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        self.found().iter().map(|found| found.source(self.pins.as_deref())).collect()
    }

    /// Which file the pins are, where a project's file is among those that were found.
    #[must_use]
    pub fn pinned(&self, found: &[Found]) -> Option<Stamp> {
        let project = found.iter().any(|found| found.layer == Layer::Project);
        self.pins.as_deref().filter(|_| project).and_then(Stamp::of)
    }
}

/// The policy files of a directory by name; none when there is no directory.
fn listed(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries?,
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    Ok(files)
}

/// A regular file's text. A pipe in its place would never end.
///
/// # Errors
/// When it cannot be read, is something else or is very large.
pub fn text(path: &Path) -> io::Result<String> {
    text_within(path, LARGEST)
}

fn text_within(path: &Path, largest: u64) -> io::Result<String> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::with_capacity(usize::try_from(meta.len().min(largest)).unwrap_or_default() + 1);
    fs::File::open(path)?.take(largest + 1).read_to_string(&mut text)?;
    if text.len() as u64 > largest {
        return Err(io::Error::other(format!("it is larger than {largest} bytes")));
    }
    Ok(text)
}

/// Replaces a file in one step, for its owner alone: readers see the old text or the new one.
///
/// # Errors
/// When it cannot be written; then it is as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    // Made with permissions for the owner only.
    let mut file = tempfile::Builder::new().prefix(".stanchion-").tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}
