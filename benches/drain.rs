//! How fast a drain stores, and in how much memory: a million events of twenty batches into SQLite and
//! into a PostgreSQL of its own (settings as shipped), each in one drain of a new process.
//!
//! ```sh
//! cargo bench --bench drain
//! ```
//!
//! `STANCHION_BENCH_N` sets the number of events.

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark reports to the terminal, and may fail loudly"
)]

#[path = "../tests/support/cluster.rs"]
mod cluster;
#[path = "../tests/support/peak.rs"]
mod peak;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// How many batches hold the events: each stays below the cap of a guest's file.
const BATCHES: usize = 20;

fn main() {
    let events =
        std::env::var("STANCHION_BENCH_N").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let cluster = cluster::Cluster::start(&[]);
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("events.sqlite").display().to_string();
    for (name, store) in [("SQLite", file), ("PostgreSQL", cluster.database())] {
        let guest = place.path().join(name);
        let bytes = fill(&guest, events);
        let started = Instant::now();
        let peak = drain(&guest, &store, place.path());
        let time = started.elapsed().as_secs_f64();
        let rate = whole(events) / time;
        println!(
            "{name}: {events} events of {} MiB in {time:.1} s, {rate:.0} a second, {peak} KiB at most",
            bytes >> 20
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn whole(number: usize) -> f64 {
    number as f64
}

/// Writes batches in which each record is a call that touched a path, one in ten a denial; their size.
fn fill(guest: &Path, events: usize) -> usize {
    let mut bytes = 0;
    for batch in 0..BATCHES {
        let directory = guest.join(format!(
            "batch-{:020}-{:016x}",
            1_764_763_200_000_000_000_u64,
            batch * 31 + guest.as_os_str().len() * 7919
        ));
        std::fs::create_dir_all(&directory).expect("a directory");
        let here = events / BATCHES;
        let denials = here / 10;
        let calls = (here - denials) / 2;
        let mut tools = String::new();
        for number in 0..calls {
            line(
                &mut tools,
                number,
                r#""kind":"edit","path":"src/module/file.rs","paths":[{"effect":"write","path":"src/module/file.rs"}],"command":null,"ok":true,"exit_status":null,"duration_ms":12,"response":null,"response_bytes":null"#,
            );
        }
        let mut denied = String::new();
        for number in 0..denials {
            line(
                &mut denied,
                number,
                r#""rule":"core.git.force-push","payload":{"session_id":"s","tool_name":"Bash","tool_input":{"command":"git push --force origin main"}},"decision":"deny","answered":"deny","policies":[{"name":"mission","digest":"0123456789abcdef"}],"findings":[{"rule":"core.git.force-push","guard":"rules","decision":"deny","shadow":false,"reason":"overwrites what others pushed","span":[0,28],"chain":["line 1"]}]"#,
            );
        }
        bytes += tools.len() + denied.len();
        std::fs::write(directory.join("tools.jsonl"), tools).expect("it can be written");
        std::fs::write(directory.join("denied.jsonl"), denied).expect("it can be written");
    }
    bytes
}

fn line(text: &mut String, number: usize, members: &str) {
    let session = number % 8;
    writeln!(
        text,
        r#"{{"schema":1,"time":"2026-12-03T12:00:00.{:06}Z","version":"0.1.0","call":"18b2f3a4c5d6e7f8-{number:x}","harness":"claude","session":"243b5c2f-e631-4094-911f-b0cbe331{session:04}","agent":null,"agent_type":null,"event":"PostToolUse","tool":"Edit","tool_use":"toolu_{number}","cwd":"/home/user/project",{members}}}"#,
        number % 1_000_000
    )
    .expect("a string takes all");
}

/// Drains in a new process; its peak memory in KiB, as the kernel counts it.
fn drain(guest: &Path, store: &str, state: &Path) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stanchion"));
    command.args([
        "drain",
        "--quiet",
        "--cap",
        "none",
        "--mission",
        "m",
        "--phase",
        "p",
        "--agent",
        "a",
        "--store",
        store,
    ]);
    command.arg(format!("dir:{}", guest.display())).env("XDG_STATE_HOME", state);
    peak::run(&mut command)
}
