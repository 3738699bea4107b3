//! Guests behind a program: `cmd:` with a chroot in a namespace, `ssh:` with a real server on loopback,
//! `docker:` with a double that records what it is called with, since no engine can be had here.

mod ssh;

use super::{Guest, Host, both, call, denied, lines};
use crate::child::{feed, stanchion, text};
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const STANCHION: &str = env!("CARGO_BIN_EXE_stanchion");

/// A shell script that is a program.
pub fn script(place: &Path, name: &str, text: &str) -> PathBuf {
    let path = place.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A program that speaks for a guest as a baked one does.
fn gate(place: &Path, guest: &Guest) -> PathBuf {
    let directory = guest.directory.display();
    script(place, "gate", &format!("exec {STANCHION} \"$@\" --record-dir {directory}"))
}

/// Seed, hop 3: containers by the client's `exec`, other machines through a program of their own.
#[test]
fn a_guest_in_a_namespace_of_its_own() {
    both(|host, place| {
        let root = place.join("root");
        std::fs::create_dir_all(root.join("records")).unwrap();
        let gate = root.join("gate");
        let baked =
            ["bake", "--policy", "mission", "--record-dir", "/records", "--out", gate.to_str().unwrap()];
        let baked = feed(stanchion().args(baked), b"");
        assert!(baked.status.success(), "{}", text(&baked.stderr));
        let enter = ["unshare", "--map-root-user", "chroot", root.to_str().unwrap(), "/gate"];
        let within = |arguments: &[&str], payload: &serde_json::Value| {
            let mut command = Command::new(enter[0]);
            feed(
                command
                    .args(&enter[1..])
                    .args(arguments)
                    .env_clear()
                    .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
                    .current_dir("/"),
                payload.to_string().as_bytes(),
            )
        };
        let write = json!({
            "session_id": "s1", "cwd": "/w", "agent_type": "verifier", "hook_event_name": "PreToolUse", "tool_name": "Write",
            "tool_input": {"file_path": "/w/a", "content": "x"}, "tool_use_id": "t1"
        });
        let denied = within(&["hook", "--harness", "claude"], &write);
        assert_eq!(denied.status.code(), Some(2), "{}{}", text(&denied.stdout), text(&denied.stderr));
        let done = json!({
            "session_id": "s1", "cwd": "/w", "hook_event_name": "PostToolUse", "tool_name": "Write",
            "tool_input": {"file_path": "/w/b", "content": "x"}, "tool_response": {"filePath": "/w/b"}, "tool_use_id": "t2"
        });
        assert_eq!(within(&["tap", "--harness", "claude"], &done).status.code(), Some(0));
        let source = format!("cmd:{}", enter.join(" "));
        let report = &host.drain(&["--session", "s1=ann", &source])[0];
        assert_eq!((&report["batches"], &report["acknowledged"]), (&json!(1), &json!(1)), "{report}");
        assert_eq!(host.told(), ["gate.denied Write", "tool.call Write", "file.touch /w/b"]);
        let events = host.events(&["--agent", "ann"]);
        assert_eq!(events.len(), 3);
        assert!(events[0]["detail"]["rule"].as_str().unwrap().contains("role"), "{}", events[0]);
        assert_eq!(host.drain(&[&source])[0]["batches"], 0);
    });
}

/// Seed, design notes: `container_exec::connect` respects `DOCKER_HOST`.
#[test]
fn a_container_is_reached_by_its_client() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        guest.batch(&[("denied.jsonl", &lines([denied("s", "r")]))]);
        let calls = place.join("calls");
        let tools = place.join("bin");
        std::fs::create_dir(&tools).unwrap();
        // As `docker exec [OPTIONS] CONTAINER COMMAND [ARG...]`: the command's streams and status are its own.
        let double = "[ \"$1\" = exec ] || exit 125\nshift\nwhile [ \"${1#-}\" != \"$1\" ]; do shift 2; done\nshift\nexec \"$@\"";
        let record =
            format!("printf '%s|' \"$DOCKER_HOST\" \"$@\" >>{0}\necho >>{0}\n{double}", calls.display());
        script(&tools, "podman", &record);
        let drain = |arguments: &[&str]| {
            let mut command = stanchion();
            command
                .args(["drain", "--mission", "m", "--phase", "p", "--quiet", "--store", &host.store])
                .args(arguments);
            command
                .env("PATH", format!("{}:/usr/bin:/bin", tools.display()))
                .env("XDG_STATE_HOME", &host.state);
            feed(command.env("DOCKER_HOST", "tcp://10.0.0.9:2375"), b"")
        };
        let source = |scheme: &str| format!("{scheme}:box-1:{}", guest.directory.display());
        // `docker` is not installed there, `podman` is.
        let output = drain(&["--program", STANCHION, &source("podman")]);
        assert!(output.status.success(), "{output:?}");
        script(&tools, "docker", &record);
        let id = guest.batch(&[("tools.jsonl", &lines([call("s", "a")]))]);
        let file = place.join("sources.toml");
        let text = format!(
            "[[source]]\nfrom = \"{}\"\nprogram = [\"{STANCHION}\"]\noptions = [\"-u\", \"root\"]\n",
            source("docker")
        );
        std::fs::write(&file, text).unwrap();
        assert!(drain(&["--sources", file.to_str().unwrap()]).status.success());
        let calls = std::fs::read_to_string(calls).unwrap();
        let calls: Vec<&str> = calls.lines().collect();
        let directory = guest.directory.display();
        let host_and = "tcp://10.0.0.9:2375|exec|";
        assert_eq!(calls[0], format!("{host_and}box-1|{STANCHION}|batch|take|--record-dir|{directory}|"));
        assert_eq!(
            calls[3],
            format!("{host_and}-u|root|box-1|{STANCHION}|batch|ack|{id}|--record-dir|{directory}|")
        );
        assert_eq!(host.told(), ["gate.denied Bash", "tool.call Write", "file.touch a"]);
    });
}

#[test]
fn one_guest_that_fails_holds_up_no_other() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        guest.batch(&[("denied.jsonl", &lines([denied("s", "r")]))]);
        let silent = format!("cmd:{}", script(place, "silent", "sleep 30").display());
        let sources =
            [&*silent, "cmd:echo hello", "cmd:/no/such/program", "cmd:ls /no/such", &guest.source()];
        let (status, reports) = host.try_drain(&[&["--patience", "1"], &sources[..]].concat());
        assert_eq!(status, 1);
        let fault = |place: usize| reports[place]["faults"][0].as_str().unwrap_or_default();
        assert!(fault(0).contains("silent for 1 s"), "{}", fault(0));
        assert!(fault(1).contains("no known form"), "{}", fault(1));
        assert!(fault(2).contains("`/no/such/program` cannot be run"), "{}", fault(2));
        assert!(fault(3).contains("No such file") && fault(3).contains("exit status: 2"), "{}", fault(3));
        assert_eq!(reports[4]["batches"], 1);
        assert!(guest.is_empty());
    });
}

#[test]
fn a_stream_that_breaks_off_loses_nothing() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        for number in 0..3 {
            guest.batch(&[(
                "denied.jsonl",
                &lines((0..50).map(|record| denied("s", &format!("{number}.{record}")))),
            )]);
        }
        let gate = gate(place, &guest);
        let whole = Command::new(&gate).args(["batch", "take"]).output().unwrap().stdout;
        // Wherever it breaks off, what came whole is stored, and the rest comes next time.
        for part in [1, 40, whole.len() / 2, whole.len() / 2] {
            let cut = script(
                place,
                "cut",
                &format!("[ \"$2\" = ack ] && exec {0} \"$@\"\n{0} \"$@\" | head -c {part}", gate.display()),
            );
            let (status, reports) = host.try_drain(&[&format!("cmd:{}", cut.display())]);
            assert_eq!((status, reports[0]["faults"].as_array().unwrap().len()), (1, 1), "{reports:?}");
        }
        host.drain(&[&format!("cmd:{}", gate.display())]);
        assert!(guest.is_empty());
        let rules = host.ask("SELECT DISTINCT detail->>'rule' FROM mission_events");
        assert_eq!((rules.len(), host.told().len()), (150, 150));
    });
}

#[test]
fn an_acknowledgement_that_fails_is_made_up_for() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        guest.batch(&[("tools.jsonl", &lines([call("s", "a")]))]);
        let gate = gate(place, &guest);
        let deaf = script(
            place,
            "deaf",
            &format!("[ \"$2\" = ack ] && {{ echo no >&2; exit 3; }}\nexec {} \"$@\"", gate.display()),
        );
        let (status, reports) = host.try_drain(&[&format!("cmd:{}", deaf.display())]);
        assert_eq!((status, &reports[0]["batches"], &reports[0]["acknowledged"]), (1, &json!(1), &json!(0)));
        assert!(reports[0]["faults"][0].as_str().unwrap().ends_with("(exit status: 3): no"), "{reports:?}");
        let report = &host.drain(&[&format!("cmd:{}", gate.display())])[0];
        assert_eq!((&report["known"], &report["acknowledged"]), (&json!(1), &json!(1)));
        assert!(guest.is_empty() && host.told().len() == 2);
    });
}

#[test]
fn a_program_sends_what_no_guest_should() {
    both(|host: &Host, place| {
        let start = r#"{"stanchion":"batches","schema":1,"version":"0.1.0","batches":1}"#;
        let id = super::key();
        let file = format!(r#"{{"file":"tools.jsonl","bytes":{}}}"#, u64::MAX);
        let streams = [
            (
                format!("{start}\n{{\"batch\":\"../../../../../x-0123456789abcdef\",\"files\":1}}"),
                "no key of a batch",
            ),
            (format!("{start}\n{{\"batch\":\"{id}\",\"files\":1}}\n{file}"), "larger than any batch"),
            (format!("{start}\n{}", "x".repeat(1 << 17)), "no known form"),
            (start.replace(":1,\"v", ":2,\"v"), "a later version"),
        ];
        for (number, (stream, expected)) in streams.iter().enumerate() {
            let sent = place.join(format!("stream-{number}"));
            std::fs::write(&sent, stream).unwrap();
            let (status, reports) = host.try_drain(&[&format!(
                "cmd:{}",
                script(place, "odd", &format!("cat {}", sent.display())).display()
            )]);
            let fault = reports[0]["faults"][0].as_str().unwrap_or_default();
            assert!(status == 1 && fault.contains(expected), "{expected}: {reports:?}");
        }
        assert!(host.told().is_empty());
    });
}

#[test]
fn wrong_usage_is_told() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("sources.toml");
    let host = Host {
        store: place.path().join("x.sqlite").to_str().unwrap().to_owned(),
        state: place.path().join("s"),
    };
    let refused = |arguments: &[&str]| {
        let output = host.run(&[&["drain"], arguments].concat());
        assert_eq!(output.status.code(), Some(64), "{arguments:?}");
        text(&output.stderr).to_owned()
    };
    assert!(refused(&[]).contains("no source"));
    assert!(refused(&["dir:/x"]).contains("--mission NAME"));
    assert!(refused(&["--mission", "m", "dir:/x"]).contains("--phase NAME"));
    let named = ["--mission", "m", "--phase", "p"];
    assert!(refused(&[&named, &["vm:x"][..]].concat()).contains("`vm:x` is no source"));
    assert!(refused(&[&named, &["ssh:-oProxyCommand=x"][..]].concat()).contains("is no source"));
    assert!(refused(&[&named, &["dir:/x", "dir:/x"][..]].concat()).contains("stands twice"));
    assert!(refused(&[&named, &["dir:/x", "--cap", "many"][..]].concat()).contains("--cap"));
    assert!(refused(&[&named, &["dir:/x", "--session", "s"][..]].concat()).contains("SESSION=AGENT"));
    std::fs::write(&file, "[[source]]\nfrom = \"dir:/x\"\nmision = \"m\"\n").unwrap();
    assert!(
        refused(&["--sources", file.to_str().unwrap()]).contains("sources.toml:3:1: unknown field `mision`")
    );
    std::fs::write(&file, "[[source]]\nfrom = \"dir:/x\"\nclient = [\"x\"]\n").unwrap();
    assert!(
        refused(&[&named, &["--sources", file.to_str().unwrap()][..]].concat())
            .contains("`client` is for guests")
    );
    assert!(!Path::new(&host.store).exists());
}
