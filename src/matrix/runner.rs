//! Runs rows as real child processes on all cores. Owns the children; must never interpret what a
//! command line says.

use super::file::{Matrix, Row};
use super::form::Form;
use super::outcome::{Outcome, Wanted, compare};
use crate::harness::{PROJECT_VARIABLES, Reply};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// The program under test.
#[derive(Clone, Debug)]
pub enum Checker {
    /// A stanchion program: `PROGRAM hook …`.
    Stanchion(OsString),
    /// Another checker: shell words, which get the same arguments. `--policy` is stanchion's own
    /// notion and is not passed.
    Other(OsString),
}

/// Runs every row through every form. `done` hears of each outcome as it comes; the result is in
/// the order of rows and forms.
#[must_use]
pub fn run(matrices: &[Matrix], checker: &Checker, mut done: impl FnMut(&Outcome)) -> Vec<Outcome> {
    let jobs = jobs(matrices);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut outcomes: Vec<(usize, Outcome)> = thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, jobs) = (sender.clone(), &next, &jobs);
            scope.spawn(move || {
                while let Some((index, job)) = take(next, jobs) {
                    if sender.send((index, job.run(checker))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        receiver.iter().inspect(|(_, outcome)| done(outcome)).collect()
    });
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

fn take<'j, 'm>(next: &AtomicUsize, jobs: &'j [Job<'m>]) -> Option<(usize, &'j Job<'m>)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(index).map(|job| (index, job))
}

fn jobs(matrices: &[Matrix]) -> Vec<Job<'_>> {
    let rows = matrices.iter().flat_map(|matrix| matrix.rows.iter().map(move |row| (matrix, row)));
    rows.flat_map(|(matrix, row)| Form::ALL.map(|form| Job { matrix, row, form })).collect()
}

struct Job<'m> {
    matrix: &'m Matrix,
    row: &'m Row,
    form: Form,
}

impl Job<'_> {
    fn run(&self, checker: &Checker) -> Outcome {
        let failure = match self.answer(checker) {
            Ok(output) => {
                let reply = Reply { status: 0, stdout: output.stdout, stderr: output.stderr };
                compare(self.row, self.form, output.status.code(), &reply)
            }
            Err(error) => {
                let wanted = "a checker that starts".to_owned();
                Some(Wanted { wanted, got: error.to_string() })
            }
        };
        Outcome {
            matrix: self.matrix.name.clone(),
            id: self.row.id.clone(),
            line: self.row.line,
            form: self.form.name(),
            command: self.row.command.clone(),
            failure,
        }
    }

    fn answer(&self, checker: &Checker) -> std::io::Result<Output> {
        let mut command = checker.command();
        command.args(self.form.arguments(self.row));
        for (flag, path) in [("--root", &self.row.root), ("--home", &self.row.home)] {
            pass(&mut command, flag, path.as_deref());
        }
        if let Checker::Stanchion(_) = checker {
            pass(&mut command, "--policy", self.row.policy.as_deref());
        }
        if let Some(cwd) = self.row.cwd.as_ref().filter(|cwd| cwd.is_dir()) {
            command.current_dir(cwd);
        }
        // The harness that runs this program must not lend its project to the rows.
        for variable in PROJECT_VARIABLES {
            command.env_remove(variable);
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let (Some(mut stdin), Some(payload)) = (child.stdin.take(), self.form.payload(self.row)) {
            // A checker that does not read is judged by its answer.
            let _ = stdin.write_all(payload.as_bytes());
        }
        child.wait_with_output()
    }
}

impl Checker {
    fn command(&self) -> Command {
        match self {
            Self::Stanchion(program) => {
                let mut command = Command::new(program);
                command.arg("hook");
                command
            }
            Self::Other(words) => {
                let mut script = words.clone();
                script.push(" \"$@\"");
                let mut command = Command::new("sh");
                command.arg("-c").arg(script).arg("checker");
                command
            }
        }
    }
}

fn pass(command: &mut Command, flag: &str, path: Option<&Path>) {
    if let Some(path) = path {
        command.arg(flag).arg(path);
    }
}
