//! `stanchion events`: list, filter, count, follow.

use super::{Guest, Host, both, call, cluster, denied, inert, lines, with};
use crate::child::{stanchion, text};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

fn filled(host: &Host, place: &Path) -> Guest {
    let guest = Guest::new(place, "g");
    let at = |record: Value, time: &str| with(record, json!({"time": time}));
    guest.batch(&[
        ("tools.jsonl", &lines([at(call("s1", "a"), "2026-12-01T00:00:00Z"), call("s2", "b")])),
        (
            "denied.jsonl",
            &lines([
                denied("s1", "core.git.force"),
                denied("s2", "core.git.clean"),
                denied("s1", "mission.task"),
            ]),
        ),
        ("would-deny.jsonl", &lines([denied("s1", "mission.task")])),
    ]);
    host.drain(&["--session", "s1=ann", "--session", "s2=ben", "--run", "r1", &guest.source()]);
    guest.batch(&[("inert", &lines([inert("s1")]))]);
    host.drain(&["--phase", "q", &guest.source()]);
    guest
}

#[test]
fn filters() {
    both(|host, place| {
        filled(host, place);
        let count = |arguments: &[&str]| host.events(arguments).len();
        assert_eq!(count(&[]), 9);
        assert_eq!([count(&["--mission", "m"]), count(&["--mission", "x"])], [9, 0]);
        assert_eq!([count(&["--phase", "p"]), count(&["--phase", "q"]), count(&["--run", "r1"])], [8, 1, 8]);
        assert_eq!([count(&["--kind", "gate.denied"]), count(&["--kind", "gate"])], [3, 5]);
        assert_eq!(count(&["--kind", "tool.call", "--kind", "file.touch"]), 4);
        assert_eq!(
            [
                count(&["--rule", "mission.task"]),
                count(&["--rule", "core.git.*"]),
                count(&["--rule", "core"])
            ],
            [2, 2, 0]
        );
        assert_eq!([count(&["--agent", "ann"]), count(&["--agent", "ben"])], [5, 3]);
        assert_eq!(
            [count(&["--since", "2026-12-02"]), count(&["--since", "2026-12-03T12:00:00.000002Z"])],
            [7, 0]
        );
        assert_eq!(
            count(&["--agent", "ann", "--kind", "gate", "--rule", "core.*", "--since", "2026-12-03"]),
            1
        );
        let last = host.events(&["--last", "2"]);
        assert_eq!(
            (&last[0]["kind"], &last[1]["kind"], last.len()),
            (&json!("gate.would_deny"), &json!("gate.inert"), 2)
        );
        assert_eq!(
            host.events(&["--last", "1", "--kind", "gate.denied"])[0]["detail"]["rule"],
            "mission.task"
        );
    });
}

#[test]
fn every_line_of_json_has_its_members() {
    both(|host, place| {
        filled(host, place);
        let event = &host.events(&["--kind", "file.touch"])[0];
        let mut names: Vec<&String> = event.as_object().unwrap().keys().collect();
        names.sort();
        let expected =
            ["agent", "batch", "detail", "id", "kind", "mission", "phase", "run", "schema", "target", "time"];
        assert_eq!(names, expected);
        assert_eq!((&event["schema"], &event["time"]), (&json!(1), &json!("2026-12-01T00:00:00.000000Z")));
    });
}

#[test]
fn a_summary_counts() {
    both(|host, place| {
        filled(host, place);
        let output = host.run(&["events", "--summary", "--json", "--phase", "p"]);
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["schema"], 1);
        let count = |kind: &str, rule: Value| {
            let all = summary["events"].as_array().unwrap();
            all.iter().find(|count| count["kind"] == kind && count["rule"] == rule).unwrap()["events"].clone()
        };
        assert_eq!(
            [count("tool.call", Value::Null), count("gate.denied", json!("mission.task"))],
            [json!(2), json!(1)]
        );
        assert_eq!(summary["events"].as_array().unwrap().len(), 6);
        assert_eq!(summary["batches"].as_array().unwrap().len(), 1);
        let output = host.run(&["events", "--summary"]);
        let shown = text(&output.stdout);
        assert!(
            shown.contains(
                "         2  m/p  file.touch  2026-12-01T00:00:00.000000Z .. 2026-12-03T12:00:00.000001Z\n"
            ),
            "{shown}"
        );
        assert!(shown.contains("         1  m/q  batches: 1 lines, 0 cut, 0 torn"), "{shown}");
        let output = host.run(&["events"]);
        let first = text(&output.stdout).lines().next().unwrap();
        assert_eq!(first, "2026-12-03T12:00:00.000001Z  m/p  ann  gate.denied  Bash  core.git.force");
    });
}

#[test]
fn new_events_are_followed() {
    both(|host, place| {
        let guest = filled(host, place);
        let mut command = stanchion();
        command.args([
            "events",
            "--json",
            "--follow",
            "--kind",
            "gate.denied",
            "--last",
            "1",
            "--store",
            &host.store,
        ]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines_of = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut next = || {
            serde_json::from_str::<Value>(&lines_of.next().unwrap().unwrap()).unwrap()["detail"]["rule"]
                .clone()
        };
        assert_eq!(next(), "mission.task");
        for round in 0..3 {
            guest.batch(&[(
                "denied.jsonl",
                &lines((0..20).map(|number| denied("s", &format!("{round}.{number}")))),
            )]);
            host.drain(&[&guest.source()]);
            for number in 0..20 {
                assert_eq!(next(), format!("{round}.{number}"));
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
    });
}

#[test]
fn wrong_questions_are_told() {
    let place = tempfile::tempdir().unwrap();
    let store = place.path().join("none.sqlite");
    let host = Host { store: store.to_str().unwrap().to_owned(), state: place.path().join("s") };
    let asked = |arguments: &[&str]| {
        let output = host.run(&[&["events"], arguments].concat());
        (output.status.code().unwrap(), text(&output.stderr).to_owned())
    };
    assert_eq!(asked(&["--kind", "gates"]).0, 64);
    assert!(asked(&["--kind", "gates"]).1.contains("known: tool.call, "));
    assert!(asked(&["--since", "noon"]).1.contains("--since noon: write "));
    assert_eq!(asked(&["--summary", "--follow"]).0, 64);
    let (status, message) = asked(&[]);
    assert!(status == 1 && message.contains("nothing was drained into this store yet"), "{message}");
    assert!(!store.exists());
    let empty = Host { store: cluster().database(), state: place.path().join("s") };
    let output = empty.run(&["events"]);
    assert!(
        output.status.code() == Some(1) && text(&output.stderr).contains("nothing was drained"),
        "{output:?}"
    );
}
