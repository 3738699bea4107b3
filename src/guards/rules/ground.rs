//! Where things are in the call's world: home, workspace, protected paths, and which class a path has.
//! Must never touch a file system.

use crate::call::ToolCall;
use crate::policy::Policy;
use crate::policy::facts;
use crate::policy::facts::types::Places;
use crate::policy::rule::types::Class;
use crate::shell::glob::glob_matches;
use crate::shell::path::fold;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// A set of classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(u16);

impl Set {
    pub(super) fn one(class: Class) -> Self {
        Self(1 << class as u16)
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, class: Class) -> bool {
        self.0 & Self::one(class).0 != 0
    }

    pub(super) fn any(self, classes: &[Class]) -> bool {
        classes.iter().any(|class| self.has(*class))
    }

    /// The same with one class in another's stead.
    pub(super) fn instead(self, old: Class, new: Class) -> Self {
        if self.has(old) { Self(self.0 & !Self::one(old).0).with(Self::one(new)) } else { self }
    }
}

/// A home that is not known: some user's.
const SOME_HOME: &[u8] = b"/home/~";
/// A workspace that is not known.
const SOME_WORKSPACE: &[u8] = b"/home/~/~";
/// Names that stand for everything in a directory.
const ALL: [&[u8]; 6] = [b"*", b".*", b"**", b".??*", b".[!.]*", b".[^.]*"];

/// An absolute path; in a pattern unknown parts stand as `*`.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) path: Vec<u8>,
    pub(super) glob: bool,
}

/// The call's world.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) home: Vec<u8>,
    pub(super) root: Vec<u8>,
    /// The directory in which the call runs.
    pub(super) start: Vec<u8>,
    protected: Vec<&'static str>,
    places: &'static Places,
}

impl Ground {
    pub(super) fn new(call: &ToolCall, policies: &[Policy]) -> Self {
        let bytes = |path: &Path| fold(path.as_os_str().as_bytes());
        let absolute = |path: &Option<PathBuf>| path.as_deref().filter(|path| path.is_absolute()).map(bytes);
        let root = absolute(&call.root).or_else(|| absolute(&call.cwd)).unwrap_or(SOME_WORKSPACE.to_vec());
        let start = absolute(&call.cwd).unwrap_or_else(|| root.clone());
        let home = absolute(&call.user_home).or_else(|| absolute(&call.home).filter(|home| *home != root));
        let protected = policies.iter().flat_map(|policy| policy.protected_paths).copied().collect();
        let home = home.unwrap_or_else(|| SOME_HOME.to_vec());
        Self { home, root, start, protected, places: &facts::shipped().places }
    }

    /// Protected paths.
    pub(super) fn protected(&self) -> &[&'static str] {
        &self.protected
    }

    /// Whether a variable names a directory for temporary files.
    pub(super) fn is_temporary(&self, variable: &[u8]) -> bool {
        self.places.temporary_variables.iter().any(|name| name.as_bytes() == variable)
    }

    /// The classes of an absolute path.
    pub(super) fn classes(&self, located: &Located) -> Set {
        let folded = fold(&located.path);
        let mut parts: Vec<&[u8]> =
            folded.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
        let marked = self.marked(&parts, located.glob, true);
        let named = self.named(&parts, located.glob);
        let mut all = false;
        while located.glob && parts.last().is_some_and(|last| ALL.contains(last)) {
            parts.pop();
            all = true;
        }
        let path = Parts { parts: &parts, glob: located.glob };
        let place = self.place(&path, all);
        // Copies of a project in a directory for temporary files guard nothing, but what is named from the root on
        // is meant.
        if place == Set::one(Class::Temp) { place.with(named) } else { place.with(marked) }
    }

    fn place(&self, path: &Parts<'_>, all: bool) -> Set {
        if path.parts.is_empty() {
            return Set::one(Class::Root);
        }
        let root = path.relation(&self.root);
        let start = path.relation(&self.start);
        let mut set = Set::default();
        if matches!(root, Relation::Same | Relation::Above)
            || matches!(start, Relation::Same | Relation::Above)
        {
            set = set.with(Set::one(Class::Workspace));
        }
        let homes = || self.places.homes.iter().map(|home| home.as_bytes()).chain([self.home.as_slice()]);
        let home = |wanted: &[Relation]| homes().any(|home| wanted.contains(&path.relation(home)));
        if home(&[Relation::Same, Relation::Above]) {
            set = set.with(Set::one(Class::Home));
        }
        let listed = |list: &[&str], wanted: &[Relation]| {
            list.iter().any(|known| wanted.contains(&path.relation(known.as_bytes())))
        };
        if set != Set::default() {
            let system = listed(self.places.system, &[Relation::Same]);
            return if system { set.with(Set::one(Class::System)) } else { set };
        }
        let below = |base: &[u8], relation| relation == Relation::Below && !self.is_wide(base);
        if below(&self.root, root) || below(&self.start, start) {
            return Set::one(Class::Inside);
        }
        if listed(self.places.harmless, &[Relation::Same, Relation::Below]) {
            return Set::one(Class::Other);
        }
        if listed(self.places.temporary, &[Relation::Below])
            || (all && listed(self.places.temporary, &[Relation::Same]))
        {
            return Set::one(Class::Temp);
        }
        if listed(self.places.devices, &[Relation::Same, Relation::Below]) {
            return Set::one(Class::Device);
        }
        if home(&[Relation::Below]) {
            let personal = homes().any(|home| self.is_personal(path, home));
            return Set::one(if personal { Class::Personal } else { Class::User });
        }
        if listed(self.places.system, &[Relation::Same, Relation::Below, Relation::Above]) {
            return Set::one(Class::System);
        }
        Set::one(Class::Other)
    }

    /// Whether a directory holds more than a project: the root, a home or what holds homes.
    fn is_wide(&self, base: &[u8]) -> bool {
        let parts: Vec<&[u8]> = base.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
        let base = Parts { parts: &parts, glob: false };
        let homes = self.places.homes.iter().map(|home| home.as_bytes()).chain([self.home.as_slice()]);
        homes.map(|home| base.relation(home)).any(|near| matches!(near, Relation::Same | Relation::Above))
    }

    fn is_personal(&self, path: &Parts<'_>, home: &[u8]) -> bool {
        self.places.personal.iter().any(|name| {
            let known = [home, b"/", name.as_bytes()].concat();
            matches!(path.relation(&known), Relation::Same)
        })
    }

    /// Protected paths that are named from the root on.
    fn named(&self, parts: &[&[u8]], glob: bool) -> Set {
        let path = Parts { parts, glob };
        let near = self.protected.iter().filter(|pattern| pattern.starts_with('/'));
        let near = near.map(|pattern| path.lowered_relation(pattern.as_bytes()));
        near.fold(Set::default(), |set, near| match near {
            Relation::Same | Relation::Below => set.with(Set::one(Class::Protected)),
            Relation::Above => set.with(Set::one(Class::Holds)),
            Relation::Apart => set,
        })
    }

    /// Protected paths and secrets, wherever they are.
    fn marked(&self, parts: &[&[u8]], glob: bool, whole: bool) -> Set {
        let path = Parts { parts, glob };
        let mut set = Set::default();
        // Of the end of a path only patterns tell that are ends of paths.
        let tells = |pattern: &&&str| whole || !pattern.starts_with(['/', '~']);
        for pattern in self.protected.iter().filter(tells) {
            let near = match pattern.strip_prefix("./") {
                Some(rest) if whole => self.in_project(&path, rest.as_bytes()),
                Some(rest) => path.ends_in(rest.as_bytes()),
                None => self.suffix(&path, pattern),
            };
            set = set.with(match near {
                Relation::Same | Relation::Below => Set::one(Class::Protected),
                Relation::Above => Set::one(Class::Holds),
                Relation::Apart => Set::default(),
            });
        }
        let found = |list: &[&str]| {
            let near =
                |pattern: &&str| matches!(self.suffix(&path, pattern), Relation::Same | Relation::Below);
            list.iter().filter(tells).any(near)
        };
        if found(self.places.secrets) && !found(self.places.not_secrets) {
            set = set.with(Set::one(Class::Secret));
        }
        set
    }

    /// The classes of the end of a path whose start is not known.
    pub(super) fn tail_classes(&self, tail: &[u8], glob: bool) -> Set {
        let folded = fold(tail);
        let parts: Vec<&[u8]> = folded.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
        // A tail that starts inside a name tells nothing of that name.
        let parts =
            if tail.starts_with(b"/") { parts.as_slice() } else { parts.get(1..).unwrap_or_default() };
        if parts.is_empty() { Set::default() } else { self.marked(parts, glob, false) }
    }

    /// How a path stands to a pattern in any home. That a directory holds whole homes is told by its class.
    fn in_homes(&self, path: &Parts<'_>, rest: &[u8]) -> Relation {
        let homes = self.places.homes.iter().map(|home| home.as_bytes()).chain([self.home.as_slice()]);
        let mut held = false;
        for home in homes {
            match path.lowered_relation(&[home, b"/", rest].concat()) {
                near @ (Relation::Same | Relation::Below) => return near,
                Relation::Above => held |= path.relation(home) == Relation::Below,
                Relation::Apart => {}
            }
        }
        if held { Relation::Above } else { Relation::Apart }
    }

    /// How a path stands to a pattern in the project. That a directory holds the project is told by its
    /// class, and what a wildcard alone might match is too wide to name a file without a directory.
    fn in_project(&self, path: &Parts<'_>, rest: &[u8]) -> Relation {
        if path.glob && path.parts.last().is_some_and(|part| ALL.contains(part)) {
            return Relation::Apart;
        }
        let known = [&self.root, &self.start].map(|base| [base, b"/".as_slice(), rest].concat());
        let near = known.iter().map(|known| path.lowered_relation(known));
        near.into_iter()
            .find(|near| matches!(near, Relation::Same | Relation::Below))
            .unwrap_or(Relation::Apart)
    }

    /// How a path stands to a pattern: absolute, from the home (`~/…`), or the end of any path.
    fn suffix(&self, path: &Parts<'_>, pattern: &str) -> Relation {
        if let Some(rest) = pattern.strip_prefix("~/") {
            return self.in_homes(path, rest.as_bytes());
        }
        if pattern.starts_with('/') {
            return path.lowered_relation(pattern.as_bytes());
        }
        let mut found = Relation::Apart;
        for at in 0..path.parts.len() {
            let rest = Parts { parts: path.parts.get(at..).unwrap_or_default(), glob: path.glob };
            match rest.lowered_relation(pattern.as_bytes()) {
                Relation::Apart => {}
                // What a wildcard alone might match is too wide to hold it.
                Relation::Above if rest.parts.first().is_some_and(|part| ALL.contains(part)) => {}
                Relation::Above => found = Relation::Above,
                near @ (Relation::Same | Relation::Below) => return near,
            }
        }
        found
    }
}

/// How a path stands to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Same,
    Below,
    Above,
    Apart,
}

struct Parts<'p> {
    parts: &'p [&'p [u8]],
    glob: bool,
}

impl Parts<'_> {
    fn relation(&self, known: &[u8]) -> Relation {
        self.compare(known, |part, name| self.part(part, name))
    }

    /// The same where letters' case does not count: some file systems are blind to it.
    fn lowered_relation(&self, known: &[u8]) -> Relation {
        let plain = |text: &[u8]| !text.iter().any(|byte| b"*?[\\".contains(byte));
        self.compare(known, |part, name| {
            if plain(part) && plain(name) {
                return part.eq_ignore_ascii_case(name);
            }
            self.part(&part.to_ascii_lowercase(), &name.to_ascii_lowercase())
        })
    }

    /// Whether a path of which only the end is known ends in these very names.
    fn ends_in(&self, names: &[u8]) -> Relation {
        let count = names.split(|byte| *byte == b'/').count();
        let end = self.parts.get(self.parts.len().saturating_sub(count)..).unwrap_or_default();
        let same = end.join(&b'/').eq_ignore_ascii_case(names);
        if same { Relation::Same } else { Relation::Apart }
    }

    fn compare(&self, known: &[u8], same: impl Fn(&[u8], &[u8]) -> bool) -> Relation {
        let names = known.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
        let mut parts = self.parts.iter();
        for name in names {
            match parts.next() {
                None => return Relation::Above,
                Some(part) if same(part, name) => {}
                Some(_) => return Relation::Apart,
            }
        }
        if parts.next().is_none() { Relation::Same } else { Relation::Below }
    }

    /// Whether one part of the path may be a name, which may be a glob itself.
    fn part(&self, part: &[u8], name: &[u8]) -> bool {
        if glob_matches(name, part) {
            return true;
        }
        let special = self.glob && part.iter().any(|byte| b"*?[\\".contains(byte));
        // A pattern that starts with a wildcard matches no name with a dot in front.
        let hidden = name.starts_with(b".") && !part.starts_with(b".") && !part.starts_with(b"\\.");
        if !special || hidden {
            return false;
        }
        if name.contains(&b'*') { overlaps(part, name) } else { glob_matches(part, name) }
    }
}

/// Whether two globs may match one name, judged by their ends.
fn overlaps(one: &[u8], other: &[u8]) -> bool {
    let head =
        |glob: &[u8]| glob.iter().take_while(|byte| !b"*?[\\".contains(byte)).copied().collect::<Vec<_>>();
    let (one, other) = (head(one), head(other));
    one.starts_with(&other) || other.starts_with(&one)
}
