//! Finds out whether a registration protects. Owns the list of what can be wrong, each with its
//! remedy; must never mend anything itself.

mod running;
mod settings;

use super::entry::Command;
use super::facts::{Form, Harness};
use super::files::{self, Trouble};
use super::json::parse;
use super::merge::{self, Found};
use super::plan::{self, Wish};
use super::site::{Scope, Site};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its stable name.
    pub code: &'static str,
    /// The harness; empty for what concerns all.
    pub harness: &'static str,
    /// The file that it is about.
    pub path: PathBuf,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub remedy: String,
}

/// Commands by which a hook is tried.
#[derive(Clone, Debug)]
pub struct Trial {
    /// A command that the registered policies deny.
    pub denied: String,
    /// One to which they have no objection.
    pub harmless: String,
}

/// What a check needs to know of this program.
pub struct Examiner<'e> {
    /// The machine.
    pub site: &'e Site,
    /// The version of this program, as `--version` prints it.
    pub version: &'e str,
    /// Commands to try under the policies of a registered command, or why these cannot be used.
    pub trial: &'e dyn Fn(&Command) -> Result<Trial, String>,
    /// How long a hook may take.
    pub limit: Duration,
}

/// A registration as it was found.
struct Registered {
    command: Command,
    direct: bool,
}

impl Examiner<'_> {
    /// Checks one registration; nothing when it protects. `None` when there is none.
    #[must_use]
    pub fn check(&self, harness: &'static Harness, scope: Scope) -> Option<Vec<Finding>> {
        let path = self.site.file(harness, scope)?;
        let host = Site::host(harness, scope);
        let case = Case { examiner: self, harness: host, scope, path: &path };
        let text = match files::read(&path) {
            Ok(text) => text?,
            Err(trouble) => return Some(vec![case.trouble(trouble)]),
        };
        let registered = match case.registered(&text.body) {
            Ok(registered) => registered,
            Err(finding) => return Some(vec![finding]),
        };
        let first = registered.first()?;
        let mut findings = case.settings(&text, &registered);
        findings.extend(case.running(first));
        Some(findings)
    }

    /// That a harness is here and not registered.
    #[must_use]
    pub fn missing(&self, harness: &'static Harness, scope: Scope) -> Finding {
        let path = self.site.file(harness, scope).unwrap_or_default();
        Finding {
            code: "not-registered",
            harness: harness.name,
            path,
            message: format!("{} is here and does not call stanchion", harness.title),
            remedy: format!("stanchion install {}", harness.name),
        }
    }
}

/// One registration under check.
struct Case<'c> {
    examiner: &'c Examiner<'c>,
    harness: &'static Harness,
    scope: Scope,
    path: &'c Path,
}

impl Case<'_> {
    fn finding(&self, code: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding {
            code,
            harness: self.harness.name,
            path: self.path.to_owned(),
            message: message.into(),
            remedy: remedy.into(),
        }
    }

    /// The command that installs this registration again.
    fn again(&self) -> String {
        let scope = if self.scope == Scope::Project { " --project" } else { "" };
        format!("stanchion install {}{scope}", self.harness.name)
    }

    fn trouble(&self, trouble: Trouble) -> Finding {
        let place = trouble.place.map(|(line, column)| format!("{line}:{column}: ")).unwrap_or_default();
        let remedy = format!("mend the file, then: {}", self.again());
        self.finding("config-unreadable", format!("{place}{}", trouble.message), remedy)
    }

    fn entries(&self, text: &str) -> Vec<Found> {
        let Form::Json { slots, .. } = self.harness.form else { return Vec::new() };
        parse(text).map(|tree| merge::found(&tree.root, slots)).unwrap_or_default()
    }

    fn registered(&self, text: &str) -> Result<Vec<Registered>, Finding> {
        let at = |fault: super::json::Fault| {
            self.trouble(Trouble::at(self.path, text, fault.offset, &fault.message))
        };
        let direct: Vec<bool> = self.entries(text).iter().map(|entry| entry.direct).collect();
        let commands = plan::commands(&self.harness.form, text).map_err(at)?;
        let whole = matches!(self.harness.form, Form::Whole(_));
        let direct = direct.into_iter().chain(std::iter::repeat(whole));
        Ok(commands.into_iter().zip(direct).map(|(command, direct)| Registered { command, direct }).collect())
    }

    /// The command that an installation would write now.
    fn wanted(&self, old: &[Registered]) -> Command {
        let old: Vec<Command> = old.iter().map(|registered| registered.command.clone()).collect();
        let wish = Wish { harness: self.harness, scope: self.scope, becomes: &[], options: &[] };
        plan::command(self.examiner.site, &wish, &old)
    }
}
