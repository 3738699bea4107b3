//! The property `lowering` of `tests/properties`, on whatever libFuzzer makes up.
#![no_main]

#[allow(dead_code, reason = "one property of several is used")]
#[path = "../../tests/properties/mod.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    if let Err(wrong) = properties::lowering::check(text) {
        panic!("{wrong}");
    }
});
