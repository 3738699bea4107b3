//! Reads every shell script below some directories as stanchion reads a command, and tells what of
//! it is opaque, by reason.
//!
//! ```sh
//! cargo run --release --example survey -- /usr /etc
//! ```
//!
//! A shell script is a file with a first line for `sh`, `bash` or `dash`, or with the name of one (`*.sh`,
//! `*.bash`, `profile`, `bashrc`, completions of bash); only those count that `bash -n` accepts. Nothing
//! is run. `--json` prints a JSON object, `--list` each opaque region first.

#![allow(clippy::print_stdout, reason = "a survey reports to the terminal")]

use serde::Serialize;
use stanchion::shell;
use stanchion::shell::query::Queries;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// What the survey found.
#[derive(Debug, Default, Serialize)]
struct Report {
    files: usize,
    rejected: usize,
    bytes: usize,
    largest: usize,
    commands: usize,
    panics: Vec<PathBuf>,
    unaccounted: Vec<String>,
    opaque_files: usize,
    opaque_bytes: usize,
    opaque_percent: f64,
    milliseconds_per_megabyte: f64,
    kinds: BTreeMap<&'static str, Kind>,
}

/// One reason for which regions are opaque.
#[derive(Debug, Default, Serialize)]
struct Kind {
    files: usize,
    regions: usize,
    bytes: usize,
    example: String,
}

fn main() -> ExitCode {
    let mut json = false;
    let mut list = false;
    let mut roots = Vec::new();
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--json") => json = true,
            Some("--list") => list = true,
            _ => roots.push(PathBuf::from(argument)),
        }
    }
    if roots.is_empty() {
        println!("usage: survey [--json] [--list] DIRECTORY…");
        return ExitCode::from(2);
    }
    let report = survey(&roots, list);
    if json {
        println!("{}", serde_json::to_string_pretty(&report).unwrap_or_default());
    } else {
        print(&report);
    }
    let clean = report.panics.is_empty() && report.unaccounted.is_empty();
    if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn survey(roots: &[PathBuf], list: bool) -> Report {
    let mut report = Report::default();
    let mut spent = Duration::ZERO;
    for path in roots.iter().flat_map(|root| scripts(root)) {
        let Ok(text) = std::fs::read(&path) else { continue };
        if !accepted(&path) {
            report.rejected += 1;
            continue;
        }
        report.files += 1;
        report.bytes += text.len();
        report.largest = report.largest.max(text.len());
        let started = Instant::now();
        let read = catch_unwind(|| shell::read(&text, Queries::shipped()));
        spent += started.elapsed();
        let Ok(script) = read else {
            report.panics.push(path);
            continue;
        };
        if let Err(at) = shell::account::regions(&text) {
            report.unaccounted.push(format!("{}: byte {at}", path.display()));
        }
        report.commands += script.commands.len();
        report.add(&path, &script, list);
    }
    report.opaque_percent = 100.0 * report.opaque_files as f64 / report.files.max(1) as f64;
    report.milliseconds_per_megabyte = spent.as_secs_f64() * 1e9 / report.bytes.max(1) as f64;
    report
}

impl Report {
    fn add(&mut self, path: &Path, script: &shell::model::Script, list: bool) {
        let mut reasons = BTreeSet::new();
        for region in &script.opaque {
            self.opaque_bytes += region.span.len();
            let kind = self.kinds.entry(region.reason).or_default();
            kind.regions += 1;
            kind.bytes += region.span.len();
            kind.files += usize::from(reasons.insert(region.reason));
            let line = 1 + script.newlines.partition_point(|at| *at < region.span.start);
            let shown: String = String::from_utf8_lossy(&region.bytes).chars().take(160).collect();
            let example = format!("{}:{line}: {}", path.display(), shown.replace('\n', "\\n"));
            if list {
                println!("{}\t{}\t{example}", region.reason, region.span.len());
            }
            if kind.example.is_empty() {
                kind.example = example;
            }
        }
        self.opaque_files += usize::from(!script.opaque.is_empty());
    }
}

fn print(report: &Report) {
    println!("{} scripts that bash accepts ({} that it rejects)", report.files, report.rejected);
    println!("{} bytes, the largest has {}", report.bytes, report.largest);
    println!("{} commands", report.commands);
    println!("{:.1} ms a megabyte", report.milliseconds_per_megabyte);
    println!("{} panics, {} with bytes unaccounted for", report.panics.len(), report.unaccounted.len());
    println!(
        "{} scripts ({:.2} %) have something opaque, {} bytes",
        report.opaque_files, report.opaque_percent, report.opaque_bytes
    );
    for (reason, kind) in &report.kinds {
        println!("\n{reason}: {} scripts, {} regions, {} bytes", kind.files, kind.regions, kind.bytes);
        println!("  {}", kind.example);
    }
    for path in &report.panics {
        println!("\npanic: {}", path.display());
    }
    for text in &report.unaccounted {
        println!("\nunaccounted: {text}");
    }
}

/// Whether bash can parse a file. It reads it and executes nothing.
fn accepted(path: &Path) -> bool {
    let mut bash = Command::new("bash");
    bash.arg("-n").arg("--").arg(path).env_clear();
    bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    bash.status().is_ok_and(|status| status.success())
}

/// The shell scripts below a directory, in a stable order, links left out.
fn scripts(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(kind) = std::fs::symlink_metadata(&path) else { continue };
        if kind.is_dir() {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
        } else if kind.is_file() && (named(&path) || begins(&path)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn named(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let completion = path.parent().is_some_and(|parent| parent.ends_with("bash-completion/completions"));
    let known = matches!(name.trim_start_matches('.'), "profile" | "bashrc" | "bash.bashrc" | "bash_logout");
    completion || known || name.ends_with(".sh") || name.ends_with(".bash")
}

/// Whether the first line hands the file to a shell.
fn begins(path: &Path) -> bool {
    use std::io::Read as _;
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(128).read_to_end(&mut head));
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let Some(words) = line.strip_prefix("#!").filter(|_| read.is_ok()) else { return false };
    let mut words = words.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-'));
    matches!(program, Some("sh" | "bash" | "dash"))
}
