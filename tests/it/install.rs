//! `stanchion install` and what belongs to it, as a person uses them, each in a home of its own.

mod doctor;
mod golden;
mod odd;
mod roundtrip;
mod shims;

use crate::child::{feed, stanchion};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A home directory with a project in it.
pub struct Home {
    directory: tempfile::TempDir,
}

impl Home {
    pub fn new() -> Self {
        let home = Self { directory: tempfile::tempdir().unwrap() };
        fs::create_dir_all(home.path("project/.git")).unwrap();
        home
    }

    pub fn path(&self, below: &str) -> PathBuf {
        fs::canonicalize(self.directory.path()).unwrap().join(below)
    }

    pub fn write(&self, below: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap()
    }

    fn command(&self) -> Command {
        let mut command = stanchion();
        command.current_dir(self.path("project")).env("HOME", self.path("")).env("PATH", "/usr/bin:/bin");
        for harness in stanchion::install::ALL {
            if !harness.directory.variable.is_empty() {
                command.env_remove(harness.directory.variable);
            }
        }
        command.env_remove("XDG_STATE_HOME");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        feed(self.command().args(arguments), b"")
    }

    /// Runs a command that must succeed.
    pub fn good(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Every file below a directory with its bytes.
pub fn tree(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(tree(&path));
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

#[test]
fn a_dry_run_shows_and_changes_nothing() {
    let home = Home::new();
    home.write(".claude/settings.json", "{\n  \"model\": \"x\"\n}\n");
    let before = tree(&home.path(""));
    let shown = home.good(&["install", "claude", "--dry-run"]);
    assert!(shown.contains("+++ ") && shown.contains("+  \"hooks\": {"), "{shown}");
    assert!(!shown.contains('\x1b'));
    assert_eq!(tree(&home.path("")), before);
    home.good(&["install", "claude"]);
    let before = tree(&home.path(""));
    let shown = home.good(&["uninstall", "claude", "--dry-run"]);
    assert!(shown.contains("--- ") && shown.contains("-  \"hooks\": {"), "{shown}");
    assert_eq!(tree(&home.path("")), before);
}

#[test]
fn what_only_a_person_can_do_is_said() {
    for (arguments, wanted) in [
        (&["install", "codex"][..], "type /hooks and approve the entry"),
        (&["install", "grok", "--project"], "/hooks-trust, or start it with --trust"),
        (&["install", "gemini", "--project"], "start `gemini` there and trust the folder"),
        (&["install", "pi", "--project"], "not for the sub-agents that it starts"),
        (&["install", "hermes"], "--accept-hooks"),
        (&["install", "cline"], "ends Cline's whole run"),
    ] {
        let said = Home::new().good(arguments);
        assert!(said.contains(wanted), "{arguments:?}: {said}");
    }
}

#[test]
fn without_names_every_harness_that_is_found() {
    let home = Home::new();
    fs::create_dir_all(home.path(".claude")).unwrap();
    fs::create_dir_all(home.path(".gemini")).unwrap();
    home.good(&["install"]);
    assert!(home.path(".claude/settings.json").exists() && home.path(".gemini/settings.json").exists());
    assert!(!home.path(".qwen").exists());
    let status = home.good(&["status"]);
    assert!(status.contains("claude       user     registered"), "{status}");
}

/// The names that `hook --harness` takes.
#[test]
fn other_names_mean_the_same() {
    let home = Home::new();
    home.good(&["install", "pi-signed", "claude-code"]);
    let file = home.read(".pi/agent/extensions/stanchion.js");
    assert!(file.contains("\"--harness\", \"pi\""), "{file}");
    assert!(home.path(".claude/settings.json").exists());
    let status = home.good(&["status", "pi-signed"]);
    assert!(status.contains("pi           user     registered "), "{status}");
    home.good(&["uninstall", "pi-signed", "claude-code"]);
    assert_eq!(tree(&home.path("")), []);
}

#[test]
fn wrong_usage_has_its_status() {
    let home = Home::new();
    assert_eq!(home.run(&["install", "nobody"]).status.code(), Some(64));
    assert_eq!(home.run(&["install", "--nope"]).status.code(), Some(64));
    assert_eq!(home.run(&["install"]).status.code(), Some(64));
    assert_eq!(home.run(&["install", "claude", "--policy", "/nonexistent.toml"]).status.code(), Some(64));
}

#[test]
fn one_bad_file_and_nothing_is_changed() {
    let home = Home::new();
    home.write(".claude/settings.json", "{}\n");
    home.write(".gemini/settings.json", "{\n  \"a\": 1,\n  b\n}\n");
    let before = tree(&home.path(""));
    let output = home.run(&["install", "claude", "gemini"]);
    assert_eq!(output.status.code(), Some(64));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(".gemini/settings.json:3:3: expected a name"), "{said}");
    assert_eq!(tree(&home.path("")), before);
}

#[test]
fn calls_of_guests_are_answered_once() {
    let home = Home::new();
    home.good(&["install", "claude"]);
    assert!(!home.read(".claude/settings.json").contains("--native"));
    home.good(&["install", "grok"]);
    let claude = home.read(".claude/settings.json");
    // Grok would drop `args`.
    assert!(claude.contains("hook --harness claude --native grok\"") && !claude.contains("args"), "{claude}");
    let denied = r#""tool_input":{"command":"bin/fm-watch-arm.sh &"}"#;
    let grok = format!(r#"{{"hookEventName":"pre_tool_use","workspaceRoot":"/p",{denied}}}"#);
    let own = format!("{{{denied}}}");
    let hook = ["hook", "--harness", "claude", "--native", "grok"];
    assert_eq!(feed(home.command().args(hook), grok.as_bytes()).status.code(), Some(0));
    assert_eq!(feed(home.command().args(hook), own.as_bytes()).status.code(), Some(2));
    let own = ["hook", "--harness", "grok"];
    assert_eq!(feed(home.command().args(own), grok.as_bytes()).status.code(), Some(2));
    home.good(&["uninstall", "grok"]);
    let claude = home.read(".claude/settings.json");
    assert!(!claude.contains("--native") && claude.contains("\"args\""), "{claude}");
}

#[test]
fn a_harness_that_drops_the_arguments_is_answered() {
    let home = Home::new();
    let call = br#"{"tool_input":{"command":"bin/fm-watch-arm.sh &"}}"#;
    assert_eq!(feed(&mut home.command(), call).status.code(), Some(2));
    assert_eq!(feed(&mut home.command(), b"").status.code(), Some(64));
}

#[test]
fn a_policy_is_kept_by_the_next_installation() {
    let home = Home::new();
    home.good(&["install", "gemini", "--policy", "cwd"]);
    let first = home.read(".gemini/settings.json");
    assert!(first.contains("hook --harness gemini --policy cwd\""), "{first}");
    home.good(&["install", "gemini"]);
    assert_eq!(home.read(".gemini/settings.json"), first);
}

#[test]
fn completions_and_pages_are_made() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(home.good(&["completions", shell]).contains("uninstall"), "{shell}");
    }
    assert!(home.good(&["man"]).contains(".TH stanchion"));
    assert!(home.good(&["man", "install"]).contains("dry\\-run"));
    assert_eq!(home.run(&["man", "nothing"]).status.code(), Some(64));
}
