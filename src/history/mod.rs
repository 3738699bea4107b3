//! What agents did before: the transcripts that harnesses keep, and this program's own records, read back as
//! calls. Owns the formats (`table`), the way from a file to calls, and the pool of threads over both; must never
//! judge a call, change a file or hold a whole history in memory.

mod chunks;
mod database;
mod find;
mod known;
pub mod pool;
mod shape;
mod table;

pub use chunks::{Chunk, Chunks, Damage};
pub use find::{Place, Source, below, usual};
pub use known::Known;
pub use shape::{Past, calls};
pub use table::{FORMATS, Format};
