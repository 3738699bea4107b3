//! A text as it is recorded: UTF-8, secrets replaced, very long ones cut. Owns the mapping of places;
//! must never show a byte of a secret, whatever is cut.

use super::MARK;
use crate::span::Span;
use std::ops::Range;

/// Commands up to this size are recorded whole.
const WHOLE: usize = 64 << 10;

/// How much of a longer one is kept: so much of its start, and so much on each side of what decided.
const PART: usize = 16 << 10;

/// A text as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The text.
    pub text: String,
    /// What was replaced, in order: the place in the original and what it became.
    moved: Vec<(Range<usize>, Range<usize>)>,
}

impl Recorded {
    /// A text without these regions, which are in order; cut around `keep` if there is one.
    pub(super) fn new(original: &[u8], secrets: &[Range<usize>], keep: Option<Span>) -> Self {
        let cuts = keep.map(|keep| cuts(original.len(), keep)).unwrap_or_default();
        let mut recorded = Self::default();
        let mut place = 0;
        for (region, what) in replaced(secrets, cuts) {
            recorded.copy(original, place..region.start);
            recorded.replace(region.clone(), &what);
            place = region.end;
        }
        recorded.copy(original, place..original.len());
        recorded
    }

    /// A span of the original in the recorded text.
    #[must_use]
    pub fn span(&self, span: Span) -> Span {
        Span::new(self.place(span.start, false), self.place(span.end, true))
    }

    /// Where a place of the original went; one within what was replaced went to its start or end.
    fn place(&self, place: usize, end: bool) -> usize {
        let before = self.moved.partition_point(|(from, _)| from.start < place + usize::from(!end));
        let Some((from, to)) = before.checked_sub(1).and_then(|last| self.moved.get(last)) else {
            return place.min(self.text.len());
        };
        match place < from.end {
            true if end => to.end,
            true => to.start,
            false => (to.end + place - from.end).min(self.text.len()),
        }
    }

    fn copy(&mut self, original: &[u8], region: Range<usize>) {
        let mut place = region.start;
        for chunk in original.get(region).unwrap_or_default().utf8_chunks() {
            self.text.push_str(chunk.valid());
            place += chunk.valid().len();
            let invalid = chunk.invalid().len();
            if invalid > 0 {
                self.replace(place..place + invalid, "\u{fffd}");
                place += invalid;
            }
        }
    }

    fn replace(&mut self, region: Range<usize>, what: &str) {
        let start = self.text.len();
        self.text.push_str(what);
        self.moved.push((region, start..self.text.len()));
    }
}

/// What is left out of a text of this length.
fn cuts(length: usize, keep: Span) -> Vec<Range<usize>> {
    if length <= WHOLE {
        return Vec::new();
    }
    let around =
        keep.start.saturating_sub(PART).max(PART)..keep.start.saturating_add(PART).max(PART).min(length);
    let cuts = [PART..around.start, around.end..length];
    cuts.into_iter().filter(|cut| !cut.is_empty()).collect()
}

/// Secrets and cuts in order, and what stands in their place. A cut that touches a secret takes it in.
fn replaced(secrets: &[Range<usize>], cuts: Vec<Range<usize>>) -> Vec<(Range<usize>, String)> {
    let mut all: Vec<(Range<usize>, bool)> = secrets.iter().map(|secret| (secret.clone(), false)).collect();
    all.extend(cuts.into_iter().map(|cut| (cut, true)));
    all.sort_by_key(|(region, _)| region.start);
    let mut joined: Vec<(Range<usize>, bool)> = Vec::new();
    for (region, cut) in all {
        match joined.last_mut() {
            Some((last, is_cut)) if region.start < last.end => {
                last.end = last.end.max(region.end);
                *is_cut |= cut;
            }
            _ => joined.push((region, cut)),
        }
    }
    let what = |(region, cut): (Range<usize>, bool)| {
        let what = if cut { format!("[{} bytes left out]", region.len()) } else { MARK.to_owned() };
        (region, what)
    };
    joined.into_iter().map(what).collect()
}
