//! A hook event as it is kept: JSON on one line, its members in their order, without secrets and bounded.
//! Must never change what need not be changed.

use crate::audit::{MARK, is_secret, redacted};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Texts up to this size are kept whole.
const TEXT: usize = 16 << 10;

/// Events up to this size are kept.
const EVENT: usize = 256 << 10;

/// How much is kept of what is no JSON.
const BROKEN: usize = 4 << 10;

/// An event; `null` where there is none, a text where it is no JSON object.
pub fn kept(bytes: &[u8]) -> Box<RawValue> {
    let text = String::from_utf8_lossy(bytes);
    let event = serde_json::from_str::<&RawValue>(&text).ok().filter(|raw| raw.get().starts_with('{'));
    let kept = match event {
        Some(raw) => Some(event_line(raw.get())).map(|line| match line.len() {
            length if length > EVENT => format!("{{\"left_out\":{length}}}"),
            _ => line,
        }),
        None if text.trim().is_empty() => None,
        None => serde_json::to_string(&bounded(&redacted(ends(&text, 4 * BROKEN).as_ref()), BROKEN)).ok(),
    };
    // It was JSON, and is so still.
    RawValue::from_string(kept.unwrap_or_else(|| "null".to_owned())).unwrap_or_default()
}

/// A text without secrets and with its middle left out where it is longer than so many bytes.
pub fn clean(text: &str, most: usize) -> String {
    // What is looked at for secrets is bounded, too; that cut lies far within what is left out.
    bounded(&redacted(&ends(text, most.saturating_mul(8))), most)
}

/// The start and the end of a text that is longer than so many bytes.
fn ends(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let half = most / 2;
    let start = (0..=half).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let from = text.len() - half;
    let end = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let (head, tail) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    Cow::Owned(format!("{head}…[{} bytes left out]…{tail}", end - start))
}

fn bounded(text: &str, most: usize) -> String {
    ends(text, most).into_owned()
}

/// A valid JSON text on one line.
fn event_line(json: &str) -> String {
    let mut line = String::with_capacity(json.len());
    let mut secret = false;
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' { quoted(rest) } else { first.len_utf8() };
        let (token, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = behind;
        if first == '"' {
            let is_name = rest.trim_start().starts_with(':');
            let kept = text(token, secret && !is_name);
            secret = is_name && is_secret(token.trim_matches('"').as_bytes());
            line.push_str(&kept);
        } else if !first.is_ascii_whitespace() {
            // A number or a list behind a name is no secret by its name.
            secret &= first == ':';
            line.push(first);
        }
    }
    line
}

/// The length of the JSON string at the start of a text.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A JSON string as it is kept.
fn text(token: &str, secret: bool) -> Cow<'_, str> {
    // A lone surrogate, which no text can hold, is left as it stands when nothing else is to be changed.
    let Ok(text) = serde_json::from_str::<String>(token) else { return lone(token) };
    let kept = if secret && !text.is_empty() { MARK.to_owned() } else { clean_long(&text) };
    if kept == text { Cow::Borrowed(token) } else { serde_json::to_string(&kept).unwrap_or_default().into() }
}

fn lone(token: &str) -> Cow<'_, str> {
    let inner = token.trim_matches('"');
    let kept = clean_long(inner);
    if kept == inner { Cow::Borrowed(token) } else { serde_json::to_string(&kept).unwrap_or_default().into() }
}

fn clean_long(text: &str) -> String {
    clean(text, TEXT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(json: &str) -> String {
        kept(json.as_bytes()).get().to_owned()
    }

    #[test]
    fn an_event_stays_as_it_is() {
        for json in [
            "{}",
            r#"{"b":1,"a":[1.50,null,true],"c":{"x":"\u0041\/\"\\"},"b":2}"#,
            r#"{"tool_input":{"command":"echo \ud800"}}"#,
        ] {
            assert_eq!(line(json), json);
        }
        assert_eq!(line("{ \"a b\" :\n [ 1 , \"x\\n y\" ] }\n"), r#"{"a b":[1,"x\n y"]}"#);
    }

    #[test]
    fn secrets_are_not_kept() {
        let event = r#"{"tool_input":{"command":"curl -H 'Authorization: Bearer abcdef0123456789' x","token":"t0p"},"token_count":3}"#;
        let kept = line(event);
        assert!(!kept.contains("abcdef") && !kept.contains("t0p"), "{kept}");
        assert!(kept.contains("\"token\":\"[redacted]\"") && kept.ends_with("\"token_count\":3}"), "{kept}");
    }

    #[test]
    fn long_texts_are_cut_and_what_is_no_json_is_a_text() {
        let event = format!(r#"{{"content":"{}","x":1}}"#, "é".repeat(100_000));
        let kept = line(&event);
        assert!(kept.len() < 17_000 && kept.contains("bytes left out") && kept.ends_with("\"x\":1}"));
        let many = format!("{{\"a\":[{}1]}}", "1,".repeat(200_000));
        assert_eq!(line(&many), format!("{{\"left_out\":{}}}", many.len()));
        assert_eq!(line(""), "null");
        assert_eq!(line("[1]"), "\"[1]\"");
        assert_eq!(line("{\"a\""), "\"{\\\"a\\\"\"");
        assert!(line(&"x".repeat(1 << 20)).len() < 5000);
    }
}
