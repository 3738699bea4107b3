//! Where the calls of a history were made, as far as that can be told today. Owns the variables that move
//! transcripts, and what was looked up once; must never look at a command.

use crate::cli::place::Place;
use crate::cli::selection::Loaded;
use stanchion::call::{Checkout, ToolCall};
use stanchion::gate::Gate;
use stanchion::history::{self, Past};
use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// How many directories are remembered.
const MOST: usize = 4096;

/// What was looked up.
#[derive(Default)]
struct Memo<K, V>(Mutex<HashMap<K, V>>);

impl<K: Eq + Hash + Clone, V: Clone> Memo<K, V> {
    fn get(&self, key: K, look: impl FnOnce(&K) -> V) -> V {
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = map.get(&key) {
            return value.clone();
        }
        if map.len() >= MOST {
            map.clear();
        }
        let value = look(&key);
        map.insert(key, value.clone());
        value
    }
}

/// Puts calls where they were made.
pub struct Places {
    place: Place,
    variable: Option<String>,
    roots: Memo<Option<PathBuf>, Option<PathBuf>>,
    checkouts: Memo<(PathBuf, Vec<String>), Checkout>,
}

impl Places {
    /// For the policies that were loaded.
    pub fn new(loaded: [Option<&Loaded>; 2]) -> Self {
        let variable = loaded.into_iter().flatten().find_map(|loaded| loaded.home_variable.clone());
        // The variables of a harness that runs this tell of its project, not of the history's.
        let place = Place { closed: true, ..Place::default() };
        Self { place, variable, roots: Memo::default(), checkouts: Memo::default() }
    }

    /// A call in its place.
    pub fn call(&self, past: &Past, gate: &Gate) -> ToolCall {
        let root = self.roots.get(past.cwd.clone(), |cwd| self.place.root(cwd.as_deref()));
        let placed =
            self.place.rooted(past.command.clone(), past.cwd.clone(), root, self.variable.as_deref());
        let user_home = std::env::var_os("HOME").map(PathBuf::from);
        let mut call = ToolCall { tool: past.tool, paths: past.paths.clone(), user_home, ..placed };
        if let (Some(entries), Some(cwd)) = (gate.asks_checkout(&call.command), &call.cwd) {
            let key = (cwd.clone(), entries.into_iter().map(ToOwned::to_owned).collect());
            call.checkout = self.checkouts.get(key, |(cwd, entries)| {
                let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
                crate::cli::checkout::find(cwd, &entries)
            });
        }
        call.origin.harness = Some(history::FORMATS.get(past.format).map_or("", |format| format.name).into());
        call.origin.session.clone_from(&past.session);
        call
    }
}

/// The folder for which a usual place stands.
pub fn folder(place: &history::Place) -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let moved = absolute(place.variable);
    let base = moved.or_else(|| Some(absolute("HOME")?.join(Path::new(place.home))))?;
    Some(base.join(place.folder))
}
