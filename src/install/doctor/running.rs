//! What can be wrong with the program that a registration names, and with its answers.

use super::{Case, Finding, Registered};
use crate::install::entry::Command;
use crate::install::probe::{self, Answer, Meaning};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

impl Case<'_> {
    /// Everything that shows only when the hook runs.
    pub(super) fn running(&self, registered: &Registered) -> Vec<Finding> {
        let program = match self.program(&registered.command) {
            Ok(program) => program,
            Err(finding) => return vec![finding],
        };
        let mut findings = Vec::new();
        findings.extend(self.writable(&program));
        findings.extend(self.other(&program));
        match (self.examiner.trial)(&registered.command) {
            Err(error) => {
                let remedy = "mend the policy file (`stanchion check ls --policy FILE` shows what is wrong)";
                findings.push(self.finding("policy-broken", error, remedy));
            }
            Ok(trial) => {
                let denied = self.answer(registered, &trial.denied);
                let first = self.denied(&denied);
                // One that does not run does not run twice.
                let broken = denied.fault.is_some();
                findings.extend(first);
                if !broken {
                    findings.extend(self.harmless(&self.answer(registered, &trial.harmless)));
                }
            }
        }
        findings
    }

    fn answer(&self, registered: &Registered, command: &str) -> Answer {
        let site = self.examiner.site;
        let directory = if site.project.is_dir() { site.project.as_path() } else { Path::new("/") };
        let input = probe::payload(self.harness, command, directory);
        probe::run(&registered.command, registered.direct, &input, directory, self.examiner.limit)
    }

    /// The file that the command starts.
    fn program(&self, command: &Command) -> Result<PathBuf, Finding> {
        let name = command.program();
        let path = if name.contains('/') {
            PathBuf::from(name)
        } else {
            let search = &self.examiner.site.search;
            search
                .iter()
                .map(|directory| directory.join(name))
                .find(|path| path.is_file())
                .unwrap_or(name.into())
        };
        let Ok(meta) = fs::metadata(&path) else {
            let message = format!("the program `{name}` is not there");
            return Err(self.finding("program-missing", message, self.again()));
        };
        if !meta.is_file() || meta.permissions().mode() & 0o111 == 0 {
            let message = format!("`{name}` cannot be executed");
            return Err(self.finding("program-not-executable", message, format!("chmod +x {name}")));
        }
        Ok(path)
    }

    fn writable(&self, program: &Path) -> Option<Finding> {
        let others =
            |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o002 != 0);
        let path = [program, self.path].into_iter().find(|path| others(path))?;
        let message = format!("everybody may write to {}", path.display());
        Some(self.finding("writable-by-all", message, format!("chmod o-w {}", path.display())))
    }

    fn other(&self, program: &Path) -> Option<Finding> {
        let own = fs::canonicalize(&self.examiner.site.program).ok();
        if fs::canonicalize(program).ok() == own {
            return None;
        }
        let ask = Command { words: vec![program.to_string_lossy().into_owned(), "--version".to_owned()] };
        let answer = probe::run(&ask, true, "", Path::new("/"), self.examiner.limit);
        let version = answer.stdout.lines().next().unwrap_or_default().trim().to_owned();
        if version == self.examiner.version {
            let message = format!("another copy is registered: {}", program.display());
            return Some(self.finding("other-program", message, self.again()));
        }
        let message = format!("{} is `{version}`, this is `{}`", program.display(), self.examiner.version);
        Some(self.finding("other-version", message, self.again()))
    }

    fn denied(&self, answer: &Answer) -> Option<Finding> {
        let remedy = "run it by hand with the same input, or report it as a bug of stanchion";
        if let Some(fault) = &answer.fault {
            return Some(self.finding(
                "hook-fails",
                format!("the hook gives no answer: {fault}"),
                self.again(),
            ));
        }
        match probe::meaning(answer) {
            Meaning::Blocked => None,
            Meaning::Silent => {
                let message = "a call that must be denied was let through";
                Some(self.finding("denied-passes", message, self.again()))
            }
            Meaning::Noise => Some(self.noise("a denial", answer, remedy)),
        }
    }

    fn harmless(&self, answer: &Answer) -> Option<Finding> {
        let remedy = "look at the command and its policies: `stanchion explain 'echo stanchion'`";
        match probe::meaning(answer) {
            Meaning::Silent => None,
            Meaning::Blocked => {
                Some(self.finding("harmless-blocked", "a call that nobody objects to was blocked", remedy))
            }
            Meaning::Noise => Some(self.noise("silence", answer, self.again())),
        }
    }

    fn noise(&self, wanted: &str, answer: &Answer, remedy: impl Into<String>) -> Finding {
        let status = answer.status.map_or("none".to_owned(), |status| status.to_string());
        let shown = [&answer.stdout, &answer.stderr].map(|text| text.chars().take(120).collect::<String>());
        let [stdout, stderr] = shown;
        let message =
            format!("instead of {wanted} came status {status}, stdout {stdout:?}, stderr {stderr:?}");
        self.finding("hook-noise", message, remedy)
    }
}
