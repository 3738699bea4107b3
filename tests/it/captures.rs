//! Every payload that a real client sent (`fixtures/captures/CLIENT/EVENT.json`): what is read from it,
//! and what the client is told when its command or path is harmless, and when it is guarded. One
//! snapshot beside each payload.

use crate::child::{run, text};
use serde_json::Value;
use stanchion::call::Tool;
use stanchion::harness::{self, Choice, Payload};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Output;

/// What takes the place of the command, and of the path, that the client sent.
const DENIED: &str = "bin/fm-watch-arm.sh &";
const GUARDED: &str = ".git/hooks/pre-commit";

pub fn files() -> Vec<(String, PathBuf)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/captures");
    let mut found = Vec::new();
    for client in std::fs::read_dir(directory).unwrap() {
        let client = client.unwrap();
        for file in std::fs::read_dir(client.path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "json") {
                found.push((client.file_name().to_string_lossy().into_owned(), path));
            }
        }
    }
    found.sort();
    found
}

/// For whom the hook was registered: `grok-claude` is Grok, which read Claude Code's file.
fn registered(client: &str) -> &str {
    let name = client.split_once('-').map_or(client, |(name, _)| name);
    if client.ends_with("-claude") { "claude" } else { name }
}

fn read(bytes: &[u8], choice: Choice) -> Option<Payload> {
    harness::receive(bytes, choice).map(|(payload, _)| payload)
}

fn call(payload: &Payload) -> String {
    let Payload { command, cwd, tool, paths, cut, attended, origin } = payload;
    let mut said = format!("tool      {tool:?} ({})\n", origin.tool.as_deref().unwrap_or("no name"));
    for line in String::from_utf8_lossy(command).lines() {
        let _ = writeln!(said, "command   {line}");
    }
    for (effect, path) in paths {
        let _ = writeln!(said, "path      {effect:?} {}", path.display());
    }
    let _ = writeln!(said, "cwd       {}", cwd.as_deref().map_or("none".into(), Path::to_string_lossy));
    let named = [
        ("harness", origin.harness.as_deref()),
        ("session", origin.session.as_deref()),
        ("agent", origin.agent.as_deref()),
        ("kind", origin.agent_type.as_deref()),
        ("event", origin.event.as_deref()),
        ("call", origin.tool_use.as_deref()),
    ];
    for (name, value) in named {
        if let Some(value) = value {
            let _ = writeln!(said, "{name:<9} {value}");
        }
    }
    let _ = writeln!(said, "cut {cut}, attended {attended}");
    said
}

fn hook(name: &str, call: &str) -> Output {
    run(&["hook", "--harness", name, "--policy", "firstmate", "--policy", "core"], call.as_bytes())
}

fn reply(output: &Output) -> String {
    let status = output.status.code();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    if (status, stdout, stderr) == (Some(0), "", "") {
        return "silence\n".to_owned();
    }
    format!("exit {}\nstdout {stdout:?}\nstderr {stderr:?}\n", status.map_or(-1, i64::from))
}

/// The payload with every text that holds `from` changed.
fn changed(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) => *text = text.replace(from, to),
        Value::Array(items) => items.iter_mut().for_each(|item| changed(item, from, to)),
        Value::Object(members) => members.values_mut().for_each(|member| changed(member, from, to)),
        _ => {}
    }
}

/// The same call with a guarded command or path in the place of what it names.
fn guarded(bytes: &str, payload: &Payload) -> Option<String> {
    let mut call: Value = serde_json::from_str(bytes).unwrap();
    match payload.paths.first() {
        Some((_, path)) if path.is_absolute() => {
            changed(&mut call, path.to_str().unwrap(), &format!("/home/user/project/{GUARDED}"));
        }
        Some((_, path)) => changed(&mut call, path.to_str().unwrap(), GUARDED),
        None => {
            let command = std::str::from_utf8(&payload.command).unwrap();
            (!command.is_empty()).then(|| changed(&mut call, command, DENIED))?;
        }
    }
    Some(call.to_string())
}

fn report(client: &str, bytes: &str) -> String {
    let name = registered(client);
    let named = harness::named(name).unwrap();
    let mut said = format!("--harness {name}\n");
    let Some(payload) = read(bytes.as_bytes(), Choice::Named(named)) else {
        let _ = write!(said, "no call that is about to be made\nreply     {}", reply(&hook(name, bytes)));
        assert!(said.ends_with("silence\n"), "{said}");
        return said;
    };
    said += &call(&payload);
    let _ = write!(said, "reply     {}", reply(&hook(name, bytes)));
    let Some(denied) = guarded(bytes, &payload) else { return said };
    let answer = reply(&hook(name, &denied));
    let _ = write!(said, "\nguarded   {answer}");
    let auto = reply(&hook("auto", &denied));
    let auto = if auto == answer { "the same\n" } else { &auto };
    let _ = write!(said, "\n--harness auto: {auto}");
    said
}

#[test]
fn every_recorded_payload_is_read_and_answered_as_recorded() {
    let files = files();
    assert!(files.len() >= 190, "{}", files.len());
    for (client, path) in files {
        let bytes = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path.parent().unwrap());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, report(&client, &bytes)));
    }
}

/// What the snapshots must say, whoever accepts them.
#[test]
fn calls_before_their_tool_are_judged_and_those_after_it_are_not() {
    for (client, path) in files() {
        let bytes = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let before =
            ["pre-", "tool.execute.before-", "tool_call-"].iter().find_map(|start| name.strip_prefix(start));
        let payload = read(bytes.as_bytes(), Choice::Named(harness::named(registered(&client)).unwrap()));
        let Some(what) = before else {
            let silent = payload.is_none_or(|payload| payload.command.is_empty() && payload.paths.is_empty());
            assert!(silent, "{path:?} is judged");
            continue;
        };
        let payload = payload.unwrap_or_else(|| panic!("{path:?} is not read"));
        assert_eq!(payload.origin.harness.as_deref(), Some(client.split('-').next().unwrap()), "{path:?}");
        let wanted: &[Tool] = match what {
            "shell" | "shell-failed" | "shell-odd" | "subagent-shell" => &[Tool::Shell],
            // Some have no argument for that.
            "background-shell" => &[Tool::BackgroundShell, Tool::Shell],
            // Cline has one tool for both.
            "write" => &[Tool::Write, Tool::Patch, Tool::Edit],
            "edit" => &[Tool::Edit, Tool::Patch],
            "subagent" => &[Tool::Agent],
            _ => &[Tool::Other],
        };
        assert!(wanted.contains(&payload.tool), "{path:?}: {:?}", payload.tool);
        let Some(denied) = guarded(&bytes, &payload) else {
            assert!(matches!(payload.tool, Tool::Agent | Tool::Other), "{path:?}");
            continue;
        };
        let output = hook(registered(&client), &denied);
        let said = [text(&output.stdout), text(&output.stderr)].concat();
        let code = if payload.paths.is_empty() { "[watcher-background] " } else { "[self.change] " };
        assert!(said.contains(code), "{path:?}: {said}");
        assert!(!said.contains("\"allow\""), "{path:?}: {said}");
    }
}
