//! `stanchion verify`: whether a baked program is as it was baked. Owns what is said of it; must never run it.

use super::bake::{Row, rows};
use super::out;
use anyhow::Context as _;
use serde::Serialize;
use stanchion::mission::seal::{self, State};
use std::path::PathBuf;

/// The version of the JSON.
const SCHEMA: u32 = 1;

/// Tell whether a baked program is as it was baked
#[derive(clap::Args)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The seal that it should have, as `bake` told it
    #[arg(long, value_name = "HEX")]
    seal: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    schema: u32,
    file: String,
    intact: bool,
    message: String,
    seal: Option<String>,
    record_dir: Option<String>,
    policies: Vec<Row>,
}

/// Runs `verify`. The status is 1 when the program is not as it should be.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let file = args.file.display().to_string();
    let program = std::fs::read(&args.file).with_context(|| file.clone())?;
    let report = match seal::examine(&program) {
        Ok(State::Sealed(sealed)) => {
            let other = args.seal.as_ref().is_some_and(|seal| !seal.eq_ignore_ascii_case(&sealed.digest));
            let message = if other { "another policy is baked into it" } else { "as it was baked" };
            Report {
                intact: !other,
                policies: rows(&sealed.policies),
                record_dir: Some(sealed.baked.records.display().to_string()),
                ..wrong(file, message.to_owned(), Some(sealed.digest))
            }
        }
        Ok(State::Open) => wrong(file, "no policy is baked into it".to_owned(), None),
        Ok(State::Broken { why, records }) => {
            let record_dir = records.map(|records| records.display().to_string());
            Report { record_dir, ..wrong(file, format!("the seal is broken: {why}"), None) }
        }
        Err(unfit) => wrong(file, unfit.to_string(), None),
    };
    if args.json {
        out::json(&report)?;
    } else {
        out::say(people(&report));
    }
    Ok(u8::from(!report.intact))
}

fn wrong(file: String, message: String, seal: Option<String>) -> Report {
    Report { schema: SCHEMA, file, intact: false, message, seal, record_dir: None, policies: Vec::new() }
}

fn people(report: &Report) -> String {
    let mut text = format!("{}: {}\n", report.file, report.message);
    if let Some(seal) = &report.seal {
        text += &format!("seal {seal}\n");
    }
    if let Some(records) = &report.record_dir {
        text += &format!("records {records}\n");
    }
    for Row { name, digest } in &report.policies {
        text += &format!("policy {name} {digest}\n");
    }
    text
}
