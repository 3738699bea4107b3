//! Times of the parts in one process: skeleton, reading, verdict; by size and by kind of command.
//!
//! `cargo bench --bench pipeline`. Each figure is the median over rounds of equal length.

#![expect(clippy::print_stdout, reason = "a benchmark reports to the terminal")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy;
use stanchion::shell;
use stanchion::shell::query::Queries;

/// Command lines as agents write them.
const TYPICAL: &[(&str, &str)] = &[
    ("list", "ls -la src"),
    ("git", "git status --short && git diff --stat"),
    ("search", "grep -rn 'fn main' src | head -n 20"),
    ("test", "cd /srv/app && cargo test --workspace 2>&1 | tail -n 40"),
    ("find", "find . -name '*.rs' -not -path './target/*' -exec wc -l {} + | sort -n"),
    ("python", "python3 - <<'EOF'\nimport json\nprint(json.load(open('a.json'))['x'])\nEOF"),
    ("commit", "git commit -m \"$(cat <<'EOF'\nFix the reader\n\nIt lost a `byte` at the end.\nEOF\n)\""),
    ("loop", "for f in *.log; do if [ -s \"$f\" ]; then gzip -9 \"$f\"; fi; done"),
    ("allowed", "cd /srv/firstmate && bin/fm-watch-arm.sh --restart"),
    ("denied", "bin/fm-watch-arm.sh > log 2>&1 &"),
    ("nested", "sudo bash -c 'eval \"bin/fm-watch-arm.sh\"'"),
];

/// Lines from which texts of any size are made.
const LINES: &str = "\
cd \"$HOME/project\" && make -j4 2>&1 | tee build.log
for f in src/*.c; do cc -c \"$f\" -o \"${f%.c}.o\" || exit 1; done
grep -rn 'to do' src | sort | uniq -c | head -n 20
if [ -f config.env ]; then . ./config.env; fi
printf '%s\\n' \"$(date +%F)\" >> notes.txt # when it ran
cat <<'EOF' > out.txt
plain text; with | marks & such
EOF
";

const SIZES: &[(&str, usize)] =
    &[("50 B", 50), ("1 KB", 1_000), ("10 KB", 10_000), ("100 KB", 100_000), ("1 MB", 1_000_000)];

/// How long one figure may take, and how many rounds it has at most.
const BUDGET: Duration = Duration::from_millis(400);
const ROUNDS: usize = 200;

fn main() {
    let Some(policy) = policy::shipped("firstmate") else {
        println!("the policy `firstmate` is not shipped");
        return;
    };
    let gate = Gate::new(vec![policy]);
    let queries = Queries::shipped();

    println!("{:<10} {:>10} {:>12} {:>12} {:>12}", "text", "bytes", "skeleton", "read", "verdict");
    let typical = TYPICAL.iter().map(|(name, text)| (*name, (*text).to_owned()));
    let sized = SIZES.iter().map(|(name, size)| (*name, text_of(*size)));
    for (name, text) in typical.chain(sized) {
        let bytes = text.as_bytes();
        let call = ToolCall::shell(text.clone());
        let skeleton = median(|| shell::skeleton(black_box(bytes)));
        let read = median(|| shell::read(black_box(bytes), queries));
        let verdict = median(|| gate.judge(black_box(&call)));
        println!(
            "{name:<10} {:>10} {:>12} {:>12} {:>12}",
            bytes.len(),
            shown(skeleton),
            shown(read),
            shown(verdict)
        );
    }

    println!("\n{:.0} typical commands a second on one core", rate(&gate));
}

/// A text of about `size` bytes: whole lines, or the first bytes of them.
fn text_of(size: usize) -> String {
    if size < LINES.len() {
        return LINES.chars().take(size).collect();
    }
    LINES.repeat(size / LINES.len())
}

/// The median time of one call. Rounds hold so many calls that the clock's grain does not matter.
fn median<T>(mut work: impl FnMut() -> T) -> Duration {
    let first = timed(1, &mut work).max(Duration::from_nanos(100));
    let per_round = (Duration::from_millis(1).as_nanos() / first.as_nanos()).clamp(1, 10_000);
    let per_round = u32::try_from(per_round).unwrap_or(1);
    let started = Instant::now();
    let mut times = vec![];
    while times.is_empty() || (times.len() < ROUNDS && started.elapsed() < BUDGET) {
        times.push(timed(per_round, &mut work));
    }
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The mean time of one call over `calls` calls.
fn timed<T>(calls: u32, work: &mut impl FnMut() -> T) -> Duration {
    let started = Instant::now();
    for _ in 0..calls {
        black_box(work());
    }
    started.elapsed() / calls
}

/// Verdicts a second over all typical commands in turn.
fn rate(gate: &Gate) -> f64 {
    let calls: Vec<_> = TYPICAL.iter().map(|(_, text)| ToolCall::shell(*text)).collect();
    let started = Instant::now();
    let mut judged = 0_u32;
    while started.elapsed() < Duration::from_secs(1) {
        for call in &calls {
            black_box(gate.judge(black_box(call)));
            judged += 1;
        }
    }
    f64::from(judged) / started.elapsed().as_secs_f64()
}

fn shown(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 1_000.0 { format!("{micros:.2} us") } else { format!("{:.2} ms", micros / 1e3) }
}
