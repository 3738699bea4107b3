//! What an installation or its undoing would change, before anything is changed. Owns the whole of
//! both; must never write (`apply` does).

use super::entry::Command;
use super::facts::{ALL, Form, Harness};
use super::files::{self, Text, Trouble};
use super::json::{Fault, parse};
use super::site::{Scope, Site};
use super::{merge, toml, yaml};
use std::path::{Path, PathBuf};

/// What happens to the backup of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backup {
    /// It stays as it is.
    Keep,
    /// The old text becomes the backup.
    Make,
    /// It is removed.
    Drop,
}

/// A change of one file.
#[derive(Clone, Debug)]
pub struct Change {
    /// Whose file it is.
    pub harness: &'static Harness,
    /// The file.
    pub path: PathBuf,
    /// Its bytes now; `None` when there is no such file.
    pub before: Option<Vec<u8>>,
    /// Its bytes then; `None` when it goes.
    pub after: Option<Vec<u8>>,
    /// What happens to the backup.
    pub backup: Backup,
}

impl Change {
    /// Whether anything changes.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.before != self.after
    }

    /// The change as a unified diff.
    #[must_use]
    pub fn diff(&self) -> String {
        let text = |bytes: &Option<Vec<u8>>| {
            String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
        };
        let (before, after) = (text(&self.before), text(&self.after));
        let name = |there: bool| if there { self.path.display().to_string() } else { "/dev/null".to_owned() };
        similar::TextDiff::from_lines(&before, &after)
            .unified_diff()
            .header(&name(self.before.is_some()), &name(self.after.is_some()))
            .to_string()
    }
}

/// Makes a change.
///
/// # Errors
/// When a file cannot be written.
pub fn apply(change: &Change) -> Result<(), Trouble> {
    let backup = files::backup(&change.path);
    if let (Backup::Make, Some(before)) = (change.backup, &change.before) {
        files::write(&backup, before, false)?;
    }
    match &change.after {
        Some(after) => files::write(&change.path, after, after.starts_with(b"#!"))?,
        None => files::remove(&change.path)?,
    }
    if change.backup == Backup::Drop { files::remove(&backup) } else { Ok(()) }
}

/// The commands that a text registers.
///
/// # Errors
/// Where the text cannot be read.
pub fn commands(form: &Form, text: &str) -> Result<Vec<Command>, Fault> {
    Ok(match form {
        Form::Json { slots, .. } => {
            let tree = parse(merge::or_object(text))?;
            merge::found(&tree.root, slots).into_iter().map(|entry| entry.command).collect()
        }
        Form::Toml => toml::found(text)?,
        Form::Yaml => yaml::found(text),
        Form::Whole(_) => whole(text).into_iter().collect(),
    })
}

/// The command in a file of stanchion's own.
fn whole(text: &str) -> Option<Command> {
    if !is_own(text) {
        return None;
    }
    let read = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        parse(line.trim()).ok().map(|tree| tree.root)
    };
    if let Some(program) = read("const PROGRAM =") {
        let arguments = read("const ARGS =")?;
        let mut words = vec![program.text()?.to_owned()];
        words.extend(arguments.elements().iter().filter_map(|word| word.text().map(str::to_owned)));
        return Some(Command { words });
    }
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("if answer=$(")?.strip_suffix(" 2>/dev/null); then"))?;
    Some(Command { words: super::entry::split(line) })
}

/// Whether stanchion wrote a whole file.
fn is_own(text: &str) -> bool {
    text.lines().take(3).any(|line| line.contains("Written by `stanchion install`"))
}

/// Whether a harness is registered; a file that cannot be read counts as not.
#[must_use]
pub fn is_registered(site: &Site, harness: &'static Harness, scope: Scope) -> bool {
    let Some(path) = site.file(harness, scope) else { return false };
    let Ok(Some(text)) = files::read(&path) else { return false };
    commands(&Site::host(harness, scope).form, &text.body).is_ok_and(|found| !found.is_empty())
}

/// The harnesses that read this one's file and answer for themselves: they have registrations.
fn native(site: &Site, wish: &Wish<'_>) -> Vec<&'static str> {
    let Wish { harness: host, scope, becomes, .. } = *wish;
    let readers = if scope == Scope::User { host.user_readers } else { host.project_readers };
    let answers = |reader: &&'static Harness| {
        let owner = Site::host(reader, scope);
        let told = becomes.iter().find(|(name, _)| *name == owner.name).map(|(_, there)| *there);
        owner.name != host.name && told.unwrap_or_else(|| is_registered(site, owner, scope))
    };
    let readers = ALL.iter().filter(|other| readers.contains(&other.name));
    readers.filter(answers).map(|reader| reader.name).collect()
}

/// Everything that a run does to one harness.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'w> {
    /// The harness, a host.
    pub harness: &'static Harness,
    /// Whose configuration.
    pub scope: Scope,
    /// Which harnesses will be registered after the run, where the run says so.
    pub becomes: &'w [(&'static str, bool)],
    /// Options of the hook that the person asks for; empty keeps those of an older entry.
    pub options: &'w [String],
}

/// The command that a harness's registration should have, given those that it has.
#[must_use]
pub fn command(site: &Site, wish: &Wish<'_>, old: &[Command]) -> Command {
    let Wish { harness, scope, options, .. } = wish;
    let kept = if options.is_empty() {
        old.first().map(Command::kept).unwrap_or_default()
    } else {
        options.to_vec()
    };
    let named = *scope == Scope::Project && !harness.project_name.is_empty();
    let name = if named { harness.project_name } else { harness.name };
    let program = site.program.to_string_lossy();
    Command::new(&program, name, &native(site, wish), &kept)
}

/// The changes that register a harness.
///
/// # Errors
/// When a file cannot be read or merged.
pub fn install(site: &Site, wish: &Wish<'_>) -> Result<Vec<Change>, Trouble> {
    let Some(path) = site.file(wish.harness, wish.scope) else { return Ok(Vec::new()) };
    let old = files::read(&path)?;
    let text = old.clone().unwrap_or_default();
    let at = |fault: Fault| Trouble::at(&path, &text.body, fault.offset, &fault.message);
    let registered = commands(&wish.harness.form, &text.body).map_err(at)?;
    let wanted = command(site, wish, &registered);
    let body = match &wish.harness.form {
        Form::Json { ensure, slots } => merge::install(&text.body, ensure, slots, &wanted).map_err(at)?,
        Form::Toml => toml::install(&text.body, &wanted).map_err(at)?,
        Form::Yaml => yaml::install(&text.body, &wanted).map_err(at)?,
        Form::Whole(template) if old.is_none() || is_own(&text.body) => filled(template, &wanted),
        Form::Whole(_) => {
            let message = "this file is not stanchion's, and has the name that it needs";
            return Err(Trouble::new(&path, message, "rename it, then install again"));
        }
    };
    let backup = match (&old, registered.is_empty()) {
        (None, _) => Backup::Drop,
        (Some(_), _) if matches!(wish.harness.form, Form::Whole(_)) => Backup::Keep,
        (Some(_), false) if files::backup(&path).exists() => Backup::Keep,
        (Some(_), _) => Backup::Make,
    };
    let before = old.as_ref().map(|old| old.with(&old.body));
    let after = Some(text.with(&body));
    let mut changes = vec![Change { harness: wish.harness, path: path.clone(), before, after, backup }];
    changes.extend(beside(wish.harness, &path, true)?);
    let read_only = changes.iter().find(|change| change.is_any() && files::is_read_only(&change.path));
    if let Some(change) = read_only {
        return Err(Trouble::new(
            &change.path,
            "is read-only",
            "make it writable (`chmod u+w`), then run this again",
        ));
    }
    Ok(changes)
}

fn filled(template: &str, command: &Command) -> String {
    command.fill(&template.replace("$($LINE ", &format!("$({} ", command.line())))
}

/// The text that a file of stanchion's own should have.
#[must_use]
pub fn whole_text(form: &Form, command: &Command) -> Option<String> {
    if let Form::Whole(template) = form { Some(filled(template, command)) } else { None }
}

/// The change of the second file that a harness needs.
fn beside(harness: &'static Harness, path: &Path, there: bool) -> Result<Option<Change>, Trouble> {
    let Some((name, wanted)) = harness.beside else { return Ok(None) };
    let mut directory = path.parent().unwrap_or(path).to_owned();
    let name = name.strip_prefix("../").map_or(name, |rest| {
        directory.pop();
        rest
    });
    let path = directory.join(name);
    let old = files::read(&path)?;
    if old.as_ref().is_some_and(|old| old.body != wanted) {
        return Ok(None);
    }
    let before = old.map(|old| old.with(&old.body));
    let after = there.then(|| wanted.as_bytes().to_vec());
    Ok(Some(Change { harness, path, before, after, backup: Backup::Keep }))
}

/// The changes that undo a registration.
///
/// # Errors
/// When a file cannot be read or mended.
pub fn uninstall(site: &Site, harness: &'static Harness, scope: Scope) -> Result<Vec<Change>, Trouble> {
    let Some(path) = site.file(harness, scope) else { return Ok(Vec::new()) };
    let Some(text) = files::read(&path)? else { return Ok(Vec::new()) };
    let at = |fault: Fault| Trouble::at(&path, &text.body, fault.offset, &fault.message);
    if commands(&harness.form, &text.body).map_err(at)?.is_empty() {
        return Ok(Vec::new());
    }
    let original = files::read(&files::backup(&path))?;
    let (after, backup) = undone(harness, &text, original.as_ref()).map_err(at)?;
    let before = Some(text.with(&text.body));
    if files::is_read_only(&path) {
        return Err(Trouble::new(
            &path,
            "is read-only",
            "make it writable (`chmod u+w`), then run this again",
        ));
    }
    let mut changes = vec![Change { harness, path: path.clone(), before, after, backup }];
    changes.extend(beside(harness, &path, false)?);
    Ok(changes)
}

/// What a file is without its entries: the original byte for byte when nothing else has changed since.
fn undone(
    harness: &Harness,
    text: &Text,
    original: Option<&Text>,
) -> Result<(Option<Vec<u8>>, Backup), Fault> {
    let strip = |body: &str| -> Result<String, Fault> {
        Ok(match &harness.form {
            Form::Json { ensure, slots } => {
                merge::strip(body, ensure, slots, original.map(|original| original.body.as_str()))?
            }
            Form::Toml => toml::strip(body)?,
            Form::Yaml => yaml::strip(body),
            Form::Whole(_) => String::new(),
        })
    };
    let words = |body: &str| -> Vec<String> {
        if let (Form::Json { .. }, Ok(tree)) = (&harness.form, parse(merge::or_object(body))) {
            return tree.words(merge::or_object(body)).into_iter().map(str::to_owned).collect();
        }
        body.split_whitespace().map(str::to_owned).collect()
    };
    let left = strip(&text.body)?;
    if let Some(original) = original {
        let before = strip(merge::or_object(&original.body)).unwrap_or_default();
        let before = if original.body.trim().is_empty() && !matches!(harness.form, Form::Json { .. }) {
            String::new()
        } else {
            before
        };
        if words(&left) == words(&before) {
            return Ok((Some(original.with(&original.body)), Backup::Drop));
        }
        return Ok((Some(text.with(&left)), Backup::Keep));
    }
    let husk = match &harness.form {
        Form::Json { ensure, .. } => merge::is_husk(&left, ensure),
        Form::Toml | Form::Yaml | Form::Whole(_) => left.trim().is_empty(),
    };
    Ok((if husk { None } else { Some(text.with(&left)) }, Backup::Keep))
}
