//! Every fault that `doctor` knows, made on purpose: it is found by its name, and has a remedy.

use super::Home;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const CLAUDE: &str = ".claude/settings.json";

/// A home with one registration.
fn installed(harness: &str) -> Home {
    let home = Home::new();
    home.good(&["install", harness]);
    home
}

/// Changes a file's text.
fn edit(home: &Home, file: &str, from: &str, to: &str) {
    let text = home.read(file);
    assert!(text.contains(from), "{from} is not in {text}");
    home.write(file, text.replace(from, to));
}

/// Runs doctor and gives the codes that it found.
fn codes(home: &Home, arguments: &[&str]) -> Vec<String> {
    let output = home.run(&[&["doctor", "--json"], arguments].concat());
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(report["schema"], 1);
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(report["healthy"] == false)));
    for finding in findings {
        assert!(finding["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()), "{finding}");
    }
    findings.iter().map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

fn program(home: &Home, name: &str, script: &str) -> String {
    let path = home.write(name, script);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

const OWN: &str = env!("CARGO_BIN_EXE_stanchion");

#[test]
fn what_is_installed_protects() {
    for harness in
        ["claude", "grok", "gemini", "qwen", "kimi", "hermes", "pi", "opencode", "copilot", "cursor"]
    {
        let home = installed(harness);
        assert_eq!(codes(&home, &[harness]), Vec::<String>::new(), "{harness}");
    }
    let shown = installed("claude").good(&["doctor", "claude"]);
    assert!(shown.starts_with("claude (user): protects, "), "{shown}");
}

#[test]
fn missing_registrations() {
    let home = Home::new();
    assert_eq!(codes(&home, &["claude"]), ["not-registered"]);
    fs::create_dir_all(home.path(".qwen")).unwrap();
    assert_eq!(codes(&home, &[]), ["not-registered"]);
}

#[test]
fn unparsable_configuration() {
    let home = installed("claude");
    home.write(CLAUDE, "{ nonsense");
    assert_eq!(codes(&home, &["claude"]), ["config-unreadable"]);
    let shown = String::from_utf8(home.run(&["doctor", "claude"]).stdout).unwrap();
    assert!(shown.contains("1:3: expected a name"), "{shown}");
}

#[test]
fn missing_program() {
    let home = installed("claude");
    edit(&home, CLAUDE, OWN, "/nonexistent/stanchion");
    assert_eq!(codes(&home, &["claude"]), ["program-missing"]);
}

#[test]
fn program_that_cannot_be_executed() {
    let home = installed("claude");
    let path = home.write("bin/stanchion", "");
    edit(&home, CLAUDE, OWN, &path.display().to_string());
    assert_eq!(codes(&home, &["claude"]), ["program-not-executable"]);
}

#[test]
fn another_copy() {
    let home = installed("claude");
    let path = home.path("bin/stanchion");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(OWN, &path).unwrap();
    edit(&home, CLAUDE, OWN, &path.display().to_string());
    assert_eq!(codes(&home, &["claude"]), ["other-program"]);
}

#[test]
fn another_version() {
    let home = installed("claude");
    let script = format!("#!/bin/sh\n[ \"$1\" = --version ] && echo stanchion 0.0.1 || exec {OWN} \"$@\"\n");
    edit(&home, CLAUDE, OWN, &program(&home, "bin/stanchion", &script));
    assert_eq!(codes(&home, &["claude"]), ["other-version"]);
}

#[test]
fn program_that_everybody_may_change() {
    let home = installed("claude");
    fs::set_permissions(home.path(CLAUDE), fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(codes(&home, &["claude"]), ["writable-by-all"]);
}

#[test]
fn older_entry() {
    let home = installed("claude");
    edit(&home, CLAUDE, "\"--harness\", \"claude\"", "\"--claude\"");
    assert_eq!(codes(&home, &["claude"]), ["old-entry"]);
}

#[test]
fn duplicate_entries() {
    let home = installed("kimi");
    let text = home.read(".kimi-code/config.toml");
    home.write(".kimi-code/config.toml", format!("{text}\n{text}"));
    assert_eq!(codes(&home, &["kimi"]), ["duplicate-entry"]);
    let home = installed("cursor");
    let text = home.read(".cursor/hooks.json");
    let start = text.find("[").unwrap() + 1;
    let end = text.find("]").unwrap();
    let entry = text[start..end].trim().to_owned();
    home.write(".cursor/hooks.json", text.replacen(&entry, &format!("{entry}, {entry}"), 1));
    assert!(codes(&home, &["cursor"]).contains(&"duplicate-entry".to_owned()));
}

#[test]
fn narrow_matcher() {
    let home = installed("claude");
    edit(&home, CLAUDE, "\"matcher\": \"*\"", "\"matcher\": \"Bash\"");
    assert_eq!(codes(&home, &["claude"]), ["matcher-narrow"]);
}

#[test]
fn time_outs() {
    let home = installed("gemini");
    edit(&home, ".gemini/settings.json", "10000", "10");
    assert_eq!(codes(&home, &["gemini"]), ["time-out-short"]);
    let home = installed("claude");
    edit(&home, CLAUDE, "\"timeout\": 10", "\"timeout\": 10000");
    assert_eq!(codes(&home, &["claude"]), ["time-out-unit"]);
}

#[test]
fn entry_that_fails_open() {
    let home = installed("claude");
    edit(&home, CLAUDE, "\"block\"", "\"allow\"");
    assert_eq!(codes(&home, &["claude"]), ["fail-open"]);
}

#[test]
fn entry_that_nobody_waits_for() {
    let home = installed("claude");
    edit(&home, CLAUDE, "\"timeout\": 10", "\"async\": true, \"timeout\": 10");
    assert_eq!(codes(&home, &["claude"]), ["entry-async"]);
}

#[test]
fn missing_event() {
    let home = installed("cursor");
    edit(&home, ".cursor/hooks.json", "\"preToolUse\"", "\"somethingElse\"");
    assert!(codes(&home, &["cursor"]).contains(&"event-missing".to_owned()));
}

#[test]
fn hooks_switched_off() {
    let home = installed("claude");
    edit(&home, CLAUDE, "{\n  \"hooks\"", "{\n  \"disableAllHooks\": true,\n  \"hooks\"");
    assert_eq!(codes(&home, &["claude"]), ["hooks-disabled"]);
    let home = installed("codex");
    let path = home.path(".codex/hooks.json").display().to_string();
    home.write(
        ".codex/config.toml",
        format!("[features]\nhooks = false\n[hooks.state.\"{path}:x\"]\na = 1\n"),
    );
    assert_eq!(codes(&home, &["codex"]), ["hooks-disabled"]);
}

#[test]
fn hook_that_nobody_approved() {
    assert_eq!(codes(&installed("codex"), &["codex"]), ["not-reviewed"]);
}

#[test]
fn project_that_is_not_trusted() {
    let home = Home::new();
    home.good(&["install", "grok", "--project"]);
    assert_eq!(codes(&home, &["grok", "--project"]), ["not-trusted"]);
    let project = home.path("project").display().to_string();
    home.write(".grok/trusted_folders.toml", format!("folders = [\"{project}\"]\n"));
    assert_eq!(codes(&home, &["grok", "--project"]), Vec::<String>::new());
}

#[test]
fn mark_that_grok_does_not_read() {
    let home = installed("grok");
    let text = home.read(".grok/hooks/stanchion.json");
    home.write(".grok/hooks/stanchion.json", format!("\u{feff}{text}"));
    assert_eq!(codes(&home, &["grok"]), ["byte-order-mark"]);
}

#[test]
fn registration_of_a_guest_that_is_gone() {
    let home = Home::new();
    home.good(&["install", "claude", "grok"]);
    fs::remove_file(home.path(".grok/hooks/stanchion.json")).unwrap();
    assert_eq!(codes(&home, &["claude"]), ["native-gone"]);
}

#[test]
fn outdated_plugin() {
    let home = installed("pi");
    edit(&home, ".pi/agent/extensions/stanchion.js", "const LIMIT = 10000", "const LIMIT = 1");
    assert_eq!(codes(&home, &["pi"]), ["plugin-outdated"]);
}

#[test]
fn hook_that_lets_a_denied_call_through() {
    let home = installed("claude");
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && exec echo stanchion 0.1.0\ncat >/dev/null\n";
    edit(&home, CLAUDE, OWN, &program(&home, "bin/stanchion", script));
    assert!(codes(&home, &["claude"]).contains(&"denied-passes".to_owned()));
}

#[test]
fn hook_that_blocks_everything() {
    let home = installed("claude");
    let script = "#!/bin/sh\necho no >&2\nexit 2\n";
    edit(&home, CLAUDE, OWN, &program(&home, "bin/stanchion", script));
    assert!(codes(&home, &["claude"]).contains(&"harmless-blocked".to_owned()));
}

#[test]
fn hook_with_noise() {
    let home = installed("claude");
    let script = format!("#!/bin/sh\necho welcome\nexec {OWN} \"$@\"\n");
    edit(&home, CLAUDE, OWN, &program(&home, "bin/stanchion", &script));
    assert!(codes(&home, &["claude"]).contains(&"hook-noise".to_owned()));
}

#[test]
fn hook_that_hangs() {
    let home = installed("claude");
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && exec echo stanchion 0.1.0\nexec sleep 30\n";
    edit(&home, CLAUDE, OWN, &program(&home, "bin/stanchion", script));
    assert!(codes(&home, &["claude", "--limit", "500"]).contains(&"hook-fails".to_owned()));
}

#[test]
fn policy_that_cannot_be_used() {
    let home = installed("claude");
    let path = home.write("broken.toml", "version = ").display().to_string();
    edit(&home, CLAUDE, "\"claude\"]", &format!("\"claude\", \"--policy\", \"{path}\"]"));
    assert_eq!(codes(&home, &["claude"]), ["policy-broken"]);
}

#[test]
fn recorded_faults() {
    let home = installed("claude");
    home.write(".local/state/stanchion/faults.jsonl", "{\"kind\":\"policy\"}\n");
    assert_eq!(codes(&home, &["claude"]), ["faults-recorded"]);
}

/// A fault in a home with a registration.
type Fault = (&'static str, &'static str, fn(&Home));

/// Where the remedy is a command of ours, it mends the fault.
#[test]
fn remedies_mend() {
    let faults: [Fault; 12] = [
        ("claude", "not-registered", |home| fs::remove_file(home.path(CLAUDE)).unwrap()),
        ("claude", "program-missing", |home| edit(home, CLAUDE, OWN, "/nonexistent/stanchion")),
        ("windsurf", "entry-disabled", |home| {
            edit(home, ".codeium/windsurf/hooks.json", "\"command\"", "\"enabled\": false, \"command\"");
        }),
        ("claude", "old-entry", |home| edit(home, CLAUDE, "\"--harness\", \"claude\"", "\"--claude\"")),
        ("claude", "matcher-narrow", |home| {
            edit(home, CLAUDE, "\"matcher\": \"*\"", "\"matcher\": \"Bash\"")
        }),
        ("gemini", "time-out-short", |home| edit(home, ".gemini/settings.json", "10000", "10")),
        ("claude", "time-out-unit", |home| edit(home, CLAUDE, "\"timeout\": 10", "\"timeout\": 10000")),
        ("claude", "fail-open", |home| edit(home, CLAUDE, "\"block\"", "\"allow\"")),
        ("claude", "entry-async", |home| {
            edit(home, CLAUDE, "\"timeout\": 10", "\"async\": true, \"timeout\": 10");
        }),
        ("cursor", "event-missing", |home| edit(home, ".cursor/hooks.json", "\"preToolUse\"", "\"other\"")),
        ("kimi", "duplicate-entry", |home| {
            let text = home.read(".kimi-code/config.toml");
            home.write(".kimi-code/config.toml", format!("{text}\n{text}"));
        }),
        ("pi", "plugin-outdated", |home| {
            edit(home, ".pi/agent/extensions/stanchion.js", "const LIMIT = 10000", "const LIMIT = 1");
        }),
    ];
    for (harness, code, break_it) in faults {
        let home = installed(harness);
        break_it(&home);
        let output = home.run(&["doctor", "--json", harness]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["code"] == code);
        let finding = finding.unwrap_or_else(|| panic!("{code} is not in {findings:?}"));
        let remedy = finding["remedy"].as_str().unwrap();
        let words = remedy.strip_prefix("stanchion ").unwrap_or_else(|| panic!("{code}: {remedy}"));
        home.good(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(codes(&home, &[harness]), Vec::<String>::new(), "{code}: {remedy}");
    }
}

#[test]
fn trials_leave_no_records() {
    let home = installed("claude");
    assert_eq!(codes(&home, &["claude"]), Vec::<String>::new());
    assert!(!home.path(".local/state/stanchion").exists());
}
