//! `stanchion policy`: policies tested, checked, shown and documented. Owns its subcommands; must never
//! judge in a way of its own.

mod check;
mod docs;
mod example;
mod scaffold;
mod schema;
mod show;
mod test;

use super::selection;
use clap::Subcommand;
use stanchion::policy::{NAMES, Policy};
use std::path::PathBuf;

/// Test, check, show and document policies
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the examples of every rule, also through sudo, bash -c, a subshell, quotes and an assignment
    ///
    /// Exit status: 0 when every example holds, 1 otherwise.
    Test(Which),
    /// Report everything that is wrong with policy files
    ///
    /// Exit status: 0 when nothing is wrong, 1 otherwise.
    Check {
        #[command(flatten)]
        which: Which,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print what the policies say
    Show(Which),
    /// Print the rules as a Markdown document
    Docs(Which),
    /// Print the JSON Schema of policy files, from which editors complete and check
    Schema {
        /// The schema of facts (`policies/programs/*.toml`) instead
        #[arg(long)]
        facts: bool,
    },
    /// Print a new rule to fill in
    New {
        /// The rule's id, such as deploy.friday
        id: String,
    },
}

/// Which policies.
#[derive(clap::Args)]
struct Which {
    /// Shipped policies or packs by name, or policy files; all shipped ones when left out
    #[arg(value_name = "NAME|FILE")]
    policies: Vec<PathBuf>,
}

impl Which {
    fn names(&self) -> Vec<PathBuf> {
        if self.policies.is_empty() {
            NAMES.iter().map(PathBuf::from).collect()
        } else {
            self.policies.clone()
        }
    }

    fn load(&self) -> anyhow::Result<Vec<Policy>> {
        selection::find_all(&self.names())
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    match &args.command {
        Command::Test(which) => test::run(which.load()?),
        Command::Check { which, json } => check::run(&which.names(), *json),
        Command::Show(which) => show::run(&which.load()?),
        Command::Docs(which) => docs::run(&which.load()?),
        Command::Schema { facts } => Ok(schema::run(*facts)),
        Command::New { id } => scaffold::run(id),
    }
}
