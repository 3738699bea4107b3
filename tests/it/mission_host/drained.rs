//! What a drain makes of records: the third and fourth step of the seed's table.

use super::{Guest, Host, both, call, common, denied, inert, lines, with};
use crate::child::stanchion;
use serde_json::json;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

/// Seed, hop 3 and rows 3a, 3b: `drain_inert`, `drain_denied`, `drain_would_deny`, `drain`; hop 4 and
/// row 4: `record_all`.
#[test]
fn every_record_becomes_its_event_once() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        guest.batch(&[
            ("denied.jsonl", &lines([denied("s", "mission.bash.root")])),
            ("would-deny.jsonl", &lines([denied("s", "mission.task")])),
            ("inert", &lines([inert("s")])),
            ("tools.jsonl", &lines([call("s", "/w/a")])),
        ]);
        let report = &host.drain(&["--run", "r", "--agent", "a", &guest.source()])[0];
        assert_eq!(
            (&report["batches"], &report["lines"], &report["known"]),
            (&json!(1), &json!(4), &json!(0))
        );
        let counts =
            json!({"file.touch": 1, "gate.denied": 1, "gate.inert": 1, "gate.would_deny": 1, "tool.call": 1});
        assert_eq!(report["events"], counts);
        assert!(guest.is_empty(), "what is stored is removed");
        let told = [
            "gate.denied Bash",
            "gate.inert Bash",
            "tool.call Write",
            "file.touch /w/a",
            "gate.would_deny Bash",
        ];
        assert_eq!(host.told(), told);
        for event in host.events(&[]) {
            assert_eq!(
                (&event["mission"], &event["phase"], &event["run"], &event["agent"], &event["time"]),
                (&json!("m"), &json!("p"), &json!("r"), &json!("a"), &json!("2026-12-03T12:00:00.000001Z"))
            );
        }
        let denial = &host.events(&["--kind", "gate.denied"])[0]["detail"];
        assert_eq!(
            (&denial["rule"], &denial["payload"]["tool_input"]["command"]),
            (&json!("mission.bash.root"), &json!("rm -rf /"))
        );
        let touch = &host.events(&["--kind", "file.touch"])[0]["detail"];
        assert_eq!(
            (&touch["effect"], &touch["tool"], &touch["call"]),
            (&json!("write"), &json!("Write"), &json!("18b2-3f"))
        );
        // There is nothing left.
        assert_eq!(host.drain(&[&guest.source()])[0]["batches"], 0);
    });
}

#[test]
fn each_path_of_a_call_is_touched_once() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let path = |effect: &str, path: &str| json!({"effect": effect, "path": path});
        let paths = json!([path("read", "a"), path("write", "a"), path("write", "b"), path("write", "a")]);
        let record = with(call("s", "a"), json!({"paths": paths, "tool": "Patch"}));
        let nothing = with(call("s", "a"), json!({"paths": [], "tool": "Bash"}));
        guest.batch(&[("tools.jsonl", &lines([record, nothing]))]);
        host.drain(&[&guest.source()]);
        let told = ["tool.call Patch", "file.touch a", "file.touch a", "file.touch b", "tool.call Bash"];
        assert_eq!(host.told(), told);
    });
}

/// Seed, hop 4: "per-phase cap of 400 events for TOOL_CALL / FILE_TOUCH kinds".
#[test]
fn a_phase_keeps_four_hundred_calls_and_touches_over_all_drains() {
    both(|host, place| {
        let (one, two) = (Guest::new(place, "one"), Guest::new(place, "two"));
        let many = |count: usize| lines((0..count).map(|number| call("s", &number.to_string())));
        one.batch(&[("tools.jsonl", &many(150))]);
        two.batch(&[("tools.jsonl", &many(10))]);
        host.drain(&[&one.source(), &two.source()]);
        // 80 more fit: forty calls with their touches.
        one.batch(&[
            ("tools.jsonl", &many(50)),
            ("denied.jsonl", &lines((0..500).map(|_| denied("s", "r")))),
        ]);
        let report = &host.drain(&[&one.source()])[0];
        assert_eq!((&report["cut_calls"], &report["cut_touches"]), (&json!(10), &json!(10)));
        two.batch(&[("tools.jsonl", &many(7))]);
        assert_eq!(host.drain(&[&two.source()])[0]["cut_calls"], 7);
        let count = |kind: &str| host.events(&["--kind", kind]).len();
        assert_eq!([count("tool.call"), count("file.touch"), count("gate.denied")], [200, 200, 500]);
        let cut: Vec<_> =
            host.events(&["--kind", "cap.cut"]).into_iter().map(|event| event["detail"].clone()).collect();
        let expected = |calls: u64| json!({"tool.call": calls, "file.touch": calls, "limit": 400});
        assert_eq!(cut, [expected(10), expected(7)]);
        // Another phase has its own cap, and a cap may be another one or none.
        one.batch(&[("tools.jsonl", &many(3))]);
        let report = &host.drain(&["--phase", "q", "--cap", "5", &one.source()])[0];
        assert_eq!((&report["cut_calls"], &report["cut_touches"]), (&json!(0), &json!(1)));
        one.batch(&[("tools.jsonl", &many(300))]);
        assert_eq!(
            host.drain(&["--phase", "q", "--cap", "none", &one.source()])[0]["events"]["tool.call"],
            300
        );
    });
}

#[test]
fn a_batch_whose_acknowledgement_was_lost_is_stored_once() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let files =
            [("tools.jsonl", &*lines([call("s", "a")])), ("denied.jsonl", &*lines([denied("s", "r")]))];
        let id = guest.batch(&files);
        host.drain(&[&guest.source()]);
        guest.put(&id, &files);
        let report = &host.drain(&["--phase", "another", &guest.source()])[0];
        assert_eq!(
            (&report["batches"], &report["known"], &report["acknowledged"]),
            (&json!(0), &json!(1), &json!(1))
        );
        assert!(guest.is_empty());
        assert_eq!(host.told().len(), 3);
    });
}

#[test]
fn another_batch_under_a_known_key_stays_in_its_guest() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let id = guest.batch(&[("tools.jsonl", &lines([call("s", "a")]))]);
        host.drain(&[&guest.source()]);
        guest.put(&id, &[("tools.jsonl", &lines([call("s", "b")]))]);
        guest.batch(&[("tools.jsonl", &lines([call("s", "c")]))]);
        let (status, reports) = host.try_drain(&[&guest.source()]);
        assert_eq!((status, &reports[0]["batches"], &reports[0]["acknowledged"]), (1, &json!(1), &json!(1)));
        let fault = reports[0]["faults"][0].as_str().unwrap();
        assert!(fault.contains(&id) && fault.contains("another batch with this key"), "{fault}");
        assert!(guest.directory.join(format!("batch-{id}/tools.jsonl")).exists());
        assert_eq!(host.told(), ["tool.call Write", "file.touch a", "tool.call Write", "file.touch c"]);
    });
}

#[test]
fn torn_and_foreign_lines_are_kept_aside() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let good = lines([call("s", "a")]);
        let later = lines([with(call("s", "b"), json!({"schema": 2}))]);
        let timeless = lines([with(call("s", "b"), json!({"time": "yesterday"}))]);
        let ruleless = lines([common("s")]);
        let tools = format!("\n{good}{{\"rule\":\"x\n{later}[1]\n  \n{timeless}{}", good.trim_end());
        guest.batch(&[
            ("tools.jsonl", &tools),
            ("denied.jsonl", &ruleless),
            ("notes", "hello\n"),
            ("tools.jsonl.spill-1.jsonl", &good),
        ]);
        let report = &host.drain(&[&guest.source()])[0];
        assert_eq!(
            (&report["torn"], &report["foreign"], &report["lines"]),
            (&json!(2), &json!(4), &json!(9))
        );
        assert_eq!(report["events"], json!({"tool.call": 3, "file.touch": 3}));
        let kept = host.ask("SELECT file || ':' || line || ' ' || why || ' ' || what || ' ' || length FROM mission_strays ORDER BY id");
        let expected = [
            &format!("denied.jsonl:1 foreign a member is missing {}", ruleless.len()),
            "notes:1 foreign a file that is not known 6",
            "tools.jsonl:3 torn no JSON 11",
            &format!("tools.jsonl:4 foreign of a later version {}", later.len()),
            "tools.jsonl:5 torn no JSON object 4",
            &format!("tools.jsonl:7 foreign no time {}", timeless.len()),
        ];
        assert_eq!(kept, expected);
        let output = host.run(&["events", "--summary", "--json"]);
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&summary["batches"][0]["torn"], &summary["batches"][0]["foreign"]),
            (&json!(2), &json!(4))
        );
    });
}

#[test]
fn what_a_guest_dropped_is_told() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let marker = "{\"schema\":1,\"marker\":\"dropped\",\"records\":12      ,\"bytes\":3400   }\n";
        let other = "{\"schema\":1,\"marker\":\"odd\"}\n";
        guest.batch(&[("tools.jsonl", &format!("{}{marker}{other}", lines([call("s", "a")])))]);
        let report = &host.drain(&[&guest.source()])[0];
        assert_eq!((&report["dropped"], &report["foreign"]), (&json!(12), &json!(1)));
        let event = &host.events(&["--kind", "guest.dropped"])[0];
        assert_eq!((&event["target"], &event["detail"]["records"]), (&json!("tools.jsonl"), &json!(12)));
    });
}

#[test]
fn two_drains_at_once_store_everything_once() {
    both(|host, place| {
        let guests: Vec<Guest> = (0..6).map(|number| Guest::new(place, &number.to_string())).collect();
        for (number, guest) in guests.iter().enumerate() {
            for batch in 0..3 {
                let records = (0..50).map(|record| denied("s", &format!("r.{number}.{batch}.{record}")));
                guest.batch(&[("denied.jsonl", &lines(records))]);
            }
        }
        let sources: Vec<String> = guests.iter().map(Guest::source).collect();
        let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
        let stored: u64 = std::thread::scope(|scope| {
            let drain = |_| scope.spawn(|| host.try_drain(&sources).1);
            let running: Vec<_> = (0..3).map(drain).collect();
            let reports = running.into_iter().flat_map(|drain| drain.join().unwrap());
            reports.map(|report| report["batches"].as_u64().unwrap()).sum()
        });
        assert_eq!(stored, 18);
        let rules = host.ask("SELECT DISTINCT detail->>'rule' FROM mission_events");
        assert_eq!((rules.len(), host.told().len()), (900, 900));
        host.drain(&sources);
        assert!(guests.iter().all(Guest::is_empty));
    });
}

#[test]
fn a_file_of_events_is_its_users_only() {
    let place = tempfile::tempdir().unwrap();
    let host = Host {
        store: place.path().join("deep/er/events.sqlite").to_str().unwrap().to_owned(),
        state: place.path().join("s"),
    };
    host.drain(&[&Guest::new(place.path(), "g").source()]);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(Path::new(&host.store)), 0o600);
    assert_eq!(mode(&place.path().join("deep/er")), 0o700);
}

#[test]
fn a_drain_that_goes_on_drains_what_comes() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let mut command = stanchion();
        command.args([
            "drain",
            "--json",
            "-q",
            "--every",
            "1",
            "--mission",
            "m",
            "--phase",
            "p",
            "--store",
            &host.store,
        ]);
        command.arg(guest.source()).env("XDG_STATE_HOME", &host.state);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut reports = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut batches = || {
            let report: serde_json::Value = serde_json::from_str(&reports.next().unwrap().unwrap()).unwrap();
            report["sources"][0]["batches"].as_u64().unwrap()
        };
        assert_eq!(batches(), 0);
        for _ in 0..2 {
            // Whole at once, as a guest makes it: the drain runs meanwhile.
            let other = Guest::new(place, "making");
            let id = other.batch(&[("denied.jsonl", &lines([denied("s", "r")]))]);
            let name = format!("batch-{id}");
            std::fs::rename(other.directory.join(&name), guest.directory.join(&name)).unwrap();
            assert!((0..5).any(|_| batches() == 1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(host.told().len(), 2);
    });
}
