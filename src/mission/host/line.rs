//! Lines of a guest's files as events. Owns the files' names and the members that are read
//! (`docs/mission.md`); must never fail, and must never drop a line that is not blank.

use super::event::{Event, Kind, Why};
use super::{json, time};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// The version of lines that is understood.
const SCHEMA: u64 = 1;

/// What stands in a file name between the file whose lines these are and the rest.
const SPILL: &str = ".spill-";

/// What stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// One kind of event a line.
    Gate(Kind),
    /// Calls with their paths.
    Tools,
}

/// The files: name before the ending, ending, what they hold.
const FILES: [(&str, &str, Holds); 4] = [
    ("denied", ".jsonl", Holds::Gate(Kind::Denied)),
    ("would-deny", ".jsonl", Holds::Gate(Kind::WouldDeny)),
    ("inert", "", Holds::Gate(Kind::Inert)),
    ("tools", ".jsonl", Holds::Tools),
];

/// What a file of this name holds; nothing for one that is not known.
pub fn holds(name: &str) -> Option<Holds> {
    let of = |(stem, ending, holds): &(&str, &str, Holds)| {
        let rest = name.strip_prefix(stem)?;
        let rest = rest.strip_prefix(ending).unwrap_or(rest);
        let spill = rest.starts_with(SPILL);
        (spill || name.len() == stem.len() + ending.len() && rest.is_empty()).then_some(*holds)
    };
    FILES.iter().find_map(of)
}

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Nothing stands in it.
    Blank,
    /// A record.
    Events(Vec<Event>),
    /// A count of records that the guest did not keep.
    Dropped(Event, u64),
    /// Something else.
    Stray(Why, &'static str),
}

/// Reads a line of a file with this name.
pub fn read(name: &str, holds: Option<Holds>, line: &[u8]) -> Line {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Line::Blank;
    }
    let Some(holds) = holds else { return Line::Stray(Why::Foreign, "a file that is not known") };
    let parsed = std::str::from_utf8(line).ok().and_then(json::read);
    let (record, text) = match parsed {
        None => return Line::Stray(Why::Torn, "no JSON"),
        Some((Value::Object(record), text)) => (record, text),
        Some(_) => return Line::Stray(Why::Torn, "no JSON object"),
    };
    match record.get("schema").and_then(Value::as_u64) {
        None => return Line::Stray(Why::Foreign, "no schema"),
        Some(schema) if schema > SCHEMA => return Line::Stray(Why::Foreign, "of a later version"),
        Some(_) => {}
    }
    if record.contains_key("marker") {
        return marker(name, &record, &text);
    }
    let Some(time) = member(&record, "time").and_then(time::canonical) else {
        return Line::Stray(Why::Foreign, "no time");
    };
    match events(holds, &record, &text, &time) {
        Some(events) => Line::Events(events),
        None => Line::Stray(Why::Foreign, "a member is missing"),
    }
}

fn marker(name: &str, record: &Map<String, Value>, text: &str) -> Line {
    let records = record.get("records").and_then(Value::as_u64);
    let (Some("dropped"), Some(records)) = (member(record, "marker"), records) else {
        return Line::Stray(Why::Foreign, "a marker that is not known");
    };
    let target = name.split(SPILL).next().unwrap_or(name).to_owned();
    let event = Event { kind: Kind::Dropped, session: None, target, detail: text.to_owned(), time: None };
    Line::Dropped(event, records)
}

/// The events of a record, none where it lacks what makes it one.
fn events(holds: Holds, record: &Map<String, Value>, text: &str, time: &str) -> Option<Vec<Event>> {
    let required = match holds {
        Holds::Gate(Kind::Inert) => "why",
        Holds::Gate(_) => "rule",
        Holds::Tools => "paths",
    };
    record.get(required)?;
    let kind = match holds {
        Holds::Gate(kind) => kind,
        Holds::Tools => Kind::ToolCall,
    };
    let session = member(record, "session").map(str::to_owned);
    let target = member(record, "tool").unwrap_or_default().to_owned();
    let whole = Event { kind, session, target, detail: text.to_owned(), time: Some(time.to_owned()) };
    let mut events = vec![whole];
    if holds == Holds::Tools {
        touches(record, &mut events);
    }
    Some(events)
}

/// One touch for each path and effect.
fn touches(record: &Map<String, Value>, events: &mut Vec<Event>) {
    let paths = record.get("paths").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (place, touched) in paths.iter().enumerate() {
        let Some(path) = touched.get("path").and_then(Value::as_str) else { continue };
        if paths.get(..place).is_some_and(|before| before.contains(touched)) {
            continue;
        }
        let Some(call) = events.first() else { return };
        let event = Event {
            kind: Kind::FileTouch,
            session: call.session.clone(),
            target: path.to_owned(),
            detail: touch(record, touched),
            time: call.time.clone(),
        };
        events.push(event);
    }
}

/// What a touch tells of its call.
fn touch(record: &Map<String, Value>, touched: &Value) -> String {
    let mut text = format!(r#"{{"effect":{}"#, touched.get("effect").unwrap_or(&Value::Null));
    for name in ["call", "tool", "session", "agent", "agent_type", "cwd"] {
        let value = record.get(name).unwrap_or(&Value::Null);
        // Writing to a string cannot fail.
        let _ = write!(text, r#","{name}":{value}"#);
    }
    text.push('}');
    text
}

fn member<'a>(record: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    record.get(name).and_then(Value::as_str)
}
