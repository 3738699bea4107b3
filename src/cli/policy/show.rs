//! `stanchion policy show`: what the policies say, in short. Must never leave a rule out.

use crate::cli::out;
use stanchion::policy::Policy;
use std::fmt::Write as _;

/// Runs the command.
pub fn run(policies: &[Policy]) -> anyhow::Result<u8> {
    let mut text = String::new();
    for policy in policies {
        writeln!(text, "policy {} {:016x}", policy.name, policy.digest)?;
        for script in &policy.protected.scripts {
            writeln!(text, "  script  {} ({})", script.path, script.identity)?;
        }
        for name in &policy.kill.names {
            writeln!(text, "  process {name}")?;
        }
        for path in policy.protected_paths {
            writeln!(text, "  path    {path}")?;
        }
        for rule in policy.rules {
            let shadow = if rule.shadow { " (only recorded)" } else { "" };
            writeln!(text, "  {:<7} {}{shadow}: {}", rule.answer.name(), rule.id, rule.reason)?;
        }
    }
    out::say(text);
    Ok(0)
}
