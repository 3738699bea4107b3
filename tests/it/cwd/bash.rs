//! Real bash as the judge of the shapes: whether the directory of the shell that reads a text changes is
//! what the guard must say.

use super::{call, gate};
use stanchion::matrix::{Matrix, Row, SHIPPED};
use stanchion::verdict::Decision;
use std::process::{Command, Stdio};

/// Rows in which bash moves though the guard is silent, and why.
const SILENT: &[(&str, &str)] = &[
    ("broken-later-line", "a text that does not parse is allowed, though its first line runs"),
    ("maybe-nothing", "nothing tells that the variable is empty"),
];

/// Runs each text as a harness with a kept shell would, in a shell of its own. Programs are not there; in their stead bash
/// calls a function that prints a name and ends with the status `$STUB`. `1` answers `select`.
const SCRIPT: &str = r#"
PATH=$TOP/path HOME=$TOP/home DIR=src x=a number=0
make() { return "$STUB"; }
command_not_found_handle() { builtin echo src; return "$STUB"; }
for TEXT; do
    number=$((number + 1))
    (
        builtin cd "$TOP/old" && builtin pushd "$TOP/at" >/dev/null && OLDPWD=$TOP/old
        builtin eval "$TEXT"
        builtin printf '%s\n%s\n' "$PWD" "$OLDPWD" >"$TOP/report.$number"
    ) <"$TOP/answers"
done
"#;

fn rows() -> Vec<Row> {
    let (name, text) = SHIPPED.into_iter().find(|(name, _)| *name == "cwd.toml").unwrap();
    let matrix = Matrix::parse(name, text).unwrap();
    matrix.rows.into_iter().filter(|row| row.directory.as_deref() == Some("plain")).collect()
}

fn place() -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    for directory in ["old", "home", "path", "at/a/src/src", "at/b", "at/lib", "at/src/src/src", "at/src/lib"]
    {
        std::fs::create_dir_all(top.path().join(directory)).unwrap();
    }
    for (file, content) in [
        ("at/list", "src\n"),
        ("answers", "1\n1\n"),
        ("at/env.sh", ":\n"),
        ("at/cd", ":\n"),
        ("at/eval", ":\n"),
    ] {
        std::fs::write(top.path().join(file), content).unwrap();
    }
    let bash = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|directory| directory.join("bash"))
        .find(|bash| bash.is_file())
        .unwrap();
    for name in ["bash", "sh"] {
        std::os::unix::fs::symlink(&bash, top.path().join("path").join(name)).unwrap();
    }
    top
}

/// For each text whether the directory changes, also when it changes back. `stub` is the status of
/// every program.
fn moves(texts: &[&str], stub: &str) -> Vec<bool> {
    texts.chunks(200).flat_map(|texts| moves_few(texts, stub)).collect()
}

fn moves_few(texts: &[&str], stub: &str) -> Vec<bool> {
    let place = place();
    let top = std::fs::canonicalize(place.path()).unwrap();
    let mut bash = Command::new(top.join("path/bash"));
    bash.args(["--norc", "--noprofile", "-c", SCRIPT, "bash"]).args(texts).env_clear();
    bash.env("TOP", &top).env("STUB", stub).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    bash.status().unwrap();
    // A text that ends the shell leaves no report, and nothing of what it did.
    let still = format!("{0}/at\n{0}/old\n", top.display());
    let report = |number: usize| std::fs::read_to_string(top.join(format!("report.{number}")));
    (1..=texts.len()).map(|number| report(number).is_ok_and(|told| told != still)).collect()
}

/// Shapes in which a command `@`, or `^` the same as one quoted word, runs once; `#` is a number.
const SHAPES: &[&str] = &[
    "@",
    "make; @",
    "make && @",
    "@ && make",
    "@; make",
    "make & @",
    "! @",
    "time @",
    "{ @; }",
    "{ @; } >/dev/null",
    "(@)",
    "( { @; } )",
    "x=$(@)",
    "x=`@`",
    "make \"$(@)\"",
    "make <(@); wait $!",
    "@ | make",
    "make | @",
    "make | { @; }",
    "@ & wait",
    "{ @; } & wait",
    "coproc @",
    "if true; then @; fi",
    "if @; then make; fi",
    "if false; then :; else @; fi",
    "for i in 1; do @; done",
    "for ((i = 0; i < 1; i++)); do @; done",
    "while @; do break; done",
    "until @; do break; done",
    "case a in (a) @ ;; esac",
    "select i in a; do @; break; done",
    "f#() { @; }; f#",
    "function f# { @; }; f#",
    "f#() { @; }",
    "f#() (@); f#",
    "f#() { @; }; (f#)",
    "f#() { @; }; f# | make",
    "f#() { @; }; command f#",
    "f#() { @; }; eval f#",
    "f#; f#() { @; }",
    "g#() { f#; }; f#() { @; }; g#",
    "eval ^",
    "A=1 eval ^",
    "command eval ^",
    "builtin eval ^",
    "(eval ^)",
    "bash -c ^",
    "source /dev/stdin <<< ^",
    ". <(printf %s ^)",
    "bash <<< ^",
    "trap ^ DEBUG; :",
    "trap ^ EXIT",
    "echo ^",
    "[[ a ]] && @",
    "(( 1 )) && @",
    "make <<< \"$(@)\"",
];

/// One shape within another.
fn filled(shape: &str, inner: &str, depth: usize) -> String {
    let word = format!("'{}'", inner.replace('\'', "'\\''"));
    shape.replace('#', &depth.to_string()).replace('@', inner).replace('^', &word)
}

/// Texts of two shapes around a change of the directory, and some of three.
fn texts() -> Vec<String> {
    let pair = |(outer, inner): (&&str, &&str)| filled(outer, &filled(inner, "cd src", 1), 2);
    let pairs = || SHAPES.iter().flat_map(|outer| SHAPES.iter().map(move |inner| (outer, inner)));
    let mut texts: Vec<String> = pairs().map(pair).collect();
    let triples = SHAPES.iter().flat_map(|outer| pairs().map(move |inner| filled(outer, &pair(inner), 3)));
    texts.extend(triples.step_by(173));
    texts
}

/// Texts of which the test knows no better: backticks in quotes need further escapes, a `!` before what always
/// holds keeps the rest from running, and `select` reads what stands for another text.
fn apart(text: &str) -> bool {
    let backticks = text.matches('`').count();
    let escapes = backticks > 2 || (backticks > 0 && text.contains('\\'));
    let never = ["! [[", "! ((", "! make &&"].iter().any(|shape| text.contains(shape));
    escapes || never || (text.contains("<<<") && text.contains("select"))
}

/// A call that stands before the definition: within what may run again the guard counts it.
fn late(text: &str) -> bool {
    let calls = (1..=3).map(|number| format!("f{number}; f{number}()"));
    calls.into_iter().any(|call| text.contains(&call))
}

#[test]
fn bash_moves_in_shapes_within_shapes_where_the_guard_objects() {
    let texts: Vec<String> = texts().into_iter().filter(|text| !apart(text)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert!(texts.len() > 3_500, "{}", texts.len());
    let (mut wrong, mut denials) = (Vec::new(), 0);
    for (text, moved) in texts.iter().zip(moves(&texts, "0")) {
        let denied = gate().judge(&call(*text)).decision() == Decision::Deny;
        denials += usize::from(denied);
        if moved != denied && (moved || !late(text)) {
            wrong.push(format!("{text:?} denied {denied}, bash moves {moved}"));
        }
    }
    assert!(denials > 500 && texts.len() - denials > 500, "{denials} of {}", texts.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), texts.len(), wrong.join("\n"));
}

#[test]
fn bash_moves_where_the_guard_objects_and_nowhere_else() {
    let rows = rows();
    assert!(rows.len() > 150);
    let texts: Vec<&str> = rows.iter().map(|row| row.command.as_str()).collect();
    let moved = moves(&texts, "0").into_iter().zip(moves(&texts, "1")).map(|(good, bad)| good || bad);
    let mut wrong = Vec::new();
    for (row, moved) in rows.iter().zip(moved) {
        let denied = gate().judge(&call(row.command.as_str())).decision() == Decision::Deny;
        assert_eq!(denied, row.expect == Decision::Deny, "{}", row.id);
        let known = SILENT.iter().any(|(id, _)| *id == row.id);
        if moved != (denied || known) {
            wrong.push(format!("{}: {:?} denied {denied}, bash moves {moved}", row.id, row.command));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
