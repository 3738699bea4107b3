//! Entries in the array of tables `hooks` of a TOML file. Owns their four keys (a further one would
//! make the harness refuse its whole configuration); must never touch what is not stanchion's.

use super::entry::{self, Command};
use super::json::Fault;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

fn parse(text: &str) -> Result<DocumentMut, Fault> {
    text.parse().map_err(|error: toml_edit::TomlError| Fault {
        offset: error.span().map_or(0, |span| span.start),
        message: error.message().to_owned(),
    })
}

/// The command of a table, if it is stanchion's.
fn command(table: &Table) -> Option<Command> {
    let line = table.get("command")?.as_str()?;
    Some(Command { words: entry::split(line) }).filter(Command::is_ours)
}

/// The commands that are registered.
///
/// # Errors
/// Where the text is no TOML.
pub fn found(text: &str) -> Result<Vec<Command>, Fault> {
    let document = parse(text)?;
    let tables = document.get("hooks").and_then(Item::as_array_of_tables);
    Ok(tables.into_iter().flatten().filter_map(command).collect())
}

/// Registers a command once.
///
/// # Errors
/// Where the text is no TOML, or has another kind of `hooks`.
pub fn install(text: &str, wanted: &Command) -> Result<String, Fault> {
    let mut document = parse(text)?;
    if !document.contains_key("hooks") {
        document.insert("hooks", Item::ArrayOfTables(ArrayOfTables::new()));
    }
    let Some(tables) = document.get_mut("hooks").and_then(Item::as_array_of_tables_mut) else {
        let offset = text.find("hooks").unwrap_or(0);
        return Err(Fault { offset, message: "`hooks` is not an array of tables".to_owned() });
    };
    let ours: Vec<usize> =
        tables.iter().enumerate().filter(|(_, table)| command(table).is_some()).map(|(at, _)| at).collect();
    for extra in ours.iter().skip(1).rev() {
        tables.remove(*extra);
    }
    if let Some(first) = ours.first() {
        if let Some(table) = tables.get_mut(*first) {
            fill(table, wanted);
        }
    } else {
        let mut table = Table::new();
        fill(&mut table, wanted);
        if !text.trim().is_empty() {
            table.decor_mut().set_prefix("\n");
        }
        tables.push(table);
    }
    Ok(document.to_string())
}

fn fill(table: &mut Table, wanted: &Command) {
    let rows = [("event", value("PreToolUse")), ("matcher", value(".*")), ("command", value(wanted.line()))];
    for (key, item) in rows.into_iter().chain([("timeout", value(10))]) {
        if table.get(key).map(|old| old.to_string().trim().to_owned()) != Some(item.to_string()) {
            table.insert(key, item);
        }
    }
}

/// Takes every entry out.
///
/// # Errors
/// Where the text is no TOML.
pub fn strip(text: &str) -> Result<String, Fault> {
    let mut document = parse(text)?;
    let tables = document.get_mut("hooks").and_then(Item::as_array_of_tables_mut);
    let Some(tables) = tables else { return Ok(text.to_owned()) };
    tables.retain(|table| command(table).is_none());
    if tables.is_empty() {
        document.remove("hooks");
    }
    Ok(document.to_string())
}
