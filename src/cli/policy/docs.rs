//! `stanchion policy docs`: the rules as Markdown. Must say nothing that is not in the policies.

use crate::cli::out;
use stanchion::policy::Policy;
use stanchion::policy::rule::types::Rule;
use std::fmt::Write as _;

const HEAD: &str = "\
# Rules

Written by `stanchion policy docs`; the rules themselves are in `policies/core/*.toml` and `policies/mission.toml`. A pack
is switched on with `--policy core.git`, all of them with `--policy core`, that of missions with `--policy mission`. What
programs and options mean is in `policies/programs/*.toml`.
";

/// Runs the command.
pub fn run(policies: &[Policy]) -> anyhow::Result<u8> {
    let mut text = HEAD.to_owned();
    for policy in policies.iter().filter(|policy| !policy.rules.is_empty()) {
        writeln!(text, "\n## {}\n", policy.name)?;
        if !policy.protected_paths.is_empty() {
            let paths: Vec<String> = policy.protected_paths.iter().map(|path| code(path)).collect();
            writeln!(text, "Protected paths: {}\n", paths.join(", "))?;
        }
        writeln!(text, "| rule | answer | why | instead |\n|---|---|---|---|")?;
        for rule in policy.rules {
            let id = code(rule.id);
            writeln!(
                text,
                "| {id} | {} | {} | {} |",
                rule.answer.name(),
                cell(rule.reason),
                cell(rule.advice)
            )?;
        }
        for rule in policy.rules {
            examples(&mut text, rule)?;
        }
    }
    out::say(text);
    Ok(0)
}

fn examples(text: &mut String, rule: &Rule) -> std::fmt::Result {
    writeln!(text, "\n### {}\n", rule.id)?;
    writeln!(text, "Objects to:\n\n```sh")?;
    rule.matches.iter().try_for_each(|line| writeln!(text, "{line}"))?;
    writeln!(text, "```\n\nDoes not object to:\n\n```sh")?;
    rule.not_matches.iter().try_for_each(|line| writeln!(text, "{line}"))?;
    writeln!(text, "```")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
