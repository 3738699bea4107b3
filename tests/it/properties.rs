//! The properties of `tests/properties` over seeded mutants of the fixtures. A failure prints the
//! seed, the number and the smallest text found; `STANCHION_MUTANTS` and `STANCHION_SEED` set how many
//! mutants there are, and which.

use crate::mutate::{corpus, minimise, mutant};
use crate::property::{ALL, Property, shown};
use std::panic::{AssertUnwindSafe, catch_unwind};

const SEED: u64 = 20_261_201;
const MUTANTS: u64 = if cfg!(debug_assertions) { 1_500 } else { 20_000 };

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// What is wrong with a text, a panic included.
fn wrong(property: Property, text: &[u8]) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(|| property(text))) {
        Ok(result) => result.err(),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            Some(format!("panic: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?")))
        }
    }
}

fn report(name: &str, property: Property, text: &[u8], whence: &str) {
    let Some(first) = wrong(property, text) else { return };
    let small = minimise(text, 2_000, |text| wrong(property, text).is_some());
    let last = wrong(property, &small).unwrap_or(first);
    panic!("{name} does not hold ({whence}):\n  text: {}\n  {last}", shown(&small));
}

#[test]
fn properties_hold_of_the_fixtures() {
    for text in corpus() {
        for (name, property) in ALL {
            report(name, property, &text, "a fixture");
        }
    }
}

#[test]
fn properties_hold_of_mutants() {
    let corpus = corpus();
    let (seed, mutants) = (setting("STANCHION_SEED", SEED), setting("STANCHION_MUTANTS", MUTANTS));
    for number in 0..mutants {
        let text = mutant(&corpus, seed, number);
        for (name, property) in ALL {
            report(name, property, &text, &format!("seed {seed}, mutant {number}"));
        }
    }
}

#[test]
fn a_seed_is_a_mutant_and_a_failure_is_made_small() {
    let corpus = corpus();
    assert!(corpus.len() > 1_000);
    assert_eq!(mutant(&corpus, SEED, 7), mutant(&corpus, SEED, 7));
    let distinct: std::collections::BTreeSet<_> = (0..500).map(|n| mutant(&corpus, SEED, n)).collect();
    assert!(distinct.len() > 450, "{}", distinct.len());
    let panics: Property = |text| {
        assert!(!text.windows(2).any(|pair| pair == b"&&"), "found");
        Ok(())
    };
    assert!(wrong(panics, b"a; b && c").is_some_and(|text| text == "panic: found"));
    assert_eq!(minimise(b"a; b && c | d", 500, |text| wrong(panics, text).is_some()), b"&&");
}
