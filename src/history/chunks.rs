//! Files in pieces of whole lines, one after the other. Owns their size; must never hold more of a file than
//! one piece, and must never stop at a line that cannot be read.

use super::database;
use super::find::Source;
use super::shape::{Around, Past, calls};
use serde_json::Value;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::sync::Arc;

/// How large a piece becomes before it is given out.
const PIECE: usize = 512 << 10;

/// How long a line may be. One that is longer is damage.
const LINE: usize = 64 << 20;

/// How many lines at the start of a file are looked through for its directory and session.
const HEAD: usize = 8;

/// A piece of a file.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The place of the file in the list.
    pub file: usize,
    /// The number of its first line, from 1.
    pub line: u64,
    /// Whole lines.
    pub text: Vec<u8>,
    source: Source,
    around: Arc<Around>,
    whole: bool,
}

/// A line, or a file, that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The place of the file in the list.
    pub file: usize,
    /// What is wrong.
    pub message: String,
}

impl Chunk {
    /// Its calls, each with its line, and how many of its lines are no JSON.
    #[must_use]
    pub fn calls(&self) -> (Vec<(u64, Past)>, u64) {
        let (mut found, mut damaged) = (Vec::new(), 0);
        let format = self.source.format;
        let whole = [self.text.as_slice()];
        let lines: Box<dyn Iterator<Item = &[u8]>> = match self.whole {
            true => Box::new(whole.into_iter()),
            false => Box::new(self.text.split(|byte| *byte == b'\n')),
        };
        for (line, number) in lines.zip(self.line..) {
            if line.is_empty() {
                continue;
            }
            let text = String::from_utf8_lossy(line);
            if !format.may_hold(&text) {
                continue;
            }
            match serde_json::from_str::<Value>(&text) {
                Ok(value) => {
                    let all = calls(format, &value, &self.around);
                    found.extend(all.into_iter().map(|call| (number, call)));
                }
                Err(_) => damaged += 1,
            }
        }
        (found, damaged)
    }
}

/// The pieces of files.
#[derive(Debug)]
pub struct Chunks {
    sources: VecDeque<Source>,
    file: usize,
    open: Option<Open>,
}

#[derive(Debug)]
enum Open {
    Lines { reader: BufReader<File>, source: Source, around: Arc<Around>, line: u64 },
    Rows { rows: database::Rows, source: Source },
}

impl Chunks {
    /// The pieces of these files, in order.
    #[must_use]
    pub fn new(sources: Vec<Source>) -> Self {
        Self { sources: sources.into(), file: 0, open: None }
    }

    fn advance(&mut self) -> io::Result<Option<Chunk>> {
        loop {
            let file = self.file;
            match &mut self.open {
                None => {
                    let Some(source) = self.sources.pop_front() else { return Ok(None) };
                    self.file += 1;
                    if let Some(chunk) = self.begin(source)? {
                        return Ok(Some(chunk));
                    }
                }
                Some(Open::Lines { reader, source, around, line }) => {
                    let text = lines(reader, PIECE)?;
                    if text.is_empty() {
                        self.open = None;
                        continue;
                    }
                    let first = *line;
                    *line += text.iter().filter(|byte| **byte == b'\n').count() as u64;
                    let (source, around) = (source.clone(), Arc::clone(around));
                    return Ok(Some(Chunk {
                        file: file - 1,
                        line: first,
                        text,
                        source,
                        around,
                        whole: false,
                    }));
                }
                Some(Open::Rows { rows, source }) => match rows.next(PIECE).map_err(io::Error::other)? {
                    Some((line, text)) => {
                        let (source, around) = (source.clone(), Arc::default());
                        return Ok(Some(Chunk { file: file - 1, line, text, source, around, whole: false }));
                    }
                    None => self.open = None,
                },
            }
        }
    }

    /// Opens a file; one that is a single document is a piece by itself.
    fn begin(&mut self, source: Source) -> io::Result<Option<Chunk>> {
        let path = &source.path;
        if path.extension().is_some_and(|end| end == "db") {
            let rows = database::Rows::open(path).map_err(io::Error::other)?;
            self.open = Some(Open::Rows { rows, source });
            return Ok(None);
        }
        let mut reader = BufReader::with_capacity(PIECE, File::open(path)?);
        if path.extension().is_some_and(|end| end == "json") {
            let mut text = Vec::new();
            reader.take(LINE as u64).read_to_end(&mut text)?;
            let file = self.file - 1;
            return Ok(Some(Chunk {
                file,
                line: 1,
                text,
                around: Arc::new(named(path)),
                source,
                whole: true,
            }));
        }
        let head = reader.fill_buf()?.split(|byte| *byte == b'\n').take(HEAD);
        let values = head.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let told = values.fold(Around::default(), |told, value| told.or(Around::of(&value)));
        let around = Arc::new(told.or(named(path)));
        self.open = Some(Open::Lines { reader, source, around, line: 1 });
        Ok(None)
    }
}

impl Iterator for Chunks {
    type Item = Result<Chunk, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        next.transpose()?
            .map(Some)
            .map_err(|error| {
                self.open = None;
                Damage { file: self.file - 1, message: error.to_string() }
            })
            .transpose()
    }
}

/// Whole lines of about so many bytes; the last may lack its end.
fn lines(reader: &mut BufReader<File>, size: usize) -> io::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(size + size / 8);
    while text.len() < size {
        let before = text.len();
        let read = reader.by_ref().take(LINE as u64).read_until(b'\n', &mut text)?;
        if read == 0 {
            break;
        }
        if read == LINE && text.last() != Some(&b'\n') {
            // Nobody holds a line of any length: its rest is passed over, and it is no call.
            text.truncate(before);
            text.push(b'\n');
            reader.skip_until(b'\n')?;
        }
    }
    Ok(text)
}

/// The directory for which a folder of transcripts stands, where its name is the escaped path.
fn named(path: &Path) -> Around {
    let folders = path.ancestors().filter_map(|folder| folder.file_name()?.to_str());
    let cwd = folders.into_iter().find(|name| name.starts_with("%2F")).map(|name| {
        let mut parts = name.split('%');
        let mut path = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            let (code, rest) = part.split_at_checked(2).unwrap_or((part, ""));
            path.extend(u8::from_str_radix(code, 16));
            path.extend_from_slice(rest.as_bytes());
        }
        crate::harness::payload::path(path)
    });
    Around { cwd, session: None }
}
