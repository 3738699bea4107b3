//! From bytes to commands. Owns the front end; must never know a policy, a guard or a harness.

pub mod account;
mod agree;
mod builtin;
pub mod cook;
mod environment;
mod evaluate;
mod feed;
mod function;
pub(crate) mod glob;
mod lower;
pub mod model;
mod operator;
mod output;
mod parameter;
pub mod path;
pub mod query;
mod reading;
mod reprint;
mod resolve;
pub mod scan;
pub mod syntax;
mod word;

use model::Script;
use query::Queries;

/// Reads `text` as bash would and lists what it executes. Total: it cannot fail; what it cannot
/// account for is [`model::Opaque`].
///
/// ```
/// use stanchion::shell::{query::Queries, read};
/// let script = read(b"sudo -u me bash -c 'ls; echo \"rm x\"'", Queries::shipped());
/// let first = |words: &[stanchion::shell::model::Word]| words[0].value.exact().map(<[u8]>::to_vec);
/// let names: Vec<_> = script.commands.iter().filter_map(|command| first(&command.words)).collect();
/// assert_eq!(names, [b"sudo".to_vec(), b"bash".to_vec(), b"ls".to_vec(), b"echo".to_vec()]);
/// assert!(script.opaque.is_empty());
/// ```
#[must_use]
pub fn read(text: &[u8], queries: &Queries) -> Script {
    lower::lower(text, queries)
}

/// The text as the grammar gets it: same length; words, operators and reserved words only.
#[must_use]
pub fn skeleton(text: &[u8]) -> Vec<u8> {
    scan::scan(text, 0).flat_map(|piece| piece.text.bytes).collect()
}
