//! The JSON Schema (draft 2020-12) of a file, made from the description by which it is read. Must never say
//! anything that the description does not.

use super::table::{Fits, Key, Shape, Table, Text};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The schema of a file whose top is this table.
pub fn schema(top: &'static Table, title: &str) -> Value {
    let mut tables = BTreeMap::new();
    let mut schema = body(top, &mut tables);
    let mut done = Map::new();
    while let Some(table) = tables.values().copied().find(|table| !done.contains_key(&definition(table))) {
        let inner = body(table, &mut tables);
        done.insert(definition(table), inner);
    }
    if let Some(members) = schema.as_object_mut() {
        members.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        members.insert("title".to_owned(), json!(title));
        members.insert("$defs".to_owned(), Value::Object(done));
    }
    schema
}

/// The name of a table among the definitions.
fn definition(table: &Table) -> String {
    table.name.replace(' ', "-")
}

type Tables = BTreeMap<&'static str, &'static Table>;

fn body(table: &'static Table, tables: &mut Tables) -> Value {
    let mut properties = Map::new();
    for key in table.keys {
        let mut value = shape(&key.shape, tables);
        if let Some(members) = value.as_object_mut() {
            members.insert("description".to_owned(), json!(sentence(key.doc)));
        }
        properties.insert(key.name().to_owned(), value);
    }
    let required: Vec<&str> = table.keys.iter().filter(|key| key.required).map(Key::name).collect();
    let mut body = json!({
        "type": "object",
        "description": sentence(table.doc),
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty()
        && let Some(members) = body.as_object_mut()
    {
        members.insert("required".to_owned(), json!(required));
    }
    body
}

fn sentence(doc: &[&str]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn shape(shape: &'static Shape, tables: &mut Tables) -> Value {
    match shape {
        Shape::Bool => json!({ "type": "boolean" }),
        Shape::Exactly(number) => json!({ "const": number }),
        Shape::Bounds => json!({
            "type": "array",
            "items": { "type": "integer", "minimum": 0, "maximum": u16::MAX },
            "minItems": 2,
            "maxItems": 2,
        }),
        Shape::Text(kind) => text(kind),
        Shape::List(inner, least) => list(inner, *least, tables),
        Shape::OneOrMore(inner) => json!({ "anyOf": [self::shape(inner, tables), list(inner, 1, tables)] }),
        Shape::Table(table) => {
            let table = table();
            tables.insert(table.name, table);
            json!({ "$ref": format!("#/$defs/{}", definition(table)) })
        }
        Shape::Map(keys, inner) => map(keys, inner, tables),
    }
}

/// Known names are properties, since editors complete these alone.
fn map(keys: &Text, inner: &'static Shape, tables: &mut Tables) -> Value {
    let inner = shape(inner, tables);
    match &keys.fits {
        Fits::Names(names) => {
            let properties = names().into_iter().map(|name| (name.to_owned(), inner.clone()));
            let properties: Map<String, Value> = properties.collect();
            json!({ "type": "object", "properties": properties, "additionalProperties": false })
        }
        Fits::Pattern(..) => {
            json!({ "type": "object", "propertyNames": text(keys), "additionalProperties": inner })
        }
        Fits::All => json!({ "type": "object", "additionalProperties": inner }),
    }
}

fn list(inner: &'static Shape, least: usize, tables: &mut Tables) -> Value {
    let mut list = json!({ "type": "array", "items": shape(inner, tables) });
    if least > 0
        && let Some(members) = list.as_object_mut()
    {
        members.insert("minItems".to_owned(), json!(least));
    }
    list
}

fn text(kind: &Text) -> Value {
    match &kind.fits {
        Fits::All => json!({ "type": "string" }),
        Fits::Pattern(pattern, _) => json!({ "type": "string", "pattern": pattern }),
        Fits::Names(names) => json!({ "enum": names() }),
    }
}
