//! The key `hooks` of a YAML file, between two marked lines. Owns those lines; must never change a
//! file that already has such a key: there a person must add the entry.

use super::entry::{self, Command};
use super::json::Fault;

const BEGIN: &str = "# stanchion begin (written by `stanchion install`)";
const END: &str = "# stanchion end";

/// The marked lines: the bytes from the first to the end of the last.
fn block(text: &str) -> Option<std::ops::Range<usize>> {
    let start = text.find(BEGIN)?;
    let end = start + text.get(start..)?.find(END)? + END.len();
    let rest = text.get(end..)?;
    let newline = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
    Some(start..end + newline)
}

/// The commands that are registered.
#[must_use]
pub fn found(text: &str) -> Vec<Command> {
    let lines = text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("command:"));
    let commands = lines.map(|line| {
        let scalar = line.trim();
        let plain = scalar.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(scalar);
        Command { words: entry::split(plain) }
    });
    commands.filter(Command::is_ours).collect()
}

/// Registers a command once.
///
/// # Errors
/// Where the file has a key `hooks` of its own.
pub fn install(text: &str, wanted: &Command) -> Result<String, Fault> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let entry = [
        BEGIN.to_owned(),
        "hooks:".to_owned(),
        "  pre_tool_call:".to_owned(),
        "    - matcher: \".*\"".to_owned(),
        format!("      command: \"{}\"", wanted.line()),
        "      timeout: 10".to_owned(),
        "      fail_closed: true".to_owned(),
        END.to_owned(),
        String::new(),
    ]
    .join(newline);
    if let Some(range) = block(text) {
        let mut text = text.to_owned();
        text.replace_range(range, &entry);
        return Ok(text);
    }
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("hooks:") || line.starts_with("\"hooks\"") || line.starts_with("'hooks'") {
            let message = format!(
                "there is a key `hooks` already; add under its `pre_tool_call` by hand: {{matcher: \".*\", \
                 command: \"{}\", timeout: 10, fail_closed: true}}",
                wanted.line()
            );
            return Err(Fault { offset, message });
        }
        if line.starts_with("...") || line.starts_with("---") && offset > 0 {
            return Err(Fault { offset, message: "the file has more than one document".to_owned() });
        }
        if line.starts_with(['{', '[']) {
            return Err(Fault { offset, message: "the file is in flow style".to_owned() });
        }
        offset += line.len();
    }
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
    Ok(format!("{text}{gap}{entry}"))
}

/// Takes the marked lines out.
#[must_use]
pub fn strip(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(range) = block(&text) {
        text.replace_range(range, "");
    }
    text
}
