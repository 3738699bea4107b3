//! Writers, and those who take and acknowledge, killed at any moment: what was acknowledged to a writer arrives at
//! the host, whole and once.

use super::batches::{Files, read};
use crate::child::stanchion;
use stanchion::mission::{File, Records};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const WRITERS: usize = 8;
const RECORDS: usize = 400;
const DIRECTORY: &str = "STANCHION_TEST_GUEST";
const WRITER: &str = "STANCHION_TEST_GUEST_WRITER";

/// One writer, which the test below starts as a process. It prints a number when the record is appended.
#[test]
fn one_writer_appends() {
    let own = tempfile::tempdir().unwrap();
    let shared = std::env::var_os(DIRECTORY);
    let records = Records::new(shared.as_deref().map_or(own.path(), Path::new));
    let writer = std::env::var(WRITER).unwrap_or_else(|_| "0".to_owned());
    for number in 0..RECORDS {
        let file = File::ALL[number % 4];
        // Some are longer than a page, so that a kill can tear them.
        let line = format!(
            "{{\"writer\":{writer},\"number\":{number},\"x\":\"{}\"}}\n",
            "x".repeat(number % 7 * 1500)
        );
        records.append(file, line.as_bytes()).unwrap();
        // Past the test runner's own capture.
        std::io::stdout().write_all(format!("\nappended {number}\n").as_bytes()).unwrap();
        std::io::stdout().flush().unwrap();
        thread::sleep(Duration::from_micros(500));
    }
}

fn writer(directory: &Path, writer: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "mission::killed::one_writer_appends", "--nocapture"]);
    command.env(DIRECTORY, directory).env(WRITER, writer.to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// How many records a writer acknowledged. Every second one is killed on its way.
fn acknowledged(mut child: Child, writer: usize) -> usize {
    let mut output = child.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        output.read_to_end(&mut text).unwrap();
        text
    });
    if writer.is_multiple_of(2) {
        thread::sleep(Duration::from_millis(150 + 40 * writer as u64));
        child.kill().unwrap();
    }
    child.wait().unwrap();
    let text = String::from_utf8(reader.join().unwrap()).unwrap();
    let whole = &text[..text.rfind('\n').unwrap_or(0)];
    whole.lines().filter(|line| line.starts_with("appended ")).count()
}

/// A host that stores what it receives under its id, kills what it starts, and stops reading when it likes.
#[derive(Default)]
struct Host {
    stored: BTreeMap<String, Files>,
    again: usize,
    torn: usize,
    seed: u64,
    /// How long a child takes that is not killed.
    usual: Duration,
}

impl Host {
    /// A number below `most`, the same in each run.
    fn random(&mut self, most: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % most
    }

    fn drain(&mut self, directory: &Path, kill: bool) {
        let mut take = stanchion();
        take.args(["batch", "take", "--record-dir"]).arg(directory);
        let (stream, status) = self.run(&mut take, kill);
        let (batches, ended) = read(&stream);
        self.torn += usize::from(!ended);
        assert!(kill || status && ended);
        let mut ids = Vec::new();
        for (id, files) in batches {
            self.store(id.clone(), files);
            ids.push(id);
        }
        // The acknowledgement may not arrive, or not end.
        if ids.is_empty() || (kill && self.random(3) == 0) {
            return;
        }
        let mut ack = stanchion();
        ack.args(["batch", "ack"]).args(&ids).arg("--record-dir").arg(directory);
        self.run(&mut ack, kill);
    }

    fn store(&mut self, id: String, files: Files) {
        match self.stored.get(&id) {
            Some(before) => {
                assert_eq!(*before, files, "a batch changed");
                self.again += 1;
            }
            None => {
                self.stored.insert(id, files);
            }
        }
    }

    fn run(&mut self, command: &mut Command, kill: bool) -> (Vec<u8>, bool) {
        let started = Instant::now();
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let reader = thread::spawn(move || {
            let mut stream = Vec::new();
            output.read_to_end(&mut stream).unwrap();
            stream
        });
        if kill {
            let most = u64::try_from(self.usual.as_micros()).unwrap() * 2;
            thread::sleep(Duration::from_micros(self.random(most)));
            child.kill().unwrap();
        }
        let status = child.wait().unwrap().success();
        if !kill {
            self.usual = started.elapsed();
        }
        (reader.join().unwrap(), status)
    }
}

#[test]
fn what_a_writer_acknowledged_arrives_once() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let mut host = Host { seed: 7, ..Host::default() };
    let said: Vec<usize> = thread::scope(|scope| {
        let running: Vec<_> = (0..WRITERS)
            .map(|number| scope.spawn(move || acknowledged(writer(directory, number), number)))
            .collect();
        host.drain(directory, false);
        let mut rounds = 0;
        while running.iter().any(|writer| !writer.is_finished()) {
            host.drain(directory, rounds % 5 != 4);
            rounds += 1;
        }
        assert!(rounds > 10, "{rounds} rounds");
        running.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    host.drain(directory, false);
    host.drain(directory, false);
    let mut found: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    let mut damaged = 0;
    for (_, text) in host.stored.values().flatten() {
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice::<serde_json::Value>(line) {
                Ok(line) => {
                    let number = |name: &str| line[name].as_u64().unwrap();
                    *found.entry((number("writer"), number("number"))).or_default() += 1;
                }
                Err(_) => damaged += 1,
            }
        }
    }
    assert!(found.values().all(|count| *count == 1), "a record arrived twice");
    for (writer, said) in said.iter().enumerate() {
        let lost = (0..*said).find(|number| !found.contains_key(&(writer as u64, *number as u64)));
        assert_eq!(lost, None, "writer {writer} said {said}");
        assert!(writer.is_multiple_of(2) || *said == RECORDS, "writer {writer} said {said}");
    }
    assert!(damaged <= WRITERS / 2, "{damaged} damaged lines");
    println!(
        "{} records in {} batches; {} came again, {} streams were torn, {damaged} torn lines",
        found.len(),
        host.stored.len(),
        host.again,
        host.torn
    );
    assert!(host.again > 0 && host.torn > 0, "nothing was killed in the middle");
}
