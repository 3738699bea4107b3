//! Entries into a JSON configuration and out of it again. Owns what is stanchion's in such a file;
//! must never touch what is not.

use super::entry::{self, Command};
use super::facts::Slot;
use super::json::edit::{self, Style};
use super::json::{Fault, Kind, Node, parse};

/// An entry that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The array that holds it.
    pub path: Vec<String>,
    /// Its place there.
    pub index: usize,
    /// The handler's place in the entry's `hooks`, if it has them.
    pub handler: Option<usize>,
    /// Whether the entry has other handlers, too.
    pub shared: bool,
    /// Its command.
    pub command: Command,
    /// Whether it is started without a shell.
    pub direct: bool,
}

/// Arrays of entries below the names under which the slots lie.
fn arrays<'n>(root: &'n Node, slots: &[Slot]) -> Vec<(Vec<String>, &'n Node)> {
    let mut found: Vec<(Vec<String>, &Node)> = Vec::new();
    for slot in slots {
        let Some((top, rest)) = slot.path.split_first() else { continue };
        let Some(node) = root.get(top) else { continue };
        let inner = node.members().iter().filter(|_| !rest.is_empty());
        let inner = inner.map(|member| (vec![(*top).to_owned(), member.name.clone()], &member.value));
        let own = std::iter::once((vec![(*top).to_owned()], node));
        for (path, node) in inner.chain(own) {
            if matches!(node.kind, Kind::Array(_)) && found.iter().all(|(other, _)| *other != path) {
                found.push((path, node));
            }
        }
    }
    found
}

/// Every entry of stanchion's, in the order of the text.
#[must_use]
pub fn found(root: &Node, slots: &[Slot]) -> Vec<Found> {
    let mut all = Vec::new();
    for (path, array) in arrays(root, slots) {
        for (index, element) in array.elements().iter().enumerate() {
            let handlers = entry::handlers(element);
            let nested = element.get("hooks").is_some();
            let shared = !handlers.iter().all(|handler| entry::is_ours(handler));
            for (place, handler) in handlers.iter().enumerate() {
                let Some((command, direct)) = entry::command(handler) else { continue };
                if command.is_ours() {
                    let handler = nested.then_some(place);
                    all.push(Found { path: path.clone(), index, handler, shared, command, direct });
                }
            }
        }
    }
    all
}

fn names(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

/// Registers a command in every slot.
///
/// # Errors
/// Where the text is not as it must be.
pub fn install(
    text: &str,
    ensure: &[(&str, &str)],
    slots: &[Slot],
    command: &Command,
) -> Result<String, Fault> {
    let fresh = text.trim().is_empty();
    let mut text = if fresh { format!("{{}}{text}") } else { text.to_owned() };
    for (name, value) in ensure {
        text = edit::ensure(&text, &[name], value)?;
    }
    for slot in slots {
        text = place(text, slots, slot, &command.fill(slot.element))?;
    }
    // What is left elsewhere is of an older version.
    let wanted = |entry: &Found| slots.iter().any(|slot| slot.path == names(&entry.path));
    while let Some(entry) = found(&parse(&text)?.root, slots).into_iter().find(|entry| !wanted(entry)) {
        text = take(&text, &entry)?;
    }
    if fresh && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// One entry in one slot: kept where it is right, mended in its place, else added.
fn place(mut text: String, slots: &[Slot], slot: &Slot, wanted: &str) -> Result<String, Fault> {
    let canonical = parse(wanted)?.root.canonical(wanted);
    let mut kept = None;
    loop {
        let tree = parse(&text)?;
        let here: Vec<Found> =
            found(&tree.root, slots).into_iter().filter(|entry| slot.path == names(&entry.path)).collect();
        let keeper = here.iter().find(|entry| !entry.shared).map(|entry| entry.index);
        if kept.is_none()
            && let Some(index) = keeper
            && let Some(node) = tree.root.at(slot.path).and_then(|array| array.elements().get(index))
        {
            kept = Some(index);
            if node.canonical(&text) != canonical {
                text = edit::replace(&text, node, &Style::of(&text), wanted)?;
            }
            continue;
        }
        let Some(extra) = here.iter().find(|entry| Some(entry.index) != kept) else { break };
        text = take(&text, extra)?;
        kept = kept.map(|kept| if extra.index < kept && !extra.shared { kept - 1 } else { kept });
    }
    if kept.is_none() { edit::push(&text, slot.path, wanted) } else { Ok(text) }
}

/// Takes one entry out; its holder stays.
fn take(text: &str, entry: &Found) -> Result<String, Fault> {
    let tree = parse(text)?;
    let Some(array) = tree.root.at(&names(&entry.path)) else { return Ok(text.to_owned()) };
    let element = array.elements().get(entry.index);
    if let (true, Some(handler), Some(hooks)) =
        (entry.shared, entry.handler, element.and_then(|element| element.get("hooks")))
    {
        return Ok(edit::remove(text, hooks, handler));
    }
    Ok(edit::remove(text, array, entry.index))
}

/// Takes every entry out. A holder that is empty then goes, too, and so does what an installation
/// ensures, unless `before`, the text from before the installation, has it.
///
/// # Errors
/// Where the text is not as it must be.
pub fn strip(
    text: &str,
    ensure: &[(&str, &str)],
    slots: &[Slot],
    before: Option<&str>,
) -> Result<String, Fault> {
    let before = before.map(|text| parse(or_object(text))).transpose().ok().flatten();
    let had = |path: &[&str]| before.as_ref().is_some_and(|tree| tree.root.at(path).is_some());
    let mut text = text.to_owned();
    while let Some(entry) = found(&parse(&text)?.root, slots).into_iter().next() {
        text = take(&text, &entry)?;
        let mut path = names(&entry.path);
        while !path.is_empty() && !had(&path) && is_empty(&parse(&text)?.root, &path) {
            text = drop_member(&text, &path)?;
            path.pop();
        }
    }
    for (name, value) in ensure {
        let is_made = parse(&text)?.root.get(name).is_some_and(|node| node.canonical(&text) == *value);
        if before.is_some() && !had(&[name]) && is_made {
            text = drop_member(&text, &[name])?;
        }
    }
    Ok(text)
}

/// An empty file counts as an empty object.
#[must_use]
pub fn or_object(text: &str) -> &str {
    if text.trim().is_empty() { "{}" } else { text }
}

fn is_empty(root: &Node, path: &[&str]) -> bool {
    let holds = |node: &Node| node.members().len() + node.elements().len();
    root.at(path).is_some_and(|node| holds(node) == 0 && !matches!(node.kind, Kind::Text(_) | Kind::Other))
}

fn drop_member(text: &str, path: &[&str]) -> Result<String, Fault> {
    let tree = parse(text)?;
    let Some((name, rest)) = path.split_last() else { return Ok(text.to_owned()) };
    let holder = tree.root.at(rest);
    let at = holder.and_then(|holder| holder.members().iter().rposition(|member| member.name == *name));
    let Some((holder, at)) = holder.zip(at) else { return Ok(text.to_owned()) };
    Ok(edit::remove(text, holder, at))
}

/// Whether nothing is left but what an installation makes.
#[must_use]
pub fn is_husk(text: &str, ensure: &[(&str, &str)]) -> bool {
    let Ok(tree) = parse(text) else { return false };
    let made = |name: &str| ensure.iter().any(|(made, _)| *made == name);
    let comments =
        tree.tokens.iter().any(|token| text.get(token.clone()).is_some_and(|word| word.starts_with('/')));
    matches!(tree.root.kind, Kind::Object(_))
        && !comments
        && tree.root.members().iter().all(|member| made(&member.name))
}
