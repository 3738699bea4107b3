//! Attempts to move a baked program from its policy. Each is made beside the same dangerous call, which must be
//! denied by the same rule and recorded in the same place all the same.

use super::{bake, bash, lines, rules, start};
use crate::child::text;
use serde_json::Value;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A guest with a gate, and with everything in it that an agent could write.
struct Guest {
    directory: tempfile::TempDir,
    gate: PathBuf,
    records: PathBuf,
}

impl Guest {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let gate = bake(directory.path(), &["mission"]);
        let records = directory.path().join("records");
        Self { directory, gate, records }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A call in the project below this directory.
    fn call(&self) -> Value {
        let mut call = bash("rm -rf /");
        call["cwd"] = self.path("project").to_str().unwrap().into();
        call
    }

    /// The call is denied by its rule and recorded, however the program is started.
    fn holds(&self, what: &str, attempt: impl Fn(&mut Command)) {
        fs::create_dir_all(self.path("project")).unwrap();
        let before = lines(&self.records, "denied.jsonl").len();
        let mut command = Command::new(&self.gate);
        command.arg("hook");
        attempt(&mut command);
        let output = start(&mut command, self.call().to_string().as_bytes());
        assert_eq!(output.status.code(), Some(2), "{what}");
        assert!(text(&output.stderr).starts_with("[rm-root] "), "{what}: {}", text(&output.stderr));
        let denied = lines(&self.records, "denied.jsonl");
        assert_eq!(rules(&denied)[before..], ["rm-root"], "{what}");
    }
}

/// A policy in whose shadow everything stands.
const LOOSE: &str =
    "version = 1\nname = \"loose\"\n[settings]\nshadow = [\"mission\", \"rm-root\", \"core\"]\n";

#[test]
fn no_attempt_moves_a_baked_program() {
    let guest = Guest::new();
    guest.holds("nothing is tried", |_| {});
    files(&guest);
    options(&guest);
    variables(&guest);
    names(&guest);
}

fn files(guest: &Guest) {
    guest.write("project/.stanchion.toml", LOOSE);
    guest.holds("1 a project's file", |_| {});
    guest.write("config/stanchion/loose.toml", LOOSE);
    let config = guest.path("config");
    guest.holds("2 a user's file", |command| {
        command.env("XDG_CONFIG_HOME", &config);
    });
    guest.write("home/.config/stanchion/loose.toml", LOOSE);
    let home = guest.path("home");
    guest.holds("3 another home", |command| {
        command.env("HOME", &home);
    });
    guest.holds("4 a home that is the root", |command| {
        command.env("HOME", "/");
    });
    grant(guest);
    let cache = guest.path("cache");
    poison(guest, &cache);
    guest.holds("6 what an ordinary program kept of loose policies", |command| {
        command.env("XDG_CACHE_HOME", &cache).env("XDG_CONFIG_HOME", &config);
    });
}

/// A person's grant for this very command, as an ordinary program would heed it.
fn grant(guest: &Guest) {
    let state = guest.path("state");
    for policies in [vec![stanchion::policy::shipped("mission").unwrap()], Vec::new()] {
        let cwd = guest.path("project");
        let bound = stanchion::grants::Bound { command: b"rm -rf /", cwd: &cwd, policies: &policies };
        let grants = stanchion::grants::Grants { directory: state.join("stanchion/grants") };
        let now = std::time::SystemTime::now();
        grants.put(&bound, now, std::time::Duration::from_secs(600)).unwrap();
    }
    guest.holds("5 a grant", |command| {
        command.env("XDG_STATE_HOME", &state);
    });
}

/// Lets an ordinary program keep what it put together of loose policies.
fn poison(guest: &Guest, cache: &Path) {
    let mut command = crate::child::stanchion();
    command.args(["hook", "--policy", "mission"]).env("XDG_CACHE_HOME", cache);
    command.env("XDG_CONFIG_HOME", guest.path("config"));
    start(&mut command, guest.call().to_string().as_bytes());
    assert!(cache.exists());
}

fn options(guest: &Guest) {
    let loose = guest.write("loose.toml", LOOSE);
    let empty = guest.path("queries");
    fs::create_dir_all(&empty).unwrap();
    let elsewhere = guest.path("elsewhere");
    let with = |what: &str, arguments: &[&str]| {
        guest.holds(what, |command| {
            command.args(arguments);
        });
    };
    with("7 --policy", &["--policy", loose.to_str().unwrap(), "--only"]);
    with("8 --queries", &["--queries", empty.to_str().unwrap()]);
    with("9 --root and --home", &["--root", "/proc", "--home=/proc"]);
    with("10 --command", &["--command", "true"]);
    with("11 --native", &["--native", "claude,grok,vscode,copilot,cursor"]);
    with("12 --harness of one whose answers others do not obey", &["--harness", "cline"]);
    with("13 --ask", &["--ask", "attended", "--claude", "--background", "true"]);
    with("14 --help", &["--help"]);
    with("15 options that nobody knows", &["--frobnicate", "-x", "--", "y"]);
    with("16 --record-dir", &["--record-dir", elsewhere.to_str().unwrap()]);
    assert!(!elsewhere.exists());
}

fn variables(guest: &Guest) {
    let with = |what: &str, variables: &[(&str, &str)]| {
        guest.holds(what, |command| {
            command.envs(variables.iter().copied());
        });
    };
    with("17 the harness's project", &[("CLAUDE_PROJECT_DIR", "/proc"), ("FM_HOME", "/proc")]);
    with(
        "18 variables of its name",
        &[("STANCHION_OFF", "1"), ("STANCHION_POLICY", "cwd"), ("RUST_BACKTRACE", "full")],
    );
    let library = guest.write("x.so", "no library");
    with(
        "19 a library",
        &[("LD_PRELOAD", library.to_str().unwrap()), ("LD_LIBRARY_PATH", guest.path("").to_str().unwrap())],
    );
    guest.holds("20 no variable at all", |command| {
        command.env_clear();
    });
}

fn names(guest: &Guest) {
    let link = guest.path("stanchion");
    std::os::unix::fs::symlink(&guest.gate, &link).unwrap();
    guest.holds("21 another name", |command| {
        command.arg0("/usr/bin/stanchion");
    });
    let output = start(Command::new(&link).arg("hook"), guest.call().to_string().as_bytes());
    assert_eq!(output.status.code(), Some(2), "22 a link");
    let copy = guest.path("copy");
    fs::copy(&guest.gate, &copy).unwrap();
    fs::remove_file(&guest.gate).unwrap();
    let output = start(Command::new(&copy).arg("hook").current_dir("/"), guest.call().to_string().as_bytes());
    assert_eq!(output.status.code(), Some(2), "23 a copy, the first one gone");
    assert_eq!(rules(&lines(&guest.records, "denied.jsonl")).len(), 24);
}

/// A static program does not heed `LD_PRELOAD` at all: the library is not even looked for.
#[test]
fn a_program_that_is_static_loads_no_library() {
    let program = Path::new(env!("CARGO_BIN_EXE_stanchion"));
    let bytes = fs::read(program).unwrap();
    let interpreted = bytes.windows(11).any(|window| window == b"/ld-linux-x");
    let output =
        Command::new(program).arg("--version").env("LD_PRELOAD", "/no/such/library.so").output().unwrap();
    assert!(output.status.success());
    assert!(interpreted || output.stderr.is_empty(), "{}", text(&output.stderr));
}
