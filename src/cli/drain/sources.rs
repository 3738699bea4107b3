//! The sources of a drain: from the command line and from a file. Owns the file's form; must never drop
//! a member that is not known.

use super::Args;
use anyhow::{Context as _, anyhow, bail};
use serde::Deserialize;
use stanchion::mission::host::{Job, Labels, Place, Spec};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file of sources.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sources {
    source: Vec<Written>,
}

/// A source as it is written there. What is left out is as on the command line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    from: String,
    mission: Option<String>,
    phase: Option<String>,
    run: Option<String>,
    agent: Option<String>,
    #[serde(default)]
    sessions: BTreeMap<String, String>,
    #[serde(default)]
    program: Vec<String>,
    #[serde(default)]
    client: Vec<String>,
    #[serde(default)]
    options: Vec<String>,
}

/// All sources with their labels.
pub fn jobs(args: &Args) -> anyhow::Result<Vec<Job>> {
    let mut written: Vec<Written> = args.sources.iter().map(|from| plain(from)).collect();
    if let Some(path) = &args.file {
        written.extend(file(path)?);
    }
    if written.is_empty() {
        bail!(
            "no source: write dir:PATH, docker:CONTAINER[:PATH], ssh:HOST[:PATH], cmd:PROGRAM or --sources FILE"
        );
    }
    let spool = spool()?;
    let patience = Duration::from_secs(args.patience);
    let mut names = BTreeSet::new();
    let job = |written: Written| {
        if !names.insert(written.from.clone()) {
            bail!("the source `{}` stands twice: each is drained once", written.from);
        }
        let labels = labels(args, &written)?;
        let spec = spec(args, written)?;
        Ok(Job { source: spec.source(patience, &spool), name: spec.name, labels })
    };
    written.into_iter().map(job).collect()
}

fn plain(from: &str) -> Written {
    let (mission, phase, run, agent) = (None, None, None, None);
    let (program, client, options) = (Vec::new(), Vec::new(), Vec::new());
    let sessions = BTreeMap::new();
    Written { from: from.to_owned(), mission, phase, run, agent, sessions, program, client, options }
}

fn file(path: &Path) -> anyhow::Result<Vec<Written>> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| shown.to_string())?;
    let wrong = |error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        let before = text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        anyhow!("{shown}:{line}:{column}: {}", error.message())
    };
    Ok(toml::from_str::<Sources>(&text).map_err(wrong)?.source)
}

fn labels(args: &Args, written: &Written) -> anyhow::Result<Labels> {
    let named = |own: &Option<String>, all: &Option<String>| own.clone().or_else(|| all.clone());
    let needed = |value: Option<String>, what: &str| {
        let value = value.filter(|value| !value.is_empty());
        value.with_context(|| {
            format!("{}: say which {what} its records belong to: --{what} NAME", written.from)
        })
    };
    let mut sessions = args.sessions.iter().cloned().collect::<BTreeMap<_, _>>();
    sessions.extend(written.sessions.clone());
    let labels = Labels {
        mission: needed(named(&written.mission, &args.mission), "mission")?,
        phase: needed(named(&written.phase, &args.phase), "phase")?,
        run: named(&written.run, &args.run),
        agent: named(&written.agent, &args.agent),
        sessions,
    };
    if texts(&labels).any(|text| text.contains('\0')) {
        bail!("{}: a label holds a NUL, which no database keeps", written.from);
    }
    Ok(labels)
}

/// Everything that is said.
fn texts(labels: &Labels) -> impl Iterator<Item = &String> {
    let Labels { mission, phase, run, agent, sessions } = labels;
    let named = [Some(mission), Some(phase), run.as_ref(), agent.as_ref()].into_iter().flatten();
    named.chain(sessions.iter().flat_map(|(session, agent)| [session, agent]))
}

fn spec(args: &Args, written: Written) -> anyhow::Result<Spec> {
    let mut spec = Spec::parse(&written.from)?;
    let is_directory = matches!(spec.place, Place::Directory(_));
    let is_guest = matches!(spec.place, Place::Guest(..));
    let unused = [(&written.program, "program"), (&written.client, "client"), (&written.options, "options")];
    if let Some((_, name)) = unused.iter().find(|(words, _)| !is_guest && !words.is_empty()) {
        bail!("{}: `{name}` is for guests behind a client", written.from);
    }
    if is_directory && let Place::Directory(path) = &mut spec.place {
        // One name for one directory in reports and in the store.
        *path = std::path::absolute(&*path).with_context(|| path.display().to_string())?;
        spec.name = format!("dir:{}", path.display());
    }
    let program = args.program.iter().cloned().collect::<Vec<_>>();
    spec.program = if written.program.is_empty() && is_guest { program } else { written.program };
    spec.client = written.client;
    spec.options = written.options;
    Ok(spec)
}

/// Where received bytes wait: beside the user's records, since temporary files are memory on many machines.
fn spool() -> anyhow::Result<PathBuf> {
    let Some(directory) = super::super::database::state() else { return Ok(std::env::temp_dir()) };
    std::fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
    Ok(directory)
}

/// Reads `SESSION=AGENT`.
pub fn session(text: &str) -> Result<(String, String), String> {
    match text.rsplit_once('=') {
        Some((session, agent)) if !session.is_empty() && !agent.is_empty() => {
            Ok((session.to_owned(), agent.to_owned()))
        }
        _ => Err("write SESSION=AGENT".to_owned()),
    }
}

/// Reads a number of events, or `none`.
pub fn cap(text: &str) -> Result<Cap, String> {
    match text {
        "none" => Ok(Cap(None)),
        number => {
            number.parse().map(|number| Cap(Some(number))).map_err(|_| "write a number or `none`".to_owned())
        }
    }
}

/// How many events a phase keeps.
#[derive(Clone, Copy, Debug)]
pub struct Cap(pub Option<u64>);
