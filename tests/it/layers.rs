//! Layers of policies as users have them: files in their places, what applies, what is left out.

mod grants;
mod proofs;
mod tighten;
mod trust;

use crate::child::{feed, run, stanchion, text};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A user's directories and a project.
pub struct World {
    directory: tempfile::TempDir,
}

impl World {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for part in ["config/stanchion", "state", "cache", "project/.git", "home"] {
            fs::create_dir_all(directory.path().join(part)).unwrap();
        }
        Self { directory }
    }

    pub fn path(&self, part: &str) -> PathBuf {
        self.directory.path().join(part)
    }

    pub fn user(&self, name: &str, rest: &str) -> PathBuf {
        self.put(&format!("config/stanchion/{name}.toml"), name, rest)
    }

    pub fn project(&self, rest: &str) -> PathBuf {
        self.put("project/.stanchion.toml", "ours", rest)
    }

    fn put(&self, part: &str, name: &str, rest: &str) -> PathBuf {
        let path = self.path(part);
        fs::write(&path, format!("version = 1\nname = \"{name}\"\n{rest}")).unwrap();
        path
    }

    /// The program in this world.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = stanchion();
        command
            .args(arguments)
            .current_dir(self.path("project"))
            .env("HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        feed(&mut self.command(arguments), b"")
    }

    /// The hook's exit status for a command: 0 silence, 2 a denial.
    pub fn hook(&self, command: &str) -> i32 {
        let payload =
            json!({ "cwd": self.path("project"), "tool_name": "Bash", "tool_input": { "command": command } });
        let arguments = ["hook", "--claude", "--policy", "firstmate,core"];
        feed(&mut self.command(&arguments), payload.to_string().as_bytes()).status.code().unwrap()
    }

    /// What `check` decides and by which code.
    pub fn check(&self, command: &str) -> String {
        let output = self.run(&["check", "--json", "--policy", "firstmate,core", command]);
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        format!("{} {}", value["decision"].as_str().unwrap(), value["code"].as_str().unwrap_or("-"))
    }

    pub fn faults(&self) -> String {
        fs::read_to_string(self.path("state/stanchion/faults.jsonl")).unwrap_or_default()
    }

    fn cached(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("cache/stanchion")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }
}

/// A rule with examples that hold for any program of this name.
pub fn rule(id: &str, decision: &str, program: &str, more: &str) -> String {
    format!(
        "[[rule]]\nid = \"{id}\"\ndecision = \"{decision}\"\nreason = \"it deploys\"\nadvice = \"ask first\"\n{more}\n\
         when = {{ program = \"{program}\" }}\n\
         match = [\"{program} a\", \"{program} b\", \"{program} c\"]\nnot_match = [\"x1\", \"x2\", \"x3\"]\n"
    )
}

#[test]
fn every_layer_adds() {
    let world = World::new();
    world.user("mine", &rule("mine.deploy", "deny", "deployctl", ""));
    world.project(&format!(
        "{}\n[paths]\nprotected = [\"infra/\"]\n",
        rule("ours.publish", "deny", "publishctl", "")
    ));
    assert_eq!(world.hook("deployctl now"), 2);
    assert_eq!(world.hook("sudo publishctl now"), 2);
    assert_eq!((world.hook("rm infra/main.tf"), world.hook("rm src/main.tf")), (2, 0));
    assert_eq!(world.hook("git push --force origin main"), 2, "what is shipped stays");
    assert_eq!(world.hook("ls -la"), 0);
    assert_eq!(world.check("publishctl now"), "deny ours.publish");
    assert_eq!(world.faults(), "");
}

#[test]
fn only_what_is_named_when_so_asked() {
    let world = World::new();
    world.user("mine", &rule("mine.deploy", "deny", "deployctl", ""));
    let output = world.run(&["check", "--only", "deployctl now"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_user_replaces_a_rule_and_a_project_does_not() {
    let same = |decision, more| rule("git.force-push", decision, "nothing-like-it", more);
    let push = "git push --force origin main";
    let world = World::new();
    world.user("mine", &same("ask", ""));
    assert_eq!(world.hook(push), 0, "{}", world.check(push));
    let shown = world.run(&["policy", "show"]);
    let path = world.path("config/stanchion/mine.toml");
    let line = format!("git.force-push (replaced by {})", path.display());
    assert!(text(&shown.stdout).contains(&line), "{}", text(&shown.stdout));
    let world = World::new();
    for weaker in [same("ask", ""), same("deny", "shadow = true"), same("deny", "unparsed = \"allow\"")] {
        world.project(&weaker);
        assert_eq!(world.hook(push), 2, "{weaker}");
        assert_eq!(world.hook("nothing-like-it now"), 0, "what would loosen is left out: {weaker}");
        assert!(world.faults().contains("the rule git.force-push would weaken"), "{}", world.faults());
    }
    world.project(&same("deny", ""));
    assert_eq!((world.hook(push), world.hook("nothing-like-it now")), (2, 2), "both apply");
}

#[test]
fn the_rest_of_a_project_file_applies() {
    let world = World::new();
    let weaker = rule("git.reset-hard", "ask", "x9", "shadow = true");
    world.project(&format!(
        "home_variable = \"ELSEWHERE\"\n{weaker}{}",
        rule("ours.publish", "deny", "publishctl", "")
    ));
    assert_eq!(world.hook("publishctl now"), 2);
    let faults = world.faults();
    assert!(faults.contains(".stanchion.toml:3:17: home_variable would move"), "{faults}");
}

#[test]
fn unattended_in_one_file_holds_for_all() {
    let world = World::new();
    let asked = "GIT_SSH_COMMAND=/tmp/x git fetch";
    assert_eq!(world.check(asked).split(' ').next(), Some("ask"), "{}", world.check(asked));
    world.project("[settings]\nprofile = \"unattended\"\n");
    assert_eq!(world.check(asked).split(' ').next(), Some("deny"));
}

#[test]
fn what_does_not_load_is_left_out_and_told_once() {
    let world = World::new();
    let bad = world.user("bad", "colour = 1\n");
    world.user("good", &rule("mine.deploy", "deny", "deployctl", ""));
    for _ in 0..3 {
        assert_eq!(world.hook("deployctl now"), 2);
        assert_eq!(world.hook("ls"), 0);
    }
    let faults = world.faults();
    assert_eq!(faults.lines().count(), 1, "{faults}");
    let place = format!("{}:3:1", bad.display());
    assert!(faults.contains(&place), "{faults}");
    let check = world.run(&["check", "ls"]);
    assert_eq!(check.status.code(), Some(0));
    assert!(text(&check.stderr).contains(&place), "{}", text(&check.stderr));
    let checked = world.run(&["policy", "check"]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(text(&checked.stdout).contains(&place), "{}", text(&checked.stdout));
    let doctor = world.run(&["doctor", "--json"]);
    assert_eq!(doctor.status.code(), Some(1));
    assert!(text(&doctor.stdout).contains("policy-left-out"), "{}", text(&doctor.stdout));
    let install = world.run(&["install", "claude"]);
    assert_eq!(install.status.code(), Some(64), "{}", text(&install.stdout));
    assert!(text(&install.stderr).contains(&place), "{}", text(&install.stderr));
}

#[test]
fn odd_files_hold_nobody_up() {
    let world = World::new();
    let project = world.path("project/.stanchion.toml");
    assert!(Command::new("mkfifo").arg(&project).status().unwrap().success());
    fs::create_dir(world.path("config/stanchion/directory.toml")).unwrap();
    fs::write(world.path("config/stanchion/bytes.toml"), b"\xff").unwrap();
    fs::write(world.path("config/stanchion/long.toml"), " ".repeat(2 << 20)).unwrap();
    std::os::unix::fs::symlink("/dev/zero", world.path("config/stanchion/zero.toml")).unwrap();
    std::os::unix::fs::symlink("nowhere", world.path("config/stanchion/gone.toml")).unwrap();
    assert_eq!(world.hook("git push --force origin main"), 2);
    assert_eq!(world.hook("ls"), 0);
    assert_eq!(world.faults().lines().count(), 6, "{}", world.faults());
}

/// Whoever writes a project's file cannot make the hook so slow that a harness gives up.
#[test]
fn a_project_file_is_bounded() {
    let world = World::new();
    let rules: String =
        (0..200).map(|number| rule(&format!("r{number}"), "deny", &format!("p{number}"), "")).collect();
    assert!(rules.len() < 60_000, "{}", rules.len());
    world.project(&rules);
    assert_eq!(world.hook("p7 now"), 2);
    world.project(&format!("{rules}#{}", "x".repeat(40_000)));
    assert_eq!(world.hook("p7 now"), 0);
    assert!(world.faults().contains("larger than 65536 bytes"), "{}", world.faults());
}

#[test]
fn a_cache_is_used_and_never_trusted() {
    let world = World::new();
    world.user("mine", &rule("mine.deploy", "deny", "deployctl", ""));
    assert_eq!(world.hook("deployctl now"), 2);
    let cached = world.cached();
    let [file] = cached.as_slice() else { panic!("{cached:?}") };
    let good = fs::read(file).unwrap();
    let damaged =
        [vec![], b"x".to_vec(), good[..good.len() / 2].to_vec(), [&good[..good.len() - 1], b"\0"].concat()];
    for bad in damaged {
        fs::write(file, &bad).unwrap();
        assert_eq!(world.hook("deployctl now"), 2);
        assert_eq!(fs::read(file).unwrap().len(), good.len(), "it is made anew");
    }
    // Another content in the same file, right after the other.
    world.user("mine", &rule("mine.deploy", "deny", "otherctl", ""));
    assert_eq!((world.hook("deployctl now"), world.hook("otherctl now")), (0, 2));
    assert_eq!(world.cached().len(), 1);
    // Without a place for it everything is put together each time.
    let _ = fs::remove_dir_all(world.path("cache"));
    fs::write(world.path("cache"), "").unwrap();
    assert_eq!(world.hook("otherctl now"), 2);
}

#[test]
fn a_named_file_that_cannot_be_used_is_silence_and_a_record() {
    let world = World::new();
    let bad = world.path("project/bad.toml");
    fs::write(&bad, "nonsense").unwrap();
    let payload = json!({ "tool_input": { "command": "bin/fm-watch-arm.sh &" } }).to_string();
    let arguments = ["hook", "--policy", "firstmate", "--policy", bad.to_str().unwrap()];
    let output = feed(&mut world.command(&arguments), payload.as_bytes());
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
    assert!(world.faults().contains("bad.toml:1:"), "{}", world.faults());
}

#[test]
fn show_tells_where_each_part_comes_from() {
    let world = World::new();
    world.user("mine", &rule("mine.deploy", "deny", "deployctl", ""));
    world.project("[settings]\nprofile = \"unattended\"\n");
    let output = world.run(&["policy", "show", "--json", "core.git"]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows: Vec<(&str, &str)> = value["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), row["layer"].as_str().unwrap()))
        .collect();
    assert_eq!(rows, [("core.git", "shipped"), ("mine", "user"), ("ours", "project")]);
    assert!(value["policies"].as_array().unwrap().iter().all(|row| row["unattended"] == true));
    let help = run(&["policy", "show", "--help"], b"");
    assert!(text(&help.stdout).contains("--only"));
}

/// The directory and the path of a file of the program under test.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}
