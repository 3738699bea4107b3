//! Guests that send what they should not: nothing of it stops a drain, reaches another file or a shell.

use super::{Guest, both, call, cluster, denied, lines, with};
use crate::child::text;
use serde_json::json;

#[test]
fn texts_that_databases_refuse_are_stored() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let odd = [
            r#"{"schema":1,"time":"2026-12-03T12:00:00Z","tool":"a\u0000b","paths":[{"effect":"read","path":"\u0000\ud800x"}],"n":1e-20000}"#,
            r#"{"schema":1,"time":"2026-12-03T12:00:00Z","tool":"\\N","paths":[],"command":"\\.\n\t\\\r\\x41'\"$1"}"#,
            r#"{"schema":1,"time":"2026-12-03T12:00:00Z","tool":"'); DROP TABLE mission_events; --","paths":[]}"#,
        ];
        guest.batch(&[("tools.jsonl", &(odd.join("\n") + "\n"))]);
        let report = &host.drain(&["--agent", "x\\ty\t\\N", &guest.source()])[0];
        assert_eq!((&report["torn"], &report["foreign"]), (&json!(0), &json!(0)));
        let told = [
            "tool.call a\u{fffd}b",
            "file.touch \u{fffd}\u{fffd}x",
            "tool.call \\N",
            "tool.call '); DROP TABLE mission_events; --",
        ];
        assert_eq!(host.told(), told);
        let events = host.events(&[]);
        assert_eq!(events[2]["detail"]["command"], "\\.\n\t\\\r\\x41'\"$1");
        assert_eq!(events[0]["agent"], "x\\ty\t\\N");
    });
}

#[test]
fn a_line_without_end_is_kept_aside_in_part() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let long = "x".repeat(9 << 20);
        guest.batch(&[("tools.jsonl", &format!("{long}\n{}", lines([call("s", "a")])))]);
        let report = &host.drain(&[&guest.source()])[0];
        assert_eq!((&report["foreign"], &report["events"]["tool.call"]), (&json!(1), &json!(1)));
        let kept = host.ask("SELECT what || ' ' || length || ' ' || octet_length(bytes) FROM mission_strays");
        assert_eq!(kept, [format!("longer than any record {} 65536", long.len() + 1)]);
    });
}

#[test]
fn a_link_is_no_file_of_a_batch() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let secret = place.join("secret");
        std::fs::write(&secret, "host's own\n").unwrap();
        let id = guest.batch(&[("denied.jsonl", &lines([denied("s", "r")]))]);
        std::os::unix::fs::symlink(&secret, guest.directory.join(format!("batch-{id}/tools.jsonl"))).unwrap();
        let (status, reports) = host.try_drain(&[&guest.source()]);
        assert_eq!((status, &reports[0]["batches"]), (1, &json!(0)));
        assert!(reports[0]["faults"][0].as_str().unwrap().contains("no regular file"), "{reports:?}");
        assert!(host.told().is_empty() && secret.exists());
    });
}

#[test]
fn a_terminal_shows_what_is_there() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let record = with(call("s", "a\u{1b}[2Jb\nc\u{202e}"), json!({"tool": "T\rx"}));
        guest.batch(&[("tools.jsonl", &lines([record]))]);
        host.drain(&[&guest.source()]);
        let output = host.run(&["events"]);
        let shown = text(&output.stdout);
        assert!(shown.contains("a\\u{1b}[2Jb\\u{a}c\\u{202e}") && shown.contains("T\\u{d}x"), "{shown}");
        assert_eq!(shown.lines().count(), 2);
    });
}

#[test]
fn a_database_that_is_none_is_told() {
    let place = tempfile::tempdir().unwrap();
    let guest = Guest::new(place.path(), "g");
    let id = guest.batch(&[("denied.jsonl", &lines([denied("s", "r")]))]);
    let file = place.path().join("text");
    std::fs::write(&file, "this is no database, and it is long enough to be sure of that\n".repeat(9))
        .unwrap();
    let missing = cluster().url("missing");
    for store in [file.to_str().unwrap(), &missing, "postgres://x@127.0.0.1:1/x", "/proc/none/x"] {
        let host = super::Host { store: store.to_owned(), state: place.path().join("state") };
        let output = host.run(&["drain", "--mission", "m", "--phase", "p", &guest.source()]);
        assert_eq!(output.status.code(), Some(1), "{store}");
        assert!(text(&output.stderr).starts_with("stanchion: "), "{}", text(&output.stderr));
        assert_eq!(host.run(&["events"]).status.code(), Some(1));
    }
    assert!(guest.directory.join(format!("batch-{id}")).exists(), "nothing is lost");
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("this is no database"));
}
