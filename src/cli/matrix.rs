//! `stanchion matrix`: runs acceptance matrices. Owns its arguments and the progress line.

use super::progress::Line;
use super::{out, selection};
use stanchion::matrix::{self, Checker, Format, Forms, Matrix, report};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Run acceptance matrices through every form in which harnesses call the hook
///
/// Exit status: 0 every row holds, 1 a row fails, 64 wrong usage or a file that is no matrix.
#[derive(clap::Args)]
pub struct Args {
    /// Matrix files; the shipped ones when left out
    files: Vec<PathBuf>,
    /// How to report
    #[arg(long, value_enum, default_value_t)]
    format: FormatName,
    /// Another program with the hook's interface, as shell words
    #[arg(long, value_name = "CMD")]
    checker: Option<OsString>,
    /// Which forms: the five that name no harness, one for each payload of each harness, or all
    /// [default: all; seed with --checker]
    #[arg(long, value_enum)]
    forms: Option<FormsName>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum FormsName {
    Seed,
    Harness,
    All,
}

#[derive(Clone, Copy, Default, clap::ValueEnum)]
enum FormatName {
    #[default]
    Text,
    Tap,
    Junit,
    Json,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let mut matrices = load(&args.files)?;
    if args.checker.is_some() && args.files.is_empty() {
        // Another checker has no policies to choose from: it gets the rows of the default one.
        let default = |row: &matrix::Row| row.policy.as_deref() == Some(Path::new(selection::DEFAULT));
        matrices.retain(|matrix| matrix.rows.iter().all(default));
    }
    let checker = match &args.checker {
        Some(words) => Checker::Other(words.clone()),
        None => Checker::Stanchion(std::env::current_exe()?.into_os_string()),
    };
    let forms = match (args.forms, &checker) {
        (Some(forms), _) => forms.meant(),
        (None, Checker::Other(_)) => Forms::Seed,
        (None, Checker::Stanchion(_)) => Forms::All,
    };
    let mut progress = Progress::new(&matrices, forms);
    let outcomes = matrix::run(&matrices, &checker, forms, |outcome| progress.hear(outcome));
    drop(progress);
    out::say(report::render(args.format.meant(), &outcomes));
    Ok(u8::from(outcomes.iter().any(|outcome| outcome.failure.is_some())))
}

fn load(files: &[PathBuf]) -> anyhow::Result<Vec<Matrix>> {
    if files.is_empty() {
        let shipped = matrix::SHIPPED.iter().map(|(name, text)| Matrix::parse(name, text));
        return Ok(shipped.collect::<Result<_, _>>()?);
    }
    Ok(files.iter().map(|file| Matrix::load(file)).collect::<Result<_, _>>()?)
}

impl FormsName {
    fn meant(self) -> Forms {
        match self {
            Self::Seed => Forms::Seed,
            Self::Harness => Forms::Harness,
            Self::All => Forms::All,
        }
    }
}

impl FormatName {
    fn meant(self) -> Format {
        match self {
            Self::Text => Format::Text,
            Self::Tap => Format::Tap,
            Self::Junit => Format::Junit,
            Self::Json => Format::Json,
        }
    }
}

/// Counts the rows that are done.
struct Progress {
    line: Line,
    total: usize,
    done: usize,
    failed: usize,
}

impl Progress {
    fn new(matrices: &[Matrix], forms: Forms) -> Self {
        let rows: usize = matrices.iter().map(|matrix| matrix.rows.len()).sum();
        Self { line: Line::new(), total: rows * forms.list().len(), done: 0, failed: 0 }
    }

    fn hear(&mut self, outcome: &matrix::Outcome) {
        self.done += 1;
        self.failed += usize::from(outcome.failure.is_some());
        let Self { line, total, done, failed } = self;
        line.show(|| format!("{done} of {total}, {failed} failed"));
    }
}
