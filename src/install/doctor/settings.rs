//! What can be wrong with a registration as it is written, and with the settings around it.

use super::{Case, Finding, Registered};
use crate::install::facts::{Form, Slot, Unit};
use crate::install::files::{self, Text};
use crate::install::json::{Node, parse};
use crate::install::plan;
use crate::install::site::Scope;
use std::path::PathBuf;

/// Members of an entry that keep its harness from going on without an answer.
const FAIL_CLOSED: [&str; 3] = ["onFailure", "failClosed", "on_failure"];

impl Case<'_> {
    /// Everything that can be read off the files.
    pub(super) fn settings(&self, text: &Text, registered: &[Registered]) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.commands(registered).into_iter().collect();
        if text.mark && self.harness.name == "grok" {
            let message = "the file starts with a byte-order mark, and Grok passes such files over";
            findings.push(self.finding(
                "byte-order-mark",
                message,
                "save the file as UTF-8 without the mark",
            ));
        }
        findings.extend(self.duplicates(&text.body, registered));
        findings.extend(self.entry(&text.body));
        findings.extend(self.outdated(&text.body, registered));
        findings.extend(self.switched_off());
        findings.extend(self.untrusted());
        findings
    }

    fn commands(&self, registered: &[Registered]) -> Option<Finding> {
        let wanted = self.wanted(registered);
        let first = registered.first()?;
        if first.command.arguments() == wanted.arguments() {
            return None;
        }
        let native = |command: &super::Command| command.option("--native").unwrap_or_default().to_owned();
        let (has, needs) = (native(&first.command), native(&wanted));
        if let Some(gone) =
            has.split(',').find(|name| !name.is_empty() && !needs.split(',').any(|other| other == *name))
        {
            let message = format!("calls of {gone} are left to a registration of its own, which is gone");
            return Some(self.finding("native-gone", message, self.again()));
        }
        let message = format!("the entry is of another version: `{}`", first.command.line());
        Some(self.finding("old-entry", message, self.again()))
    }

    fn duplicates(&self, text: &str, registered: &[Registered]) -> Option<Finding> {
        let mut places: Vec<String> = self.entries(text).iter().map(|entry| entry.path.join(".")).collect();
        let entries = places.len();
        places.sort();
        places.dedup();
        let twice = match self.harness.form {
            Form::Json { .. } => places.len() < entries,
            Form::Toml | Form::Yaml => registered.len() > 1,
            Form::Whole(_) => false,
        };
        twice.then(|| self.finding("duplicate-entry", "stanchion is registered more than once", self.again()))
    }

    /// Compares each entry with the one that an installation would write.
    fn entry(&self, text: &str) -> Vec<Finding> {
        let Form::Json { slots, .. } = self.harness.form else { return Vec::new() };
        let Ok(tree) = parse(text) else { return Vec::new() };
        let entries = self.entries(text);
        let mut findings = Vec::new();
        for slot in slots {
            let here = entries
                .iter()
                .find(|entry| entry.path.iter().map(String::as_str).eq(slot.path.iter().copied()));
            let element = here.and_then(|entry| tree.root.at(slot.path)?.elements().get(entry.index));
            match element {
                Some(element) => findings.extend(self.compare(text, slot, element)),
                None => {
                    let message = format!("the event `{}` is not registered", slot.path.join("."));
                    findings.push(self.finding("event-missing", message, self.again()));
                }
            }
        }
        findings
    }

    fn compare(&self, text: &str, slot: &Slot, element: &Node) -> Vec<Finding> {
        let template = super::Command::default().fill(slot.element);
        let Ok(model) = parse(&template) else { return Vec::new() };
        let mut findings = Vec::new();
        let matcher = element.get("matcher").map(|node| node.text().unwrap_or_default());
        let all = |matcher: &str| matches!(matcher, "" | "*" | ".*");
        let wanted = model.root.get("matcher").and_then(Node::text).unwrap_or_default();
        if let Some(matcher) = matcher.filter(|matcher| !all(matcher) && *matcher != wanted) {
            let message =
                format!("the matcher `{matcher}` leaves out tools that run commands or write files");
            findings.push(self.finding("matcher-narrow", message, self.again()));
        }
        let value = |name: &str| member(element, name).map(|node| node.canonical(text));
        let off = value("enabled").is_some_and(|value| value == "false")
            || value("disabled").is_some_and(|value| value == "true");
        if off {
            findings.push(self.finding("entry-disabled", "the entry is switched off", self.again()));
        }
        if value("async").is_some_and(|value| value == "true") {
            findings.push(self.finding(
                "entry-async",
                "the harness does not wait for the answer",
                self.again(),
            ));
        }
        for name in FAIL_CLOSED {
            let wanted = member(&model.root, name).map(|node| node.canonical(&template));
            if wanted.is_some() && value(name) != wanted {
                let message =
                    format!("`{name}` is not set: a hook that cannot be started lets calls through");
                findings.push(self.finding("fail-open", message, self.again()));
            }
        }
        let time = value("timeout").or_else(|| value("timeoutSec"));
        findings.extend(time.and_then(|time| self.time_out(time.parse().ok()?)));
        findings
    }

    fn time_out(&self, time: f64) -> Option<Finding> {
        let (unit, seconds) = match self.harness.unit {
            Unit::Seconds => ("seconds", time),
            Unit::Milliseconds => ("milliseconds", time / 1000.0),
            Unit::None => return None,
        };
        if seconds < 2.0 {
            let message = format!("the time-out is {time} {unit}; when it passes, the call is let through");
            return Some(self.finding("time-out-short", message, self.again()));
        }
        if seconds >= 1000.0 {
            let message = format!("the time-out is {time} {unit}: it seems to be in another unit");
            return Some(self.finding("time-out-unit", message, self.again()));
        }
        None
    }

    fn outdated(&self, text: &str, registered: &[Registered]) -> Option<Finding> {
        let wanted = plan::whole_text(&self.harness.form, &registered.first()?.command)?;
        let message = "the file is not the one that this version writes";
        (wanted != text).then(|| self.finding("plugin-outdated", message, self.again()))
    }

    fn switched_off(&self) -> Vec<Finding> {
        let mut directories = vec![self.examiner.site.directory(self.harness)];
        if self.scope == Scope::Project {
            directories.extend(self.path.parent().map(PathBuf::from));
        }
        let mut findings = Vec::new();
        for directory in directories {
            for switch in self.harness.switches {
                let path = directory.join(switch.file);
                let Ok(Some(text)) = files::read(&path) else { continue };
                let value = if switch.file.ends_with(".toml") {
                    toml_value(&text.body, switch.path)
                } else {
                    parse(&text.body)
                        .ok()
                        .and_then(|tree| Some(tree.root.at(switch.path)?.canonical(&text.body)))
                };
                if value.as_deref() == Some(switch.off) {
                    let name = switch.path.join(".");
                    let message = format!("`{name}` is {}: no hook is called", switch.off);
                    let remedy = format!("take `{name}` out of {}", path.display());
                    findings.push(Finding { path, ..self.finding("hooks-disabled", message, remedy) });
                }
            }
        }
        findings
    }

    fn untrusted(&self) -> Option<Finding> {
        let trust = self.harness.trust.as_ref()?;
        let site = self.examiner.site;
        let directory = site.directory(self.harness);
        if self.harness.name == "codex" && self.scope == Scope::User {
            return self.unreviewed(&directory.join(trust.file));
        }
        if self.scope == Scope::User {
            return None;
        }
        if !trust.only_if.is_empty() {
            let settings = files::read(&directory.join("settings.json")).ok().flatten().unwrap_or_default();
            let asked = parse(&settings.body).ok();
            let asked = asked.and_then(|tree| Some(tree.root.at(trust.only_if)?.canonical(&settings.body)));
            if asked.as_deref() != Some("true") {
                return None;
            }
        }
        let path = directory.join(trust.file);
        let text = files::read(&path).ok().flatten().unwrap_or_default();
        let named = |directory: &std::path::Path| text.body.contains(&format!("\"{}\"", directory.display()));
        if site.project.ancestors().any(named) {
            return None;
        }
        let message = format!(
            "{} does not trust {}: its hooks are not called",
            self.harness.title,
            site.project.display()
        );
        Some(Finding { path, ..self.finding("not-trusted", message, trust.remedy) })
    }

    /// Codex keeps what a person approved under the file's path.
    fn unreviewed(&self, path: &std::path::Path) -> Option<Finding> {
        let text = files::read(path).ok().flatten().unwrap_or_default();
        let known = text.body.contains(&self.path.display().to_string());
        let message = "nobody has approved the hook in Codex: it is passed over";
        (!known).then(|| {
            self.finding("not-reviewed", message, "start `codex`, type /hooks and approve the entry")
        })
    }
}

/// A member of an entry or of its first handler.
fn member<'n>(element: &'n Node, name: &str) -> Option<&'n Node> {
    let handler = crate::install::entry::handlers(element).into_iter().find(|handler| {
        std::ptr::eq(*handler, element)
            || crate::install::entry::is_ours(handler)
            || handler.get(name).is_some()
    });
    handler.and_then(|handler| handler.get(name)).or_else(|| element.get(name))
}

fn toml_value(text: &str, path: &[&str]) -> Option<String> {
    let table: toml_edit::DocumentMut = text.parse().ok()?;
    let item = path.iter().try_fold(table.as_item(), |item, name| item.get(name))?;
    Some(item.to_string().trim().to_owned())
}
