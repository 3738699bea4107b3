//! The scan: its pieces lie end to end, its spans lie in the text, and it accounts for every byte.

use super::ensure;
use stanchion::shell::account;
use stanchion::shell::scan::{self, Skeleton};

/// Checks the scan of a text.
pub fn check(text: &[u8]) -> Result<(), String> {
    let mut end = 0;
    for piece in scan::scan(text, 0) {
        ensure(piece.text.at == end, || format!("a piece starts at {}, not at {end}", piece.text.at))?;
        end += piece.text.bytes.len();
        for skeleton in std::iter::once(&piece.text).chain(&piece.inner) {
            starts(skeleton, text)?;
        }
        let data = piece.data.iter().map(|(span, _)| *span);
        for span in data.chain(piece.ends.iter().copied()).chain(piece.faults.iter().map(|fault| fault.span))
        {
            ensure(span.start <= span.end && span.end <= text.len(), || format!("{span:?} is outside"))?;
        }
    }
    ensure(end == text.len(), || format!("the pieces end at {end} of {}", text.len()))?;
    let regions = account::regions(text).map_err(|at| format!("nothing accounts for byte {at}"))?;
    let mut end = 0;
    for region in regions {
        ensure(region.span.start == end && !region.span.is_empty(), || format!("a gap at {end}"))?;
        end = region.span.end;
    }
    ensure(end == text.len(), || format!("the regions end at {end} of {}", text.len()))
}

/// Commands start inside their skeleton, in words.
fn starts(skeleton: &Skeleton, text: &[u8]) -> Result<(), String> {
    ensure(skeleton.at + skeleton.bytes.len() <= text.len(), || "a skeleton is too long".to_owned())?;
    for start in &skeleton.starts {
        let byte = start.checked_sub(skeleton.at).and_then(|at| skeleton.bytes.get(at));
        ensure(byte == Some(&b'x'), || format!("no word where a command starts, at {start}"))?;
    }
    Ok(())
}
