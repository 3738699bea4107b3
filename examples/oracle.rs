//! `cargo run --release --example oracle -- --programs N --seed S`: generated programs in real bash
//! against what stanchion calls executed. `--only-bash` runs the generator and bash alone;
//! `--from N` begins with program N; `--show N` prints program N; `--lines` judges the programs on standard input, one a line.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]
#![allow(clippy::wildcard_enum_match_arm, clippy::too_many_lines, missing_docs, dead_code)]

#[path = "../tests/it/bash_oracle/campaign.rs"]
mod campaign;
#[path = "../tests/it/bash_oracle/compare.rs"]
mod compare;
#[path = "../tests/it/bash_oracle/generate/mod.rs"]
mod generate;
#[path = "../tests/it/bash_oracle/rng.rs"]
mod rng;
#[path = "../tests/it/bash_oracle/sandbox.rs"]
mod sandbox;
#[path = "../tests/it/bash_oracle/shrink.rs"]
mod shrink;

use std::io::IsTerminal;
use std::process::ExitCode;

fn number(name: &str) -> Option<u64> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.next()?;
    Some(arguments.next()?.replace('_', "").parse().expect("a number"))
}

/// Judges written programs; `\n` in a line stands for a newline.
fn lines() -> ExitCode {
    let Some(sandbox) = sandbox::Sandbox::new() else { return ExitCode::FAILURE };
    let mut missed = 0;
    for line in std::io::stdin().lines() {
        let text = line.expect("a line").replace("\\n", "\n");
        let executed = sandbox.run(text.as_bytes()).executed;
        let script = campaign::read(text.as_bytes());
        let lost = campaign::missed(&script, &executed);
        if !lost.is_empty() {
            missed += 1;
            println!(
                "--- {text}\n  missed: {}\n  found: {}",
                campaign::argvs(&lost),
                campaign::commands(&script)
            );
        }
    }
    println!("{missed} programs with a missed execution");
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn main() -> ExitCode {
    let programs = number("--programs").unwrap_or(20_000);
    let seed = number("--seed").unwrap_or(1);
    let from = number("--from").unwrap_or(0);
    if let Some(show) = number("--show") {
        println!("{}", campaign::program(seed, show).program());
        return ExitCode::SUCCESS;
    }
    if std::env::args().any(|argument| argument == "--lines") {
        return lines();
    }
    let only_bash = std::env::args().any(|argument| argument == "--only-bash");
    let terminal = std::io::stderr().is_terminal();
    let start = std::time::Instant::now();
    let progress = |done: u64, missed: u64| {
        let step = if terminal { 200 } else { 5_000 };
        if done.is_multiple_of(step) || done == programs {
            let rate = done as f64 / start.elapsed().as_secs_f64();
            let end = if terminal { '\r' } else { '\n' };
            eprint!("{done}/{programs} programs, {missed} failures, {rate:.0}/s {end}");
        }
    };
    let Some(report) = campaign::run(from..from + programs, seed, only_bash, &progress) else {
        eprintln!("oracle: this machine has no bash and timeout under /usr/bin or /bin");
        return ExitCode::FAILURE;
    };
    println!("\n{}", report.text(seed));
    if report.failures() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
