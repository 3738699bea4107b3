//! The table `[repair]`: its written form and its checks. That its commands are allowed is proved
//! where policies are put together, since it depends on all of them.

use super::{Problems, leak, leak_text};
use serde::Deserialize;
use toml::Spanned;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRepair {
    #[serde(default)]
    commands: Vec<Spanned<String>>,
}

impl RawRepair {
    pub(super) fn check(&self, problems: &mut Problems<'_>) {
        for command in self.commands.iter().filter(|command| command.get_ref().trim().is_empty()) {
            let message = "a blank repair command".to_owned();
            problems.add(command.span(), message, "write the whole command line");
        }
    }

    pub(super) fn meant(&self) -> &'static [&'static str] {
        leak(self.commands.iter().map(|command| leak_text(command.get_ref().trim())).collect())
    }
}
