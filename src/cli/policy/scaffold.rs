//! `stanchion policy new`: a rule to fill in. Must be a rule that loads, and must never change what a file
//! holds already.

use crate::cli::out;
use anyhow::{Context as _, ensure};
use stanchion::policy::{self, is_rule_id};
use std::io::Write as _;
use std::path::Path;

/// Runs the command.
pub fn run(id: &str, program: &str, file: Option<&Path>) -> anyhow::Result<u8> {
    ensure!(is_rule_id(id), "{id:?} is not a rule's id: use small letters, digits, . and -");
    ensure!(
        is_plain(program),
        "{program:?} is not a base name: use letters, digits, - and _, without a directory"
    );
    let Some(file) = file else {
        out::say(format!(
            "# Put it into a policy file that starts with: version = 1, name = \"…\".\n{}",
            rule(id, program)
        ));
        return Ok(0);
    };
    append(file, id, program)?;
    out::say(format!(
        "{}: fill in the rule {id}, then run: stanchion policy check {0} && stanchion policy test {0}\n",
        file.display()
    ));
    Ok(0)
}

/// Names that need no quotes in the shell: the examples are command lines.
fn is_plain(program: &str) -> bool {
    let plain = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_' | '.' | '+');
    program.starts_with(|ch: char| ch.is_ascii_alphanumeric()) && program.chars().all(plain)
}

/// Adds the rule to a file, which it makes when there is none.
fn append(file: &Path, id: &str, program: &str) -> anyhow::Result<()> {
    let mut text = String::new();
    if file.exists() {
        let policy = policy::load(file)?;
        ensure!(
            !policy.rules.iter().any(|rule| rule.id == id),
            "{} has a rule {id} already: mend that one, or choose another id",
            file.display()
        );
    } else {
        text += &head(file);
    }
    text += &format!("\n{}", rule(id, program));
    let mut stream = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(file)
        .with_context(|| format!("{} cannot be opened", file.display()))?;
    stream.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", file.display()))
}

fn head(file: &Path) -> String {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = name.trim_start_matches('.');
    format!("version = 1\nname = {:?}\n", if name.is_empty() { "own" } else { name })
}

fn rule(id: &str, program: &str) -> String {
    format!(
        "\
[[rule]]
id = \"{id}\"
decision = \"deny\"
unparsed = \"ask\"
reason = \"say what would go wrong\"
advice = \"say how to do it right\"
when = {{ program = \"{program}\", operand = \"production\" }}
match = [
  \"{program} production\",
  \"{program} --all production\",
  \"cd x && '{program}' \\\"production\\\"\",
]
not_match = [
  \"{program}\",
  \"{program} staging\",
  \"echo {program} production\",
]
"
    )
}
