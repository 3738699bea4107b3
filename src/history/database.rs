//! Transcripts in a database of SQLite (OpenCode). Owns the query; must never write to it.

use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// Calls after a place, the oldest first, as lines of JSON with the directory of their session.
const QUERY: &str = "select part.rowid, json_object('cwd', session.directory, 'sessionId', part.session_id, \
    'part', json(part.data)) from part join session on session.id = part.session_id \
    where part.rowid > ?1 and json_valid(part.data) and part.data like '%\"callID\"%' order by part.rowid";

/// The rows of a database, in pieces.
#[derive(Debug)]
pub struct Rows {
    connection: Connection,
    last: i64,
    line: u64,
}

impl Rows {
    /// Opens a database for reading.
    pub fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        Ok(Self { connection, last: i64::MIN, line: 1 })
    }

    /// The next rows of about so many bytes, a line each, with the number of the first.
    pub fn next(&mut self, size: usize) -> rusqlite::Result<Option<(u64, Vec<u8>)>> {
        let mut statement = self.connection.prepare(QUERY)?;
        let mut rows = statement.query([self.last])?;
        let (first, mut text) = (self.line, Vec::new());
        while text.len() < size {
            let Some(row) = rows.next()? else { break };
            self.last = row.get(0)?;
            self.line += 1;
            text.extend_from_slice(row.get_ref(1)?.as_bytes().unwrap_or_default());
            text.push(b'\n');
        }
        Ok((!text.is_empty()).then_some((first, text)))
    }
}
