//! `stanchion completions` and `stanchion man`: both made from the commands themselves.

use super::{Cli, out};
use clap::CommandFactory as _;

/// Print completions for a shell
#[derive(clap::Args)]
pub struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

/// Print the manual page
#[derive(clap::Args)]
pub struct ManArgs {
    /// A command; without it the page of the whole program
    command: Option<String>,
}

/// Runs `completions`.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "stanchion", &mut bytes);
    out::say(bytes);
    Ok(0)
}

/// Runs `man`.
pub fn man(args: &ManArgs) -> anyhow::Result<u8> {
    let mut whole = Cli::command();
    whole.build();
    let page = match &args.command {
        None => whole,
        Some(name) => whole
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| anyhow::anyhow!("there is no command `{name}`"))?,
    };
    let mut bytes = Vec::new();
    clap_mangen::Man::new(page).render(&mut bytes)?;
    out::say(bytes);
    Ok(0)
}
