//! Recorded cases: every grammar shape's executions are found, and every reported command line is
//! judged as its row says.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::print_stdout)]

use crate::bash_oracle::campaign::{argvs, commands, missed, read};
use crate::bash_oracle::compare::{Found, find};
use crate::bash_oracle::sandbox::{Argv, Sandbox};
use serde::Deserialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Deserialize)]
struct Shape {
    id: String,
    command: String,
    executed: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    guard: String,
    expect: String,
    command: String,
    why: String,
}

#[derive(Deserialize)]
struct Answer {
    id: String,
    decision: String,
    code: Option<String>,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn rows<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let text = std::fs::read_to_string(fixtures().join("cases").join(name)).expect(name);
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[test]
fn every_grammar_shape_is_found() {
    let shapes: Vec<Shape> = rows("grammar.jsonl");
    let mut opaque = Vec::new();
    let mut missed = Vec::new();
    for shape in &shapes {
        let script = read(shape.command.as_bytes());
        let executed: Vec<Argv> = shape
            .executed
            .iter()
            .map(|argv| argv.iter().map(|word| word.clone().into_bytes()).collect())
            .collect();
        let lost: Vec<Argv> =
            executed.iter().filter(|argv| find(&script, argv) == Found::Missed).cloned().collect();
        if !lost.is_empty() {
            missed.push(format!(
                "{}: {:?}\n  missed {}\n  found {}",
                shape.id,
                shape.command,
                argvs(&lost),
                commands(&script)
            ));
        }
        if let Some(region) = script.opaque.first() {
            opaque.push(format!("{}: {:?}: {}", shape.id, shape.command, region.reason));
        }
    }
    println!("{} of {} shapes have an opaque region\n{}", opaque.len(), shapes.len(), opaque.join("\n"));
    assert!(missed.is_empty(), "{} of {} shapes\n{}", missed.len(), shapes.len(), missed.join("\n"));
    assert!(opaque.len() * 100 <= shapes.len(), "{} opaque\n{}", opaque.len(), opaque.join("\n"));
}

/// The file says what bash ran; here bash says so itself.
#[test]
fn grammar_shapes_run_as_recorded() {
    let Some(sandbox) = Sandbox::new() else {
        println!("skipped: no bash on this machine");
        return;
    };
    let known: Vec<&str> = vec!["alpha", "beta", "gamma", "delta", "epsilon", "p00", "x00"];
    let mut differ = Vec::new();
    for shape in rows::<Shape>("grammar.jsonl") {
        if !shape.executed.iter().all(|argv| known.contains(&argv[0].as_str())) {
            continue;
        }
        let ran = sandbox.run(shape.command.as_bytes()).executed;
        for argv in &shape.executed {
            if !ran.iter().any(|other| other[0] == argv[0].as_bytes()) {
                differ.push(format!("{}: {:?} did not run {argv:?}", shape.id, shape.command));
            }
        }
    }
    assert!(differ.len() <= 8, "{}", differ.join("\n"));
    println!("{}", differ.join("\n"));
}

/// Programs written by hand, one a line, `\n` for a newline: bash runs them, and says what to find.
#[test]
fn written_programs_are_found() {
    let Some(sandbox) = Sandbox::new() else {
        println!("skipped: no bash on this machine");
        return;
    };
    let text = std::fs::read_to_string(fixtures().join("cases/programs.txt")).expect("programs.txt");
    let (mut ran, mut lost) = (0, Vec::new());
    for line in text.lines() {
        let program = line.replace("\\n", "\n");
        let executed = sandbox.run(program.as_bytes()).executed;
        let script = read(program.as_bytes());
        let missed = missed(&script, &executed);
        ran += usize::from(!executed.is_empty());
        if !missed.is_empty() {
            lost.push(format!("{program}\n  missed {}\n  found {}", argvs(&missed), commands(&script)));
        }
    }
    assert!(ran * 10 > text.lines().count() * 9, "only {ran} programs ran anything");
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn every_reported_line_is_read() {
    for row in rows::<Row>("dev.jsonl") {
        let start = std::time::Instant::now();
        let script = read(row.command.as_bytes());
        assert_eq!(script.source, row.command.as_bytes());
        assert!(start.elapsed().as_secs() < 2, "{} took {:?}", row.id, start.elapsed());
    }
}

/// Through the program itself: `check --jsonl` with the policy that protects `bin/protected.sh`.
#[test]
fn reported_lines_of_the_protected_script_hold() {
    let rows: Vec<Row> = rows::<Row>("dev.jsonl")
        .into_iter()
        .filter(|row| row.guard == "other" || row.guard == "parse")
        .collect();
    let mut input = String::new();
    for row in &rows {
        input.push_str(&serde_json::json!({ "id": row.id, "command": row.command }).to_string());
        input.push('\n');
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_stanchion"))
        .args(["check", "--jsonl", "--policy"])
        .arg(fixtures().join("policies/protected.toml"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("stanchion starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().expect("stanchion ends");
    writer.join().expect("the input is written");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let answers: Vec<Answer> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert_eq!(answers.len(), rows.len(), "one answer for each row");
    let mut wrong = Vec::new();
    for (row, answer) in rows.iter().zip(&answers) {
        assert_eq!(row.id, answer.id, "answers keep the order");
        let holds = match row.expect.as_str() {
            // What another guard would object to must at least be known as unread.
            "deny-or-ask" if row.guard == "parse" => !read(row.command.as_bytes()).opaque.is_empty(),
            "deny-or-ask" => answer.decision == "deny" || answer.decision == "ask",
            expect => answer.decision == expect,
        };
        if !holds {
            wrong.push(format!(
                "{}: want {}, got {} {:?}: {:?} ({})",
                row.id, row.expect, answer.decision, answer.code, row.command, row.why
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
