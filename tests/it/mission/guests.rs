//! `guest-install`: the gate, its registration and its records in a guest, twice the same, by program and by script.

use super::{bake, bash, is_silent, lines, start};
use crate::child::{stanchion, text};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HARNESSES: [&str; 6] = ["claude", "codex", "grok", "gemini", "copilot", "qwen"];

fn install(gate: &Path, arguments: &[&str]) -> Output {
    stanchion().arg("guest-install").arg("--gate").arg(gate).args(arguments).output().unwrap()
}

/// Every file below a directory, with its bytes.
fn files(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path))
        } else {
            found.push((path.clone(), fs::read(&path).unwrap()))
        }
    }
    found.sort();
    found
}

/// The command lines that a settings document registers, with the event of each.
fn registered(document: &Value) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for (event, entries) in document["hooks"].as_object().unwrap() {
        for entry in entries.as_array().unwrap() {
            let handler = entry.get("hooks").map_or(entry, |hooks| &hooks[0]);
            let line = handler.get("command").or(handler.get("bash")).unwrap().as_str().unwrap();
            let mut words: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
            let arguments = handler.get("args").and_then(Value::as_array).into_iter().flatten();
            words.extend(arguments.map(|word| word.as_str().unwrap().to_owned()));
            found.push((event.clone(), words));
        }
    }
    found
}

#[test]
fn an_image_gets_the_gate_and_its_registrations() {
    let directory = tempfile::tempdir().unwrap();
    let gate = bake(directory.path(), &["mission"]);
    let image = directory.path().join("image");
    let prefix = image.to_str().unwrap();
    let arguments = [&HARNESSES[..], &["--prefix", prefix, "--home", "/home/agent"]].concat();
    assert!(install(&gate, &arguments).status.success());
    let installed = image.join("opt/stanchion/stanchion");
    assert_eq!(fs::read(&installed).unwrap(), fs::read(&gate).unwrap());
    assert_eq!(fs::metadata(&installed).unwrap().permissions().mode() & 0o777, 0o755);
    let records = image.join(directory.path().strip_prefix("/").unwrap()).join("records");
    assert_eq!(fs::metadata(records).unwrap().permissions().mode() & 0o777, 0o700);
    for (harness, file) in HARNESSES.iter().zip([
        ".claude/settings.json",
        ".codex/hooks.json",
        ".grok/hooks/stanchion.json",
        ".gemini/settings.json",
        ".copilot/hooks/stanchion.json",
        ".qwen/settings.json",
    ]) {
        let document = fs::read_to_string(image.join("home/agent").join(file)).unwrap();
        let found = registered(&serde_json::from_str(&document).unwrap());
        let of =
            |what: &str| found.iter().filter(|(_, words)| words[1..] == [what, "--harness", harness]).count();
        assert_eq!((of("hook"), of("tap")), (1, found.len() - 1), "{document}");
        assert!(
            found.len() > 1 && found.iter().all(|(_, words)| words[0] == "/opt/stanchion/stanchion"),
            "{document}"
        );
    }
    let before = files(&image);
    assert!(install(&gate, &arguments).status.success());
    assert!(files(&image) == before, "the second time changes nothing");
}

#[test]
fn a_document_that_is_there_keeps_what_it_says() {
    let directory = tempfile::tempdir().unwrap();
    let gate = bake(directory.path(), &["mission"]);
    let image = directory.path().join("image");
    let file = image.join("root/.claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let old = "{\n  // mine\n  \"model\": \"opus\",\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]}\n}\n";
    fs::write(&file, old).unwrap();
    let prefix = ["--prefix", image.to_str().unwrap()];
    assert!(install(&gate, &prefix).status.success());
    let new = fs::read_to_string(&file).unwrap();
    assert!(new.contains("// mine") && new.contains("\"opus\"") && new.contains("\"mine\""), "{new}");
    assert_eq!(new.matches("/opt/stanchion/stanchion").count(), 3, "{new}");
    fs::write(&file, "{ broken").unwrap();
    let refused = install(&gate, &prefix);
    assert_eq!(refused.status.code(), Some(64));
    assert!(text(&refused.stderr).contains("settings.json:1:"), "{}", text(&refused.stderr));
}

#[test]
fn what_is_not_baked_is_not_installed() {
    let directory = tempfile::tempdir().unwrap();
    let image = directory.path().join("image");
    let gate = bake(directory.path(), &["mission"]);
    let broken = super::baked::changed(&gate, |bytes| {
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
    });
    for program in [Path::new(env!("CARGO_BIN_EXE_stanchion")), Path::new("/bin/sh"), &broken] {
        let refused = install(program, &["--prefix", image.to_str().unwrap()]);
        assert_eq!(refused.status.code(), Some(64), "{}", program.display());
    }
    for arguments in [
        &["nobody"][..],
        &["pi"],
        &["--dir", "relative"],
        &["--dir", "/a'b"],
        &["claude", "qwen", "--settings", "/s"],
    ] {
        let refused = install(&gate, &[arguments, &["--prefix", image.to_str().unwrap()]].concat());
        assert_eq!(refused.status.code(), Some(64), "{arguments:?}");
    }
    assert!(!image.exists());
}

/// The script, in a shell that knows POSIX only where there is one.
#[test]
fn the_script_does_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let gate = bake(directory.path(), &["mission"]);
    let (place, home) = (directory.path().join("it's/opt"), directory.path().join("home"));
    let plain = directory.path().join("opt");
    assert_eq!(install(&gate, &["--dir", place.to_str().unwrap(), "--script"]).status.code(), Some(64));
    let arguments =
        ["claude", "qwen", "--dir", plain.to_str().unwrap(), "--home", home.to_str().unwrap(), "--script"];
    let made = install(&gate, &arguments);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let script = directory.path().join("install.sh");
    fs::write(&script, &made.stdout).unwrap();
    let sh = |script: &Path, arguments: &[&Path]| start(Command::new("sh").arg(script).args(arguments), b"");
    let without = sh(&script, &[]);
    assert_eq!(without.status.code(), Some(1));
    assert!(text(&without.stderr).contains("sh SCRIPT GATE"), "{}", text(&without.stderr));
    let done = sh(&script, &[&gate]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(text(&done.stdout), "the gate protects\n");
    let documents = ["claude", "qwen"].map(|name| home.join(format!(".{name}/settings.json")));
    for document in &documents {
        let document = fs::read_to_string(document).unwrap();
        assert_eq!(registered(&serde_json::from_str(&document).unwrap()).len(), 3, "{document}");
    }
    let before = (files(&plain), files(&home));
    assert!(sh(&script, &[&gate]).status.success());
    assert!((files(&plain), files(&home)) == before, "the second time changes nothing");
    // A document of somebody else is not lost.
    fs::write(&documents[0], "{}").unwrap();
    let refused = sh(&script, &[&gate]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("is there already"), "{}", text(&refused.stderr));
    assert_eq!(fs::read_to_string(&documents[0]).unwrap(), "{}");
    // What is registered works.
    let installed = plain.join("stanchion");
    let output = start(
        Command::new(&installed).args(["hook", "--harness", "claude"]),
        bash("rm -rf /").to_string().as_bytes(),
    );
    assert_eq!(output.status.code(), Some(2));
    let mut done = bash("ls");
    done["hook_event_name"] = json!("PostToolUse");
    done["tool_response"] = json!({ "stdout": "a" });
    assert!(is_silent(&start(
        Command::new(&installed).args(["tap", "--harness", "claude"]),
        done.to_string().as_bytes()
    )));
    let records = directory.path().join("records");
    assert_eq!((lines(&records, "denied.jsonl").len(), lines(&records, "tools.jsonl").len()), (1, 1));
}

/// With the program in it the script needs nothing else.
#[test]
fn the_script_may_hold_the_program() {
    let directory = tempfile::tempdir().unwrap();
    let gate = bake(directory.path(), &["mission"]);
    let (place, home) = (directory.path().join("opt"), directory.path().join("home"));
    let arguments =
        ["--dir", place.to_str().unwrap(), "--home", home.to_str().unwrap(), "--script", "--embed"];
    let made = install(&gate, &arguments);
    let script = directory.path().join("install.sh");
    fs::write(&script, &made.stdout).unwrap();
    let done = start(Command::new("sh").arg(&script), b"");
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(fs::read(place.join("stanchion")).unwrap() == fs::read(&gate).unwrap());
}
