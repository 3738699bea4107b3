//! `stanchion events`: what is in a database of events. Owns its arguments and its printing; must never
//! change anything there.

use super::database::Database;
use super::out;
use super::trust::printable;
use anyhow::{anyhow, bail};
use serde::Serialize;
use stanchion::audit::rfc3339;
use stanchion::mission::host::store::{Filter, Found, Purpose, Store, Summary};
use stanchion::mission::host::{KINDS, canonical};
use std::io::{ErrorKind, Write as _};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// The version of the JSON.
const SCHEMA: u32 = 1;

/// How many events are read at a time.
const PAGE: u32 = 1000;

/// How often new events are looked for.
const PACE: Duration = Duration::from_millis(300);

/// Units of `--since`, in seconds.
const UNITS: [(char, u64); 5] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400), ('w', 604_800)];

/// List, count and follow the events of missions
///
/// Exit status: 0, also when there are none; 1 the database cannot be read; 64 wrong usage.
#[derive(clap::Args)]
pub struct Args {
    /// Of this mission
    #[arg(long, value_name = "NAME")]
    mission: Option<String>,
    /// Of this phase
    #[arg(long, value_name = "NAME")]
    phase: Option<String>,
    /// Of this run
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Of this kind (gate.denied), or of all that start so (gate); may be repeated
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,
    /// Of this rule; with * at its end of all that start so
    #[arg(long, value_name = "ID")]
    rule: Option<String>,
    /// Of this agent, or of a sub-agent with this id or of this type
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Not before: 2026-12-03, 2026-12-03T12:00:00Z, or 90s, 30m, 2h, 7d, 1w ago
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only the newest
    #[arg(long, value_name = "N")]
    last: Option<u32>,
    /// Counts in place of events
    #[arg(long, conflicts_with_all = ["follow", "last"])]
    summary: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// Go on with new events as they are stored
    #[arg(long, short)]
    follow: bool,
    #[command(flatten)]
    database: Database,
}

#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    #[serde(flatten)]
    event: &'a Found,
}

#[derive(Serialize)]
struct Counts<'a> {
    schema: u32,
    #[serde(flatten)]
    summary: &'a Summary,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let filter = filter(args)?;
    let name = args.database.name()?;
    let shown = Database::open(&name, Purpose::Read).and_then(|mut store| show(args, &mut *store, &filter));
    match shown {
        Ok(()) => Ok(0),
        Err(fault) => {
            out::complain(&format!("stanchion: {}\n", printable(&fault.message)));
            Ok(1)
        }
    }
}

fn filter(args: &Args) -> anyhow::Result<Filter> {
    let mut kinds = Vec::new();
    for wanted in &args.kinds {
        let within = |name: &str| {
            name == wanted || name.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        let found: Vec<String> =
            KINDS.iter().filter(|(_, name)| within(name)).map(|(_, name)| (*name).to_owned()).collect();
        if found.is_empty() {
            let known = KINDS.map(|(_, name)| name).join(", ");
            bail!("no kind `{wanted}`; known: {known}");
        }
        kinds.extend(found);
    }
    Ok(Filter {
        mission: args.mission.clone(),
        phase: args.phase.clone(),
        run: args.run.clone(),
        kinds,
        rule: args.rule.clone(),
        agent: args.agent.clone(),
        since: args.since.as_deref().map(since).transpose()?,
    })
}

/// A point of time, or how long ago it is.
fn since(text: &str) -> anyhow::Result<String> {
    let ago = || {
        let unit = text.chars().next_back()?;
        let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        let ago = Duration::from_secs(number.checked_mul(*seconds)?);
        Some(rfc3339(SystemTime::now().checked_sub(ago)?))
    };
    let point = canonical(text).or_else(|| canonical(&format!("{text}T00:00:00Z"))).or_else(ago);
    point.ok_or_else(|| anyhow!("--since {text}: write 2026-12-03, 2026-12-03T12:00:00Z, or 30m, 2h, 7d"))
}

type Result<T> = std::result::Result<T, stanchion::mission::host::Fault>;

fn show(args: &Args, store: &mut dyn Store, filter: &Filter) -> Result<()> {
    if args.summary {
        let summary = store.summary(filter)?;
        if args.json {
            // Texts and numbers: it can be written.
            let _ = out::json(&Counts { schema: SCHEMA, summary: &summary });
        } else {
            out::say(table(&summary));
        }
        return Ok(());
    }
    let mut after = args.last.map_or(Ok(0), |count| store.before_last(filter, count))?;
    loop {
        let page = store.page(filter, after, PAGE)?;
        let full = page.len() >= PAGE as usize;
        let text: String = page.iter().map(|event| line(args, event)).collect();
        after = page.last().map_or(after, |event| event.id);
        if !write(&text) {
            return Ok(());
        }
        match (full, args.follow) {
            (true, _) => {}
            (false, true) => sleep(PACE),
            (false, false) => return Ok(()),
        }
    }
}

/// Whether somebody reads on.
fn write(text: &str) -> bool {
    let mut stream = std::io::stdout().lock();
    let written = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    !written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

fn line(args: &Args, event: &Found) -> String {
    if args.json {
        // Texts, numbers and JSON: it can be written.
        let text = serde_json::to_string(&Line { schema: SCHEMA, event }).unwrap_or_default();
        return text + "\n";
    }
    let words = [
        event.time.as_str(),
        &format!("{}/{}", event.mission, event.phase),
        event.agent.as_deref().unwrap_or("-"),
        &event.kind,
        if event.target.is_empty() { "-" } else { &event.target },
        &gist(event),
    ];
    printable(words.join("  ").trim_end()) + "\n"
}

/// The member of a detail that says most, for people.
fn gist(event: &Found) -> String {
    const MEMBERS: [&str; 5] = ["rule", "why", "command", "effect", "records"];
    let Ok(serde_json::Value::Object(detail)) = serde_json::from_str(event.detail.get()) else {
        return String::new();
    };
    let found = MEMBERS.iter().find_map(|name| detail.get(*name).filter(|value| !value.is_null()));
    match found {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None if event.kind.starts_with("cap.") => event.detail.get().to_owned(),
        None => String::new(),
    }
}

fn table(summary: &Summary) -> String {
    let mut text = String::new();
    for count in &summary.events {
        let rule = count.rule.as_deref().map_or_else(String::new, |rule| format!("  {rule}"));
        let place = format!("{}/{}", count.mission, count.phase);
        let times = format!("{} .. {}", count.first, count.last);
        text += &printable(&format!("{:>10}  {place}  {}{rule}  {times}", count.events, count.kind));
        text.push('\n');
    }
    for count in &summary.batches {
        let place = format!("{}/{}", count.mission, count.phase);
        text += &printable(&format!(
            "{:>10}  {place}  batches: {} lines, {} cut, {} torn, {} foreign, {} not kept by guests",
            count.batches, count.lines, count.cut, count.torn, count.foreign, count.dropped
        ));
        text.push('\n');
    }
    text
}
