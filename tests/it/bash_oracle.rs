//! Real bash as the judge: generated programs run over stubs, and each stub that ran must be found.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]
#![allow(clippy::wildcard_enum_match_arm, clippy::too_many_lines, missing_docs, dead_code)]

pub mod campaign;
pub mod compare;
pub mod generate;
pub mod rng;
pub mod sandbox;
pub mod shrink;

const SEED: u64 = 20_261_201;
const PROGRAMS: u64 = if cfg!(debug_assertions) { 1_500 } else { 20_000 };

#[test]
fn every_execution_is_found() {
    let report = campaign::run(PROGRAMS, SEED, false, &|_, _| ()).expect("bash on this machine");
    let text = report.text(SEED);
    println!("{text}");
    assert!(report.executions > report.programs, "the programs run too little:\n{text}");
    assert_eq!(report.missed, 0, "\n{text}");
    assert!(report.joined * 1_000 <= report.executions, "bash's own fault is rare:\n{text}");
}

#[test]
fn generator_covers_its_kinds() {
    let mut counts = vec![0; generate::KINDS.len()];
    for number in 0..3_000 {
        let mut generator = campaign::program(SEED, number);
        let text = generator.program();
        assert!(!text.is_empty());
        assert_eq!(text, campaign::program(SEED, number).program(), "a seed is a program");
        for (sum, count) in counts.iter_mut().zip(&generator.counts) {
            *sum += count;
        }
    }
    assert!(counts.len() >= 40);
    for (kind, count) in generate::KINDS.iter().zip(&counts) {
        assert!(*count >= 10, "{kind:?} was written {count} times");
    }
}

#[test]
fn shrinking_keeps_what_fails() {
    let small = shrink::shrink(b"alpha x; beta y | gamma z", 500, |text| {
        text.windows(4).any(|window| window == b"beta")
    });
    assert_eq!(small, b"beta");
}

/// The judge itself: what counts as found, and what does not.
#[test]
fn comparer_tells_found_from_missed() {
    use compare::{Found, find};
    use stanchion::shell::model::{Command, Cooked, Opaque, Place, PlaceKind, Script, Word};
    use stanchion::span::Span;
    let exact = |text: &str| Word { value: Cooked::Exact(text.into()), ..Word::default() };
    let affix = Word { value: Cooked::Affix { head: b"x".to_vec(), tail: Vec::new() }, ..Word::default() };
    let argv =
        |text: &str| -> sandbox::Argv { text.split(' ').map(|word| word.as_bytes().to_vec()).collect() };
    let place = Place { parent: None, kind: PlaceKind::Text, span: Span::default() };
    let mut script = Script { places: vec![place], ..Script::default() };
    script.commands.push(Command { words: vec![exact("alpha"), exact("n1"), affix], ..Command::default() });
    assert_eq!(find(&script, &argv("alpha n1 xyz")), Found::Command);
    assert_eq!(find(&script, &argv("alpha n1 xa b")), Found::Command);
    assert_eq!(find(&script, &argv("alpha n2 xyz")), Found::Missed);
    assert_eq!(find(&script, &argv("alpha n1 yz")), Found::Missed);
    assert_eq!(find(&script, &argv("alpha n1")), Found::Missed);
    assert_eq!(find(&script, &argv("beta n1 x")), Found::Missed);
    script.opaque.push(Opaque {
        span: Span::default(),
        reason: "test",
        bytes: b"b'et'a".to_vec(),
        unread: None,
    });
    assert_eq!(find(&script, &argv("beta n1 x")), Found::Opaque);
    script.commands.push(Command {
        words: vec![Word { value: Cooked::Opaque, ..Word::default() }],
        ..Command::default()
    });
    assert_eq!(find(&script, &argv("delta")), Found::Vague);
}
