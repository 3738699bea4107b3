//! Which policies and queries apply. Owns `--policy` and `--queries`; must never judge.

use super::layers::{self, Around};
use anyhow::Context as _;
use stanchion::audit::FaultKind;
use stanchion::gate::Gate;
use stanchion::layers::{Fault, Found, Layer, Stack};
use stanchion::mission::seal::Sealed;
use stanchion::policy::{self, Policy};
use stanchion::shell::query::Queries;
use std::path::{Path, PathBuf};

/// The policy that applies when none is named.
pub const DEFAULT: &str = "firstmate";

/// What the command line says of policies.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Selection {
    /// A shipped policy or pack by name (`core`), a list of names (`firstmate,core`), or a policy file; may be
    /// given more than once
    #[arg(long = "policy", value_name = "NAME|FILE")]
    pub policies: Vec<PathBuf>,
    /// Only what is named: no files of the machine, the user and the project
    #[arg(long)]
    pub only: bool,
    /// Edited query files to read instead of the shipped ones
    #[arg(long, value_name = "DIR")]
    pub queries: Option<PathBuf>,
    /// Where a guest keeps its records, which is protected, too
    #[arg(skip)]
    pub records: Option<PathBuf>,
}

/// Loaded policies and queries.
pub struct Loaded {
    /// The gate over all of them.
    pub gate: Gate,
    /// The queries that read commands.
    pub queries: &'static Queries,
    /// The variable that names the home of the guarded system.
    pub home_variable: Option<String>,
    /// What was left out.
    pub faults: Vec<Fault>,
}

/// What is named, as far as it needs no reading.
#[derive(Default)]
struct Named {
    shipped: Vec<Policy>,
    files: Vec<PathBuf>,
}

/// What was named and cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Unusable {
    /// What it is.
    pub kind: FaultKind,
    /// Where it is.
    pub file: PathBuf,
    /// What is wrong with it.
    pub message: String,
}

impl Unusable {
    /// A file of a layer that was left out.
    pub fn left_out(fault: Fault) -> Self {
        Self { kind: FaultKind::Policy, file: fault.path, message: fault.message }
    }

    fn new(kind: FaultKind, file: &Path, message: String) -> Self {
        Self { kind, file: file.to_owned(), message }
    }
}

impl Loaded {
    /// What is baked into the program, and nothing else.
    pub fn sealed(sealed: &Sealed) -> Self {
        let mut policies = sealed.policies.clone();
        let own = std::env::current_exe().ok().into_iter().chain([sealed.baked.records.clone()]);
        layers::protect_also(&mut policies, &own.collect::<Vec<_>>());
        let (queries, home_variable) = (Queries::shipped(), None);
        Self { gate: Gate::new(policies), queries, home_variable, faults: Vec::new() }
    }
}

impl Selection {
    /// Every shipped policy.
    pub fn all_shipped() -> Self {
        Self { policies: policy::NAMES.iter().map(PathBuf::from).collect(), ..Self::default() }
    }

    /// Loads what is selected and what stands around it.
    pub fn load(&self, around: Around<'_>) -> anyhow::Result<Loaded> {
        let queries = self.queries.as_deref().map_or(Ok(Queries::shipped()), read_queries)?;
        let (named, stack) = self.stack(around)?;
        let mut policies = stack.policies(named.shipped);
        let own: Vec<PathBuf> = named.files.iter().chain(&self.records).cloned().collect();
        layers::protect(&mut policies, &own);
        let home_variable = policies.iter().find_map(|policy| policy.home_variable().map(ToOwned::to_owned));
        let gate = Gate::new(policies).with_queries(queries);
        Ok(Loaded { gate, queries, home_variable, faults: stack.faults })
    }

    /// The shipped policies that are selected, and what stands on top of them.
    pub fn layers(&self, around: Around<'_>) -> anyhow::Result<(Vec<Policy>, Stack)> {
        self.stack(around).map(|(named, stack)| (named.shipped, stack))
    }

    fn stack(&self, around: Around<'_>) -> anyhow::Result<(Named, Stack)> {
        let default = [PathBuf::from(DEFAULT)];
        let named = Named::of(if self.policies.is_empty() { &default } else { &self.policies })?;
        let around = if self.only { Around::Nothing } else { around };
        let places = around.places();
        let mut found: Vec<Found> = named.files.iter().map(|file| Found::named(file)).collect();
        found.extend(places.found());
        let read = |found: &Found| found.source(places.pins.as_deref());
        let stack = match around.cache() {
            _ if found.is_empty() => Stack::default(),
            Some(cache) => cache.stack(&named.shipped, &found, &places),
            None => Stack::join(&named.shipped, &found.iter().map(read).collect::<Vec<_>>()),
        };
        // What is named and cannot be used is no matter of leaving out.
        match stack.faults.iter().find(|fault| fault.layer == Layer::Named) {
            Some(Fault { path, message, .. }) => {
                Err(Unusable::new(FaultKind::Policy, path, message.clone()).into())
            }
            None => Ok((named, stack)),
        }
    }
}

impl Named {
    /// What some names, packs, lists of names and files stand for.
    fn of(names: &[PathBuf]) -> anyhow::Result<Self> {
        let mut named = Self::default();
        for name in names {
            match name.to_str().filter(|text| text.contains(',') && !name.exists()) {
                Some(list) => list.split(',').try_for_each(|name| named.add(Path::new(name)))?,
                None => named.add(name)?,
            }
        }
        Ok(named)
    }

    /// Adds a policy, or all of a pack: `core` stands for `core.git`, `core.filesystem` and so on.
    fn add(&mut self, name: &Path) -> anyhow::Result<()> {
        let pack = format!("{}.", name.display());
        let members = policy::NAMES.iter().filter(|member| member.starts_with(&pack));
        let before = self.shipped.len();
        self.shipped.extend(members.filter_map(|member| policy::shipped(member)));
        if self.shipped.len() > before {
            return Ok(());
        }
        if let Some(policy) = name.to_str().and_then(policy::shipped) {
            self.shipped.push(policy);
            return Ok(());
        }
        let bare = name.components().count() == 1 && name.extension().is_none();
        if bare && !name.exists() {
            let message = format!("no shipped policy and no file is named `{}`", name.display());
            return Err(Unusable::new(FaultKind::Policy, name, message).into());
        }
        self.files.push(name.to_owned());
        Ok(())
    }
}

/// The policies of some names, packs, lists of names and files, by themselves.
pub fn find_all(names: &[PathBuf]) -> anyhow::Result<Vec<Policy>> {
    let Named { shipped, files } = Named::of(names)?;
    let load = |file: &PathBuf| {
        policy::load(file).map_err(|errors| Unusable::new(FaultKind::Policy, file, errors.to_string()).into())
    };
    let loaded = files.iter().map(load).collect::<anyhow::Result<Vec<Policy>>>()?;
    Ok(shipped.into_iter().chain(loaded).collect())
}

/// Query files live as long as the process, as the shipped ones do.
fn read_queries(directory: &Path) -> anyhow::Result<&'static Queries> {
    let queries = Queries::load(directory).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Unusable::new(FaultKind::Queries, directory, lines.join("\n"))
    });
    Ok(Box::leak(Box::new(queries.context("the queries cannot be used")?)))
}
