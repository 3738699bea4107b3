//! What must hold of every text, whatever is in it. The stable test (`tests/it/properties.rs`) and the
//! fuzz targets (`fuzz/`) check the same functions.

pub mod cooking;
pub mod hook;
pub mod lowering;
pub mod scan;
pub mod verdict;

/// A property of a text; what is wrong when it does not hold.
pub type Property = fn(&[u8]) -> Result<(), String>;

/// All of them, by name.
pub const ALL: [(&str, Property); 5] = [
    ("scan", scan::check),
    ("lowering", lowering::check),
    ("cooking", cooking::check),
    ("verdict", verdict::check),
    ("hook", hook::check),
];

/// An error unless `holds`.
pub fn ensure(holds: bool, wrong: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong()) }
}

/// Bytes for people.
pub fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}
