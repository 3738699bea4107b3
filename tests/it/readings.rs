//! Shapes that mutated texts and scripts of real systems showed to be misread.

use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy;
use stanchion::shell::{self, query::Queries};
use stanchion::verdict::Decision;

fn decision(text: &str) -> Decision {
    let gate = Gate::new(policy::shipped("firstmate").into_iter().collect());
    gate.judge(&ToolCall::shell(text)).decision()
}

/// The exact words of every command, and how many regions are opaque.
fn read(text: &str) -> (Vec<String>, usize) {
    let script = shell::read(text.as_bytes(), Queries::shipped());
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let words = script.commands.iter().map(|command| {
        let words: Vec<String> = command.words.iter().filter_map(|word| word.exact()).map(shown).collect();
        words.join(" ")
    });
    (words.collect(), script.opaque.len())
}

#[test]
fn two_parentheses_may_be_two_subshells() {
    for text in [
        "((a; b) | c) 5<&0",
        "((a; b); c;)",
        "((a; b)& c&)",
        "((a; b)\nc\n)",
        "(((a); b); c)",
        "f() ((a; b); c)",
        "if ((a; b); c) then :; fi",
        "while ((a; b); c;) do break; done",
        "case $((1)) in 1) ((a; b); c);; esac",
        "echo \"$( ((a; b) | c) )\"",
    ] {
        let (words, opaque) = read(text);
        assert_eq!(opaque, 0, "{text:?}");
        for name in ["a", "b", "c"] {
            assert!(words.iter().any(|word| word == name), "{text:?}: {words:?}");
        }
    }
}

#[test]
fn options_of_set_are_no_arguments() {
    for text in [
        "set -- bin/fm-watch-arm.sh; set -e; $1 &",
        "set bin/fm-watch-arm.sh; set -o posix; $1 &",
        "set -eo pipefail bin/fm-watch-arm.sh; $1 &",
        "set - bin/fm-watch-arm.sh; set -; $1 &",
        "set +x -u -- bin/fm-watch-arm.sh; $1 &",
    ] {
        assert_eq!(decision(text), Decision::Deny, "{text:?}");
    }
    assert_eq!(read("set -e; eval \"$1=x\"").1, 0);
}

#[test]
fn a_pattern_in_parentheses_may_hold_a_newline() {
    for text in [
        "[[ x == @(a|\n  |b) ]] && c; d",
        "[[ x =~ (a|\nb) ]] && c; d",
        "shopt -s extglob; c\ncase x in @(a|\nb)) d;; esac",
    ] {
        let (words, opaque) = read(text);
        assert_eq!(opaque, 0, "{text:?}");
        for name in ["c", "d"] {
            assert!(words.iter().any(|word| word == name), "{text:?}: {words:?}");
        }
    }
}

#[test]
fn the_prefilter_passes_nothing_that_a_guard_finds() {
    let gate = Gate::new(policy::shipped("firstmate").into_iter().collect());
    for text in ["bin/fm-w<()", "bin/fm-w>\\\n()", "shopt -s extglob\nbin/fm-@\\\n(watch).sh"] {
        assert!(gate.may_concern(text.as_bytes()), "{text:?}");
    }
}
