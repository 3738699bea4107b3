//! Inputs that a harness cut off. Owns the mending of their JSON; must never guess what was cut away.

/// What stands at the end of an input that was cut off.
pub const MARK: &str = " [truncated]";

/// Closes what stands open in JSON that ends anywhere: strings, arrays and objects. What cannot be
/// mended stays broken.
#[must_use]
pub fn mend(text: &str) -> String {
    let mut open = Vec::new();
    let (mut quoted, mut escaped, mut safe) = (false, false, 0);
    for (at, byte) in text.bytes().enumerate() {
        if quoted {
            // A cut escape is left out as a whole.
            safe = if escaped || byte != b'\\' { at + 1 } else { at };
            match byte {
                b'"' if !escaped => quoted = false,
                b'\\' if !escaped => {
                    escaped = true;
                    continue;
                }
                _ => {}
            }
            escaped = false;
            continue;
        }
        match byte {
            b'"' => quoted = true,
            b'{' => open.push('}'),
            b'[' => open.push(']'),
            b'}' | b']' => {
                open.pop();
            }
            _ => {}
        }
        safe = at + 1;
    }
    let mut mended = text.get(..safe).unwrap_or(text).to_owned();
    if quoted {
        without_half_escape(&mut mended);
        mended.push('"');
    }
    finish_member(&mut mended, open.last() == Some(&']'));
    mended.extend(open.iter().rev());
    mended
}

/// `\u12` at the end.
fn without_half_escape(text: &mut String) {
    let Some(at) = text.rfind("\\u") else { return };
    let behind = text.len() - at - 2;
    let backslashes = text.bytes().take(at).rev().take_while(|byte| *byte == b'\\').count();
    if behind < 4 && backslashes % 2 == 0 {
        text.truncate(at);
    }
}

fn finish_member(text: &mut String, in_array: bool) {
    let end = text.trim_end().len();
    text.truncate(end);
    if text.ends_with(',') {
        text.pop();
    } else if text.ends_with(':') {
        text.push_str("null");
    } else if !in_array && text.ends_with('"') && !value_stands(text) {
        text.push_str(":null");
    }
}

/// Whether the string at the end is a value, not a member's name.
fn value_stands(text: &str) -> bool {
    let mut from = text.len().saturating_sub(1);
    while let Some(at) = text.get(..from).and_then(|text| text.rfind('"')) {
        let before = text.get(..at).unwrap_or_default();
        let escapes = before.bytes().rev().take_while(|byte| *byte == b'\\').count();
        if escapes % 2 == 0 {
            return before.trim_end().ends_with(':');
        }
        from = at;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_of_a_member_that_is_there_gives_it() {
        let whole = r#"{"a":"x \" \u00e9 \\","b":["y","w",{"c":"z"}],"d":"end"}"#;
        for end in whole.char_indices().map(|(at, _)| at).skip(1) {
            let mended = mend(&whole[..end]);
            let value: Result<serde_json::Value, _> = serde_json::from_str(&mended);
            assert!(value.is_ok(), "{} -> {mended}", &whole[..end]);
            if end > 24 {
                let a = value.ok().and_then(|value| value.get("a").cloned());
                assert_eq!(a, Some(serde_json::json!("x \" é \\")));
            }
        }
    }
}
