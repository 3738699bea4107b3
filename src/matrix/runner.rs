//! Runs rows as real child processes on all cores. Owns the children; must never interpret what a
//! command line says.

use super::directory::Made;
use super::file::{Matrix, Row};
use super::form::{Form, Forms};
use super::outcome::{Outcome, Wanted, compare};
use crate::harness::{PROJECT_VARIABLES, Reply};
use crate::policy;
use process_control::{ChildExt as _, Control as _};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long a checker may take for one call; one that takes longer has failed the row.
pub const TIME_OUT: Duration = Duration::from_secs(20);

/// A place in which no file can be made.
const NOWHERE: &str = "/dev/null";

/// The program under test.
#[derive(Clone, Debug)]
pub enum Checker {
    /// A stanchion program: `PROGRAM hook …`.
    Stanchion(OsString),
    /// Another checker: shell words, which get the same arguments. `--policy` is stanchion's own
    /// notion and is not passed.
    Other(OsString),
}

/// Runs every row through some forms. `done` hears of each outcome as it comes; the result is in
/// the order of rows and forms.
#[must_use]
pub fn run(matrices: &[Matrix], checker: &Checker, forms: Forms, done: impl FnMut(&Outcome)) -> Vec<Outcome> {
    run_within(matrices, checker, forms, TIME_OUT, done)
}

/// The same with another time-out.
#[must_use]
pub fn run_within(
    matrices: &[Matrix],
    checker: &Checker,
    forms: Forms,
    time_out: Duration,
    mut done: impl FnMut(&Outcome),
) -> Vec<Outcome> {
    let made: Vec<Directories<'_>> = matrices.iter().map(directories).collect();
    let rows = rows(matrices, &made);
    // What the checker records of the rows is nothing that happened; it ends with the run.
    let records = tempfile::tempdir().ok();
    let state = records.as_ref().map_or(Path::new(NOWHERE), tempfile::TempDir::path);
    let forms = forms.list();
    let jobs: Vec<Job<'_>> = rows
        .iter()
        .flat_map(|row| forms.iter().map(move |form| Job { row, form: *form, state, time_out }))
        .collect();
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

/// The directories of a matrix, or why they could not be made.
type Directories<'m> = BTreeMap<&'m str, Result<Made, String>>;

fn directories(matrix: &Matrix) -> Directories<'_> {
    let all = matrix.directories.iter();
    all.map(|(name, directory)| (name.as_str(), directory.make().map_err(|error| error.to_string())))
        .collect()
}

/// A row where it runs.
struct Placed<'m> {
    matrix: &'m Matrix,
    row: Row,
    /// Why it cannot run.
    fault: Option<String>,
}

fn rows<'m>(matrices: &'m [Matrix], made: &[Directories<'_>]) -> Vec<Placed<'m>> {
    let place = |matrix, row: &Row, made: &Directories<'_>| {
        let directory = row.directory.as_ref().and_then(|name| made.get(name.as_str()));
        let mut placed = Placed { matrix, row: row.clone(), fault: None };
        match directory {
            Some(Ok(made)) => placed.row.cwd = Some(made.cwd.clone()),
            Some(Err(fault)) => placed.fault = Some(fault.clone()),
            None => {}
        }
        placed
    };
    let both = matrices.iter().zip(made);
    both.flat_map(|(matrix, made)| matrix.rows.iter().map(move |row| place(matrix, row, made))).collect()
}

struct Job<'m> {
    row: &'m Placed<'m>,
    form: Form,
    state: &'m Path,
    time_out: Duration,
}

impl Job<'_> {
    fn run(&self, checker: &Checker) -> Outcome {
        let Placed { matrix, row, fault } = self.row;
        let answer = match fault {
            Some(fault) => Err(std::io::Error::other(format!("its directory cannot be made: {fault}"))),
            None => self.answer(checker, row),
        };
        let failure = match answer {
            Ok((status, reply)) => compare(row, self.form, status, &reply),
            Err(error) => Some(Wanted { wanted: "an answer".to_owned(), got: error.to_string() }),
        };
        Outcome {
            matrix: matrix.name.clone(),
            id: row.id.clone(),
            line: row.line,
            form: self.form.name(),
            command: row.command.clone(),
            failure,
        }
    }

    /// The checker's exit status and what it wrote.
    fn answer(&self, checker: &Checker, row: &Row) -> std::io::Result<(Option<i32>, Reply)> {
        let mut command = checker.command(row);
        command.env("XDG_STATE_HOME", self.state);
        command.args(self.form.arguments(row));
        for (flag, path) in [("--root", &row.root), ("--home", &row.home)] {
            pass(&mut command, flag, path.as_deref());
        }
        if let Checker::Stanchion(_) = checker {
            command.arg("--only");
            pass(&mut command, "--policy", row.policy.as_deref());
        }
        if let Some(cwd) = row.cwd.as_ref().filter(|cwd| cwd.is_dir()) {
            command.current_dir(cwd);
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let (Some(mut stdin), Some(payload)) = (child.stdin.take(), self.form.payload(row)) {
            // A checker that does not read is judged by its answer.
            let _ = stdin.write_all(payload.as_bytes());
        }
        let ended =
            child.controlled_with_output().time_limit(self.time_out).terminate_for_timeout().wait()?;
        let output = ended
            .ok_or_else(|| std::io::Error::other(format!("none within {} s", self.time_out.as_secs_f32())))?;
        let status = output.status.code().and_then(|code| i32::try_from(code).ok());
        Ok((status, Reply { status: 0, stdout: output.stdout, stderr: output.stderr }))
    }
}

impl Checker {
    /// The program, with nothing in its environment that would lend the place of the harness which
    /// runs the matrix to the rows.
    fn command(&self, row: &Row) -> Command {
        match self {
            Self::Stanchion(program) => {
                let mut command = Command::new(program);
                command.arg("hook").env_clear();
                command
            }
            Self::Other(words) => {
                let mut script = words.clone();
                script.push(" \"$@\"");
                let mut command = Command::new("sh");
                command.arg("-c").arg(script).arg("checker");
                let policy = row.policy.as_deref().and_then(Path::to_str).and_then(policy::shipped);
                let home = policy.as_ref().and_then(|policy| policy.home_variable());
                for variable in PROJECT_VARIABLES.into_iter().chain(home) {
                    command.env_remove(variable);
                }
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
