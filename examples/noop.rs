//! A process that does nothing, linked as the program is: the measure against which
//! `benches/process.rs` holds the hook.

// What the library brings to the link line counts for both.
use stanchion as _;

fn main() {}
