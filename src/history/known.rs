//! Which calls were met already. A resumed session repeats what stands in another file, and a call stands in
//! several lines. Owns the bound of what is remembered; must never take two calls for one.

use super::shape::Past;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// How many calls are remembered: beyond that the oldest half is forgotten.
const MOST: usize = 1 << 20;

/// A shorter name of a call is a number that every session begins with anew.
const LONG: usize = 16;

/// The names of calls that were met.
#[derive(Debug, Default)]
pub struct Known {
    new: HashSet<u64>,
    old: HashSet<u64>,
}

impl Known {
    /// Takes note of a call; whether it was met before. What has no name is never met again.
    pub fn met(&mut self, call: &Past, file: usize) -> bool {
        let Some(id) = &call.id else { return false };
        let mut hash = DefaultHasher::new();
        (id, &call.command).hash(&mut hash);
        if id.len() < LONG {
            (call.format, &call.session, file).hash(&mut hash);
        }
        let key = hash.finish();
        if self.old.contains(&key) || !self.new.insert(key) {
            return true;
        }
        if self.new.len() >= MOST / 2 {
            self.old = std::mem::take(&mut self.new);
        }
        false
    }
}
