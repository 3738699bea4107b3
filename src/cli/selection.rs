//! Which policies and queries apply. Owns `--policy` and `--queries`; must never judge.

use anyhow::Context as _;
use stanchion::audit::FaultKind;
use stanchion::gate::Gate;
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
    /// Edited query files to read instead of the shipped ones
    #[arg(long, value_name = "DIR")]
    pub queries: Option<PathBuf>,
}

/// Loaded policies and queries.
pub struct Loaded {
    /// The gate over all of them.
    pub gate: Gate,
    /// The queries that read commands.
    pub queries: &'static Queries,
    /// The variable that names the home of the guarded system.
    pub home_variable: Option<String>,
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
    fn new(kind: FaultKind, file: &Path, message: String) -> Self {
        Self { kind, file: file.to_owned(), message }
    }
}

impl Selection {
    /// Loads what is selected.
    pub fn load(&self) -> anyhow::Result<Loaded> {
        let queries = self.queries.as_deref().map_or(Ok(Queries::shipped()), read_queries)?;
        let policies = self.policies()?;
        let home_variable = policies.iter().find_map(|policy| policy.home_variable().map(ToOwned::to_owned));
        let gate = Gate::new(policies).with_queries(queries);
        Ok(Loaded { gate, queries, home_variable })
    }

    fn policies(&self) -> anyhow::Result<Vec<Policy>> {
        if self.policies.is_empty() {
            return Ok(vec![find(Path::new(DEFAULT))?]);
        }
        find_all(&self.policies)
    }
}

/// The policies of some names, packs, lists of names and files.
pub fn find_all(names: &[PathBuf]) -> anyhow::Result<Vec<Policy>> {
    let mut found = Vec::new();
    for name in names {
        match name.to_str().filter(|text| text.contains(',') && !name.exists()) {
            Some(list) => list.split(',').try_for_each(|name| add(Path::new(name), &mut found))?,
            None => add(name, &mut found)?,
        }
    }
    Ok(found)
}

/// Adds a policy, or all of a pack: `core` stands for `core.git`, `core.filesystem` and so on.
fn add(name: &Path, found: &mut Vec<Policy>) -> anyhow::Result<()> {
    let pack = format!("{}.", name.display());
    let members = policy::NAMES.iter().filter(|member| member.starts_with(&pack));
    let before = found.len();
    found.extend(members.filter_map(|member| policy::shipped(member)));
    if found.len() == before {
        found.push(find(name)?);
    }
    Ok(())
}

fn find(name: &Path) -> anyhow::Result<Policy> {
    if let Some(policy) = name.to_str().and_then(policy::shipped) {
        return Ok(policy);
    }
    let bare = name.components().count() == 1 && name.extension().is_none();
    if bare && !name.exists() {
        let message = format!("no shipped policy and no file is named `{}`", name.display());
        return Err(Unusable::new(FaultKind::Policy, name, message).into());
    }
    policy::load(name).map_err(|errors| Unusable::new(FaultKind::Policy, name, errors.to_string()).into())
}

/// Query files live as long as the process, as the shipped ones do.
fn read_queries(directory: &Path) -> anyhow::Result<&'static Queries> {
    let queries = Queries::load(directory).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Unusable::new(FaultKind::Queries, directory, lines.join("\n"))
    });
    Ok(Box::leak(Box::new(queries.context("the queries cannot be used")?)))
}
