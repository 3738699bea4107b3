//! What names the content of a policy. Must never depend on where the text came from.

use sha2::{Digest as _, Sha256};

/// The first 64 bits of a text's SHA-256.
pub fn digest(text: &str) -> u64 {
    Sha256::digest(text).iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
