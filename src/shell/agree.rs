//! The check between our scan and the grammar's tree: both must find commands at the same offsets.
//! Owns nothing but the comparison; where they differ the caller makes the region opaque.

use super::query::Queries;
use super::scan::Scan;
use super::syntax;
use crate::span::Span;
use std::collections::BTreeSet;

/// The grammar gets at most this many bytes at a time.
const CHUNK: usize = 16 * 1024;
/// A single element longer than this is not given to the grammar and is opaque.
const TOO_LONG: usize = 1 << 20;

/// The offsets at which scan and tree differ, in order; one of each spoilt chunk is enough.
pub(super) fn disagreements(scan: &Scan, queries: &Queries) -> Vec<usize> {
    let mut found = Vec::new();
    let expected: BTreeSet<usize> = scan.starts.iter().chain(&scan.dummies).copied().collect();
    for chunk in chunks(scan) {
        let skeleton = chunk.slice(&scan.skeleton);
        let wanted = expected.range(chunk.start..chunk.end).copied().collect();
        found.extend(compare(skeleton, chunk.start, &wanted, queries));
    }
    for inner in &scan.inner {
        let wanted = inner.starts.iter().chain(&inner.dummies).copied().collect();
        found.extend(compare(&inner.skeleton, inner.at, &wanted, queries));
    }
    found
}

/// Cuts the outer list between elements, so that parsing stays linear.
fn chunks(scan: &Scan) -> Vec<Span> {
    let mut chunks = Vec::new();
    let mut start = 0;
    for element in &scan.list.elements {
        use super::model::Separator::{And, Background, End, Newline, Or, Semicolon};
        let complete = match element.separator {
            Semicolon | Newline | Background => true,
            And | Or | End => false,
        };
        if complete && element.span.end - start > CHUNK {
            let end = separator_end(&scan.skeleton, element.span.end);
            chunks.push(Span::new(start, end));
            start = end;
        }
    }
    chunks.push(Span::new(start, scan.skeleton.len()));
    chunks
}

fn separator_end(skeleton: &[u8], from: usize) -> usize {
    let rest = skeleton.get(from..).unwrap_or_default();
    rest.iter().position(|byte| matches!(byte, b';' | b'&')).map_or(skeleton.len(), |at| from + at + 1)
}

fn compare(skeleton: &[u8], at: usize, wanted: &BTreeSet<usize>, queries: &Queries) -> Vec<usize> {
    if wanted.is_empty() && skeleton.iter().all(|byte| *byte == b' ') {
        return Vec::new();
    }
    if skeleton.len() > TOO_LONG {
        return vec![at];
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
    spoilt.extend(seen.symmetric_difference(wanted));
    spoilt
}
