//! How fast a history is replayed, and in how much memory: a million different commands of ten shapes under the
//! packs, in one new process.
//!
//! ```sh
//! cargo bench --bench replay
//! ```
//!
//! `STANCHION_BENCH_N` sets the number of commands.

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark reports to the terminal, and may fail loudly"
)]

#[path = "../tests/support/peak.rs"]
mod peak;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Shapes of commands, in JSON; `@` is a number.
const SHAPES: [&str; 10] = [
    "cd /srv/app@ && cargo test --workspace 2>&1 | grep -v '^warning' | tail -n 40",
    "git add -A && git commit -qm 'Fix @'",
    "ls -la src/@",
    "git reset --hard HEAD~@",
    "for f in *.rs; do wc -l \\\"$f\\\" @; done",
    "npm run build -- --x=@ 2>&1 | tail -3",
    "rg -n 'fn main@' src | head",
    "python3 -c 'print(@)' > out.txt",
    "docker ps --filter name=@",
    "rm -rf ./target/debug@",
];

fn main() {
    let commands: u32 =
        std::env::var("STANCHION_BENCH_N").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("commands.jsonl");
    write(&file, commands);
    let mut command = Command::new(env!("CARGO_BIN_EXE_stanchion"));
    command.args(["replay", "--policy=core", "--only"]).arg(&file).stdout(Stdio::null());
    let started = Instant::now();
    let peak = peak::run(&mut command);
    let time = started.elapsed().as_secs_f64();
    println!(
        "{commands} commands in {time:.1} s, {:.0} a second, {peak} KiB at most",
        f64::from(commands) / time
    );
}

fn write(file: &Path, commands: u32) {
    let mut out = BufWriter::new(File::create(file).expect("a file"));
    for (number, shape) in (0..commands).zip(SHAPES.iter().cycle()) {
        let command = shape.replace('@', &number.to_string());
        writeln!(out, "{{\"command\":\"{command}\"}}").expect("it can be written");
    }
    out.flush().expect("it can be written");
}
