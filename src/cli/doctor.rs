//! `stanchion doctor` and `stanchion status`. Owns what is said, and the commands by which hooks are
//! tried; must never mend anything.

use super::layers::Around;
use super::out;
use super::selection::Selection;
use super::site::Choice;
use serde::Serialize;
use stanchion::audit::Store;
use stanchion::call::ToolCall;
use stanchion::install::doctor::{Examiner, Finding, Trial};
use stanchion::install::entry::Command;
use stanchion::install::{Harness, Scope, Site, plan};
use stanchion::layers::Fault;
use stanchion::verdict::Decision;
use std::path::PathBuf;
use std::time::Duration;

/// The version of the JSON.
const SCHEMA: u32 = 1;

/// To what no policy objects.
const HARMLESS: &str = "echo stanchion";

/// What some policy denies. None of it is ever run: the hook only judges it.
const DENIED: [&str; 4] = ["git push --force origin main", "git reset --hard", "rm -rf /", "pkill -9 -f ."];

/// Run the registered hooks as their harnesses would, and say what is wrong
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    choice: Choice,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// How long a hook may take, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 2000)]
    limit: u64,
}

/// Show where the hook is registered
#[derive(clap::Args)]
pub struct StatusArgs {
    #[command(flatten)]
    choice: Choice,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    version: String,
    healthy: bool,
    checked: Vec<Checked<'a>>,
    findings: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Checked<'a> {
    harness: &'a str,
    scope: &'a str,
    path: String,
    registered: bool,
}

#[derive(Serialize)]
struct Row<'a> {
    code: &'a str,
    harness: &'a str,
    path: String,
    message: &'a str,
    remedy: &'a str,
}

fn version() -> String {
    format!("stanchion {}", env!("CARGO_PKG_VERSION"))
}

/// Runs `doctor`. The status is 1 when something is wrong.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let site = args.choice.site()?;
    let version = version();
    let limit = Duration::from_millis(args.limit);
    let around = Around::Fresh(Some(&site.project));
    let trial = |command: &Command| trial(command, around);
    let examiner = Examiner { site: &site, version: &version, trial: &trial, limit };
    let scopes: &[Scope] =
        if args.choice.project { &[Scope::Project] } else { &[Scope::User, Scope::Project] };
    let named = !args.choice.harnesses.is_empty();
    let mut checked = Vec::new();
    let mut findings: Vec<Finding> = records().into_iter().collect();
    findings.extend(left_out(around)?);
    for harness in args.choice.harnesses(|_| true)? {
        let mut registered = false;
        for scope in scopes {
            let Some(path) = site.file(harness, *scope) else { continue };
            // A guest's file is checked with its owner's name.
            if harness.lodges.is_some() && !named {
                registered = true;
                continue;
            }
            if let Some(found) = examiner.check(harness, *scope) {
                registered = true;
                let path = path.display().to_string();
                checked.push(Checked { harness: harness.name, scope: scope.name(), path, registered });
                findings.extend(found);
            }
        }
        if !registered && (named || site.has(harness)) {
            findings.push(examiner.missing(harness, *scopes.first().unwrap_or(&Scope::User)));
        }
    }
    let rows = findings.iter().map(|finding| Row {
        code: finding.code,
        harness: finding.harness,
        path: finding.path.display().to_string(),
        message: &finding.message,
        remedy: &finding.remedy,
    });
    let healthy = findings.is_empty() && !checked.is_empty();
    let report =
        Report { schema: SCHEMA, version: version.clone(), healthy, checked, findings: rows.collect() };
    if args.json {
        out::json(&report)?
    } else {
        out::say(people(&report))
    }
    Ok(u8::from(!healthy))
}

fn people(report: &Report<'_>) -> String {
    let mut text = String::new();
    for row in &report.checked {
        let wrong =
            report.findings.iter().any(|finding| finding.path == row.path || finding.harness == row.harness);
        let word = if wrong { "see below" } else { "protects" };
        text += &format!("{} ({}): {word}, {}\n", row.harness, row.scope, row.path);
    }
    for finding in &report.findings {
        let Row { code, harness, path, message, remedy } = finding;
        text += &format!("\n[{code}] {harness} {path}\n  {message}\n  to mend it: {remedy}\n");
    }
    if report.checked.is_empty() && report.findings.is_empty() {
        text += "no harness is found or registered; run `stanchion install HARNESS`\n";
    }
    text
}

/// Commands to try under the policies that a registration names.
fn trial(command: &Command, around: Around<'_>) -> Result<Trial, String> {
    let mut policies = Vec::new();
    let mut words = command.words.iter();
    while let Some(word) = words.next() {
        if word == "--policy" {
            policies.extend(words.next().map(PathBuf::from));
        } else if let Some(path) = word.strip_prefix("--policy=") {
            policies.push(path.into());
        }
    }
    let only = command.words.iter().any(|word| word == "--only");
    let queries = command.option("--queries").map(PathBuf::from);
    let loaded = Selection { policies, only, queries, records: None }.load(around);
    let loaded = loaded.map_err(|error| format!("{error:#}"))?;
    let scripts = loaded.gate.policies().iter().flat_map(|policy| policy.protected.scripts);
    let own = scripts.map(|script| format!("{} &", script.path));
    let mut tries = own.chain(DENIED.map(str::to_owned));
    let denied =
        tries.find(|text| loaded.gate.judge(&ToolCall::shell(text.as_str())).decision() == Decision::Deny);
    let denied =
        denied.ok_or_else(|| "the policies deny nothing by which the hook can be tried".to_owned())?;
    Ok(Trial { denied, harmless: HARMLESS.to_owned() })
}

/// Policy files that are left out.
fn left_out(around: Around<'_>) -> anyhow::Result<Vec<Finding>> {
    let (_, stack) = Selection::all_shipped().layers(around)?;
    let finding = |fault: Fault| Finding {
        code: "policy-left-out",
        harness: "",
        message: format!("left out of the {} layer: {}", fault.layer.name(), fault.message),
        remedy: "mend the file, then: stanchion policy check".to_owned(),
        path: fault.path,
    };
    Ok(stack.faults.into_iter().map(finding).collect())
}

/// Faults that the hook has recorded.
fn records() -> Option<Finding> {
    let path = Store::faults(&super::records::directory()?).current();
    let text = std::fs::read_to_string(&path).ok()?;
    let last = text.lines().rfind(|line| !line.trim().is_empty())?;
    let count = text.lines().filter(|line| !line.trim().is_empty()).count();
    Some(Finding {
        code: "faults-recorded",
        harness: "",
        message: format!("the hook has recorded {count} faults; the last: {last}"),
        remedy: format!("mend what it names, then move {} away", path.display()),
        path,
    })
}

/// Runs `status`.
pub fn status(args: &StatusArgs) -> anyhow::Result<u8> {
    let site = args.choice.site()?;
    let scopes: &[Scope] =
        if args.choice.project { &[Scope::Project] } else { &[Scope::User, Scope::Project] };
    let mut rows = Vec::new();
    for harness in args.choice.harnesses(|_| true)? {
        rows.extend(scopes.iter().filter_map(|scope| row(&site, harness, *scope)));
    }
    if args.json {
        let findings = Vec::new();
        let healthy = rows.iter().any(|row| row.registered);
        out::json(&Report { schema: SCHEMA, version: version(), healthy, checked: rows, findings })?;
        return Ok(0);
    }
    for row in rows {
        let word = if row.registered { "registered" } else { "not registered" };
        out::say(format!("{:<12} {:<8} {:<15} {}\n", row.harness, row.scope, word, row.path));
    }
    Ok(0)
}

/// A harness that is here or registered.
fn row(site: &Site, harness: &'static Harness, scope: Scope) -> Option<Checked<'static>> {
    let path = site.file(harness, scope)?.display().to_string();
    let registered = plan::is_registered(site, harness, scope);
    (registered || site.has(harness)).then(|| Checked {
        harness: harness.name,
        scope: scope.name(),
        path,
        registered,
    })
}
