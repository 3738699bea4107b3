//! Many writers, some of them killed: what was acknowledged is there, whole and once.

use stanchion::audit::{Call, Entry, Record, Store};
use stanchion::call::Origin;
use stanchion::span::Span;
use stanchion::verdict::{Decision, Finding};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

const WRITERS: usize = 64;
const RECORDS: usize = 1000;

/// Small, so that files are renamed all the time.
const CAP: u64 = 256 << 10;

const DIRECTORY: &str = "STANCHION_TEST_RECORDS";
const WRITER: &str = "STANCHION_TEST_WRITER";

/// One writer. The test below starts it as a process, with a directory that many share. It prints a
/// number when the record is appended.
#[test]
fn one_writer_finds_its_records_in_order() {
    let own = tempfile::tempdir().unwrap();
    let shared = std::env::var_os(DIRECTORY);
    let directory = shared.as_deref().map_or(own.path(), Path::new);
    let writer = std::env::var(WRITER).unwrap_or_else(|_| "0".to_owned());
    let store = Store::decisions(directory).with_cap(CAP);
    append(&store, &writer);
    if shared.is_none() {
        let records = store.records().unwrap();
        let numbers = records.map(|entry| numbers(entry.unwrap()).expect("no line is damaged").1);
        assert!(numbers.eq(0..RECORDS));
    }
}

fn append(store: &Store, writer: &str) {
    for number in 0..RECORDS {
        store.append(&line(writer, number)).unwrap();
        // Past the test runner's own capture.
        std::io::stdout().write_all(format!("\nappended {number}\n").as_bytes()).unwrap();
        std::io::stdout().flush().unwrap();
    }
}

/// Some are longer than a page, so that a kill can tear them.
fn line(writer: &str, number: usize) -> Vec<u8> {
    let command = format!("{writer} {number} {}", "x".repeat(number % 7 * 1500));
    let finding = Finding {
        guard: "test",
        decision: Decision::Deny,
        code: "test".to_owned(),
        reason: String::new(),
        span: Span::new(0, 1),
        chain: Vec::new(),
        rank: 0,
    };
    let call = Call {
        time: SystemTime::now(),
        latency: Duration::ZERO,
        process: std::process::id(),
        source: Origin::default(),
        cwd: None,
        command: command.as_bytes(),
        answered: Decision::Deny,
        granted: false,
        policies: &[],
    };
    call.lines(&[finding], &[])
}

/// The writer and the number of a record; none for a damaged line.
fn numbers(entry: Entry<Record>) -> Option<(usize, usize)> {
    let Entry::Record(record) = entry else { return None };
    let mut words = record.command.split(' ').map(|word| word.parse().unwrap());
    Some((words.next().unwrap(), words.next().unwrap()))
}

fn start(directory: &Path, writer: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "records::writers::one_writer_finds_its_records_in_order", "--nocapture"]);
    command.env(DIRECTORY, directory).env(WRITER, writer.to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// How many records a writer acknowledged. Every fourth is killed on its way.
fn acknowledged(mut child: Child, writer: usize) -> usize {
    let mut output = child.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        output.read_to_end(&mut text).unwrap();
        text
    });
    if writer.is_multiple_of(4) {
        thread::sleep(Duration::from_millis(200 + 20 * writer as u64));
        child.kill().unwrap();
    }
    child.wait().unwrap();
    let text = String::from_utf8(reader.join().unwrap()).unwrap();
    // A number whose line is torn was not said.
    let whole = &text[..text.rfind('\n').unwrap_or(0)];
    whole.lines().filter(|line| line.starts_with("appended ")).count()
}

#[test]
fn no_acknowledged_record_is_lost_or_torn() {
    let directory = tempfile::tempdir().unwrap();
    let said: Vec<usize> = thread::scope(|scope| {
        let start = |writer| {
            scope.spawn({
                let directory = directory.path();
                move || acknowledged(start(directory, writer), writer)
            })
        };
        let running: Vec<_> = (0..WRITERS).map(start).collect();
        running.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let mut found: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut damaged = 0;
    for entry in Store::decisions(directory.path()).records().unwrap() {
        match numbers(entry.unwrap()) {
            Some(numbers) => *found.entry(numbers).or_default() += 1,
            None => damaged += 1,
        }
    }
    assert!(found.values().all(|count| *count == 1), "a record stands twice");
    for (writer, said) in said.iter().enumerate() {
        let lost = (0..*said).find(|number| !found.contains_key(&(writer, *number)));
        assert_eq!(lost, None, "writer {writer} said {said}");
        assert!(writer.is_multiple_of(4) || *said == RECORDS, "writer {writer} said {said}");
    }
    assert!(damaged <= WRITERS / 4, "{damaged} damaged lines");
    let killed = said.iter().filter(|said| **said < RECORDS).count();
    let files = std::fs::read_dir(directory.path()).unwrap().count();
    println!(
        "{} records, {killed} writers killed on their way, {damaged} torn lines, {files} files",
        found.len()
    );
    assert!(files > 10, "nothing was rotated");
}
