//! Batches as a stream of bytes, for a host that reads what a command prints. Owns the form of the stream; must
//! never hold a whole file in memory.

use super::SCHEMA;
use super::batch::{Batch, Taken};
use crate::audit::line;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read as _, Write};

#[derive(Serialize)]
struct Start {
    stanchion: &'static str,
    schema: u32,
    version: &'static str,
    batches: usize,
}

#[derive(Serialize)]
struct End<'a> {
    stanchion: &'static str,
    batches: usize,
    busy: &'a [&'static str],
}

#[derive(Serialize)]
struct Head<'a> {
    batch: &'a str,
    files: usize,
}

#[derive(Serialize)]
struct Part<'a> {
    file: &'a str,
    bytes: u64,
}

#[derive(Serialize)]
struct Foot<'a> {
    end: &'a str,
}

/// Writes batches, at most so many.
///
/// # Errors
/// When a batch cannot be read or nobody reads the stream.
pub fn send(taken: &Taken, most: usize, to: &mut impl Write) -> io::Result<()> {
    let batches = taken.batches.get(..most.min(taken.batches.len())).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    to.write_all(&line(&Start { stanchion: "batches", schema: SCHEMA, version, batches: batches.len() }))?;
    let mut sent = 0;
    for batch in batches {
        // One that was acknowledged meanwhile need not be sent.
        if let Some(files) = batch.files()? {
            part(batch, files, to)?;
            sent += 1;
        }
    }
    to.write_all(&line(&End { stanchion: "end", batches: sent, busy: &taken.busy }))?;
    to.flush()
}

fn part(batch: &Batch, files: Vec<(String, File)>, to: &mut impl Write) -> io::Result<()> {
    to.write_all(&line(&Head { batch: &batch.id, files: files.len() }))?;
    for (name, file) in files {
        let bytes = file.metadata()?.len();
        to.write_all(&line(&Part { file: &name, bytes }))?;
        let copied = io::copy(&mut file.take(bytes), to)?;
        if copied != bytes {
            return Err(io::Error::other(format!("{name} in batch {} has become shorter", batch.id)));
        }
        to.write_all(b"\n")?;
    }
    to.write_all(&line(&Foot { end: &batch.id }))
}
