//! Byte ranges in the submitted text. Owns nothing else and must never look at the text.

use serde::Serialize;

/// A half-open byte range `start..end` in the submitted text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// First byte of the range.
    pub start: usize,
    /// One past the last byte of the range.
    pub end: usize,
}

impl Span {
    /// A range from `start` to `end`; an `end` before `start` is an empty range at `start`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The smallest range that covers both.
    #[must_use]
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The number of bytes in the range.
    #[must_use]
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether the range holds no byte.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether `other` lies within this range.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The bytes of the range in `text`; what lies outside `text` is left out.
    #[must_use]
    pub fn slice(self, text: &[u8]) -> &[u8] {
        text.get(self.start.min(text.len())..self.end.min(text.len())).unwrap_or_default()
    }
}
