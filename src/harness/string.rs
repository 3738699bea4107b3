//! JSON strings as bytes. Owns the escapes; must never lose a unit that stands for no character.
//!
//! `serde_json` could do this, too, but searches with a crate that asks the processor for its features
//! first, which costs a hook call 0.04 ms under a hypervisor; so do its errors for other values.

/// The bytes of a JSON string, which is known to be JSON: halves of surrogate pairs stand in them as they
/// would in UTF-8. `None` for every other value.
pub fn decoded(json: &str) -> Option<Vec<u8>> {
    let mut rest = json.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(rest.get(..at)?.as_bytes());
        let escape = rest.as_bytes().get(at + 1)?;
        rest = rest.get(at + 2..)?;
        bytes.push(match escape {
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                rest = units(rest, &mut bytes)?;
                continue;
            }
            itself => *itself,
        });
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(bytes)
}

/// Takes the digits of a unit, with those of the other half of its pair where it has one.
fn units<'t>(text: &'t str, bytes: &mut Vec<u8>) -> Option<&'t str> {
    let unit = |text: &str| u32::from_str_radix(text.get(..4)?, 16).ok();
    let (first, rest) = (unit(text)?, text.get(4..)?);
    let second = rest.strip_prefix("\\u").and_then(unit).filter(|unit| (0xdc00..0xe000).contains(unit));
    if let (0xd800..0xdc00, Some(second)) = (first, second) {
        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        push(char::from_u32(code)?, bytes);
        return rest.get(6..);
    }
    match char::from_u32(first) {
        Some(char) => push(char, bytes),
        // Half of a pair. What is shifted out of a byte stands in another one.
        None => bytes.extend([0xe0 | first >> 12, 0x80 | first >> 6 & 0x3f, 0x80 | first & 0x3f].map(low)),
    }
    Some(rest)
}

fn push(char: char, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The lowest byte.
fn low(number: u32) -> u8 {
    let [low, ..] = number.to_le_bytes();
    low
}

#[cfg(test)]
mod tests {
    use super::decoded;
    use proptest::prelude::*;
    use serde::Deserializer as _;

    struct Bytes;

    impl serde::de::Visitor<'_> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
            formatter.write_str("a string")
        }

        fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }

    fn expected(json: &str) -> Option<Vec<u8>> {
        serde_json::Deserializer::from_str(json).deserialize_bytes(Bytes).ok()
    }

    #[test]
    fn other_values_are_no_strings() {
        for json in ["null", "1", "true", "{}", "[]", "[1]", r#"["a"]"#, r#"{"a":"b"}"#] {
            assert_eq!((decoded(json), expected(json)), (None, None), "{json}");
        }
    }

    proptest! {
        /// The same as `serde_json`, whatever stands in it.
        #[test]
        fn strings_are_read_as_they_are_written(
            pieces in proptest::collection::vec(
                prop_oneof![
                    Just("\\\"".to_owned()), Just("\\\\".to_owned()), Just("\\/".to_owned()),
                    "\\\\[bfnrt]", "\\\\u[0-9a-fA-F]{4}", "\\\\u[dD][89abAB][0-9a-f]{2}",
                    "\\\\u[dD][c-fC-F][0-9a-f]{2}", "[^\"\\\\\\x00-\\x1f]{0,4}",
                ],
                0..8,
            )
        ) {
            let json = format!("\"{}\"", pieces.concat());
            prop_assert!(serde_json::from_str::<&serde_json::value::RawValue>(&json).is_ok());
            prop_assert_eq!(decoded(&json), expected(&json));
        }
    }
}
