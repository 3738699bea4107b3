//! `stanchion batch`: what a host calls in a guest to take records away. Owns the arguments and the exit status;
//! must never remove a batch that was not named.

use super::out;
use clap::Subcommand;
use stanchion::mission::{Records, batch, send};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Take a guest's records away, or confirm that they are stored
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Write every batch that was not acknowledged, and a new one, to stdout (docs/mission.md)
    Take {
        /// The record directory
        #[arg(long, value_name = "DIR")]
        record_dir: PathBuf,
        /// At most so many batches
        #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
        limit: usize,
    },
    /// Remove batches that are stored
    Ack {
        /// The batches
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// The record directory
        #[arg(long, value_name = "DIR")]
        record_dir: PathBuf,
    },
}

/// Runs `batch`.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    match &args.what {
        What::Take { record_dir, limit } => Ok(take(record_dir, *limit)),
        What::Ack { ids, record_dir } => acknowledge(record_dir, ids),
    }
}

/// Writes the batches of a directory to stdout.
pub fn take(directory: &Path, limit: usize) -> u8 {
    let mut stdout = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let taken = Records::new(directory).take(SystemTime::now());
    let sent = taken.and_then(|taken| send(&taken, limit, &mut stdout).and_then(|()| stdout.flush()));
    told(directory, sent)
}

/// Removes acknowledged batches.
pub fn acknowledge(directory: &Path, ids: &[String]) -> anyhow::Result<u8> {
    if let Some(wrong) = ids.iter().find(|id| !batch::is_id(id)) {
        anyhow::bail!("`{wrong}` is no batch: name one as `batch take` tells it");
    }
    Ok(told(directory, Records::new(directory).acknowledge(ids)))
}

fn told(directory: &Path, done: std::io::Result<()>) -> u8 {
    match done {
        Ok(()) => 0,
        // Whoever reads the stream may stop; what it lacks comes again.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => 1,
        Err(error) => {
            out::complain(&format!("stanchion batch: {}: {error}\n", directory.display()));
            1
        }
    }
}
