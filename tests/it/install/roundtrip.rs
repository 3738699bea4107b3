//! Configurations as they are found: installed, installed again, and given back.

use super::{Home, tree};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const OTHER: &str =
    r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "other"}]}]}}"#;

/// Harness, file, content; all must come back byte for byte.
fn configurations() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(150), "]".repeat(150));
    let many: String = (0..500).map(|at| format!("  \"k{at}\": {at},\n")).collect();
    let claude = ".claude/settings.json";
    let texts: Vec<(&str, &str, String)> = vec![
        ("claude", claude, String::new()),
        ("claude", claude, "\n".into()),
        ("claude", claude, "{}".into()),
        ("claude", claude, "{}\n".into()),
        ("claude", claude, "{ }\n\n".into()),
        ("claude", claude, "{\n}\n".into()),
        ("claude", claude, "{\n  \"model\": \"opus\"\n}\n".into()),
        ("claude", claude, "{\n  \"model\": \"opus\"\n}".into()),
        ("claude", claude, "{\"model\":\"opus\",\"x\":[1,2]}".into()),
        ("claude", claude, OTHER.into()),
        ("claude", claude, format!("{OTHER}\n").replace("{\"type", "\n\t{\"type")),
        ("claude", claude, "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n".into()),
        ("claude", claude, "{\r\n    \"a\": 1\r\n}\r\n".into()),
        ("claude", claude, "\u{feff}{\n  \"a\": 1\n}\n".into()),
        ("claude", claude, "// head\n{\n  // one\n  \"a\": 1 // last\n  /* tail */\n}\n// end\n".into()),
        ("claude", claude, "{\n  \"a\": 1, // trailing\n  \"b\": [1, 2,],\n}\n".into()),
        ("claude", claude, "{\n  \"hooks\": {}\n}\n".into()),
        ("claude", claude, "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n".into()),
        ("claude", claude, "{\n  \"hooks\": {\n    \"PreToolUse\": [ // none yet\n    ]\n  }\n}\n".into()),
        ("claude", claude, "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": []}]\n  }\n}\n".into()),
        ("claude", claude, "{\"a\": \"}, \\\"hooks\\\": [\", \"hooks\": {}}".into()),
        ("claude", claude, deep),
        ("claude", claude, format!("{{\n{many}  \"z\": null\n}}\n")),
        ("claude", claude, "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"stanchion hook --claude\" }]\n      }\n    ]\n  }\n}\n".into()),
        ("claude", claude, "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"/old/stanchion hook --claude\" },\n          { \"type\": \"command\", \"command\": \"mine\" }\n        ]\n      }\n    ]\n  }\n}\n".into()),
        ("codex", ".codex/hooks.json", OTHER.into()),
        ("cursor", ".cursor/hooks.json", "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"x\" }]\n  }\n}\n".into()),
        ("cursor", ".cursor/hooks.json", "{\"hooks\":{}}".into()),
        ("gemini", ".gemini/settings.json", "{\n    \"ui\": { \"theme\": \"x\" }, // mine\n    \"tools\": {}\n}\n".into()),
        ("qwen", ".qwen/settings.json", "{\n  \"a\": 1\n}\n".into()),
        ("droid", ".factory/settings.json", "{\n  // c\n  \"a\": 1\n}\n".into()),
        ("crush", ".config/crush/crush.json", "{\"$schema\": \"x\"}\n".into()),
        ("windsurf", ".codeium/windsurf/hooks.json", "{}".into()),
        ("antigravity", ".gemini/config/hooks.json", "{\"mine\": {}}".into()),
        ("kimi", ".kimi-code/config.toml", "# mine\nmodel = \"k\"   # odd   blanks\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"x\"\n\n[other]\na = 1\n".into()),
        ("kimi", ".kimi-code/config.toml", "a = 1\r\n".into()),
        ("kimi", ".kimi-code/config.toml", String::new()),
        ("hermes", ".hermes/config.yaml", "# mine\nmodel: x\nlist:\n  - a\n".into()),
        ("hermes", ".hermes/config.yaml", "model: x".into()),
        ("hermes", ".hermes/config.yaml", "# mine\r\nmodel: x\r\n".into()),
        ("claude", claude, "\u{feff}// head\r\n{\r\n\t\"a\": 1, // one\r\n}\r\n".into()),
        ("claude", claude, "{\n  \"hooks\": {\"Stop\": []},\n  \"hooks\": {\"PreToolUse\": []}\n}\n".into()),
        ("claude", claude, "{\n  \"\\u0068ooks\": {\"Stop\": []}\n}\n".into()),
        ("claude", claude, format!("{{\"pad\": \"{}\"}}\n", "\u{e9}".repeat(500_000))),
        ("claude", claude, "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"/old/stanchion\", \"args\": [\"hook\", \"--harness\", \"claude\"]}]}]}}".into()),
        ("codex", ".codex/hooks.json", OTHER.replace("other", "/old/stanchion hook")),
        ("gemini", ".gemini/settings.json", "{\"hooks\": {\"BeforeTool\": [{\"matcher\": \".*\", \"hooks\": [{\"type\": \"command\", \"command\": \"stanchion hook --harness gemini\"}, {\"type\": \"command\", \"command\": \"mine\"}]}]}}\n".into()),
        ("cursor", ".cursor/hooks.json", "{\"version\": 1, \"hooks\": {\"beforeShellExecution\": [{\"command\": \"stanchion hook\"}, {\"command\": \"mine\"}]}}".into()),
        ("kimi", ".kimi-code/config.toml", "[[hooks]] # old\nevent = \"PreToolUse\"\ncommand = \"stanchion hook --claude\"\n".into()),
    ];
    texts.into_iter().map(|(harness, file, text)| (harness, file, text.into_bytes())).collect()
}

#[test]
fn what_was_there_comes_back_byte_for_byte() {
    let all = configurations();
    assert!(all.len() >= 30, "{}", all.len());
    for (harness, file, bytes) in all {
        let home = Home::new();
        let path = home.write(file, &bytes);
        let before = tree(&home.path(""));
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        home.good(&["install", harness]);
        let once = tree(&home.path(""));
        assert_ne!(once, before, "{harness}: {shown}");
        home.good(&["install", harness]);
        assert_eq!(tree(&home.path("")), once, "{harness} twice: {shown}");
        home.good(&["uninstall", harness]);
        assert_eq!(
            tree(&home.path("")),
            before,
            "{harness}: {shown}\n{}",
            String::from_utf8_lossy(&fs::read(path).unwrap())
        );
    }
}

/// The same in a project.
#[test]
fn what_was_in_a_project_comes_back_byte_for_byte() {
    let mut seen = 0;
    for (name, _, bytes) in configurations() {
        let harness = stanchion::install::facts::find(name).unwrap();
        let form = matches!(harness.form, stanchion::install::facts::Form::Json { .. });
        if !form || harness.project.is_empty() {
            continue;
        }
        let home = Home::new();
        home.write(&format!("project/{}", harness.project), &bytes);
        let before = tree(&home.path(""));
        home.good(&["install", name, "--project"]);
        assert_ne!(tree(&home.path("")), before, "{name}");
        home.good(&["uninstall", name, "--project"]);
        assert_eq!(tree(&home.path("")), before, "{name}: {}", String::from_utf8_lossy(&bytes));
        seen += 1;
    }
    assert!(seen >= 30, "{seen}");
}

#[test]
fn every_harness_comes_and_goes_without_a_trace() {
    for harness in stanchion::install::ALL {
        for level in [&[][..], &["--project"]] {
            let home = Home::new();
            home.good(&[&["install", harness.name], level].concat());
            let once = tree(&home.path(""));
            home.good(&[&["install", harness.name], level].concat());
            assert_eq!(tree(&home.path("")), once, "{}", harness.name);
            home.good(&[&["uninstall", harness.name], level].concat());
            assert_eq!(tree(&home.path("")), [], "{}", harness.name);
        }
    }
}

#[test]
fn changes_made_meanwhile_stay() {
    let home = Home::new();
    home.write(".claude/settings.json", "{\n  \"a\": 1 // one\n}\n");
    home.good(&["install", "claude"]);
    let text = home.read(".claude/settings.json").replace("\"a\": 1,", "\"a\": 2,");
    home.write(".claude/settings.json", text);
    home.good(&["uninstall", "claude"]);
    assert_eq!(home.read(".claude/settings.json"), "{\n  \"a\": 2 // one\n}\n");
}

#[test]
fn a_moved_program_is_entered_anew_and_the_original_still_comes_back() {
    let home = Home::new();
    let original = "{\n  \"a\": 1\n}\n";
    home.write(".claude/settings.json", original);
    home.good(&["install", "claude"]);
    let own = env!("CARGO_BIN_EXE_stanchion");
    let text = home.read(".claude/settings.json").replace(own, "/gone/stanchion");
    home.write(".claude/settings.json", text);
    home.good(&["install", "claude"]);
    assert!(home.read(".claude/settings.json").contains(own));
    home.good(&["uninstall", "claude"]);
    assert_eq!(home.read(".claude/settings.json"), original);
}

#[test]
fn what_cannot_be_merged_is_refused_with_its_place() {
    let cases: [(&str, &str, &[u8], &str); 9] = [
        ("claude", ".claude/settings.json", b"{", ":1:2: "),
        ("claude", ".claude/settings.json", b"{\n  \"a\": tru\n}", ":2:8: "),
        ("claude", ".claude/settings.json", b"{} {}", ":1:4: "),
        ("claude", ".claude/settings.json", b"{\"hooks\": []}", ":1:11: `hooks` is not an object"),
        ("claude", ".claude/settings.json", b"{\"a\": \"\xff\"}", ":1:8: this byte is not UTF-8"),
        ("claude", ".claude/settings.json", b"[]", ":1:1: the whole is not an object"),
        ("kimi", ".kimi-code/config.toml", b"a = 1\nb = \n", ":2:"),
        ("kimi", ".kimi-code/config.toml", b"hooks = 1\n", ":1:1: `hooks` is not an array of tables"),
        (
            "hermes",
            ".hermes/config.yaml",
            b"a: 1\nhooks:\n  on: []\n",
            ":2:1: there is a key `hooks` already",
        ),
    ];
    for (harness, file, bytes, wanted) in cases {
        let home = Home::new();
        home.write(file, bytes);
        let before = tree(&home.path(""));
        let output = home.run(&["install", harness]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(64), "{said}");
        assert!(said.contains(&format!("{file}{wanted}")), "{wanted}: {said}");
        assert_eq!(tree(&home.path("")), before);
    }
}

#[test]
fn links_permissions_and_read_only_files_are_respected() {
    let home = Home::new();
    let real = home.write("dotfiles/settings.json", "{}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    fs::create_dir_all(home.path(".claude")).unwrap();
    let link = home.path(".claude/settings.json");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    home.good(&["install", "claude"]);
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("hooks"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    home.good(&["uninstall", "claude"]);
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}\n");

    fs::set_permissions(&real, fs::Permissions::from_mode(0o400)).unwrap();
    let output = home.run(&["install", "claude"]);
    assert_eq!(output.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is read-only; make it writable"));
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}\n");
}

#[test]
fn files_of_others_with_our_name_are_refused() {
    let home = Home::new();
    home.write(".pi/agent/extensions/stanchion.js", "export default () => {}\n");
    let output = home.run(&["install", "pi"]);
    assert_eq!(output.status.code(), Some(64));
    home.good(&["uninstall", "pi"]);
    assert_eq!(home.read(".pi/agent/extensions/stanchion.js"), "export default () => {}\n");
}
