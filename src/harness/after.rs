//! From an event after a call to what became of it. Owns how answers of tools are told as text; must never
//! refuse an event aloud.

use super::detect::detect;
use super::payload::{Members, Payload, at, object, string};
use super::read::{is_done, read, twin};
use super::table::Harness;
use serde_json::value::RawValue;

/// A call that was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct After {
    /// The call.
    pub call: Payload,
    /// What the tool answered, as text.
    pub response: Option<String>,
    /// Whether it succeeded, where that is told.
    pub ok: Option<bool>,
    /// The exit status of a command, where it is told.
    pub status: Option<i64>,
    /// How long it took, where that is told.
    pub duration_ms: Option<u64>,
}

/// Members of an answer that hold its text, the best first.
const TEXTS: [&str; 9] = [
    "output_for_prompt",
    "textResultForLlm",
    "text_result_for_llm",
    "llmContent",
    "output",
    "text",
    "content",
    "result",
    "message",
];

/// Members that hold it together.
const STREAMS: [&str; 2] = ["stdout", "stderr"];

/// How deep texts are looked for.
const DEPTH: usize = 4;

static UNKNOWN: Harness = Harness::UNKNOWN;

/// Reads an event. `None` when it is no JSON object, or does not tell of a call that was made. `hint` is who
/// sends it where the event does not show that.
#[must_use]
pub fn observe(bytes: &[u8], hint: Option<&'static Harness>) -> Option<After> {
    let event = object(std::str::from_utf8(bytes).ok()?)?;
    let known = || super::host::sender(&event).and_then(super::named);
    let harness = twin(detect(&event).or_else(known).or(hint).unwrap_or(&UNKNOWN), &event);
    let call = read(&event, harness);
    let found = harness.response.iter().find_map(|place| at(&event, place));
    if found.is_none() && !is_done(&event, harness, &call) {
        return None;
    }
    let response = found.map(|value| told(value, DEPTH));
    let shell = call.tool.is_shell();
    let status = harness.status.iter().find_map(|place| at(&event, place)?.get().parse().ok());
    let marked = || marked(harness, response.as_deref()?);
    let status = status.or_else(marked).filter(|_| shell);
    let failed = harness.failed.iter().find_map(|place| at(&event, place)?.get().parse::<bool>().ok());
    let ok = status.map(|status| status == 0).or(failed.map(|failed| !failed));
    let duration = |place: &&str| at(&event, place)?.get().parse::<f64>().ok();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
    let duration_ms = harness.duration.iter().find_map(duration).map(|ms| ms.round() as u64);
    Some(After { ok: ok.or_else(|| apart(harness, &call)), call, response, status, duration_ms })
}

/// What the event's name alone tells.
fn apart(harness: &Harness, call: &Payload) -> Option<bool> {
    let event = call.origin.event.as_deref()?;
    match event.to_ascii_lowercase().contains("fail") {
        true => Some(false),
        false => harness.fails_apart.then_some(true),
    }
}

/// The status that a text tells in the harness's own words: the last one counts.
fn marked(harness: &Harness, text: &str) -> Option<i64> {
    harness.status_marks.iter().find_map(|mark| {
        let behind = match mark.strip_prefix('^') {
            Some(mark) => text.strip_prefix(mark)?,
            None => text.rsplit_once(mark)?.1,
        };
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        behind.get(..digits)?.parse().ok()
    })
}

/// An answer as text.
fn told(value: &RawValue, depth: usize) -> String {
    if let Some(text) = string(value) {
        return String::from_utf8_lossy(&text).into_owned();
    }
    let Some(depth) = depth.checked_sub(1) else { return value.get().to_owned() };
    if let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        return list.into_iter().map(|value| told(value, depth)).collect::<Vec<_>>().join("\n");
    }
    let Some(members) = object(value.get()) else { return value.get().to_owned() };
    let streams: Vec<String> = STREAMS.iter().filter_map(|name| texts(&members, name)).collect();
    if !streams.is_empty() {
        let filled: Vec<String> = streams.into_iter().filter(|text| !text.is_empty()).collect();
        return filled.join("\n");
    }
    let found = TEXTS.iter().find_map(|name| members.get(*name).copied());
    found.map_or_else(|| value.get().to_owned(), |value| told(value, depth))
}

fn texts(members: &Members<'_>, name: &str) -> Option<String> {
    let text = string(members.get(name)?)?;
    Some(String::from_utf8_lossy(&text).into_owned())
}
