//! The check between our scan and the grammar's tree: both must find commands at the same offsets.
//! Owns nothing but the comparison; where they differ the caller makes the region opaque.

use super::query::Queries;
use super::scan::{Scan, Skeleton};
use super::syntax;
use std::collections::BTreeSet;

/// A text longer than this is not given to the grammar and is opaque.
const TOO_LONG: usize = 1 << 20;

/// The offsets at which scan and tree differ.
pub(super) fn disagreements(scan: &Scan, queries: &Queries) -> Vec<usize> {
    std::iter::once(&scan.text).chain(&scan.inner).flat_map(|text| compare(text, queries)).collect()
}

fn compare(text: &Skeleton, queries: &Queries) -> Vec<usize> {
    let Skeleton { at, bytes: skeleton, starts, dummies } = text;
    let (at, wanted) = (*at, starts.iter().chain(dummies).copied().collect::<BTreeSet<usize>>());
    if wanted.is_empty() && skeleton.iter().all(|byte| *byte == b' ') {
        return Vec::new();
    }
    if skeleton.len() > TOO_LONG {
        return vec![at];
    }
    if let Some(seen) = flat(skeleton, at).filter(|_| queries.are_shipped()) {
        return seen.symmetric_difference(&wanted).copied().collect();
    }
    let Some(tree) = syntax::parse(skeleton) else { return vec![at] };
    let mut seen = BTreeSet::new();
    let mut spoilt = Vec::new();
    for capture in queries.captures(&tree, &|_| None) {
        let Some(node) = tree.nodes.get(capture.node) else { continue };
        match capture.name {
            "command" => {
                seen.insert(at + node.span.start);
            }
            "unmodelled" => spoilt.push(at + node.span.start),
            _ => {}
        }
    }
    spoilt.extend(seen.symmetric_difference(&wanted));
    spoilt
}

/// Where commands start in a skeleton of words and separators alone, in which the grammar has nothing
/// to tell; `None` when there is more. Edited queries have their say all the same: this is for the shipped ones. The grammar's tables are not touched then, which is half of the
/// time of a short call.
fn flat(skeleton: &[u8], at: usize) -> Option<BTreeSet<usize>> {
    let mut starts = BTreeSet::new();
    let mut fresh = true;
    for (index, byte) in skeleton.iter().enumerate() {
        match byte {
            b'x' if std::mem::take(&mut fresh) => {
                starts.insert(at + index);
            }
            b'x' | b' ' => {}
            b';' | b'&' | b'|' => fresh = true,
            _ => return None,
        }
    }
    Some(starts)
}
