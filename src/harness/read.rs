//! From a payload to a call: which table holds, and what stands where it says. Owns that choice;
//! must never refuse a payload aloud.

use super::answer::Voice;
use super::cut::{MARK, mend};
use super::detect::detect;
use super::payload::{Members, Payload, at, object, path, string, text};
use super::table::Harness;
use super::tools;
use crate::call::{Origin, Tool};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::path::PathBuf;

/// Which entry form the caller chose.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// None was named: the first forms, which this program must keep byte for byte.
    First {
        /// Whether stdout stays empty.
        quiet: bool,
    },
    /// Whatever harness the payload shows.
    Auto,
    /// This one.
    Named(&'static Harness),
}

static UNKNOWN: Harness = Harness::UNKNOWN;

/// The voice for a command without a payload, and who calls.
#[must_use]
pub fn unseen(choice: Choice) -> (Voice, Origin) {
    match choice {
        Choice::First { quiet } => (Voice::First { quiet }, Origin::default()),
        Choice::Auto => (Voice::Of(&UNKNOWN), Origin::default()),
        Choice::Named(named) => {
            (Voice::Of(named), Origin { harness: named.known().map(Into::into), ..Origin::default() })
        }
    }
}

/// Reads a payload. `None` when it is no JSON object, or an event after the call.
#[must_use]
pub fn receive(bytes: &[u8], choice: Choice) -> Option<(Payload, Voice)> {
    let event = object(std::str::from_utf8(bytes).ok()?)?;
    let sender = detect(&event);
    let host = twin(sender.unwrap_or(&UNKNOWN), &event);
    match choice {
        Choice::First { quiet } => {
            if let Some(command) = super::payload::command(&event) {
                let mut payload = read(&event, host);
                payload.command = command;
                if !payload.tool.is_shell() {
                    payload.tool = Tool::Shell;
                }
                return Some((payload, Voice::First { quiet }));
            }
            let own = quiet && sender.is_none_or(|sender| sender.name == "claude");
            let voice = if own { Voice::First { quiet } } else { Voice::Of(host) };
            before(&event, host).map(|payload| (payload, voice))
        }
        Choice::Auto => before(&event, host).map(|payload| (payload, Voice::Of(host))),
        Choice::Named(named) => {
            // A harness that calls the hooks of another still reads its own answers.
            let guest =
                || super::host::sender(&event).filter(|_| named.read_by_others).and_then(super::named);
            let named = if host.reads_others { host } else { twin(guest().unwrap_or(named), &event) };
            before(&event, named).map(|payload| (payload, Voice::Of(named)))
        }
    }
}

fn twin(harness: &'static Harness, event: &Members<'_>) -> &'static Harness {
    harness.twin.filter(|(place, _)| at(event, place).is_some()).map_or(harness, |(_, twin)| twin)
}

/// The call, unless it has been made already or another hook judged it.
fn before(event: &Members<'_>, harness: &Harness) -> Option<Payload> {
    let payload = read(event, harness);
    let late = is_late(payload.origin.event.as_deref().unwrap_or_default())
        || harness.done.iter().any(|place| at(event, place).is_some());
    (!late).then_some(payload)
}

/// Whether an event comes after the call, or after another hook's judgement of it.
fn is_late(event: &str) -> bool {
    let name = event.to_ascii_lowercase();
    let starts = ["post", "after"].iter().any(|start| name.starts_with(start));
    let ends = [".after", "_result"].iter().any(|end| name.ends_with(end));
    starts || ends || name == "permissionrequest"
}

fn read(event: &Members<'_>, harness: &Harness) -> Payload {
    let origin = Origin {
        harness: harness.known().map(Into::into),
        session: text(event, harness.session),
        agent: text(event, harness.agent),
        agent_type: text(event, harness.agent_type),
        event: text(event, harness.event),
        tool: text(event, harness.tool),
        tool_use: text(event, harness.tool_use),
    };
    let input = Input::find(event, harness);
    let members = input.members(event);
    let cwd = cwd(event, &members, harness);
    let attended = harness.attended.iter().any(|place| at(event, place).is_some_and(|v| v.get() == "true"));
    let named = origin.tool.as_deref().and_then(tools::kind);
    let mut command = Vec::new();
    if named.is_none_or(Tool::is_shell) {
        let given = harness.command.iter().find_map(|name| string(members.get(*name)?));
        let given = given.filter(|command| !command.is_empty()).or_else(|| input.visible());
        // Of a tool that nobody knows, only members are known to be commands.
        let lists = harness.lists && !input.cut && (named.is_some() || !members.is_empty());
        command = if lists { super::commands::text(&input.text) } else { given.unwrap_or_default() };
    }
    let tool = tools::tool(origin.tool.as_deref(), !command.is_empty(), &members);
    let mut paths = tools::paths(tool, &members);
    if tool == Tool::Patch && members.is_empty() {
        paths = super::patch::paths(input.text.as_bytes());
    }
    if command.is_empty() {
        command = super::same::text(tool, &paths);
    }
    Payload { command, cwd, tool, paths, cut: input.cut, attended, origin }
}

/// The directory of the call: the event's, changed by what the input says.
fn cwd(event: &Members<'_>, input: &Members<'_>, harness: &Harness) -> Option<PathBuf> {
    let found = |value: &RawValue| string(value).filter(|value| !value.is_empty()).map(path);
    let base = harness.cwd.iter().find_map(|place| found(at(event, place)?));
    let own = harness.workdir.iter().find_map(|name| found(input.get(*name)?));
    match (base, own) {
        (Some(base), Some(own)) => Some(base.join(own)),
        (base, own) => own.filter(|own| own.is_absolute()).or(base),
    }
}

/// A tool's input: an object, or a string of one.
struct Input<'e> {
    text: Cow<'e, str>,
    /// Whether it is the event itself.
    whole: bool,
    cut: bool,
}

impl<'e> Input<'e> {
    fn find(event: &Members<'e>, harness: &Harness) -> Self {
        let nothing = Self { text: Cow::Borrowed(""), whole: false, cut: false };
        let mut first = None;
        for place in harness.input {
            if place.is_empty() {
                return Self { whole: true, ..nothing };
            }
            let Some(value) = at(event, place) else { continue };
            let Some(bytes) = string(value) else {
                return Self { text: Cow::Borrowed(value.get()), ..nothing };
            };
            if first.is_none() {
                first = Some(Self::spelled(&String::from_utf8_lossy(&bytes)));
            }
        }
        first.unwrap_or(nothing)
    }

    fn spelled(text: &str) -> Self {
        match text.strip_suffix(MARK) {
            Some(kept) => {
                let mended = Some(mend(kept)).filter(|mended| object(mended).is_some());
                let text = Cow::Owned(mended.unwrap_or_else(|| kept.to_owned()));
                Self { text, whole: false, cut: true }
            }
            None => Self { text: Cow::Owned(text.to_owned()), whole: false, cut: false },
        }
    }

    fn members<'s>(&'s self, event: &Members<'s>) -> Members<'s>
    where
        'e: 's,
    {
        if self.whole {
            return event.clone();
        }
        object(&self.text).unwrap_or_default()
    }

    /// What can be seen of a text that is no object any more.
    fn visible(&self) -> Option<Vec<u8>> {
        self.cut.then(|| self.text.clone().into_owned().into_bytes())
    }
}
