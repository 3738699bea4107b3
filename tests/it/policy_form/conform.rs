//! A validator of the part of JSON Schema (draft 2020-12) that our schemas use. It refuses to judge by a keyword
//! that it does not know.

use serde_json::Value;
use std::collections::HashMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// A schema.
pub struct Schema {
    whole: Value,
    matched: Mutex<HashMap<(String, String), bool>>,
}

/// Keywords that say nothing about whether a value conforms.
const SILENT: &[&str] = &["$schema", "$defs", "title", "description"];

impl Schema {
    pub fn new(whole: Value) -> Self {
        assert_eq!(whole["$schema"], "https://json-schema.org/draft/2020-12/schema");
        Self { whole, matched: Mutex::default() }
    }

    /// Where a value does not conform.
    pub fn faults(&self, value: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.check(&self.whole, value, "", &mut faults);
        faults
    }

    fn conforms(&self, schema: &Value, value: &Value) -> bool {
        let mut faults = Vec::new();
        self.check(schema, value, "", &mut faults);
        faults.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        if let Some(allowed) = schema.as_bool() {
            if !allowed {
                faults.push(format!("{at}: nothing may stand here"));
            }
            return;
        }
        for (keyword, wanted) in schema.as_object().unwrap() {
            if !SILENT.contains(&keyword.as_str()) && !self.holds(schema, keyword, wanted, value, at, faults)
            {
                faults.push(format!("{at}: {keyword}"));
            }
        }
    }

    fn holds(
        &self,
        schema: &Value,
        keyword: &str,
        wanted: &Value,
        value: &Value,
        at: &str,
        faults: &mut Vec<String>,
    ) -> bool {
        let number = || wanted.as_i64().unwrap();
        let length = || value.as_array().map(|list| i64::try_from(list.len()).unwrap());
        match keyword {
            "$ref" => {
                let target = self.whole.pointer(wanted.as_str().unwrap().trim_start_matches('#'));
                self.check(target.expect("a reference to nothing"), value, at, faults);
                true
            }
            "type" => match wanted.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                other => panic!("the type {other}"),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "anyOf" => wanted.as_array().unwrap().iter().any(|inner| self.conforms(inner, value)),
            "minItems" => length().is_none_or(|length| length >= number()),
            "maxItems" => length().is_none_or(|length| length <= number()),
            "minimum" => value.as_i64().is_none_or(|value| value >= number()),
            "maximum" => value.as_i64().is_none_or(|value| value <= number()),
            "pattern" => value.as_str().is_none_or(|text| self.matches(wanted.as_str().unwrap(), text)),
            "items" => {
                for (place, entry) in value.as_array().into_iter().flatten().enumerate() {
                    self.check(wanted, entry, &format!("{at}/{place}"), faults);
                }
                true
            }
            "required" => value.as_object().is_none_or(|members| {
                wanted.as_array().unwrap().iter().all(|name| members.contains_key(name.as_str().unwrap()))
            }),
            "properties" | "additionalProperties" | "propertyNames" => {
                for (name, member) in value.as_object().into_iter().flatten() {
                    let own = schema.get("properties").and_then(|known| known.get(name));
                    let place = format!("{at}/{name}");
                    match (keyword, own) {
                        ("properties", Some(inner)) => self.check(inner, member, &place, faults),
                        ("additionalProperties", None) => self.check(wanted, member, &place, faults),
                        ("propertyNames", _) => {
                            self.check(wanted, &Value::String(name.clone()), &place, faults);
                        }
                        _ => {}
                    }
                }
                true
            }
            other => panic!("the keyword {other}"),
        }
    }

    /// The patterns are of the kind that bash matches as ECMA 262 does.
    fn matches(&self, pattern: &str, text: &str) -> bool {
        let key = (pattern.to_owned(), text.to_owned());
        if let Some(known) = self.matched.lock().unwrap().get(&key) {
            return *known;
        }
        let script = "IFS= read -r -d '' pattern; IFS= read -r -d '' text; [[ $text =~ $pattern ]]";
        let mut child = Command::new("bash").args(["-c", script]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(format!("{pattern}\0{text}\0").as_bytes()).unwrap();
        let matches = child.wait().unwrap().success();
        self.matched.lock().unwrap().insert(key, matches);
        matches
    }
}
