//! Odd and hostile sizes: every text gets a verdict, and padding hides nothing.

use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy;
use stanchion::shell::{self, query::Queries};
use stanchion::verdict::Decision;
use std::path::Path;

const DENIED: &str = "bin/fm-watch-arm.sh &";

fn gate() -> Gate {
    Gate::new(policy::shipped("firstmate").into_iter().collect())
}

/// A program with every kind of nesting; each of its beginnings is a text of its own.
const RICH: &str = "A=1 b=(x $(c)) d \"e${f:-`g`}\" $'h\\n' <(i) >j 2>&1 <<K | (l; m) && { n; } &\n$(o)\nK\n\
    case p in (q|r) s;; *) t;& esac; for u in {1..3}; do v; done; if [[ w =~ ^x$ ]]; then ((y++)); fi # z\n\
    eval 'aa \"bb\"'; bash -c \"cc\" <<<dd; f() { ee; }; while ff; do break; done; echo $((1 + 2)) *.x ~";

#[test]
fn every_beginning_and_ending_of_a_program_is_read() {
    for at in (0..=RICH.len()).filter(|at| RICH.is_char_boundary(*at)) {
        for text in [&RICH[..at], &RICH[at..]] {
            let script = shell::read(text.as_bytes(), Queries::shipped());
            assert!(script.opaque.iter().all(|region| region.span.end <= text.len()), "{text:?}");
            assert_eq!(shell::skeleton(text.as_bytes()).len(), text.len(), "{text:?}");
        }
    }
}

#[test]
fn empty_texts_end() {
    for text in ["", " ", "\n", "#", "``", "$()", "eval ''", "bash -c ''", "bash <<< ''", "<<E\nE", "{,}"] {
        assert_eq!(shell::read(text.as_bytes(), Queries::shipped()).source, text.as_bytes());
    }
}

#[test]
fn no_padding_hides_a_denied_command() {
    let units = [
        "(",
        "$(",
        "'",
        "\"",
        "`",
        "$((",
        "{a,",
        "${a:-",
        "case x in x) ",
        "x=a;",
        "a[$(",
        "*?[",
        "{1..9}",
        "sudo ",
        "x=1; eval $x; ",
        "a|",
        "a&&",
        "a;",
        "true\n",
        "x=1; eval $x\n",
        "kill $(pgrep -f x)\n",
        "if a; then ",
        "{ ",
        "[[ ",
        "((",
        "<(",
        "f() ",
        "! ",
        "time ",
        "coproc ",
        "\\\n",
        "# x\n",
        "cat <<E\nE\n",
        "cat <<E\n$(a)\nE\n",
        "é ",
    ];
    let gate = gate();
    for unit in units {
        let padding = unit.repeat(120_000 / unit.len());
        for text in [format!("{padding}\n{DENIED}"), format!("{DENIED}\n{padding}")] {
            // A quote that is never closed swallows what follows; bash runs none of it then.
            let verdict = gate.judge(&ToolCall::shell(text));
            assert_eq!(verdict.decision(), Decision::Deny, "{unit:?}");
        }
    }
}

/// Texts in texts, each nested as deep as may be: the stack that they need is that of one of them, and
/// what is too deep is no way past. A thread of a test has 2 MiB; a program's first one mostly 8.
#[test]
fn nesting_is_bounded_over_all_texts() {
    let gate = gate();
    let openers = [
        ("{ ", "}\n"),
        ("(", ")\n"),
        ("if a; then ", "fi\n"),
        ("case x in x) ", ";; esac\n"),
        ("f() { ", "}\n"),
        ("while a; do ", "done\n"),
        ("for i in a; do ", "done\n"),
        ("\"$(", ")\"\n"),
        ("${a:-$(", ")}\n"),
        ("for i in $(", "; do b; done\n"),
        ("[[ $(", ") ]]\n"),
        ("sudo ", ""),
        ("find . -exec ", ""),
    ];
    for (open, close) in openers {
        for depth in [1, 15, 31, 75, 150] {
            let mut text = DENIED.to_owned();
            for at in 0..15 {
                let (open, close) = (open.repeat(depth), close.repeat(depth));
                text = format!("{open}bash <<'E{at}'\n{text}\nE{at}\n{close}");
            }
            let verdict = gate.judge(&ToolCall::shell(text));
            assert_eq!(verdict.decision(), Decision::Deny, "{open:?} {depth}");
        }
    }
}

/// A value that stands too deep to be followed is not lost.
#[test]
fn values_are_not_lost_in_the_depth() {
    let gate = gate();
    for (open, close) in [("", ""), ("{ ", "\n}"), ("( ", "\n)"), ("if a; then ", "\nfi")] {
        for (depth, links) in [(1, 3), (1, 14), (1, 20), (1, 50), (75, 3), (75, 50), (150, 3), (150, 20)] {
            let (open, close) = (open.repeat(depth), close.repeat(depth));
            let link = |at: usize| format!("x{at}='{open}eval \"$x{}\"{close}'\n", at + 1);
            let chain: String = (0..links).map(link).collect();
            let text = format!("{chain}x{links}='{DENIED}'\neval \"$x0\"\n");
            let verdict = gate.judge(&ToolCall::shell(text));
            assert_eq!(verdict.decision(), Decision::Deny, "{open:?} {depth} {links}");
        }
    }
}

#[test]
fn nul_bytes_are_opaque() {
    let verdict = gate().judge(&ToolCall::shell(format!("echo \0; {DENIED}")));
    assert_eq!(verdict.decision(), Decision::Deny);
}

#[test]
fn another_policy_guards_other_names() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/policies/lighthouse.toml");
    let gate = Gate::new(vec![policy::load(&path).unwrap()]);
    let code =
        |command: &str| gate.judge(&ToolCall::shell(command)).deciding().map(|finding| finding.code.clone());
    assert_eq!(code("ops/lamp-light.sh"), None);
    assert_eq!(code("source etc/night.env; ops/lamp-trim.sh"), None);
    assert_eq!(code("ops/lamp-light.sh &").as_deref(), Some("watcher-background"));
    assert_eq!(code("ops/lamp.sh").as_deref(), Some("watcher-direct"));
    assert_eq!(code("pkill -f ops/lamp").as_deref(), Some("broad-watcher-kill"));
    assert_eq!(code(DENIED), None);
}

#[test]
fn a_bad_policy_says_what_and_where() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("p.toml");
    std::fs::write(
        &file,
        "version = 2\nname = \" \"\n[[protected.script]]\nidentity = \"a\"\npath = \"/x\"\nblessed = true\n",
    )
    .unwrap();
    let text = policy::load(&file).unwrap_err().to_string();
    for part in
        ["p.toml:1:11: unknown version 2", "p.toml:2:8: name is blank", "p.toml:5:8: \"/x\" is not a plain"]
    {
        assert!(text.contains(part), "{text}");
    }
}
