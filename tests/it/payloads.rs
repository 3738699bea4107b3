//! Payloads that no client should send, through every harness's form: broken transport is silence, what
//! can be read is judged, and nothing panics.

use crate::child::{feed, stanchion, text};
use stanchion::audit::Store;
use stanchion::install::{ALL, Harness};

const DENIED: &str = "bin/fm-watch-arm.sh &";
const HARMLESS: &str = "ls -l";
const HUGE: usize = 10 * 1024 * 1024;
const DEEP: usize = 50_000;

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// The call of a harness. Where it sends a list of commands, one that stands for it, which it takes, too.
fn template(harness: &Harness) -> String {
    harness.call.replace("[$COMMAND]", "$COMMAND")
}

/// The call of a harness with this JSON in place of its command.
fn with(harness: &Harness, command: &str) -> Vec<u8> {
    template(harness).replace("$COMMAND", command).replace("$CWD", "/nonexistent").into_bytes()
}

/// The member that holds the command.
fn member(harness: &Harness) -> String {
    let call = template(harness);
    let before = call.split("\":$COMMAND").next().unwrap();
    before.rsplit('"').next().unwrap().to_owned()
}

/// The same call with a member more at its top.
fn beside(call: &[u8], member: &str) -> Vec<u8> {
    [b"{", member.as_bytes(), b",", &call[1..]].concat()
}

/// Asks in a state of its own: no fault may be recorded, and a panic is one.
fn blocks(harness: &Harness, name: &str, call: &[u8]) -> bool {
    let state = tempfile::tempdir().unwrap();
    let output =
        feed(stanchion().env("XDG_STATE_HOME", state.path()).args(["hook", "--harness", name]), call);
    let shown = || String::from_utf8_lossy(call).chars().take(200).collect::<String>();
    let faults = std::fs::read_to_string(Store::faults(&state.path().join("stanchion")).current());
    assert!(faults.is_err(), "{name}: {}: {faults:?}", shown());
    let said = [text(&output.stdout), text(&output.stderr)].concat();
    if said.is_empty() {
        assert_eq!(output.status.code(), Some(0), "{name}: {}", shown());
        return false;
    }
    // Cline heeds stdout alone.
    let wanted = if harness.name == "cline" { 0 } else { 2 };
    assert_eq!(output.status.code(), Some(wanted), "{name}: {}: {said}", shown());
    assert!(said.contains("[watcher-background] ") || said.contains("[unclassifiable-"), "{name}: {said}");
    true
}

fn every(check: impl Fn(&Harness, &str)) {
    for harness in ALL {
        for name in [harness.name, "auto"] {
            check(harness, name);
        }
    }
}

#[test]
fn the_place_of_records_is_the_one_that_is_looked_at() {
    let state = tempfile::tempdir().unwrap();
    let arguments = ["hook", "--policy", "/nonexistent.toml"];
    feed(stanchion().env("XDG_STATE_HOME", state.path()).args(arguments), &with(&ALL[0], &quoted(DENIED)));
    assert!(Store::faults(&state.path().join("stanchion")).current().exists());
}

#[test]
fn what_is_no_payload_is_silence() {
    every(|harness, name| {
        let whole = with(harness, &quoted(DENIED));
        for end in [0, 1, whole.len() / 3, whole.len() / 2, whole.len() - 2, whole.len() - 1] {
            assert!(!blocks(harness, name, &whole[..end]), "{name}, {end} bytes");
        }
        for odd in [&b"null"[..], b"[]", b"\"x\"", b"7", b"{}", b"\n", b"\0", b"\xff\xfe", b"{\"a\":}"] {
            assert!(!blocks(harness, name, odd), "{name}, {odd:?}");
        }
        assert!(!blocks(harness, name, &[&whole[..], b"x"].concat()), "{name}");
        assert!(!blocks(harness, name, &[b"[", &whole[..], b"]"].concat()), "{name}");
        // Bytes that are not UTF-8 are not JSON.
        let broken = String::from_utf8(whole).unwrap().replace(" &", " \u{1}&");
        let broken: Vec<u8> = broken.into_bytes().iter().map(|b| if *b == 1 { 0xff } else { *b }).collect();
        assert!(!blocks(harness, name, &broken), "{name}");
    });
}

#[test]
fn what_is_no_command_is_silence() {
    every(|harness, name| {
        let list = format!("[{}]", quoted(DENIED));
        let object = format!("{{\"a\":{}}}", quoted(DENIED));
        for value in ["null", "7", "true", "\"\"", &list, &object] {
            let is_command = value == list && harness.call.contains("[$COMMAND]");
            assert_eq!(blocks(harness, name, &with(harness, value)), is_command, "{name}, {value}");
        }
    });
}

#[test]
fn of_equal_members_the_last_counts() {
    every(|harness, name| {
        let both = |first: &str, last: &str| {
            with(harness, &format!("{},\"{}\":{}", quoted(first), member(harness), quoted(last)))
        };
        assert!(blocks(harness, name, &both(HARMLESS, DENIED)), "{name}");
        assert!(!blocks(harness, name, &both(DENIED, HARMLESS)), "{name}");
    });
}

#[test]
fn odd_text_in_a_command_hides_nothing() {
    every(|harness, name| {
        for odd in ["\\u0000", "\\ud800", "\\udfff\\ud83d", "\\u0001\\u001b", "\u{feff}\u{202e}"] {
            let command = format!("\"echo '{odd}'\\n{DENIED}\"");
            assert!(blocks(harness, name, &with(harness, &command)), "{name}, {command}");
        }
    });
}

#[test]
fn deep_payloads_are_judged() {
    let deep = format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP));
    let member_of = |value: &str| format!("\"deep\":{value}");
    let objects = format!("{}1{}", "{\"a\":".repeat(DEEP), "}".repeat(DEEP));
    every(|harness, name| {
        let denied = with(harness, &quoted(DENIED));
        for value in [&deep, &objects] {
            assert!(blocks(harness, name, &beside(&denied, &member_of(value))), "{name}");
            let inside = with(harness, &format!("{},{}", quoted(DENIED), member_of(value)));
            assert!(blocks(harness, name, &inside), "{name}");
            assert!(!blocks(harness, name, &with(harness, value)), "{name}");
        }
        assert!(!blocks(harness, name, deep.as_bytes()), "{name}");
        assert!(!blocks(harness, name, "[".repeat(DEEP).as_bytes()), "{name}");
    });
}

/// What a huge command costs is a matter of `padding.rs`; here it is read by every harness.
#[test]
fn huge_payloads_are_judged() {
    use stanchion::harness::{Choice, named, receive};
    let pad = "x".repeat(HUGE);
    for harness in ALL {
        let name = harness.name;
        let denied = with(harness, &quoted(DENIED));
        assert!(blocks(harness, name, &beside(&denied, &format!("\"pad\":\"{pad}\""))), "{name}");
        let cut = &denied[..denied.len() - 1];
        assert!(!blocks(harness, name, &beside(cut, &format!("\"pad\":\"{pad}\""))), "{name}");
        let command = format!("ls {pad}\n{DENIED}");
        let call = with(harness, &quoted(&command));
        for choice in [Choice::Auto, Choice::Named(named(name).unwrap())] {
            let read = receive(&call, choice).map(|(payload, _)| payload.command);
            assert!(read.is_some_and(|read| read == command.as_bytes()), "{name}");
        }
    }
    let claude = &ALL[0];
    assert!(!blocks(claude, "claude", &with(claude, &quoted(&format!("ls {pad}")))));
}

/// The same without a process, for every length.
#[test]
fn no_prefix_of_a_payload_is_more_than_it_says() {
    use stanchion::harness::{Choice, named, receive};
    let recorded = crate::captures::files();
    let recorded = recorded.iter().map(|(_, path)| std::fs::read(path).unwrap());
    let written = ALL.iter().map(|harness| with(harness, &quoted(DENIED)));
    for whole in recorded.chain(written) {
        let end = whole.trim_ascii_end().len();
        for end in 0..end {
            assert!(receive(&whole[..end], Choice::Auto).is_none());
        }
        for harness in ALL {
            let _ = receive(&whole, Choice::Named(named(harness.name).unwrap()));
        }
    }
}
