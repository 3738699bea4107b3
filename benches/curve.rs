//! How time and memory grow with the text: each kind of text at 10 kB, 100 kB, 1 MB and 10 MB, through
//! the hook's own steps (JSON, reading, guards, reply), each in a process of its own.
//!
//! `cargo bench --bench curve`. The exponent is that of the power law between two sizes, ten times apart: 1 is linear.

#![expect(clippy::print_stdout, reason = "a benchmark reports to the terminal")]

use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::{harness, policy};
use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Texts: what stands before the repeated part, that part, what stands behind.
const KINDS: &[(&str, &str, &str, &str)] = &[
    ("commands, lines", "", "grep -n 'a b' file | head -n 3\n", ""),
    ("commands, one line", "", "grep -n 'a b' file; ", ""),
    ("compound commands", "", "for f in a b; do if [ -s \"$f\" ]; then gzip $f; fi; done\n", ""),
    ("quoted heredoc", "cat <<'E'\n", "plain text; with | marks & `such`\n", "E"),
    ("heredoc", "cat <<E\n", "plain text with $x and \\$y\n", "E"),
    ("one word", "echo '", "word ", "'"),
    ("words", "echo ", "word ", ""),
    ("substitutions", "", "echo \"$(date +%F) $(basename `pwd`)\"\n", ""),
    ("assignments", "", "a=$b$c; export d=e\n", ""),
    ("payloads", "", "bash -c 'eval \"ls -l\"'\n", ""),
    ("comments", "", "# it's a comment\n", ""),
    ("open quotes", "", "echo 'a\" \"b ", ""),
    ("open parentheses", "", "(( $(( ", ""),
];

const SIZES: [usize; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// A text that is denied, so that nothing is left out.
const DENIED: &str = "\nbin/fm-watch-arm.sh &";

/// Time and peak memory of one text.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    bytes: f64,
}

fn main() {
    if std::env::args().any(|argument| argument == "--measure") {
        return measure();
    }
    println!("{:<20} {:>24} {:>24} {:>24} {:>24}", "", "10 kB", "100 kB", "1 MB", "10 MB");
    println!("{:<20} {}", "", format!("{:>12} {:>11} ", "ns/B", "memory B/B").repeat(SIZES.len()));
    let base = child(0, 0).map_or(0.0, |cost| cost.bytes);
    for (index, (name, ..)) in KINDS.iter().enumerate() {
        let costs: Vec<Cost> = SIZES.iter().filter_map(|size| child(index, *size)).collect();
        print!("{name:<20}");
        for (cost, size) in costs.iter().zip(SIZES) {
            let per = |value: f64| value / size as f64;
            print!("{:>13.1} {:>11.1}", per(cost.seconds * 1e9), per((cost.bytes - base).max(0.0)));
        }
        let growth = |of: fn(&Cost) -> f64| match costs.as_slice() {
            [.., before, last] => (of(last) / of(before).max(1e-9)).log10(),
            _ => f64::NAN,
        };
        println!("   time^{:.2} memory^{:.2}", growth(|cost| cost.seconds), growth(|cost| cost.bytes));
    }
    println!("\na process with an empty text takes {:.1} MB", base / 1e6);
}

/// Starts this program again for one text, so that its peak memory is its own.
fn child(kind: usize, size: usize) -> Option<Cost> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.arg("--measure").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(payload(kind, size).as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
    Some(Cost { seconds: numbers.next()?, bytes: numbers.next()? })
}

fn payload(kind: usize, size: usize) -> String {
    let (_, head, unit, tail) = KINDS.get(kind).copied().unwrap_or_default();
    let text = format!("{head}{}{tail}{DENIED}", unit.repeat(size / unit.len().max(1)));
    serde_json::json!({ "tool_input": { "command": text } }).to_string()
}

/// Judges the payload on stdin; prints seconds and the peak of resident memory in bytes.
fn measure() {
    let mut bytes = Vec::new();
    if std::io::stdin().lock().read_to_end(&mut bytes).is_err() {
        return;
    }
    let gate = Gate::new(policy::shipped("firstmate").into_iter().collect());
    let (started, mut calls) = (Instant::now(), 0_u32);
    let begun = spent(started);
    while calls < 2 || started.elapsed() < Duration::from_millis(300) {
        let call = harness::decode(&bytes).map(|payload| ToolCall::shell(payload.command));
        black_box(call.map(|call| harness::reply(&gate.judge(&call), false)));
        calls += 1;
    }
    let seconds = (spent(started) - begun).as_secs_f64() / f64::from(calls);
    println!("{seconds} {}", peak().unwrap_or_default());
}

/// The processor time of this process, so that others on the machine do not count; where the system does not
/// tell it, the time since the start.
fn spent(started: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.filter(|time| *time > 0).map_or_else(|| started.elapsed(), Duration::from_nanos)
}

/// The peak of this process's resident memory, where the system tells it.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kib| kib * 1024.0)
}
