//! What `--version` tells. Owns its text; must never parse a policy, since the shipped ones need none.

use stanchion::policy;
use std::fmt::Write as _;

/// The version, and below it what the shipped policies are known by in records: the digest of each, and
/// one of all.
pub fn long() -> &'static str {
    let mut lines = String::new();
    for policy in policy::NAMES.iter().filter_map(|name| policy::shipped(name)) {
        let _ = write!(lines, "\n  {} {:016x}", policy.name, policy.digest);
    }
    let version = env!("CARGO_PKG_VERSION");
    // clap keeps it as long as the program runs.
    String::leak(format!("{version}\npolicies {:016x}{lines}", policy::digest(&lines)))
}
