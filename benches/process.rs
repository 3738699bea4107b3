//! Times of whole processes: the hook, a program that does nothing built the same way, and
//! `/bin/true`, started in turn so that a slow moment of the machine hits all of them alike.
//!
//! ```sh
//! cargo build --release --example noop && cargo bench --bench process
//! ```
//!
//! The hook and the no-op are copied first, as an installation does: what the linker has just written
//! lies in memory in small pieces, which makes every start slower until the machine is next started.
//!
//! `STANCHION_BENCH_N` sets the number of rounds (2000 unless told).

#![expect(clippy::print_stdout, reason = "a benchmark reports to the terminal")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One thing to measure: a program, its arguments, what it gets on stdin, how it must end.
struct Subject {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
    stdin: Vec<u8>,
    status: i32,
    /// Where it finds the user's policies.
    configuration: PathBuf,
    times: Vec<Duration>,
}

/// Hook calls: name, command line as it stands in JSON, exit status.
const CALLS: &[(&str, &str, i32)] = &[
    ("hook: plain", "ls -la src", 0),
    ("hook: typical", "cd /srv/app && cargo test --workspace 2>&1 | grep -v '^warning' | tail -n 40", 0),
    ("hook: data", "grep -n 'bin/fm-watch-arm.sh &' docs/arm.md | head", 0),
    ("hook: allowed", "cd /srv/firstmate && bin/fm-watch-arm.sh --restart", 0),
    ("hook: denied", "bin/fm-watch-arm.sh > log 2>&1 &", 2),
    ("hook: nested", "sudo bash -c 'eval bin/fm-watch-arm.sh'", 2),
];

/// Hook calls under every shipped policy.
const GUARDED: &[(&str, &str, i32)] = &[
    ("core: plain", "ls -la src", 0),
    ("core: typical", "cd /srv/app && cargo test --workspace 2>&1 | grep -v '^warning' | tail -n 40", 0),
    ("core: allowed", "git add -A && git commit -qm 'Fix the parser' && git push origin HEAD", 0),
    ("core: denied", "sudo rm -rf --no-preserve-root /", 2),
    ("core: nested", "bash -c 'git -C repo reset --hard && ls'", 2),
];

/// The same with a user's file of 50 rules.
const LAYERED: &[(&str, &str, i32)] = &[
    ("user: plain", "ls -la src", 0),
    ("user: typical", "cd /srv/app && cargo test --workspace 2>&1 | grep -v '^warning' | tail -n 40", 0),
    ("user: allowed", "git add -A && git commit -qm 'Fix the parser' && git push origin HEAD", 0),
    ("user: denied", "tool7 apply --yes", 2),
];

/// A user's policy file of 50 rules.
fn rules() -> String {
    let rule = |number: usize| {
        format!(
            "\n[[rule]]\nid = \"mine.deploy-{number}\"\ndecision = \"deny\"\n\
             reason = \"tool{number} changes what is deployed and cannot be undone without the owner\"\n\
             advice = \"ask the owner, or see with `tool{number} plan` what would change\"\n\
             when = {{ program = \"tool{number}\", any = [{{ operand = [\"apply\", \"destroy-*\"] }}, {{ option = \"--force\" }}] }}\n\
             match = [\"tool{number} apply\", \"tool{number} --force x\", \"cd infra && tool{number} destroy-all --yes\"]\n\
             not_match = [\"tool{number} plan\", \"echo tool{number} apply\", \"grep -n 'tool{number} apply' docs/deploy.md\"]\n"
        )
    };
    "version = 1\nname = \"mine\"\n".to_owned() + &(0..50).map(rule).collect::<String>()
}

fn main() {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_stanchion"));
    let (Ok(installed), noop) = (tempfile::tempdir(), noop(&built)) else { return };
    let install = |program: &Path| {
        let copy = installed.path().join(program.file_name().unwrap_or_default());
        std::fs::copy(program, &copy).map(|_| copy)
    };
    let Ok(hook) = install(&built) else { return };
    let rounds = std::env::var("STANCHION_BENCH_N").ok();
    let rounds = rounds.and_then(|text| text.parse().ok()).unwrap_or(2000);

    let mut subjects = Vec::new();
    match noop.and_then(|program| install(&program).ok()) {
        Some(program) => subjects.push(plain("noop", program)),
        None => println!("no-op not built: run `cargo build --release --example noop`"),
    }
    subjects.push(plain("/bin/true", PathBuf::from("/bin/true")));
    let plainly: &[&str] = &["hook", "--claude"];
    let guarded: &[&str] = &["hook", "--claude", "--policy", "firstmate,core"];
    let calls = CALLS.iter().map(|call| (call, plainly)).chain(GUARDED.iter().map(|call| (call, guarded)));
    let configured = installed.path().join("config");
    let user = configured.join("stanchion");
    if std::fs::create_dir_all(&user).and_then(|()| std::fs::write(user.join("mine.toml"), rules())).is_err()
    {
        return;
    }
    let none = installed.path().join("none");
    let calls = calls.map(|(call, arguments)| (call, arguments, &none));
    let calls = calls.chain(LAYERED.iter().map(|call| (call, guarded, &configured)));
    for ((name, command, status), arguments, configuration) in calls {
        subjects.push(Subject {
            arguments,
            stdin: format!(r#"{{"tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#).into_bytes(),
            status: *status,
            configuration: configuration.clone(),
            ..plain(name, hook.clone())
        });
    }

    for subject in &subjects {
        // So that its file is in memory and its exit status is known to be right.
        for _ in 0..20 {
            run(subject);
        }
    }
    for round in 0..rounds {
        // A different one goes first each time: what ran before leaves its traces in the caches.
        let turn = round % subjects.len();
        let (late, early) = subjects.split_at_mut(turn);
        for subject in early.iter_mut().chain(late) {
            let time = run(subject);
            subject.times.push(time);
        }
    }
    report(&mut subjects, rounds);
}

fn plain(name: &'static str, program: PathBuf) -> Subject {
    Subject {
        name,
        program,
        arguments: &[],
        stdin: Vec::new(),
        status: 0,
        configuration: PathBuf::new(),
        times: Vec::new(),
    }
}

/// The no-op example that stands beside the hook's binary.
fn noop(hook: &Path) -> Option<PathBuf> {
    let path = hook.parent()?.join("examples").join("noop");
    path.exists().then_some(path)
}

/// From before the start until the exit status is known; stdin is a pipe for all alike.
fn run(subject: &Subject) -> Duration {
    let started = Instant::now();
    let status = start(Command::new(&subject.program).args(subject.arguments), subject);
    let time = started.elapsed();
    assert_eq!(status, Some(subject.status), "{}: exit status", subject.name);
    time
}

fn start(command: &mut Command, subject: &Subject) -> Option<i32> {
    let command = command.env("XDG_STATE_HOME", std::env::temp_dir().join("stanchion-bench"));
    let command = command.env("XDG_CONFIG_HOME", &subject.configuration);
    let command = command.env("XDG_CACHE_HOME", std::env::temp_dir().join("stanchion-bench-cache"));
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    if let Some(mut pipe) = child.stdin.take() {
        // A program that has ended already reads nothing; that is no fault of the measurement.
        let _ = pipe.write_all(&subject.stdin);
    }
    child.wait().ok()?.code()
}

fn report(subjects: &mut [Subject], rounds: usize) {
    for subject in subjects.iter_mut() {
        subject.times.sort_unstable();
    }
    let median_of = |name: &str| {
        let found = subjects.iter().find(|subject| subject.name == name);
        found.map(|subject| quantile(&subject.times, 50))
    };
    let (noop, bin_true) = (median_of("noop"), median_of("/bin/true"));

    println!("{rounds} rounds, all in turn");
    println!(
        "{:<16} {:>10} {:>10} {:>8} {:>12} {:>10}",
        "", "median", "p99", "x noop", "x /bin/true", "peak"
    );
    for subject in subjects.iter() {
        let median = quantile(&subject.times, 50);
        println!(
            "{:<16} {:>10} {:>10} {:>8} {:>12} {:>10}",
            subject.name,
            millis(median),
            millis(quantile(&subject.times, 99)),
            ratio(median, noop),
            ratio(median, bin_true),
            peak(subject).map_or_else(|| "-".to_owned(), |kib| format!("{kib} KiB")),
        );
    }
}

/// The time below which `percent` of the sorted times lie.
fn quantile(sorted: &[Duration], percent: usize) -> Duration {
    let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(at).copied().unwrap_or_default()
}

fn millis(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

fn ratio(time: Duration, base: Option<Duration>) -> String {
    base.map_or_else(|| "-".to_owned(), |base| format!("{:.2}", time.as_secs_f64() / base.as_secs_f64()))
}

/// Peak resident memory in KiB, asked of GNU time where it is installed.
fn peak(subject: &Subject) -> Option<u64> {
    let time = Path::new("/usr/bin/time");
    if !time.exists() {
        return None;
    }
    let file = std::env::temp_dir().join(format!("stanchion-peak-{}", std::process::id()));
    let mut command = Command::new(time);
    command.args(["-f", "%M", "-o"]).arg(&file).arg(&subject.program).args(subject.arguments);
    start(&mut command, subject)?;
    let text = std::fs::read_to_string(&file).ok()?;
    let _ = std::fs::remove_file(&file);
    text.lines().last()?.trim().parse().ok()
}
