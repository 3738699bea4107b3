//! `stanchion policy`: policies tested, checked, shown and documented. Owns its subcommands; must never
//! judge in a way of its own.

mod check;
mod docs;
mod example;
mod scaffold;
mod schema;
mod show;
mod test;

use super::selection::{self, Selection};
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
    /// Each spelling of an example is matched (the rule objects, as it should), quiet (it does not, as it
    /// should), missing (it should, and does not) or noisy (it should not, and does).
    ///
    /// Exit status: 0 when every example holds, 1 otherwise.
    Test {
        #[command(flatten)]
        which: Which,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Report everything that is wrong with policy files
    ///
    /// Without names: the shipped policies, and the files of the machine, the user and the project.
    /// Exit status: 0 when nothing is wrong, 1 otherwise.
    Check {
        #[command(flatten)]
        which: Which,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print the policies that apply and where each part comes from
    Show(ShowArgs),
    /// Print the rules as a Markdown document
    Docs(Which),
    /// Print the JSON Schema of policy files, from which editors complete and check
    Schema {
        /// The schema of facts (`policies/programs/*.toml`) instead
        #[arg(long)]
        facts: bool,
    },
    /// Write a new rule with its examples, to fill in
    New {
        /// The rule's id, such as deploy.friday
        id: String,
        /// The program that it is about
        #[arg(long, default_value = "example")]
        program: String,
        /// The policy file to which it is added, made when there is none; printed when left out
        #[arg(long)]
        file: Option<PathBuf>,
    },
}

/// Which policies.
#[derive(clap::Args)]
struct Which {
    /// Shipped policies or packs by name, or policy files; all shipped ones when left out
    #[arg(value_name = "NAME|FILE")]
    policies: Vec<PathBuf>,
}

/// What to show.
#[derive(clap::Args)]
struct ShowArgs {
    #[command(flatten)]
    which: Which,
    /// Only what is named: no files of the machine, the user and the project
    #[arg(long)]
    only: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Which {
    /// The same with what stands around.
    fn selection(&self, only: bool) -> Selection {
        Selection { policies: self.names(), only, ..Selection::default() }
    }

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
        Command::Test { which, json } => test::run(which.load()?, *json),
        Command::Check { which, json } => check::run(which, *json),
        Command::Show(args) => show::run(args),
        Command::Docs(which) => docs::run(&which.load()?),
        Command::Schema { facts } => Ok(schema::run(*facts)),
        Command::New { id, program, file } => scaffold::run(id, program, file.as_deref()),
    }
}
