//! The commands. Owns arguments, the environment, printing and exit codes; must never decide.

mod bake;
mod baked;
mod batch;
mod check;
mod checkout;
mod completions;
mod database;
mod doctor;
mod drain;
mod dump_tree;
mod events;
mod explain;
mod grant;
mod guest;
mod guest_install;
mod hook;
mod install;
mod layers;
mod matrix;
mod out;
mod place;
mod policy;
mod progress;
mod records;
mod replay;
mod selection;
mod shown;
mod site;
mod tap;
mod trust;
mod verify;
mod version;

use clap::{Parser, Subcommand};
use stanchion::mission::seal::{self, State};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, IsTerminal as _};
use std::process::ExitCode;

/// Exit status for wrong usage (sysexits.h), except in `hook`, where it is 2.
const USAGE: u8 = 64;

/// The gate between a coding agent and the shell.
#[derive(Parser)]
#[command(name = "stanchion", version, long_version = version::long(), about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer a harness's hook call (see `stanchion hook --help`)
    #[command(disable_help_flag = true)]
    Hook(Passed),
    /// Note what a tool did, from the event after its call (see `stanchion tap --help`)
    #[command(disable_help_flag = true)]
    Tap(Passed),
    /// Take a guest's records away, or confirm that they are stored
    Batch(batch::Args),
    /// Make a program of this one that holds its policy and applies no other
    Bake(bake::Args),
    /// Tell whether a baked program is as it was baked
    Verify(verify::Args),
    /// Put a baked program and its registration into a guest
    GuestInstall(guest_install::Args),
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
    /// Register the hook with harnesses
    Install(install::Args),
    /// Take the hook out of harnesses' configurations
    Uninstall(install::UninstallArgs),
    /// Show where the hook is registered
    Status(doctor::StatusArgs),
    /// Run the registered hooks as their harnesses would, and say what is wrong
    Doctor(doctor::Args),
    /// Trust a project's policy file, so that it may do more than tighten
    Trust(trust::Args),
    /// Allow one command text once, as a person at a terminal
    Grant(grant::Args),
    /// Judge the calls of a history by a policy
    Replay(replay::Args),
    /// Take the records of guests into a database
    Drain(Box<drain::Args>),
    /// List, count and follow the events of missions
    Events(events::Args),
    /// Print completions for a shell
    Completions(completions::Args),
    /// Print the manual page
    Man(completions::ManArgs),
}

/// Arguments that another parser has read.
#[derive(clap::Args)]
struct Passed {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

/// Runs the program with its command line, the program's name first.
pub fn main(argv: Vec<OsString>) -> ExitCode {
    let sealed = seal::state();
    if !matches!(sealed, State::Open) {
        return ExitCode::from(baked::run(sealed, argv.get(1..).unwrap_or_default()));
    }
    // The hook must start as fast as a program that does nothing: clap is built for people only.
    if let Some((_, [first, rest @ ..])) = argv.split_first()
        && let Some(run) = quick(first)
    {
        return ExitCode::from(run(rest));
    }
    if argv.len() == 1 && is_call_waiting() {
        return ExitCode::from(hook::status(&[]));
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

/// A command that harnesses call.
type Quick = fn(&[OsString]) -> u8;

/// The commands that harnesses call, by which nothing may be built that only people need.
fn quick(command: &OsStr) -> Option<Quick> {
    let known: [(&str, Quick); 2] = [("hook", hook::status), ("tap", tap::status)];
    known.into_iter().find(|(name, _)| command == *name).map(|(_, run)| run)
}

/// Whether a harness dropped the arguments of a registration that it read in another's file: a
/// program without arguments that gets a JSON object is meant to be the hook.
fn is_call_waiting() -> bool {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return false;
    }
    // What is looked at stays to be read.
    stdin.lock().fill_buf().is_ok_and(|bytes| bytes.trim_ascii_start().starts_with(b"{"))
}

fn run(command: Command) -> anyhow::Result<u8> {
    match command {
        Command::Hook(passed) => Ok(hook::status(&passed.rest)),
        Command::Tap(passed) => Ok(tap::status(&passed.rest)),
        Command::Batch(args) => batch::run(&args),
        Command::Bake(args) => bake::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::GuestInstall(args) => guest_install::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::DumpTree(args) => dump_tree::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Policy(args) => policy::run(&args),
        Command::Install(args) => install::run(&args),
        Command::Uninstall(args) => install::undo(&args),
        Command::Status(args) => doctor::status(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Grant(args) => grant::run(&args),
        Command::Trust(args) => trust::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Drain(args) => drain::run(&args),
        Command::Events(args) => events::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => completions::man(&args),
    }
}

/// Help and version are answers; everything else is wrong usage.
fn refuse(error: &clap::Error) -> ExitCode {
    // A closed stream is no reason to fail: there is nobody to tell.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}
