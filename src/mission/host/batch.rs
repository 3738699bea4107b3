//! Batches: files that a guest has taken out of use. Owns their names and their bytes; must never hold
//! a file in memory.

use super::Fault;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

/// The decimal and the hexadecimal digits of a key.
const DIGITS: (usize, usize) = (20, 16);

/// The key of a batch, unique over all guests, ordered by time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchId(String);

impl BatchId {
    /// A text that has the form of a key: nothing else ever becomes an argument or a name.
    ///
    /// # Errors
    /// When it has not.
    pub fn new(text: &str) -> Result<Self, Fault> {
        let (time, random) = text.split_once('-').unwrap_or((text, ""));
        let fits = time.len() == DIGITS.0
            && random.len() == DIGITS.1
            && time.bytes().all(|byte| byte.is_ascii_digit())
            && random.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let shown: String = text.chars().take(64).flat_map(char::escape_default).collect();
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(Fault::new(format!("`{shown}` is no key of a batch")))
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BatchId {
    fn fmt(&self, form: &mut fmt::Formatter<'_>) -> fmt::Result {
        form.write_str(&self.0)
    }
}

/// A batch that was received whole.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Its key.
    pub id: BatchId,
    /// Its files, in their order.
    pub parts: Vec<Part>,
}

/// A file of a batch: a piece of a file on this machine, which can be read again.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name in the batch.
    pub name: String,
    file: Arc<File>,
    start: u64,
    length: u64,
}

impl Part {
    /// A piece of a file.
    #[must_use]
    pub fn new(name: String, file: Arc<File>, start: u64, length: u64) -> Self {
        Self { name, file, start, length }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Its bytes from the beginning.
    #[must_use]
    pub fn bytes(&self) -> Bytes<'_> {
        Bytes { file: &self.file, at: self.start, left: self.length }
    }
}

/// Reads a part.
#[derive(Debug)]
pub struct Bytes<'a> {
    file: &'a File,
    at: u64,
    left: u64,
}

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let Some(buffer) = buffer.get_mut(..most).filter(|buffer| !buffer.is_empty()) else { return Ok(0) };
        let read = self.file.read_at(buffer, self.at)?;
        if read == 0 {
            // A batch never changes: one that shrinks is no batch.
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter"));
        }
        self.at += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

/// What makes two batches the same: names, lengths and bytes of their files.
#[derive(Debug, Default)]
pub struct Seal(Sha256);

impl Seal {
    /// Begins a file.
    pub fn begin(&mut self, part: &Part) {
        self.0.update(format!("{}\n{}\n", part.name, part.length()));
    }

    /// Adds bytes of the file.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest in hexadecimal.
    pub fn digest(self) -> String {
        self.0.finalize().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }

    /// The digest of a whole batch.
    pub fn of(batch: &Batch) -> io::Result<String> {
        let mut seal = Self::default();
        let mut buffer = vec![0; 1 << 16];
        for part in &batch.parts {
            seal.begin(part);
            let mut bytes = part.bytes();
            loop {
                let read = bytes.read(&mut buffer)?;
                if read == 0 {
                    break;
                }
                seal.add(buffer.get(..read).unwrap_or_default());
            }
        }
        Ok(seal.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_one_form() {
        assert!(BatchId::new("01764763200000000000-0123456789abcdef").is_ok());
        let wrong = [
            "",
            "-",
            "01764763200000000000",
            "01764763200000000000-0123456789ABCDEF",
            "01764763200000000000-0123456789abcdef/",
            "../64763200000000000-0123456789abcdef",
            "--record-dir-0123456789abcdef",
            "01764763200000000000-0123456789abcdef\n",
        ];
        for text in wrong {
            assert!(BatchId::new(text).is_err(), "{text}");
        }
    }
}
