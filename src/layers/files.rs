//! The files of the layers. Owns where they are looked for and what is read of them; must never wait
//! for one or read one of any size.

use super::Layer;
use super::trust::Pins;
use std::fs;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The file of a project, in its root.
pub const PROJECT_FILE: &str = ".stanchion.toml";

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

impl Places {
    /// The files, in order.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        let mut all = Vec::new();
        for (layer, directory) in [(Layer::System, &self.system), (Layer::User, &self.user)] {
            let Some(directory) = directory else { continue };
            match listed(directory) {
                Ok(files) => all.extend(files.iter().map(|file| Source::read(layer, file))),
                Err(error) => {
                    let text = Err(format!("cannot be listed: {error}"));
                    all.push(Source { layer, path: directory.clone(), text, trusted: false });
                }
            }
        }
        all.extend(self.project.as_deref().and_then(|root| self.project_file(root)));
        all
    }

    fn project_file(&self, root: &Path) -> Option<Source> {
        let path = root.join(PROJECT_FILE);
        // Nothing there is the common case, and one question.
        fs::symlink_metadata(&path).ok()?;
        let source = Source::read(Layer::Project, &path);
        let trusted = source.text.as_ref().is_ok_and(|text| {
            let pins = self.pins.as_deref().map(Pins::read);
            pins.is_some_and(|pins| pins.is_ok_and(|pins| pins.has(&path, text)))
        });
        Some(Source { trusted, ..source })
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
