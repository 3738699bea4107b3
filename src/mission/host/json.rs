//! JSON that every database takes. Owns the repairs; must never change what a text means otherwise.
//!
//! `PostgreSQL` refuses three things that are JSON all the same, and one refused line would hold up its
//! batch for ever: a NUL (`\u0000`), half of a surrogate pair (which JavaScript writes for a cut emoji),
//! and numbers beyond its own. The first two become U+FFFD, the last what a double holds.

use serde_json::Value;
use std::borrow::Cow;

/// A JSON value and the text that is stored of it; nothing when the text is no JSON.
pub fn read(line: &str) -> Option<(Value, Cow<'_, str>)> {
    let text = repaired(line);
    let value: Value = serde_json::from_str(&text).ok()?;
    let text = if has_float(&value) { Cow::Owned(serde_json::to_string(&value).ok()?) } else { text };
    Some((value, text))
}

/// The text with U+FFFD for escapes that stand for no character.
fn repaired(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        let start = at + found;
        let Some(unit) = unit(bytes, start) else {
            at = start + 2;
            continue;
        };
        at = start + 6;
        match unit {
            0xD800..=0xDBFF if unit_is_low(bytes, at) => {
                at += 6;
                continue;
            }
            0 | 0xD800..=0xDFFF => {}
            _ => continue,
        }
        out.push_str(text.get(kept..start).unwrap_or_default());
        out.push_str("\\ufffd");
        kept = at;
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// The code unit of a `\uXXXX` that starts here.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok().filter(|_| digits.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(digits, 16).ok()
}

fn unit_is_low(bytes: &[u8], at: usize) -> bool {
    unit(bytes, at).is_some_and(|unit| (0xDC00..=0xDFFF).contains(&unit))
}

/// Whether a number in it is none of 64 bits. Reading allows only so many levels, so this ends.
fn has_float(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(has_float),
        Value::Object(members) => members.values().any(has_float),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> Option<String> {
        read(line).map(|(_, text)| text.into_owned())
    }

    #[test]
    fn what_no_database_takes_is_repaired() {
        let repaired = |line| text(line).unwrap_or_default();
        assert_eq!(repaired(r#"{"a":"x\u0000y"}"#), r#"{"a":"x\ufffdy"}"#);
        assert_eq!(repaired(r#"{"a":"\ud83d","b":"\udE00\uD83D"}"#), r#"{"a":"\ufffd","b":"\ufffd\ufffd"}"#);
        assert_eq!(
            repaired(r#"{"a":1e-20000,"b":123456789012345678901234567890}"#),
            r#"{"a":0.0,"b":1.2345678901234568e+29}"#
        );
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        let same = [
            r#"{"b":1,"a":"\\u0000 \ud83d\ude00 \\\\u0000 é"}"#,
            r#"{"a":[-1,18446744073709551615]}"#,
            r#"{"\n":"\u0001"}"#,
        ];
        for line in same {
            assert_eq!(text(line).as_deref(), Some(line));
        }
        for line in ["", "{", r#"{"a":1e999}"#, r#"{"a":"\u00"}"#, "{\"a\":\"\u{1}\"}", r#"{"a":"\"#] {
            assert_eq!(text(line), None, "{line}");
        }
    }
}
