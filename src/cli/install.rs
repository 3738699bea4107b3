//! `stanchion install` and `uninstall`. Owns what is said about them; must never change a file when
//! any of them cannot be merged.

use super::layers::Around;
use super::out;
use super::selection::Selection;
use super::site::Choice;
use anyhow::anyhow;
use stanchion::install::{self, ALL, Backup, Change, Harness, Scope, Site, Wish, plan};
use stanchion::layers;
use std::path::PathBuf;

/// Register the hook with harnesses
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    choice: Choice,
    /// Print what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// A policy for the registered hook; may be given more than once [default: that of an older entry]
    #[arg(long = "policy", value_name = "NAME|FILE")]
    policies: Vec<PathBuf>,
}

/// Take the hook out of harnesses' configurations
#[derive(clap::Args)]
pub struct UninstallArgs {
    #[command(flatten)]
    choice: Choice,
    /// Print what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// The harnesses whose files are meant, each once.
fn hosts(chosen: &[&'static Harness], scope: Scope) -> Vec<&'static Harness> {
    let mut hosts: Vec<&'static Harness> = Vec::new();
    for harness in chosen {
        let host = Site::host(harness, scope);
        if hosts.iter().all(|other| other.name != host.name) {
            hosts.push(host);
        }
    }
    hosts
}

/// Registrations that must be written anew since one of their readers comes or goes.
fn affected(site: &Site, hosts: &[&'static Harness], scope: Scope) -> Vec<&'static Harness> {
    let is_chosen = |harness: &Harness| hosts.iter().any(|host| host.name == harness.name);
    let others = ALL.iter().filter(|other| other.lodges.is_none() && !is_chosen(other));
    others
        .filter(|other| !other.user_readers.is_empty() || !other.project_readers.is_empty())
        .filter(|other| plan::is_registered(site, other, scope))
        .collect()
}

/// Runs `install`.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let site = args.choice.site()?;
    let scope = args.choice.scope();
    let chosen = args.choice.harnesses(|harness| site.has(harness))?;
    if chosen.is_empty() {
        return Err(anyhow!("no harness is found here; name those to install for"));
    }
    usable(&args.policies, &site)?;
    let hosts = hosts(&chosen, scope);
    let becomes: Vec<(&'static str, bool)> = hosts.iter().map(|host| (host.name, true)).collect();
    let options = options(&args.policies)?;
    let mut changes = Vec::new();
    for harness in &hosts {
        if site.file(harness, scope).is_none() {
            out::say(format!("{}: has no configuration for a {}\n", harness.title, scope.name()));
        }
        changes
            .extend(install::install(&site, &Wish { harness, scope, becomes: &becomes, options: &options })?);
    }
    for harness in affected(&site, &hosts, scope) {
        changes.extend(install::install(&site, &Wish { harness, scope, becomes: &becomes, options: &[] })?);
    }
    finish(&site, &changes, args.dry_run, "registered")?;
    if !args.dry_run {
        for harness in chosen {
            by_hand(harness, scope);
        }
        out::say("check it with `stanchion doctor`\n");
    }
    Ok(0)
}

/// Refuses to put a policy in front of agents that does not load or denies its own repair.
fn usable(policies: &[PathBuf], site: &Site) -> anyhow::Result<()> {
    let selection = Selection { policies: policies.to_vec(), ..Selection::default() };
    let (shipped, stack) = selection.layers(Around::Fresh(Some(&site.project)))?;
    let wrong = stack.faults.into_iter().map(|fault| fault.message).chain(layers::prove_shipped(&shipped));
    let wrong: Vec<String> = wrong.collect();
    if wrong.is_empty() { Ok(()) } else { Err(anyhow!("{}", wrong.join("\n"))) }
}

/// What only a person can do.
fn by_hand(harness: &Harness, scope: Scope) {
    if !harness.by_hand.is_empty() {
        out::say(format!("{}: {}\n", harness.title, harness.by_hand));
    }
    if let (Scope::Project, Some(trust)) = (scope, &harness.trust) {
        out::say(format!(
            "{}: its hooks count only when the project is trusted: {}\n",
            harness.title, trust.remedy
        ));
    }
}

fn options(policies: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let mut options = Vec::new();
    for policy in policies {
        // The hook runs in other directories.
        let path = if policy.exists() { std::fs::canonicalize(policy)? } else { policy.clone() };
        let text = path.to_str().filter(|text| !text.contains(['\'', '"', '$', '\\', '`']));
        let text = text.ok_or_else(|| anyhow!("{}: harnesses cannot be given this path", path.display()))?;
        options.extend(["--policy".to_owned(), text.to_owned()]);
    }
    Ok(options)
}

/// Runs `uninstall`.
pub fn undo(args: &UninstallArgs) -> anyhow::Result<u8> {
    let site = args.choice.site()?;
    let scope = args.choice.scope();
    let hosts = hosts(&args.choice.harnesses(|_| true)?, scope);
    let becomes: Vec<(&'static str, bool)> = hosts.iter().map(|host| (host.name, false)).collect();
    let mut changes = Vec::new();
    for harness in &hosts {
        changes.extend(install::uninstall(&site, harness, scope)?);
    }
    for harness in affected(&site, &hosts, scope) {
        changes.extend(install::install(&site, &Wish { harness, scope, becomes: &becomes, options: &[] })?);
    }
    finish(&site, &changes, args.dry_run, "not registered any more")?;
    if !args.dry_run {
        for change in changes.iter().filter(|change| change.after.is_some()) {
            let text = change.after.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            let body = text.trim_start_matches('\u{feff}');
            if hosts.iter().any(|host| host.name == change.harness.name)
                && plan::commands(&change.harness.form, body).is_ok_and(|left| !left.is_empty())
            {
                let path = site.shown(&change.path);
                out::say(format!(
                    "{path}: the entry from before the installation is back; run this again to remove it\n"
                ));
            }
        }
    }
    Ok(0)
}

/// Shows or makes the changes.
fn finish(site: &Site, changes: &[Change], dry_run: bool, done: &str) -> anyhow::Result<()> {
    if dry_run {
        for change in changes.iter().filter(|change| change.is_any()) {
            out::say(change.diff());
        }
        return Ok(());
    }
    for change in changes {
        let path = site.shown(&change.path);
        if !change.is_any() {
            out::say(format!("{}: {path} is as it should be\n", change.harness.title));
            continue;
        }
        install::apply(change)?;
        let backup = if change.backup == Backup::Make { " (backup beside it)" } else { "" };
        out::say(format!("{}: {done} in {path}{backup}\n", change.harness.title));
    }
    if changes.is_empty() {
        out::say("nothing to do\n");
    }
    Ok(())
}
