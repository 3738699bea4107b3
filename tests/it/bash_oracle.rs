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
const PROGRAMS: (u64, u64) = if cfg!(debug_assertions) { (1_500, 500) } else { (20_000, 5_000) };

fn holds(programs: u64, seed: u64) {
    let report = campaign::run(0..programs, seed, false, &|_, _| ()).expect("bash on this machine");
    let text = report.text(seed);
    println!("{text}");
    assert!(report.executions > report.programs, "the programs run too little:\n{text}");
    assert_eq!(report.missed, 0, "sound\n{text}");
    assert_eq!(report.false_programs, 0, "precise\n{text}");
    assert_eq!(report.denied, 0, "precise\n{text}");
    assert_eq!(report.allowed, 0, "sound\n{text}");
    assert!(report.named * 20 > report.programs && report.protected * 40 > report.programs, "\n{text}");
    assert!(report.opaque_programs * 100 <= report.ordinary, "ordinary programs are seldom opaque:\n{text}");
    assert!(report.timed_out * 200 <= report.programs, "\n{text}");
    for kind in generate::kinds() {
        assert!(report.counts.contains_key(kind), "no program has {kind}\n{text}");
    }
}

#[test]
fn every_execution_is_found() {
    holds(PROGRAMS.0, SEED);
}

/// Programs of the day: the seed is in the report, so that a failure can be repeated.
#[test]
fn every_execution_of_the_day_is_found() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a date");
    holds(PROGRAMS.1, now.as_secs() / 86_400);
}

#[test]
fn generator_covers_its_kinds() {
    let mut counts = std::collections::BTreeMap::new();
    for number in 0..3_000 {
        let mut generator = campaign::program(SEED, number);
        let text = generator.program();
        assert!(!text.is_empty());
        assert_eq!(text, campaign::program(SEED, number).program(), "a seed is a program");
        for (kind, count) in generator.counts {
            *counts.entry(kind).or_insert(0) += count;
        }
    }
    assert!(counts.len() >= 140);
    for kind in generate::kinds() {
        assert!(counts.get(kind).is_some_and(|count| *count >= 10), "{kind} was written {counts:?} times");
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
        bytes: b"b'et'a n1".to_vec(),
        unread: None,
    });
    assert_eq!(find(&script, &argv("beta n1 x")), Found::Opaque);
    script.commands.push(Command {
        words: vec![Word { value: Cooked::Opaque, ..Word::default() }],
        ..Command::default()
    });
    assert_eq!(find(&script, &argv("delta")), Found::Vague);
    let pattern = Word { value: Cooked::Pattern(b"a[0-9]*".to_vec()), ..Word::default() };
    script.commands.push(Command { words: vec![exact("gamma"), pattern], ..Command::default() });
    assert_eq!(find(&script, &argv("gamma a1b a2")), Found::Command);
    assert_eq!(find(&script, &argv("gamma a[0-9]*")), Found::Command);
    assert_eq!(find(&script, &argv("gamma b1")), Found::Vague);
}
