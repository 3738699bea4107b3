//! Everything is killed at random moments: writers in guests, who takes batches, drains, connections of
//! the database and its server's processes. What a writer was told is stored, and nothing is twice.
//!
//! A short run stands among the tests. The whole: `STANCHION_KILL_RUNS=200 STANCHION_KILL_RECORDS=20000
//! cargo test --test it mission_host::killed -- --nocapture`.

use super::cluster::Cluster;
use super::{Guest, Host, common, denied, with};
use crate::child::stanchion;
use serde_json::json;
use stanchion::mission::{File, Records};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const GUESTS: usize = 8;
const DRAINS: usize = 2;

const DIRECTORY: &str = "STANCHION_TEST_GUEST";
const WRITER: &str = "STANCHION_TEST_GUEST_WRITER";
const COUNT: &str = "STANCHION_TEST_GUEST_COUNT";

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Chances that come again with the same seed (splitmix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// A guest's writer. The test below starts it as a process; it prints a number when the record is there.
#[test]
fn one_writer_of_a_guest() {
    let own = tempfile::tempdir().unwrap();
    let shared = std::env::var_os(DIRECTORY);
    let records = Records::new(shared.as_deref().map_or(own.path(), Path::new));
    let writer = std::env::var(WRITER).unwrap_or_else(|_| "0".to_owned());
    let count = number(COUNT, 30);
    for number in 0..count {
        let call = json!({"call": format!("{writer}-{number}"), "filler": "x".repeat(number % 7 * 1500)});
        let (file, record) = match number % 3 {
            0 => (File::Denied, denied("s", "r")),
            1 => (File::Inert, with(common("s"), json!({"why": "w", "payload": null}))),
            _ => (File::Tools, with(common("s"), json!({"paths": []}))),
        };
        records.append(file, format!("{}\n", with(record, call)).as_bytes()).unwrap();
        std::io::stdout().write_all(format!("\nappended {number}\n").as_bytes()).unwrap();
        std::io::stdout().flush().unwrap();
        if number % 8 == 0 {
            thread::sleep(Duration::from_millis(1));
        }
    }
    let written = |file: File| std::fs::read_to_string(own.path().join(file.name())).unwrap().lines().count();
    assert!(
        shared.is_some()
            || File::ALL.into_iter().filter(|file| *file != File::WouldDeny).map(written).sum::<usize>()
                == count
    );
}

fn writer(guest: &Guest, name: &str, count: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "mission_host::killed::one_writer_of_a_guest", "--nocapture"]);
    command.env(DIRECTORY, &guest.directory).env(WRITER, name).env(COUNT, count.to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// How many records a writer was told of, killed on its way or not.
fn told(mut child: Child, kill: Option<Duration>) -> usize {
    let mut output = child.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        output.read_to_end(&mut text).unwrap();
        text
    });
    end(&mut child, kill);
    let text = String::from_utf8(reader.join().unwrap()).unwrap();
    // A number whose line is torn was not said.
    let whole = &text[..text.rfind('\n').unwrap_or(0)];
    whole.lines().filter(|line| line.starts_with("appended ")).count()
}

/// Waits for a process, or kills it after a while. Tells whether it was killed on its way.
fn end(child: &mut Child, kill: Option<Duration>) -> bool {
    let Some(kill) = kill else {
        child.wait().unwrap();
        return false;
    };
    let deadline = Instant::now() + kill;
    while Instant::now() < deadline {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        thread::sleep(Duration::from_micros(300));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

/// What was killed in a run.
#[derive(Debug, Default)]
struct Killed {
    writers: AtomicUsize,
    takers: AtomicUsize,
    drains: AtomicUsize,
    drains_begun: AtomicUsize,
    connections: AtomicUsize,
    servers: AtomicUsize,
}

/// One run: guests, their sources, a host.
struct Run<'a> {
    host: &'a Host,
    guests: Vec<Guest>,
    sources: Vec<String>,
    killed: Killed,
    ended: AtomicBool,
    /// How many records each writer was told of.
    told: Mutex<BTreeMap<String, usize>>,
}

impl<'a> Run<'a> {
    fn new(host: &'a Host, place: &Path) -> Self {
        let guests: Vec<Guest> = (0..GUESTS).map(|guest| Guest::new(place, &format!("g{guest}"))).collect();
        // Half of them are reached through a program.
        let source = |(number, guest): (usize, &Guest)| {
            if number % 2 == 0 {
                return guest.source();
            }
            let directory = guest.directory.display();
            let text = format!("exec {} \"$@\" --record-dir {directory}", env!("CARGO_BIN_EXE_stanchion"));
            format!("cmd:{}", super::guests::script(place, &format!("gate{number}"), &text).display())
        };
        let sources = guests.iter().enumerate().map(source).collect();
        let (killed, ended, told) = (Killed::default(), AtomicBool::new(false), Mutex::default());
        Self { host, guests, sources, killed, ended, told }
    }

    fn write(&self, guest: usize, count: usize, mut chance: Chance) {
        let (mut left, mut attempt) = (count, 0);
        while left > 0 {
            let name = format!("{guest}-{attempt}");
            let kill = (chance.below(3) > 0).then(|| Duration::from_millis(20 + chance.below(250)));
            let said = told(writer(&self.guests[guest], &name, left), kill);
            self.killed.writers.fetch_add(usize::from(said < left), Ordering::Relaxed);
            self.told.lock().unwrap().insert(name, said);
            left -= said;
            attempt += 1;
        }
    }

    /// Takes batches that nobody reads, and is killed.
    fn take(&self, mut chance: Chance) {
        while !self.ended.load(Ordering::Relaxed) {
            let guest = &self.guests[usize::try_from(chance.below(GUESTS as u64)).unwrap()];
            let mut command = stanchion();
            command.args(["batch", "take", "--record-dir"]).arg(&guest.directory);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let killed = end(&mut child, Some(Duration::from_micros(500 + chance.below(12_000))));
            self.killed.takers.fetch_add(usize::from(killed), Ordering::Relaxed);
            thread::sleep(Duration::from_millis(chance.below(40)));
        }
    }

    fn drain(&self, mut chance: Chance) {
        while !self.ended.load(Ordering::Relaxed) {
            let kill = (chance.below(10) > 0).then(|| Duration::from_millis(5 + chance.below(400)));
            let mut command = stanchion();
            command.args([
                "drain",
                "-q",
                "--mission",
                "m",
                "--phase",
                "p",
                "--cap",
                "none",
                "--store",
                &self.host.store,
            ]);
            command.args(&self.sources).env("XDG_STATE_HOME", &self.host.state);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            self.killed.drains_begun.fetch_add(1, Ordering::Relaxed);
            let killed = end(&mut child, kill);
            self.killed.drains.fetch_add(usize::from(killed), Ordering::Relaxed);
            thread::sleep(Duration::from_millis(chance.below(30)));
        }
    }

    /// Ends connections of the database, some by killing the server's process, which ends all of them.
    fn disconnect(&self, mut chance: Chance) {
        let others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1";
        while !self.ended.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20 + chance.below(200)));
            let Ok(mut client) = postgres::Client::connect(&self.host.store, postgres::NoTls) else {
                continue;
            };
            if chance.below(12) > 0 {
                let ended = client.query(&format!("SELECT pg_terminate_backend(pid) {others}"), &[]);
                self.killed.connections.fetch_add(ended.map_or(0, |rows| rows.len()), Ordering::Relaxed);
                continue;
            }
            let Ok(rows) = client.query(&format!("SELECT pid {others}"), &[]) else { continue };
            for row in rows {
                let process: i32 = row.get(0);
                // It may have ended meanwhile, and its number be another's.
                let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
                if name.trim() != "postgres" {
                    continue;
                }
                let killed = Command::new("kill").args(["-9", &process.to_string()]).status().unwrap();
                self.killed.servers.fetch_add(usize::from(killed.success()), Ordering::Relaxed);
            }
        }
    }

    fn everything(&self, seed: u64, records: usize) {
        let chance = |place: u64| Chance(seed.wrapping_mul(1000).wrapping_add(place));
        thread::scope(|scope| {
            let writers: Vec<_> = (0..GUESTS)
                .map(|guest| scope.spawn(move || self.write(guest, records / GUESTS, chance(guest as u64))))
                .collect();
            scope.spawn(|| self.take(chance(100)));
            for number in 0..DRAINS {
                scope.spawn(move || self.drain(chance(200 + number as u64)));
            }
            if self.host.store.starts_with("postgres") {
                scope.spawn(|| self.disconnect(chance(300)));
            }
            let ended: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
            // So that nothing waits for ever when a writer failed.
            self.ended.store(true, Ordering::Relaxed);
            assert!(ended.iter().all(Result::is_ok), "a writer failed");
        });
    }

    /// One drain that nobody kills; a server may still be coming back.
    fn heal(&self) {
        let sources: Vec<&str> = self.sources.iter().map(String::as_str).collect();
        let deadline = Instant::now() + Duration::from_secs(60);
        while postgres_is_down(&self.host.store) {
            assert!(Instant::now() < deadline, "the server does not come back");
            thread::sleep(Duration::from_millis(50));
        }
        let (status, reports) = self.host.try_drain(&[&["--cap", "none"], &sources[..]].concat());
        assert_eq!(status, 0, "{reports:?}");
        assert!(self.guests.iter().all(Guest::is_empty), "something was left");
    }

    fn check(&self, seed: u64) {
        let calls = self.host.ask("SELECT detail->>'call' FROM mission_events");
        let mut stored: BTreeMap<&str, usize> = BTreeMap::new();
        for call in &calls {
            *stored.entry(call).or_default() += 1;
        }
        let twice: Vec<_> = stored.iter().filter(|(_, count)| **count > 1).take(5).collect();
        assert!(twice.is_empty(), "seed {seed}: stored twice: {twice:?}");
        let told = self.told.lock().unwrap();
        for (writer, said) in told.iter() {
            let lost: Vec<_> =
                (0..*said).filter(|number| !stored.contains_key(&*format!("{writer}-{number}"))).collect();
            assert!(lost.is_empty(), "seed {seed}: writer {writer} was told of {said}, lost {lost:?}");
        }
        let said: usize = told.values().sum();
        let torn = self.host.ask("SELECT CAST(line AS text) FROM mission_strays").len();
        assert!(torn <= self.killed.writers.load(Ordering::Relaxed), "seed {seed}: {torn} torn lines");
        println!("seed {seed}: {said} told, {} stored, {torn} torn, {:?}", stored.len(), self.killed);
    }
}

fn postgres_is_down(store: &str) -> bool {
    store.starts_with("postgres") && postgres::Client::connect(store, postgres::NoTls).is_err()
}

fn runs(store: impl Fn(&Path) -> String) {
    let records = number("STANCHION_KILL_RECORDS", 2400);
    let first = number("STANCHION_KILL_SEED", 1);
    for seed in first..first + number("STANCHION_KILL_RUNS", 1) {
        let place = tempfile::tempdir().unwrap();
        let host = Host { store: store(place.path()), state: place.path().join("state") };
        let run = Run::new(&host, place.path());
        let started = Instant::now();
        run.everything(seed as u64, records);
        let killed = started.elapsed();
        run.heal();
        run.check(seed as u64);
        println!("{:.1} s with kills, {:.1} s in all", killed.as_secs_f64(), started.elapsed().as_secs_f64());
    }
}

#[test]
fn nothing_is_lost_or_doubled_in_sqlite() {
    runs(|place| place.join("events.sqlite").to_str().unwrap().to_owned());
}

#[test]
fn nothing_is_lost_or_doubled_in_postgres() {
    // Its processes are killed: no other test shares it.
    let cluster = Cluster::start(&["fsync=off"]);
    runs(|_| cluster.database());
}
