//! A baked gate in a guest: where it goes, what is registered, and the same as a script for images in which the
//! program cannot install itself. Owns what is written for a guest; must never write a file (`cli` does).

use super::entry::{self, Command};
use super::facts::{Form, Harness, Slot};
use super::files::Trouble;
use super::json::edit::{self, Style};
use super::json::{Fault, parse};
use super::merge::or_object;
use std::path::{Path, PathBuf};

/// The name of the gate in its directory.
pub const GATE: &str = "stanchion";

/// What to do about a harness that takes no settings document.
const TAKES: &str = "name one of claude, codex, grok, gemini, copilot, qwen";

/// The script, with marks for what differs.
const SCRIPT: &str = include_str!("shims/guest.sh");

/// The script's part for one settings document.
const DOCUMENT: &str = include_str!("shims/guest-document.sh");

/// A guest, by its own paths.
#[derive(Clone, Debug)]
pub struct Guest {
    /// The directory of the gate.
    pub directory: PathBuf,
    /// The record directory.
    pub records: PathBuf,
    /// The home of the user who runs the agents.
    pub home: PathBuf,
    /// Another place for the settings document.
    pub settings: Option<PathBuf>,
}

impl Guest {
    /// The gate.
    #[must_use]
    pub fn gate(&self) -> PathBuf {
        self.directory.join(GATE)
    }

    /// Where a harness's settings document is.
    #[must_use]
    pub fn settings(&self, harness: &Harness) -> PathBuf {
        let own = || self.home.join(harness.directory.below_home).join(harness.user);
        self.settings.clone().unwrap_or_else(own)
    }

    /// A settings document with the gate registered in it, before and after calls; what else is in it stays.
    ///
    /// # Errors
    /// When the harness takes no such document, or the text is none.
    pub fn document(&self, harness: &Harness, text: &str) -> Result<String, Trouble> {
        let path = self.settings(harness);
        let Form::Json { ensure, slots } = harness.form else {
            return Err(Trouble::new(&path, format!("{} takes no JSON document", harness.title), TAKES));
        };
        if harness.after.is_empty() {
            let message = format!("what {} tells after a call is not known", harness.title);
            return Err(Trouble::new(&path, message, TAKES));
        }
        let at = |fault: Fault| Trouble::at(&path, text, fault.offset, &fault.message);
        let fresh = text.trim().is_empty();
        let mut body = or_object(text).to_owned();
        for (name, value) in ensure {
            body = edit::ensure(&body, &[name], value).map_err(at)?;
        }
        for (slots, what) in [(slots, "hook"), (harness.after, "tap")] {
            let command = self.command(harness, what);
            for slot in slots {
                body = place(&body, slot, &command).map_err(at)?;
            }
        }
        if fresh && !body.ends_with('\n') {
            body.push('\n');
        }
        Ok(body)
    }

    fn command(&self, harness: &Harness, what: &str) -> Command {
        let gate = self.gate().to_string_lossy().into_owned();
        Command { words: vec![gate, what.to_owned(), "--harness".to_owned(), harness.name.to_owned()] }
    }

    /// All of it as a script for a POSIX shell. `program` are the bytes of the gate in base64, in lines; without them
    /// the script takes a file that is named to it.
    ///
    /// # Errors
    /// As for `document`.
    pub fn script(&self, harnesses: &[&Harness], program: Option<&str>) -> Result<String, Trouble> {
        let mut documents = String::new();
        for harness in harnesses {
            let document = self.document(harness, "")?;
            let part = DOCUMENT.replace("$TITLE", harness.title);
            let part = part.replace("$SETTINGS", &quoted(&self.settings(harness)));
            documents += &part.replace("$DOCUMENT\n", &document);
        }
        let script = SCRIPT.replace("$DIRECTORY", &quoted(&self.directory));
        let script = script.replace("$RECORDS", &quoted(&self.records)).replace("$DOCUMENTS\n", &documents);
        Ok(script.replace("$PROGRAM\n", program.unwrap_or_default()))
    }
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"))
}

/// One entry in one slot: it alone, and as it should be.
fn place(text: &str, slot: &Slot, command: &Command) -> Result<String, Fault> {
    let wanted = command.fill(slot.element);
    let canonical = parse(&wanted)?.root.canonical(&wanted);
    let mut text = text.to_owned();
    let mut kept = false;
    let mut index = 0;
    loop {
        let tree = parse(&text)?;
        let array = tree.root.at(slot.path);
        let Some((array, element)) = array.and_then(|array| Some((array, array.elements().get(index)?)))
        else {
            break;
        };
        let is_own = entry::handlers(element).iter().any(|handler| {
            entry::command(handler).is_some_and(|(found, _)| found.program() == command.program())
        });
        index += 1;
        if is_own && kept {
            index -= 1;
            text = edit::remove(&text, array, index);
        } else if is_own {
            kept = true;
            if element.canonical(&text) != canonical {
                text = edit::replace(&text, element, &Style::of(&text), &wanted)?;
            }
        }
    }
    if kept { Ok(text) } else { edit::push(&text, slot.path, &wanted) }
}
