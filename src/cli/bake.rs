//! `stanchion bake`: a program with its policy inside. Owns the arguments and the file that is written; must never
//! bake what does not load, or what denies its own repair.

use super::layers::Around;
use super::out;
use super::selection::Selection;
use anyhow::{Context as _, anyhow};
use serde::Serialize;
use stanchion::install::files;
use stanchion::layers::prove_shipped;
use stanchion::mission::seal::{self, Baked};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The version of the JSON.
const SCHEMA: u32 = 1;

/// The policy of missions.
const DEFAULT: &str = "mission";

/// Make a program of this one that holds its policy and applies no other
#[derive(clap::Args)]
pub struct Args {
    /// A shipped policy or pack by name, a list of names, or a policy file; may be given more than once [default:
    /// mission]
    #[arg(long = "policy", value_name = "NAME|FILE")]
    policies: Vec<PathBuf>,
    /// Where the program will keep its records in the guest, an absolute path
    #[arg(long, value_name = "DIR")]
    record_dir: PathBuf,
    /// The program to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    file: String,
    seal: &'a str,
    record_dir: String,
    policies: Vec<Row>,
}

/// A policy in a program.
#[derive(Serialize)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// The first 64 bits of its source's SHA-256.
    pub digest: String,
}

/// What names policies.
pub fn rows(policies: &[stanchion::policy::Policy]) -> Vec<Row> {
    policies
        .iter()
        .map(|policy| Row { name: policy.name, digest: format!("{:016x}", policy.digest) })
        .collect()
}

/// Runs `bake`.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let records = &args.record_dir;
    let fits = records.is_absolute() && records.to_str().is_some() && records.parent().is_some();
    if !fits {
        return Err(anyhow!("--record-dir {}: name an absolute path in the guest", records.display()));
    }
    let default = || vec![PathBuf::from(DEFAULT)];
    let policies = if args.policies.is_empty() { default() } else { args.policies.clone() };
    let selection = Selection { policies, only: true, ..Selection::default() };
    let (shipped, stack) = selection.layers(Around::Nothing)?;
    let wrong = prove_shipped(&shipped);
    if !wrong.is_empty() {
        return Err(anyhow!("{}", wrong.join("\n")));
    }
    // Examples are for people.
    let policies = stack.bare().policies(shipped);
    let own = std::env::current_exe().context("this program's path is not known")?;
    let program = std::fs::read(&own).with_context(|| own.display().to_string())?;
    let baked = Baked::new(&policies, records.clone());
    let (bytes, seal) = seal::bake(&program, &baked)?;
    write(&args.out, &bytes)?;
    let file = args.out.display().to_string();
    let record_dir = records.display().to_string();
    if args.json {
        let policies = rows(&policies);
        out::json(&Report { schema: SCHEMA, file, seal: &seal, record_dir, policies })?;
    } else {
        out::say(format!("{file}: seal {seal}\n"));
        out::say(
            "check it with `stanchion verify`, and put it into the guest with `stanchion guest-install`\n",
        );
    }
    Ok(0)
}

/// Replaces the file in one step: a guest that has it open keeps the old one.
fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    files::write(path, bytes, true)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .with_context(|| path.display().to_string())
}
