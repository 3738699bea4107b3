//! The mission gate: agents in guests, judged inside, recorded outside. Owns the records of a guest and
//! what the host makes of them; must never judge, read the environment or print.

pub mod host;
