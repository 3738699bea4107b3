//! Rows in the form of `COPY`. Owns its escapes.

use super::super::Row;
use super::{Labels, Open};

/// Events in the text form of `COPY`.
pub fn copied(open: &Open, rows: &[Row<'_>]) -> Vec<u8> {
    let mut text = Vec::with_capacity(rows.iter().map(|row| row.event.detail.len() + 256).sum());
    let Labels { mission, phase, run, .. } = &open.labels;
    let key = open.key.to_string();
    for Row { event, agent } in rows {
        let time = event.time.as_ref().unwrap_or(&open.now);
        let columns = [
            Some(mission.as_str()),
            Some(phase),
            run.as_deref(),
            *agent,
            Some(event.kind.name()),
            Some(&event.target),
            Some(&event.detail),
            Some(time),
            Some(&key),
        ];
        for (place, column) in columns.iter().enumerate() {
            if place > 0 {
                text.push(b'\t');
            }
            match column {
                None => text.extend_from_slice(b"\\N"),
                Some(column) => escaped(column, &mut text),
            }
        }
        text.push(b'\n');
    }
    text
}

/// A value in the text form of `COPY` (`PostgreSQL`, COPY, "Text Format").
fn escaped(value: &str, text: &mut Vec<u8>) {
    for piece in value.as_bytes().split_inclusive(|byte| matches!(byte, b'\\' | b'\n' | b'\r' | b'\t')) {
        let escape: &[u8] = match piece.last() {
            Some(b'\\') => b"\\\\",
            Some(b'\n') => b"\\n",
            Some(b'\r') => b"\\r",
            Some(b'\t') => b"\\t",
            _ => {
                text.extend_from_slice(piece);
                continue;
            }
        };
        text.extend_from_slice(piece.get(..piece.len() - 1).unwrap_or_default());
        text.extend_from_slice(escape);
    }
}
