//! A batch as chunks of events. Owns how much of it is in memory at a time; must never fail for what
//! stands in a line.

use super::batch::{Batch, Part, Seal};
use super::event::{Event, Stray};
use super::line::{self, Line};
use std::io::{self, BufRead, BufReader};

/// How many bytes of lines a chunk has at most, one line more.
const CHUNK: usize = 1 << 20;

/// How many events a chunk has at most, one line more.
const EVENTS: usize = 2000;

/// The longest line that is read as a record: payloads and findings are far below.
const LONGEST: usize = 4 << 20;

/// How much is kept of a stray.
const KEPT: usize = 64 << 10;

/// Some lines of a batch.
#[derive(Debug, Default)]
pub struct Chunk {
    /// What they tell.
    pub events: Vec<Event>,
    /// What is kept aside.
    pub strays: Vec<Stray>,
    /// How many lines were not blank.
    pub lines: u64,
    /// How many records the guest did not keep.
    pub dropped: u64,
    size: usize,
}

impl Chunk {
    fn is_full(&self) -> bool {
        self.size >= CHUNK || self.events.len() >= EVENTS
    }

    fn take(&mut self, part: &Part, number: u64, text: &Text) {
        self.size += text.kept.len();
        let read = if text.length > text.kept.len() as u64 {
            Line::Stray(super::Why::Foreign, "longer than any record")
        } else {
            line::read(&part.name, line::holds(&part.name), &text.kept)
        };
        self.lines += u64::from(read != Line::Blank);
        match read {
            Line::Blank => {}
            Line::Events(events) => self.events.extend(events),
            Line::Dropped(event, records) => {
                self.events.push(event);
                self.dropped += records;
            }
            Line::Stray(why, what) => self.strays.push(Stray {
                file: part.name.clone(),
                line: number,
                why,
                what,
                length: text.length,
                bytes: text.kept.get(..KEPT).unwrap_or(&text.kept).to_vec(),
            }),
        }
    }
}

/// Reads a batch, gives it away chunk by chunk, and returns its digest; nothing when nobody takes a
/// chunk any more.
///
/// # Errors
/// When a file of it cannot be read.
pub fn read(batch: &Batch, give: &mut dyn FnMut(Chunk) -> bool) -> io::Result<Option<String>> {
    let mut seal = Seal::default();
    let mut chunk = Chunk::default();
    let mut text = Text::default();
    for part in &batch.parts {
        seal.begin(part);
        let mut reader = BufReader::with_capacity(1 << 18, part.bytes());
        let mut number = 0;
        while text.read(&mut reader, &mut seal)? {
            number += 1;
            chunk.take(part, number, &text);
            if chunk.is_full() && !give(std::mem::take(&mut chunk)) {
                return Ok(None);
            }
        }
    }
    Ok(give(chunk).then(|| seal.digest()))
}

/// A line, as much of it as is looked at.
#[derive(Debug, Default)]
struct Text {
    kept: Vec<u8>,
    length: u64,
}

impl Text {
    /// Reads the next line; `false` at the end.
    fn read(&mut self, reader: &mut impl BufRead, seal: &mut Seal) -> io::Result<bool> {
        self.kept.clear();
        self.length = 0;
        loop {
            let buffer = reader.fill_buf()?;
            let end = buffer.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let taken = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
            let room = LONGEST.saturating_sub(self.kept.len()).min(taken.len());
            self.kept.extend_from_slice(taken.get(..room).unwrap_or_default());
            self.length += taken.len() as u64;
            seal.add(taken);
            let (length, last) = (taken.len(), end.is_some() || taken.is_empty());
            reader.consume(length);
            if last {
                return Ok(self.length > 0);
            }
        }
    }
}
