//! The host's side of missions, with real databases and real guests.

mod attribution;
#[path = "../support/cluster.rs"]
mod cluster;
mod drained;
mod events;
mod guests;
mod hostile;
mod killed;

use crate::child::{feed, stanchion, text};
use cluster::Cluster;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The server of all tests.
fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| Cluster::start(&["fsync=off"]))
}

/// Runs a test on both databases. It gets a host and a directory for its guests.
fn both(test: fn(&Host, &Path)) {
    for url in [None, Some(cluster().database())] {
        let place = tempfile::tempdir().unwrap();
        let store = url.unwrap_or_else(|| place.path().join("events.sqlite").to_str().unwrap().to_owned());
        test(&Host { store, state: place.path().join("state") }, place.path());
    }
}

/// A host with its database.
struct Host {
    store: String,
    state: PathBuf,
}

impl Host {
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = stanchion();
        command.env("XDG_STATE_HOME", &self.state).args(arguments).args(["--store", &self.store]);
        feed(&mut command, b"")
    }

    /// Drains into mission `m`, phase `p`; the reports of the sources.
    fn drain(&self, arguments: &[&str]) -> Vec<Value> {
        let (status, reports) = self.try_drain(arguments);
        assert_eq!(status, 0, "{reports:?}");
        reports
    }

    fn try_drain(&self, arguments: &[&str]) -> (i32, Vec<Value>) {
        let fixed = ["drain", "--json", "--quiet", "--mission", "m"];
        let phase: &[&str] = if arguments.contains(&"--phase") { &[] } else { &["--phase", "p"] };
        let output = self.run(&[&fixed, phase, arguments].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        assert_eq!(report["schema"], 1);
        let sources = report["sources"].as_array().unwrap().clone();
        (output.status.code().unwrap(), sources)
    }

    /// The events that a command lists.
    fn events(&self, arguments: &[&str]) -> Vec<Value> {
        let output = self.run(&[&["events", "--json"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Kinds and targets of all events, in their order.
    fn told(&self) -> Vec<String> {
        let told = |event: &Value| {
            format!("{} {}", event["kind"].as_str().unwrap(), event["target"].as_str().unwrap())
        };
        self.events(&[]).iter().map(told).collect()
    }

    /// The first column of a query on the database itself.
    fn ask(&self, query: &str) -> Vec<String> {
        if self.store.starts_with("postgres") {
            let mut client = postgres::Client::connect(&self.store, postgres::NoTls).unwrap();
            return client.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect();
        }
        let connection = rusqlite::Connection::open(&self.store).unwrap();
        let mut select = connection.prepare(query).unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }
}

/// A guest's record directory, in which batches are put as its `batch take` would leave them.
struct Guest {
    directory: PathBuf,
}

impl Guest {
    fn new(place: &Path, name: &str) -> Self {
        let directory = place.join(name);
        std::fs::create_dir_all(&directory).unwrap();
        Self { directory }
    }

    fn source(&self) -> String {
        format!("dir:{}", self.directory.display())
    }

    /// Puts a batch of files there; its key.
    fn batch(&self, files: &[(&str, &str)]) -> String {
        let id = key();
        self.put(&id, files);
        id
    }

    fn put(&self, id: &str, files: &[(&str, &str)]) {
        let directory = self.directory.join(format!("batch-{id}"));
        std::fs::create_dir_all(&directory).unwrap();
        for (name, text) in files {
            std::fs::write(directory.join(name), text).unwrap();
        }
    }

    fn is_empty(&self) -> bool {
        let names = std::fs::read_dir(&self.directory).unwrap().map(|entry| entry.unwrap().file_name());
        !names
            .into_iter()
            .any(|name| name.to_str().unwrap().contains("batch") || name.to_str().unwrap().contains("jsonl"))
    }
}

fn key() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{:020}-{:016x}", 1_764_763_200_000_000_000_u64 + number, number * 77)
}

/// Members of every line, for a session.
fn common(session: &str) -> Value {
    json!({
        "schema": 1, "time": "2026-12-03T12:00:00.000001Z", "version": "0.1.0", "call": "18b2-3f",
        "harness": "claude", "session": session, "agent": null, "agent_type": null, "event": "PostToolUse",
        "tool": "Bash", "tool_use": "t", "cwd": "/w"
    })
}

fn with(mut record: Value, members: Value) -> Value {
    let Value::Object(members) = members else { panic!("an object") };
    record.as_object_mut().unwrap().extend(members);
    record
}

/// A call of a file tool that touched a path.
fn call(session: &str, path: &str) -> Value {
    with(
        common(session),
        json!({
            "tool": "Write", "kind": "write", "path": path, "paths": [{"effect": "write", "path": path}],
            "command": null, "ok": true, "exit_status": null, "duration_ms": 3, "response": null, "response_bytes": null
        }),
    )
}

fn denied(session: &str, rule: &str) -> Value {
    let payload = json!({"session_id": session, "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}});
    let findings = json!([{"rule": rule, "guard": "rules", "decision": "deny", "shadow": false, "reason": "…", "span": [0, 8], "chain": []}]);
    with(
        common(session),
        json!({"rule": rule, "payload": payload, "decision": "deny", "answered": "deny", "policies": [], "findings": findings}),
    )
}

fn inert(session: &str) -> Value {
    with(common(session), json!({"why": "the policy's seal is broken", "payload": null}))
}

/// Records as the lines of a file.
fn lines(records: impl IntoIterator<Item = Value>) -> String {
    records.into_iter().fold(String::new(), |mut text, record| {
        writeln!(text, "{record}").unwrap();
        text
    })
}
