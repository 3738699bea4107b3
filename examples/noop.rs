//! A process that does nothing: the measure against which `benches/process.rs` holds the hook.

fn main() {}
