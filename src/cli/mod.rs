//! The commands. Owns arguments, the environment, printing and exit codes; must never decide.

mod check;
mod checkout;
mod dump_tree;
mod explain;
mod hook;
mod matrix;
mod out;
mod place;
mod policy;
mod records;
mod selection;
mod shown;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// Exit status for wrong usage (sysexits.h), except in `hook`, where it is 2.
const USAGE: u8 = 64;

/// The gate between a coding agent and the shell.
#[derive(Parser)]
#[command(name = "stanchion", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer a harness's hook call (see `stanchion hook --help`)
    #[command(disable_help_flag = true)]
    Hook(Passed),
    /// Judge a command line
    Check(check::Args),
    /// Show what a command line executes, and why it is judged as it is
    Explain(explain::Args),
    /// Show the syntax tree of a command line, for people who edit queries
    DumpTree(dump_tree::Args),
    /// Run acceptance matrices through every form in which harnesses call the hook
    Matrix(matrix::Args),
    /// Test, check, show and document policies
    Policy(policy::Args),
}

/// Arguments that another parser has read.
#[derive(clap::Args)]
struct Passed {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

/// Runs the program with its command line, the program's name first.
pub fn main(argv: Vec<OsString>) -> ExitCode {
    // The hook must start as fast as a program that does nothing: clap is built for people only.
    if let Some((_, [first, rest @ ..])) = argv.split_first()
        && first == "hook"
    {
        return hook::main(rest);
    }
    let cli = match Cli::try_parse_from(argv) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    match run(cli.command) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            out::complain(&format!("stanchion: {error:#}\n"));
            ExitCode::from(USAGE)
        }
    }
}

fn run(command: Command) -> anyhow::Result<u8> {
    match command {
        Command::Hook(passed) => Ok(hook::status(&passed.rest)),
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::DumpTree(args) => dump_tree::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Policy(args) => policy::run(&args),
    }
}

/// Help and version are answers; everything else is wrong usage.
fn refuse(error: &clap::Error) -> ExitCode {
    // A closed stream is no reason to fail: there is nobody to tell.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}
