//! Many writers, some of them killed: what was acknowledged is there, whole and once.

use stanchion::audit::{Call, Entry, Source, Store};
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

/// Not a test by itself: the writer that the test below starts as a process. It prints a number when
/// the record is appended.
#[test]
#[ignore = "a child process of the test of many writers"]
fn writer() {
    let (Some(directory), Ok(writer)) = (std::env::var_os(DIRECTORY), std::env::var(WRITER)) else { return };
    let store = Store::decisions(Path::new(&directory)).with_cap(CAP);
    for number in 0..RECORDS {
        store.append(&line(&writer, number)).unwrap();
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
        source: Source::default(),
        cwd: None,
        command: command.as_bytes(),
        answered: Decision::Deny,
        policies: &[],
    };
    call.lines(&[finding])
}

fn start(directory: &Path, writer: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "records::writers::writer", "--ignored", "--nocapture"]);
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
        match entry.unwrap() {
            Entry::Record(record) => {
                let mut words = record.command.split(' ').map(|word| word.parse().unwrap_or(usize::MAX));
                *found.entry((words.next().unwrap(), words.next().unwrap())).or_default() += 1;
            }
            Entry::Damaged(_) => damaged += 1,
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
