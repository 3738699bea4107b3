//! Inputs that may hold several commands: lists, and commands apart from their arguments (Cline 3.0.65).
//! Owns how these become one text for the shell; must never let one command hide another.

use super::payload::{object, string};
use super::same::quoted;
use serde_json::value::RawValue;

/// How deep lists and objects may lie in one another.
const DEPTH: usize = 4;

/// The text that runs what an input asks for; empty when that is nothing. What is no JSON is a command.
#[must_use]
pub fn text(input: &str) -> Vec<u8> {
    let is_json = serde_json::from_str::<&RawValue>(input).is_ok();
    if !is_json {
        return input.as_bytes().to_vec();
    }
    let mut lines = Vec::new();
    collect(input, DEPTH, &mut lines);
    match lines.len() {
        0 | 1 => lines.pop().unwrap_or_default(),
        _ => apart(&lines),
    }
}

/// Each runs in a shell of its own: what one leaves open must not swallow the next.
fn apart(lines: &[Vec<u8>]) -> Vec<u8> {
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(b"bash -c ");
        quoted(&mut text, line);
        text.push(b'\n');
    }
    text
}

/// A string, a list, or an object with `commands`, `command` or `cmd`; a list may also be spelled as a string.
fn collect(json: &str, depth: usize, lines: &mut Vec<Vec<u8>>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(json) {
        return items.iter().for_each(|item| collect(item.get(), depth, lines));
    }
    if let Some(members) = object(json) {
        if let Some(value) = members.get("commands") {
            return collect(value.get(), depth, lines);
        }
        let command = ["command", "cmd"].iter().find_map(|name| string(members.get(*name)?));
        let arguments = members.get("args").map_or_else(Vec::new, |value| strings(value));
        lines.extend(command.filter(|line| !line.is_empty()).map(|line| with(line, &arguments)));
        return;
    }
    let Some(line) = serde_json::from_str::<&RawValue>(json).ok().and_then(string) else { return };
    let spelled = std::str::from_utf8(&line)
        .ok()
        .filter(|text| text.starts_with('[') && serde_json::from_str::<Vec<&RawValue>>(text).is_ok());
    match spelled {
        Some(list) => collect(list, depth, lines),
        None if line.is_empty() => {}
        None => lines.push(line),
    }
}

fn strings(value: &RawValue) -> Vec<Vec<u8>> {
    let items: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
    items.into_iter().filter_map(string).collect()
}

/// A command and its arguments, which no shell splits.
fn with(mut line: Vec<u8>, arguments: &[Vec<u8>]) -> Vec<u8> {
    for argument in arguments {
        line.push(b' ');
        quoted(&mut line, argument);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let said = |input: &str| String::from_utf8(text(input)).unwrap_or_default();
        for one in [
            r#"{"commands":["ls -l"]}"#,
            r#"{"commands":"ls -l"}"#,
            r#"{"commands":"[\"ls -l\"]"}"#,
            r#"{"commands":[{"command":"ls -l"}]}"#,
            r#"{"commands":{"command":"ls -l"}}"#,
            r#"[{"command":"ls -l"}]"#,
            r#"{"command":"ls -l"}"#,
            r#"{"cmd":"ls -l"}"#,
            r#"["ls -l"]"#,
            r#""ls -l""#,
        ] {
            assert_eq!(said(one), "ls -l", "{one}");
        }
        assert_eq!(said(r#"{"commands":[{"command":"rm","args":["-rf","a b"]}]}"#), "rm '-rf' 'a b'");
        assert_eq!(said("ls -l"), "ls -l");
        assert_eq!(said(r#"["echo '","rm x"]"#), "bash -c 'echo '\\'''\nbash -c 'rm x'\n");
        for nothing in
            ["", "7", "null", "[]", "{}", r#"{"commands":7}"#, r#"[[[[["x"]]]]]"#, r#"{"commands":[]}"#]
        {
            assert_eq!(said(nothing), "", "{nothing}");
        }
    }
}
