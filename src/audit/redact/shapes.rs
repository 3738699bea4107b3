//! Secrets that are known by their shape: the tokens of well-known services, bearer tokens, private
//! keys. Owns the table of shapes; must never need a name beside them.

use super::{at, run};
use std::ops::Range;

/// A beginning, and how many bytes of a token must follow.
const SHAPES: &[(&[u8], usize)] = &[
    (b"ghp_", 16),
    (b"gho_", 16),
    (b"ghu_", 16),
    (b"ghs_", 16),
    (b"ghr_", 16),
    (b"github_pat_", 16),
    (b"glpat-", 12),
    (b"gldt-", 12),
    (b"glrt-", 12),
    (b"sk-", 16),
    (b"sk_live_", 8),
    (b"sk_test_", 8),
    (b"rk_live_", 8),
    (b"rk_test_", 8),
    (b"whsec_", 8),
    (b"AKIA", 12),
    (b"ASIA", 12),
    (b"AIza", 24),
    (b"ya29.", 12),
    (b"GOCSPX-", 12),
    (b"xoxb-", 8),
    (b"xoxa-", 8),
    (b"xoxp-", 8),
    (b"xoxr-", 8),
    (b"xoxs-", 8),
    (b"xoxe-", 8),
    (b"xoxc-", 8),
    (b"xoxd-", 8),
    (b"xapp-", 8),
    (b"npm_", 16),
    (b"pypi-", 16),
    (b"hf_", 16),
    (b"dop_v1_", 16),
    (b"shpat_", 16),
    (b"SG.", 16),
    (b"eyJ", 16),
    (b"hvs.", 12),
    (b"dckr_pat_", 12),
    (b"xai-", 16),
    (b"gsk_", 16),
    (b"lin_api_", 12),
    (b"ATATT3", 16),
    (b"AGE-SECRET-KEY-", 16),
];

/// How long a token is at least.
const SHORTEST: usize = 12;

/// Words behind which a token stands.
const BEFORE: &[&[u8]] = &[b"bearer", b"basic"];

/// Words of prose that stand behind them, too.
const PROSE: &[&[u8]] = &[b"auth", b"authentication", b"authorization", b"token", b"tokens", b"access"];

const BEGIN: &[u8] = b"-----BEGIN ";
const KEY: &[u8] = b"PRIVATE KEY";
const END: &[u8] = b"-----END ";

/// Adds what it finds.
pub fn find(text: &[u8], found: &mut Vec<Range<usize>>) {
    let mut place = 0;
    while place < text.len() {
        let end = run(text, place, is_token);
        if end > place {
            tokens(text, place..end, found);
            found.extend(behind(text, place..end));
        }
        place = end + 1;
    }
    keys(text, found);
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.~+/=".contains(&byte)
}

/// Shapes within a run of a token's bytes: at its start or behind a byte that no such token has.
fn tokens(text: &[u8], run: Range<usize>, found: &mut Vec<Range<usize>>) {
    // Shorter than the shortest shape: most words end here.
    if run.len() < SHORTEST {
        return;
    }
    let starts = |place: &usize| *place == run.start || b"/=+.~".contains(&at(text, place - 1));
    let shaped = |place: &usize| {
        let rest = text.get(*place..run.end).unwrap_or_default();
        let fits =
            |(start, least): &(&[u8], usize)| rest.len() >= start.len() + least && rest.starts_with(start);
        SHAPES.iter().any(fits) && digits(rest)
    };
    found.extend(run.clone().filter(starts).find(shaped).map(|place| place..run.end));
}

/// Whether there is a digit or a capital: hyphenated words of prose have none.
fn digits(token: &[u8]) -> bool {
    token.iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

/// The token behind `Bearer` and its like.
fn behind(text: &[u8], word: Range<usize>) -> Option<Range<usize>> {
    let name = text.get(word.clone())?;
    if !BEFORE.iter().any(|before| name.eq_ignore_ascii_case(before)) {
        return None;
    }
    let start = run(text, word.end, |byte| b" \\\t".contains(&byte));
    let end = run(text, start, is_token);
    let token = text.get(start..end)?;
    let prose = PROSE.iter().any(|word| token.eq_ignore_ascii_case(word));
    // What is plain lower case behind `basic` is rather a word of prose.
    let plain = name.eq_ignore_ascii_case(b"basic") && !digits(token);
    (start > word.end && token.len() >= 4 && !prose && !plain).then_some(start..end)
}

/// Private keys between their lines of dashes.
fn keys(text: &[u8], found: &mut Vec<Range<usize>>) {
    let mut place = 0;
    while let Some(begin) = position(text, BEGIN, place) {
        let label = begin + BEGIN.len();
        let body = run(text, label, |byte| byte != b'-');
        let is_key = text.get(label..body).is_some_and(|label| position(label, KEY, 0).is_some());
        place = body;
        if is_key {
            let body = run(text, body, |byte| byte == b'-');
            let end = position(text, END, body).unwrap_or(text.len());
            found.push(body..end);
            place = end;
        }
    }
}

fn position(text: &[u8], part: &[u8], from: usize) -> Option<usize> {
    text.get(from..)?.windows(part.len()).position(|window| window == part).map(|at| from + at)
}
