//! Configurations in odd places and states: nothing of them is lost, whatever is refused.

use super::{Home, tree};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

const CLAUDE: &str = ".claude/settings.json";
const TEXT: &str = "{\n  // mine\n  \"a\": 1\n}\n";

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A command that must be refused, with this in its message.
fn refused(home: &Home, arguments: &[&str], wanted: &str) {
    let before = tree(&home.path(""));
    let output = home.run(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(64), "{arguments:?}: {said}");
    assert!(said.contains(wanted), "{wanted}: {said}");
    assert_eq!(tree(&home.path("")), before);
}

fn there_and_back(home: &Home, link: &Path, real: &Path) {
    let before = tree(&home.path(""));
    home.good(&["install", "claude"]);
    assert!(fs::read_to_string(real).unwrap().contains("\"hooks\""));
    assert!(fs::read_to_string(link).unwrap().contains("\"hooks\""));
    home.good(&["install", "claude"]);
    home.good(&["uninstall", "claude"]);
    assert_eq!(fs::read_to_string(real).unwrap(), TEXT);
    assert_eq!(tree(&home.path("")), before);
}

#[test]
fn links_of_links_stay() {
    let home = Home::new();
    let real = home.write("dot/real.json", TEXT);
    mode(&real, 0o640);
    fs::create_dir_all(home.path(".claude")).unwrap();
    symlink("../dot/real.json", home.path(".claude/middle.json")).unwrap();
    let link = home.path(CLAUDE);
    symlink("middle.json", &link).unwrap();
    there_and_back(&home, &link, &real);
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("middle.json"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_linked_directory_stays() {
    let home = Home::new();
    let real = home.write("dot/claude/settings.json", TEXT);
    symlink("dot/claude", home.path(".claude")).unwrap();
    there_and_back(&home, &home.path(CLAUDE), &real);
    assert!(home.path(".claude").is_symlink());
}

#[test]
fn a_link_to_nothing_is_refused() {
    let home = Home::new();
    fs::create_dir_all(home.path(".claude")).unwrap();
    symlink("/nonexistent/settings.json", home.path(CLAUDE)).unwrap();
    refused(&home, &["install", "claude"], "cannot be read");
    assert!(home.path(CLAUDE).is_symlink());
}

#[test]
fn a_directory_in_its_place_is_refused() {
    let home = Home::new();
    fs::create_dir_all(home.path(CLAUDE).join("x")).unwrap();
    refused(&home, &["install", "claude"], "cannot be read");
    assert!(home.path(CLAUDE).join("x").is_dir());
}

#[test]
fn what_became_read_only_is_refused_until_it_is_writable() {
    let home = Home::new();
    let path = home.write(CLAUDE, TEXT);
    mode(&path, 0o444);
    refused(&home, &["install", "claude"], "is read-only; make it writable");
    home.good(&["uninstall", "claude"]);
    assert_eq!(home.read(CLAUDE), TEXT);
    mode(&path, 0o644);
    home.good(&["install", "claude"]);
    mode(&path, 0o444);
    refused(&home, &["uninstall", "claude"], "is read-only; make it writable");
    mode(&path, 0o644);
    home.good(&["uninstall", "claude"]);
    assert_eq!(home.read(CLAUDE), TEXT);
}

#[test]
fn what_cannot_be_parsed_is_not_touched_by_uninstall() {
    for (harness, file, text) in [
        ("claude", CLAUDE, "{ nonsense"),
        ("gemini", ".gemini/settings.json", "{\"hooks\": {\"BeforeTool\": [}"),
        ("kimi", ".kimi-code/config.toml", "a = \n"),
    ] {
        let home = Home::new();
        let path = home.write(file, text);
        refused(&home, &["install", harness], file);
        refused(&home, &["uninstall", harness], file);
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
}

#[test]
fn what_broke_meanwhile_is_refused_until_it_is_mended() {
    let home = Home::new();
    home.write(CLAUDE, TEXT);
    home.good(&["install", "claude"]);
    let good = home.read(CLAUDE);
    home.write(CLAUDE, good.replace("\"a\": 1", "\"a\": "));
    refused(&home, &["uninstall", "claude"], &format!("{CLAUDE}:"));
    refused(&home, &["install", "claude"], &format!("{CLAUDE}:"));
    home.write(CLAUDE, &good);
    home.good(&["uninstall", "claude"]);
    assert_eq!(home.read(CLAUDE), TEXT);
}

/// An entry that was there before the installation is a person's: it comes back, and the next call takes it out.
#[test]
fn an_older_entry_goes_when_it_is_asked_for_again() {
    let home = Home::new();
    let old = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"stanchion hook --claude\"}]}]}, \"a\": 1}";
    home.write(CLAUDE, old);
    home.good(&["install", "claude"]);
    assert_eq!(home.read(CLAUDE).matches("stanchion").count(), 1, "{}", home.read(CLAUDE));
    home.good(&["uninstall", "claude"]);
    assert_eq!(home.read(CLAUDE), old);
    home.good(&["uninstall", "claude"]);
    let left = home.read(CLAUDE);
    assert!(!left.contains("stanchion") && left.contains("\"a\": 1"), "{left}");
}
