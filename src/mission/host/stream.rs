//! The stream of `stanchion batch take` (`docs/mission.md`). Owns its reading; must never trust a number
//! or a name in it, and must never hold a batch in memory.

use super::batch::{Batch, BatchId, Part};
use super::{Fault, Taken};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

/// The version of the stream that is understood.
const SCHEMA: u32 = 1;

/// The longest line of the stream itself.
const LINE: u64 = 64 << 10;

/// How many bytes a batch has at most: four files at their cap, and many spills.
const BATCH: u64 = 1 << 30;

/// How many files a batch has at most.
const FILES: usize = 10_000;

/// A line of the stream: each has some of these.
#[derive(Deserialize)]
struct Head {
    stanchion: Option<String>,
    schema: Option<u32>,
    batch: Option<String>,
    file: Option<String>,
    bytes: Option<u64>,
    end: Option<String>,
    #[serde(default)]
    busy: Vec<String>,
}

/// Reads a stream and gives away each batch that came whole. `spool` is a directory for the bytes.
///
/// # Errors
/// When it is no such stream, or ends early; batches that were given away stay so.
pub fn read(
    stream: &mut dyn BufRead,
    spool: &Path,
    give: &mut dyn FnMut(Batch) -> Result<(), Fault>,
) -> Result<Taken, Fault> {
    let first = head(stream)?;
    if first.stanchion.as_deref() != Some("batches") {
        return Err(Fault::new("this is no stream of batches: is it `stanchion` that runs in the guest?"));
    }
    if first.schema != Some(SCHEMA) {
        return Err(Fault::new("the guest's stanchion speaks a later version: update this one"));
    }
    let mut taken = Taken::default();
    loop {
        let line = head(stream)?;
        if let Some(id) = line.batch {
            let batch = batch(stream, BatchId::new(&id)?, spool)?;
            give(batch)?;
            taken.batches += 1;
        } else if line.stanchion.as_deref() == Some("end") {
            taken.busy = line.busy;
            return Ok(taken);
        } else {
            return Err(strange());
        }
    }
}

fn strange() -> Fault {
    Fault::new("a line of the stream is of no known form")
}

/// The next line of the stream.
fn head(stream: &mut dyn BufRead) -> Result<Head, Fault> {
    let mut line = Vec::new();
    stream.take(LINE).read_until(b'\n', &mut line).map_err(|error| broken(&error))?;
    if line.is_empty() {
        return Err(Fault::passing("the stream ended early"));
    }
    serde_json::from_slice(&line).map_err(|_| strange())
}

fn broken(error: &io::Error) -> Fault {
    Fault::passing(format!("the stream broke: {error}"))
}

/// The files of a batch up to its end.
fn batch(stream: &mut dyn BufRead, id: BatchId, spool: &Path) -> Result<Batch, Fault> {
    let file = |error: io::Error| Fault::new(format!("{}: no spool: {error}", spool.display()));
    let mut bytes = tempfile::tempfile_in(spool).map_err(file)?;
    let mut spans = Vec::new();
    let mut start = 0;
    loop {
        let line = head(stream)?;
        if let (Some(name), Some(length)) = (line.file, line.bytes) {
            if length > BATCH - start || spans.len() >= FILES {
                return Err(Fault::new(format!("batch {id} is larger than any batch may be")));
            }
            copy(stream, length, &mut bytes)?;
            spans.push((name, start, length));
            start += length;
        } else if line.end.as_deref() == Some(id.as_str()) {
            break;
        } else {
            return Err(strange());
        }
    }
    let bytes = Arc::new(bytes);
    let part = |(name, start, length)| Part::new(name, Arc::clone(&bytes), start, length);
    Ok(Batch { id, parts: spans.into_iter().map(part).collect() })
}

/// Copies so many bytes and takes the newline behind them.
fn copy(stream: &mut dyn BufRead, length: u64, to: &mut File) -> Result<(), Fault> {
    let mut left = length;
    while left > 0 {
        let buffer = stream.fill_buf().map_err(|error| broken(&error))?;
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let piece = buffer.get(..most).filter(|piece| !piece.is_empty());
        let piece = piece.ok_or_else(|| Fault::passing("the stream ended early"))?;
        to.write_all(piece).map_err(|error| Fault::new(format!("the spool cannot be written: {error}")))?;
        stream.consume(most);
        left -= most as u64;
    }
    let mut newline = [0];
    stream.read_exact(&mut newline).map_err(|error| broken(&error))?;
    if newline == *b"\n" { Ok(()) } else { Err(strange()) }
}
