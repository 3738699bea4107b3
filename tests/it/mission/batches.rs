//! Batches: the stream that a host reads, the names, and what a killed one leaves behind.

use super::{bake, bash, event, gate, start};
use crate::child::{stanchion, text};
use serde_json::{Value, json};
use stanchion::mission::{File, Records, batch};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

/// Files by their names.
pub type Files = Vec<(String, Vec<u8>)>;

/// A batch as a host receives it: its id, and its files.
pub type Received = (String, Files);

/// Reads a stream as docs/mission.md tells it: the batches that came whole, and whether it came to its end.
pub fn read(mut stream: &[u8]) -> (Vec<Received>, bool) {
    let mut batches = Vec::new();
    let mut open: Option<Received> = None;
    while let Some(end) = stream.iter().position(|byte| *byte == b'\n') {
        let Ok(head) = serde_json::from_slice::<Value>(&stream[..end]) else { break };
        stream = &stream[end + 1..];
        if let Some(id) = head["batch"].as_str() {
            open = Some((id.to_owned(), Vec::new()));
        } else if let Some(bytes) = head["bytes"].as_u64() {
            let bytes = usize::try_from(bytes).unwrap();
            if stream.len() <= bytes {
                break;
            }
            assert_eq!(stream[bytes], b'\n');
            let name = head["file"].as_str().unwrap().to_owned();
            open.as_mut().unwrap().1.push((name, stream[..bytes].to_vec()));
            stream = &stream[bytes + 1..];
        } else if let Some(id) = head["end"].as_str() {
            let whole = open.take().unwrap();
            assert_eq!(whole.0, id);
            batches.push(whole);
        } else if head["stanchion"] == json!("end") {
            assert_eq!(head["batches"], json!(batches.len()));
            return (batches, true);
        }
    }
    (batches, false)
}

fn take(directory: &Path) -> Vec<Received> {
    let output = stanchion().args(["batch", "take", "--record-dir"]).arg(directory).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let (batches, ended) = read(&output.stdout);
    assert!(ended);
    batches
}

fn acknowledge(directory: &Path, ids: &[&str]) -> Output {
    stanchion().args(["batch", "ack"]).args(ids).arg("--record-dir").arg(directory).output().unwrap()
}

fn append(directory: &Path, file: File, line: &str) {
    Records::new(directory).append(file, format!("{line}\n").as_bytes()).unwrap();
}

fn ids(batches: &[Received]) -> Vec<&str> {
    batches.iter().map(|(id, _)| id.as_str()).collect()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_is_not_acknowledged_comes_again_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    assert!(take(&directory.join("none")).is_empty());
    assert!(take(directory).is_empty(), "nothing was recorded");
    gate(directory, &[], &bash("rm -rf /"));
    append(directory, File::Tools, "{\"a\":1}");
    let first = take(directory);
    let files: Vec<&str> = first[0].1.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(files, ["denied.jsonl", "tools.jsonl"]);
    assert_eq!(first[0].1[1].1, b"{\"a\":1}\n");
    assert!(!directory.join("tools.jsonl").exists(), "it was taken away");
    append(directory, File::Tools, "{\"a\":2}");
    let second = take(directory);
    assert_eq!(second[0], first[0], "the same bytes under the same id");
    assert_eq!(second.len(), 2);
    assert!(second[0].0 < second[1].0, "later ones are greater");
    assert!(acknowledge(directory, &[&first[0].0]).status.success());
    assert_eq!(ids(&take(directory)), [second[1].0.as_str()]);
    let again = acknowledge(directory, &[&first[0].0, &second[1].0]);
    assert!(again.status.success() && again.stdout.is_empty() && again.stderr.is_empty());
    assert_eq!(names(directory), [".rotate.lock"]);
}

#[test]
fn ids_are_ids() {
    let directory = tempfile::tempdir().unwrap();
    append(directory.path(), File::Inert, "{}");
    let batches = take(directory.path());
    assert!(batch::is_id(&batches[0].0));
    for id in [
        "",
        "x",
        "..",
        "../../etc",
        "01796301026579800817",
        "01796301026579800817-c8061b55ddc1c53",
        "0179630102657980081x-c8061b55ddc1c53b",
    ] {
        assert!(!batch::is_id(id), "{id}");
        let refused = acknowledge(directory.path(), &[id]);
        assert_eq!(refused.status.code(), Some(64), "{id}");
    }
    assert_eq!(take(directory.path()), batches);
}

/// A clock that goes back makes no batch earlier than one that waits.
#[test]
fn ids_grow_whatever_the_clock_says() {
    let directory = tempfile::tempdir().unwrap();
    let records = Records::new(directory.path());
    let late = SystemTime::now() + Duration::from_secs(1000);
    for now in [late, SystemTime::UNIX_EPOCH, late] {
        append(directory.path(), File::Inert, "{}");
        records.take(now).unwrap();
    }
    let found = records.batches().unwrap();
    assert_eq!(found.len(), 3);
    assert!(found.windows(2).all(|pair| pair[0].id < pair[1].id));
}

#[test]
fn what_a_killed_one_left_is_healed() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let id = "00000000000000000007-00000000000000ab";
    let made = directory.join(format!(".batch-{id}.tmp"));
    fs::create_dir(&made).unwrap();
    fs::write(made.join("inert"), "{\"killed\":1}\n").unwrap();
    fs::create_dir(directory.join(".batch-00000000000000000008-00000000000000ab.tmp")).unwrap();
    let done = directory.join(".done-00000000000000000006-00000000000000ab");
    fs::create_dir(&done).unwrap();
    fs::write(done.join("inert"), "{\"stored\":1}\n").unwrap();
    append(directory, File::Inert, "{\"new\":1}");
    let batches = take(directory);
    assert_eq!(batches[0], (id.to_owned(), vec![("inert".to_owned(), b"{\"killed\":1}\n".to_vec())]));
    assert_eq!(batches[1].1, [("inert".to_owned(), b"{\"new\":1}\n".to_vec())]);
    assert_eq!(batches.len(), 2);
    assert!(names(directory).iter().all(|name| !name.ends_with(".tmp") && !name.starts_with(".done")));
}

#[test]
fn no_more_batches_are_made_than_may_wait() {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..20 {
        append(directory.path(), File::Tools, &format!("{{\"n\":{number}}}"));
        take(directory.path());
    }
    let batches = take(directory.path());
    assert_eq!(batches.len(), 16);
    assert_eq!(fs::read_to_string(directory.path().join("tools.jsonl")).unwrap().lines().count(), 4);
    let output =
        stanchion().args(["batch", "take", "--limit", "3", "--record-dir"]).arg(directory.path()).output();
    assert_eq!(ids(&read(&output.unwrap().stdout).0), ids(&batches)[..3]);
    acknowledge(directory.path(), &ids(&batches));
    let rest = take(directory.path());
    assert_eq!(rest[0].1[0].1, b"{\"n\":16}\n{\"n\":17}\n{\"n\":18}\n{\"n\":19}\n");
}

/// A file whose writer does not let go is left for the next time; the others come.
#[test]
fn a_file_in_use_waits_for_the_next_time() {
    let directory = tempfile::tempdir().unwrap();
    append(directory.path(), File::Inert, "{}");
    append(directory.path(), File::Tools, "{}");
    let held = fs::File::open(directory.path().join("inert")).unwrap();
    held.lock().unwrap();
    let taken = Records::new(directory.path()).take(SystemTime::now()).unwrap();
    assert_eq!(taken.busy, ["inert"]);
    let files = taken.batches[0].files().unwrap().unwrap();
    assert_eq!(files[0].0, "tools.jsonl");
    drop(held);
    assert_eq!(take(directory.path()).len(), 2);
}

#[test]
fn a_baked_program_gives_its_own_records_and_no_others() {
    let directory = tempfile::tempdir().unwrap();
    let (program, other) = (bake(directory.path(), &["mission"]), directory.path().join("other"));
    append(&other, File::Inert, "{}");
    let call = event("Bash", &json!({ "command": "rm -rf /" })).to_string();
    assert_eq!(start(Command::new(&program).arg("hook"), call.as_bytes()).status.code(), Some(2));
    let (batches, ended) = read(&start(Command::new(&program).args(["batch", "take"]), b"").stdout);
    assert!(ended && batches.len() == 1 && batches[0].1[0].0 == "denied.jsonl");
    let misled = start(Command::new(&program).args(["batch", "take", "--record-dir"]).arg(&other), b"");
    assert_eq!(misled.status.code(), Some(64));
    let done = start(Command::new(&program).args(["batch", "ack", &batches[0].0]), b"");
    assert!(done.status.success());
    assert_eq!(names(&directory.path().join("records")), [".rotate.lock"]);
}
