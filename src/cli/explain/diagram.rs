//! Source lines with notes under them, in the manner of rustc. Owns the layout; must never know
//! what a note means.

use stanchion::span::Span;

/// What a note underlines, and so how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// A command word.
    Command,
    /// A word whose value is not what is written.
    Value,
    /// A region that is data.
    Data,
    /// A region that could not be read.
    Opaque,
    /// The words of a finding.
    Finding,
}

/// A note on a range of the source.
#[derive(Clone, Debug)]
pub struct Note {
    span: Span,
    mark: Mark,
    label: String,
}

impl Note {
    /// A note.
    pub fn new(span: Span, mark: Mark, label: String) -> Self {
        Self { span, mark, label }
    }
}

impl Mark {
    fn line(self) -> &'static str {
        match self {
            Self::Command => "-",
            Self::Value => "=",
            Self::Data => "~",
            Self::Opaque => "?",
            Self::Finding => "^",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Self::Command => "\x1b[1;34m",
            Self::Value => "\x1b[36m",
            Self::Data => "\x1b[2m",
            Self::Opaque => "\x1b[1;33m",
            Self::Finding => "\x1b[1;31m",
        }
    }
}

/// Renders the source with its notes.
pub fn render(source: &[u8], mut notes: Vec<Note>, colour: bool) -> String {
    notes.sort_by_key(|note| (note.span.start, note.mark, note.span.end));
    let lines = lines(source);
    let width = lines.len().to_string().len();
    let mut text = String::new();
    let mut notes = notes.into_iter().peekable();
    for (index, line) in lines.iter().enumerate() {
        text += &format!("{:>width$} | {}\n", index + 1, printable(line.slice(source)));
        let last = index + 1 == lines.len();
        while let Some(note) = notes.next_if(|note| last || note.span.start <= line.end) {
            text += &format!("{:>width$} | {}\n", "", underline(source, *line, &note, colour));
        }
    }
    text
}

fn lines(source: &[u8]) -> Vec<Span> {
    let mut start = 0;
    let pieces = source.split(|byte| *byte == b'\n');
    let mut lines: Vec<Span> = pieces
        .map(|piece| {
            let line = Span::new(start, start + piece.len());
            start = line.end + 1;
            line
        })
        .collect();
    if lines.len() > 1 && lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

fn underline(source: &[u8], line: Span, note: &Note, colour: bool) -> String {
    let from = note.span.start.clamp(line.start, line.end);
    let to = note.span.end.clamp(from, line.end);
    let columns = |span: Span| printable(span.slice(source)).chars().count();
    let blank = " ".repeat(columns(Span::new(line.start, from)));
    let marks = note.mark.line().repeat(columns(Span::new(from, to)).max(1));
    let more = if note.span.end > line.end + 1 { "…" } else { "" };
    let label = &note.label;
    if colour {
        return format!("{blank}{}{marks}{more} {label}\x1b[0m", note.mark.colour());
    }
    format!("{blank}{marks}{more} {label}")
}

/// Bytes as one line that a terminal cannot mistake for a command to itself.
fn printable(bytes: &[u8]) -> String {
    let mut text = String::new();
    for char in String::from_utf8_lossy(bytes).chars() {
        match char {
            '\t' => text.push_str("    "),
            char if char.is_control() => text.push('\u{fffd}'),
            char => text.push(char),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_stand_under_their_words() {
        let notes = vec![
            Note::new(Span::new(6, 9), Mark::Finding, "why".to_owned()),
            Note::new(Span::new(0, 1), Mark::Command, "executed".to_owned()),
        ];
        let wanted = "1 | é b\n  | - executed\n2 | \u{fffd}cd\n  |  ^^ why\n";
        assert_eq!(render("é b\n\u{1}cd\n".as_bytes(), notes, false), wanted);
    }

    #[test]
    fn ranges_outside_the_text_do_no_harm() {
        let note = Note::new(Span::new(90, 95), Mark::Opaque, "x".to_owned());
        assert_eq!(render(b"ab", vec![note], false), "1 | ab\n  |   ?… x\n");
    }
}
