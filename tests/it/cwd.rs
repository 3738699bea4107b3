//! The cd guard against CONTRACT 7: its policy, its prefilter, its explanations. What bash says of its
//! shapes and what git says of its scope stand in files of their own.

mod bash;
mod git;

use crate::guards::disguise;
use proptest::prelude::*;
use stanchion::call::{Checkout, CheckoutKind, ToolCall};
use stanchion::gate::Gate;
use stanchion::policy;
use stanchion::shell::{self, query::Queries};
use std::path::Path;

fn gate() -> Gate {
    Gate::new(policy::shipped("cwd").into_iter().collect())
}

/// A call in a checkout to which the shipped policy applies.
fn call(command: impl Into<Vec<u8>>) -> ToolCall {
    let entries = vec!["AGENTS.md".to_owned(), "bin/".to_owned()];
    ToolCall { checkout: Checkout { kind: CheckoutKind::Plain, entries }, ..ToolCall::shell(command) }
}

fn code(gate: &Gate, call: &ToolCall) -> Option<String> {
    gate.judge(call).deciding().map(|finding| finding.code.clone())
}

fn silence(call: &ToolCall) -> String {
    let script = shell::read(&call.command, Queries::shipped());
    let trace = gate().trace(call, &script);
    trace.into_iter().find(|(guard, _)| guard == "cwd").map(|(_, why)| why).unwrap_or_default()
}

#[test]
fn shipped_policies_are_their_files() {
    for name in ["cwd", "firstmate"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("policies/{name}.toml"));
        assert_eq!(policy::shipped(name), Some(policy::load(&file).unwrap()));
    }
}

#[test]
fn a_denial_names_the_words_and_the_way() {
    let verdict = gate().judge(&call("make; builtin cd src && ls"));
    let finding = verdict.deciding().unwrap();
    assert_eq!((finding.guard, finding.code.as_str()), ("cwd", "persistent-cd"));
    assert!(finding.reason.ends_with("(here: `builtin cd src`)"), "{}", finding.reason);
    assert_eq!(finding.chain, ["line 1", "builtin"]);
    assert_eq!(gate().judge(&call("cd a; (cd b); pushd c")).findings().len(), 2);
}

#[test]
fn silence_has_a_reason() {
    for (command, why) in [
        ("make", "no command changes the directory"),
        ("cd --help", "no command changes the directory"),
        ("(cd src)", "the directory changes in another shell only (subshell)"),
        ("cd src | cat", "the directory changes in another shell only (pipeline stage 1 of 2)"),
        ("bash -c 'cd src'", "the directory changes in another shell only (text for bash)"),
        ("sudo cd src", "the directory changes in another shell only (sudo)"),
        ("f() { cd src; }", "the shell of this call does not call the function f"),
        ("cd() { :; }; cd src", "the text defines a function of that name"),
        ("cd src; echo 'x", "the text does not parse"),
    ] {
        assert_eq!(silence(&call(command)), why, "{command}");
    }
}

#[test]
fn silence_tells_of_the_scope() {
    let place = |kind, entries: &[&str]| {
        let entries = entries.iter().map(|entry| (*entry).to_owned()).collect();
        ToolCall { checkout: Checkout { kind, entries }, ..ToolCall::shell("cd src") }
    };
    let full = ["AGENTS.md", "bin/"];
    assert_eq!(silence(&ToolCall::shell("cd src")), "the call is in no git checkout");
    assert_eq!(silence(&place(CheckoutKind::Linked, &full)), "the call is in a linked worktree");
    assert_eq!(silence(&place(CheckoutKind::Plain, &["bin/"])), "the checkout has no AGENTS.md at its root");
    assert_eq!(silence(&place(CheckoutKind::Plain, &["AGENTS.md"])), "the checkout has no bin/ at its root");
    assert_eq!(silence(&place(CheckoutKind::Plain, &full)), "");
}

#[test]
fn a_policy_that_guards_no_directory_is_not_explained() {
    let firstmate = Gate::new(policy::shipped("firstmate").into_iter().collect());
    let script = shell::read(b"cd src", Queries::shipped());
    assert!(firstmate.trace(&call("cd src"), &script).iter().all(|(guard, _)| guard != "cwd"));
    assert_eq!(firstmate.asks_checkout(b"cd src"), None);
}

#[test]
fn the_checkout_matters_only_for_texts_that_may_change_the_directory() {
    assert_eq!(gate().asks_checkout(b"cargo test"), None);
    assert_eq!(gate().asks_checkout(b"(cd src)"), Some(vec!["AGENTS.md", "bin/"]));
    assert_eq!(gate().asks_checkout(b"$x src"), Some(vec!["AGENTS.md", "bin/"]));
}

/// Writes a policy and loads it.
fn load(text: &str) -> Result<policy::Policy, String> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("p.toml");
    std::fs::write(&file, text).unwrap();
    policy::load(&file).map_err(|errors| errors.to_string())
}

const REASON: &str = "[reasons]\npersistent-cd = \"stay\"\n";

#[test]
fn names_and_scope_are_data() {
    let text = format!(
        "version = 1\nname = \"p\"\n[cwd]\nentries = [\"Makefile\"]\ncommands = [{{ name = \"z\" }}]\nkeep = [\"run\"]\n{REASON}"
    );
    let gate = Gate::new(vec![load(&text).unwrap()]);
    let place = |kind, command: &str| {
        let checkout = Checkout { kind, entries: vec!["Makefile".to_owned()] };
        ToolCall { checkout, ..ToolCall::shell(command) }
    };
    for kind in [CheckoutKind::Plain, CheckoutKind::Linked] {
        assert_eq!(code(&gate, &place(kind, "z src")).as_deref(), Some("persistent-cd"));
    }
    assert_eq!(code(&gate, &place(CheckoutKind::None, "z src")), None);
    assert_eq!(code(&gate, &place(CheckoutKind::Plain, "cd src")), None);
    assert_eq!(code(&gate, &place(CheckoutKind::Plain, "command z src")), None);
    let everywhere = text.replace("entries = [\"Makefile\"]\n", "");
    let gate = Gate::new(vec![load(&everywhere).unwrap()]);
    assert_eq!(gate.asks_checkout(b"z src"), None);
    assert_eq!(code(&gate, &ToolCall::shell("z src")).as_deref(), Some("persistent-cd"));
}

#[test]
fn mistakes_in_the_table_say_what_and_where() {
    let head = "version = 1\nname = \"p\"\n[cwd]\n";
    let commands = "commands = [{ name = \"cd\" }]\n";
    for (text, wanted) in [
        (
            format!("{head}{commands}comands = []\n{REASON}"),
            "p.toml:5:1: unknown key \"comands\" in this table of directories; did you mean \"commands\"?",
        ),
        (
            format!("{head}commands = [{{ name = \"cd\", inhert = [] }}]\n{REASON}"),
            "p.toml:4:28: unknown key \"inhert\" in this builtin; did you mean \"inert\"?",
        ),
        (format!("{head}{commands}"), "without a reason: persistent-cd; add each under [reasons]"),
        (
            format!("{head}{commands}[reasons]\npersistent-cd = \" \"\n"),
            "p.toml:6:17: persistent-cd is blank; say what is wrong, and how to do it right",
        ),
        (
            format!("{head}{commands}{REASON}persistent-dc = \"x\"\n"),
            "p.toml:7:1: \"persistent-dc\" is not a code of the guards; did you mean \"persistent-cd\"?",
        ),
        (
            format!("{head}commands = [{{ name = \"cd\" }}, {{ name = \"cd\" }}]\n{REASON}"),
            "p.toml:4:39: \"cd\" stands twice; name each builtin once",
        ),
        (
            format!("{head}{commands}keep = [\"/bin/command\"]\n{REASON}"),
            "p.toml:5:9: \"/bin/command\" is not the name of a builtin",
        ),
        (
            format!("{head}{commands}texts = [{{ program = \"\" }}]\n{REASON}"),
            "p.toml:5:22: program is blank; write it like cd: one word without a path",
        ),
        (
            format!("{head}{commands}entries = [\"bin/\", \"../x\"]\n{REASON}"),
            "p.toml:5:20: \"../x\" is not a plain relative path",
        ),
        (format!("{head}entries = [\"bin/\"]\n"), "p.toml:4:12: a scope without commands guards nothing"),
    ] {
        let error = load(&text).unwrap_err();
        assert!(error.contains(wanted), "{text}\nwanted {wanted}\ngot    {error}");
    }
}

#[test]
fn a_reason_is_wanted_for_what_a_policy_can_say_only() {
    let script = "[[protected.script]]\nidentity = \"a\"\npath = \"bin/a\"\nblessed = true\n";
    let errors = load(&format!("version = 1\nname = \"p\"\n{script}")).unwrap_err();
    assert!(
        errors.contains("without a reason: unclassifiable") && errors.contains("watcher-direct"),
        "{errors}"
    );
    assert!(!errors.contains("persistent-cd") && !errors.contains("broad"), "{errors}");
    let errors = load("version = 1\nname = \"p\"\n[kill]\nnames = [\"x\"]\n").unwrap_err();
    assert!(errors.contains("without a reason: broad-watcher-kill, unclassifiable"), "{errors}");
    assert!(!errors.contains("watcher-direct"), "{errors}");
    assert!(load("version = 1\nname = \"p\"\n").is_ok());
}

#[test]
fn many_changes_and_many_functions_stay_cheap() {
    let many = "cd a; ".repeat(9_000);
    assert_eq!(code(&gate(), &call(many)).as_deref(), Some("persistent-cd"));
    let chain: String = (0..3_000).map(|at| format!("f{at}() {{ f{}; }}\n", at + 1)).collect();
    let text = format!("{chain}f3000() {{ cd a; }}\nf2990\n");
    assert_eq!(code(&gate(), &call(text)).as_deref(), Some("persistent-cd"));
    let same = "f() { f; cd a; }\n".repeat(3_000) + "f\n";
    assert_eq!(code(&gate(), &call(same)).as_deref(), Some("persistent-cd"));
}

fn frames() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "@ src",
        "make && @ src",
        "{ @ src; }",
        "eval @ src",
        "eval '@ src'",
        "source <(echo @ src)",
        ". /dev/stdin <<'E'\n@ src\nE",
        "source /dev/stdin <<< '@ src'",
        "command @ src",
        "x=@; $x src",
        "f() { @ src; }; f",
        "trap '@ src' DEBUG",
        "if true; then @ src; fi",
        "shopt -s extglob\n@ src",
        "set -- @ src; \"$@\"",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// What the prefilter lets pass, the guard does not object to; and then nobody asks for the checkout.
    #[test]
    fn the_prefilter_is_a_superset_here_too(
        frame in frames(),
        name in proptest::sample::select(vec!["cd", "pushd", "popd"]),
        kinds in proptest::collection::vec(0u8..20, 5),
    ) {
        let word: String = name.bytes().zip(kinds).map(|(byte, how)| disguise(byte, how)).collect();
        let text = frame.replace('@', &word).into_bytes();
        let call = call(text.clone());
        if !gate().may_concern(&text) || gate().asks_checkout(&text).is_none() {
            let script = shell::read(&text, Queries::shipped());
            let verdict = gate().judge_script(&call, &script);
            prop_assert!(verdict.findings().is_empty(), "{:?} passes", String::from_utf8_lossy(&text));
        }
    }
}
