//! Makes a failing program small: deletes chunks while it still fails.

/// The smallest program found for which `fails` holds, within `budget` trials.
pub fn shrink(program: &[u8], budget: usize, mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = program.to_vec();
    let mut trials = 0;
    let mut chunk = (best.len() / 2).max(1);
    loop {
        let mut at = 0;
        let mut smaller = false;
        while at < best.len() && trials < budget {
            let end = (at + chunk).min(best.len());
            let mut candidate = best[..at].to_vec();
            candidate.extend_from_slice(&best[end..]);
            trials += 1;
            if !candidate.is_empty() && harmless(&candidate) && fails(&candidate) {
                best = candidate;
                smaller = true;
            } else {
                at += chunk;
            }
        }
        if trials >= budget || (chunk == 1 && !smaller) {
            return best;
        }
        if !smaller {
            chunk = (chunk / 2).max(1);
        }
    }
}

/// Programs never name a file outside of their directory; a deletion must not make one do so.
fn harmless(program: &[u8]) -> bool {
    let mut writes = false;
    for byte in program {
        match byte {
            b'>' => writes = true,
            b'/' if writes => return false,
            b'|' | b'&' | b'(' | b' ' | b'\t' | b'"' | b'\'' | b'\\' | b'\n' => {}
            _ => writes = false,
        }
    }
    true
}
