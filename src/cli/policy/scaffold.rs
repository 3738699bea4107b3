//! `stanchion policy new`: a rule to fill in. Must be a rule that loads.

use crate::cli::out;

/// Runs the command.
pub fn run(id: &str) -> anyhow::Result<u8> {
    out::say(format!(
        "\
# Put it into a policy file that starts with: version = 1, name = \"…\".
[[rule]]
id = {id:?}
decision = \"deny\"
unparsed = \"ask\"
reason = \"say what would go wrong\"
advice = \"say how to do it right\"
when = {{ program = \"example\", option = \"--force\" }}
match = [
  \"example --force\",
  \"sudo example --force now\",
  \"cd x && 'example' --force\",
]
not_match = [
  \"example\",
  \"echo example --force\",
  \"example && other --force\",
]
"
    ));
    Ok(0)
}
