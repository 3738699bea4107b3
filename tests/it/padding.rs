//! No padding hides a denied command: every kind of padding, before it, behind it, around it and with the
//! command inside, for every kind of denial, through the library and through the hook as a process that
//! may not take much memory.

use crate::child::feed;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy;
use stanchion::verdict::Decision;
use std::fmt::Write as _;
use std::process::Command;

/// A denied script and a denied kill.
const DENIED: [&str; 2] = ["nohup bin/fm-watch-arm.sh", "pkill -f fm-watch"];

/// A text of harmless parts: it opens, it may hold a command, it closes.
struct Padding {
    name: String,
    open: String,
    /// What stands for the command where there is none.
    filler: &'static str,
    /// How a command is written there.
    inside: fn(&str) -> String,
    close: String,
}

fn bare(command: &str) -> String {
    command.to_owned()
}

fn line(command: &str) -> String {
    format!("{command}\n")
}

fn list(command: &str) -> String {
    format!("{command}; ")
}

fn and(command: &str) -> String {
    format!("{command} && ")
}

fn substituted(command: &str) -> String {
    format!("$({command})")
}

/// The same part many times on both sides.
fn flat(name: &str, unit: &str, times: usize, filler: &'static str, inside: fn(&str) -> String) -> Padding {
    framed(name, "", unit, times, ("", filler), inside)
}

/// The same, with a head before all and a tail behind.
fn framed(
    name: &str,
    head: &str,
    unit: &str,
    times: usize,
    (tail, filler): (&str, &'static str),
    inside: fn(&str) -> String,
) -> Padding {
    let half = unit.repeat(times.div_ceil(2));
    let (open, close) = (format!("{head}{half}"), format!("{half}{tail}"));
    Padding { name: name.to_owned(), open, filler, inside, close }
}

fn nested(name: &str, open: &str, close: &str, depth: usize) -> Padding {
    let (open, close) = (open.repeat(depth), close.repeat(depth));
    Padding { name: name.to_owned(), open, filler: "true", inside: bare, close }
}

/// Backticks in backticks: each level doubles the backslashes.
fn backticks(depth: u32) -> Padding {
    let mark = |level: u32| format!("{}`", "\\".repeat((1 << level) - 1));
    let open: String = (0..depth).map(|level| format!("echo {}", mark(level))).collect();
    let close: String = (0..depth).rev().map(mark).collect();
    Padding { name: format!("{depth} backticks"), open, filler: "true", inside: bare, close }
}

/// A command with very many heredocs, and the bodies of all behind it.
fn heredocs_of_a_line(times: usize) -> Padding {
    let open = format!("cat {}", "<<E ".repeat(times));
    let close = format!("\n{}", "E\n".repeat(times));
    Padding { name: "heredocs of a line".to_owned(), open, filler: "", inside: |c| format!("; {c}"), close }
}

/// Each variable is the one before it, many times over: the last would have no end.
fn product() -> Padding {
    let mut open = "v0=xxxxxxxxxxxxxxxx; ".to_owned();
    for n in 1..60 {
        let _ = write!(open, "v{n}=$v{0}$v{0}$v{0}$v{0}; ", n - 1);
    }
    open.push_str("echo $v59$v59 ");
    Padding {
        name: "product of variables".to_owned(),
        open,
        filler: "",
        inside: substituted,
        close: String::new(),
    }
}

/// More variables than are kept, and subshells that copy them.
fn many_variables(times: usize) -> Padding {
    let mut open = String::new();
    for n in 0..times {
        let _ = write!(open, "v{n}=a; (w=$v{n}); ");
    }
    Padding { name: "variables".to_owned(), open, filler: "", inside: list, close: String::new() }
}

/// A variable of more values than are kept; one of the last may be the command.
fn many_values(times: usize) -> Padding {
    let mut open = String::new();
    for n in 0..times {
        let _ = write!(open, "if a; then w={n}; fi; ");
    }
    let inside = |c: &str| format!("a && w='{c}'; eval \"$w\"; ");
    Padding { name: "values".to_owned(), open, filler: "", inside, close: String::new() }
}

/// Every variable may have several values; a word of many of them has their product.
fn choices() -> Padding {
    let mut open = String::new();
    for n in 0..40 {
        let _ = write!(open, "if a; then v{n}=a; else v{n}=b; fi; ");
    }
    open.push_str("echo ");
    (0..40).for_each(|n| {
        let _ = write!(open, "$v{n}");
    });
    Padding {
        name: "product of choices".to_owned(),
        open,
        filler: "",
        inside: substituted,
        close: String::new(),
    }
}

/// `size` is about the number of bytes of each, `depth` the levels of nesting.
fn paddings(size: usize, depth: usize) -> Vec<Padding> {
    let of = |unit: &str| size / unit.len();
    let mut all = vec![
        flat("commands;", "true; ", of("true; "), "", list),
        flat("commands\\n", "true\n", of("true\n"), "", line),
        flat("commands&&", "true && ", of("true && "), "true && ", and),
        flat("commands||", "true || ", of("true || "), "true || ", |c| format!("{c} || ")),
        flat("commands|", "true | ", of("true | "), "true | ", |c| format!("{c} | ")),
        flat("commands|&", "true |& ", of("true |& "), "true |& ", |c| format!("{c} |& ")),
        flat("commands&", "true & ", of("true & "), "", |c| format!("{c} & ")),
        framed("one heredoc", "cat <<E\n", "line of text\n", of("line of text\n"), ("E\n", ""), |c| {
            format!("$({c})\n")
        }),
        flat("heredocs", "cat <<E\nx\nE\n", of("cat <<E\nx\nE\n"), "", line),
        flat("quoted heredocs", "cat <<'E'\n$(x\nE\n", of("cat <<'E'\n$(x\nE\n"), "", line),
        heredocs_of_a_line(of("<<E E\n")),
        flat("here-strings", "cat <<< \"x y\"\n", of("cat <<< \"x y\"\n"), "", line),
        framed("one here-string", "cat <<< \"", "x ", of("x "), ("\"", ""), substituted),
        framed("one word", "echo ", "x", size, ("", ""), substituted),
        framed("one quoted word", "echo '", "x ", of("x "), ("'", ""), |c| format!("'$({c})'")),
        framed("one double-quoted word", "echo \"", "x ", of("x "), ("\"", ""), substituted),
        framed("one escaped word", "echo ", "\\x", of("\\x"), ("", ""), substituted),
        framed("one $' word", "echo $'", "\\x41", of("\\x41"), ("'", ""), |c| format!("'$({c})$'")),
        framed("words", "echo ", "x ", of("x "), ("", ""), |c| format!("$({c}) ")),
        framed("words with expansions", "echo ", "$x ", of("$x "), ("", ""), |c| format!("$({c}) ")),
        framed("one word of expansions", "echo ", "$x", of("$x"), ("", ""), substituted),
        framed("one word of default values", "echo ", "${x:-y}", of("${x:-y}"), ("", ""), substituted),
        framed("one word of positionals", "set -- $a $b; echo ", "$@", of("$@"), ("", ""), substituted),
        flat("substitutions", "echo $(x)\n", of("echo $(x)\n"), "", line),
        framed("substitutions in a word", "echo ", "$(x)", of("$(x)"), ("", ""), substituted),
        flat("processes", "cat <(x) >(y)\n", of("cat <(x) >(y)\n"), "", line),
        framed("assignments", "", "a=1 ", of("a=1 "), ("true", ""), |c| format!("b=$({c}) ")),
        flat("assignment commands", "a=1; ", of("a=1; "), "", list),
        flat("appended assignments", "a+=x; ", of("a+=x; "), "", list),
        flat("assigned products", "a=$a$a; ", of("a=$a$a; "), "", list),
        flat("possible values", "a && b=$b$b$b; ", of("a && b=$b$b$b; "), "", list),
        framed("array", "a=(", "x ", of("x "), (")", ""), |c| format!("$({c}) ")),
        framed("redirects", "true ", "<x ", of("<x "), ("", ""), |c| format!("<$({c}) ")),
        framed("redirects before", "", "<x ", of("<x "), ("true", ""), |c| format!("{c} ")),
        flat("comments", "# it's `a` $(comment\n", of("# it's `a` $(comment\n"), "", line),
        framed("one comment", "# ", "$( ", of("$( "), ("", ""), |c| format!("\n{c} # ")),
        flat("blank lines", "\n", size, "", line),
        flat("blanks", " ", size, "", list),
        flat("continuations", "\\\n", of("\\\n"), "", list),
        framed("wrappers", "", "sudo ", of("sudo "), ("", ""), bare),
        framed("wrappers with options", "", "env -i ", of("env -i "), ("", ""), bare),
        framed("wrappers of texts", "x='", "sudo ", of("sudo "), ("'", ""), |c| format!("'; {c}; y='")),
        flat("evals", "eval 'a b'\n", of("eval 'a b'\n"), "", line),
        flat("bash -c", "bash -c 'a; b'\n", of("bash -c 'a; b'\n"), "", line),
        flat("pipes to sh", "echo a | sh\n", of("echo a | sh\n"), "", line),
        flat("evals of a variable", "x='eval $x'; eval $x\n", of("x='eval $x'; eval $x\n"), "", line),
        flat("aliases", "alias a='b c'\n", of("alias a='b c'\n"), "", |c| format!("alias d='{c}'\n")),
        flat("functions", "f() { a; }\n", of("f() { a; }\n"), "", |c| format!("g() {{ {c}; }}\n")),
        flat("ifs", "if a; then b; fi\n", of("if a; then b; fi\n"), "", |c| format!("if a; then {c}; fi\n")),
        flat("whiles", "while a; do b; done\n", of("while a; do b; done\n"), "", line),
        flat("cases", "case a in b) c;; esac\n", of("case a in b) c;; esac\n"), "", line),
        framed("arms", "case a in ", "b) c;; ", of("b) c;; "), ("esac", ""), |c| format!("d) {c};; ")),
        flat("fors", "for a in b c; do d; done\n", of("for a in b c; do d; done\n"), "", line),
        framed("for words", "for a in ", "b ", of("b "), ("; do c; done", ""), |c| format!("$({c}) ")),
        framed("test words", "[[ a ", "&& b ", of("&& b "), ("]]", ""), |c| format!("&& $({c}) ")),
        framed("arithmetic", "((1", "+1", of("+1"), ("))", ""), |c| format!("+$({c})")),
        flat("tests", "[[ a == b ]]\n", of("[[ a == b ]]\n"), "", line),
        flat("arithmetic commands", "((a++)); ", of("((a++)); "), "", list),
        flat("braces", "echo {a,b}{c,d}\n", of("echo {a,b}{c,d}\n"), "", line),
        framed("brace product", "echo ", "{a,b}", of("{a,b}"), ("", ""), substituted),
        framed("brace sequences", "echo ", "{1..999}", of("{1..999}"), ("", ""), substituted),
        flat("a large sequence", "echo {1..99999999}\n", of("echo {1..99999999}\n"), "", line),
        framed("open braces", "echo ", "{a,", of("{a,"), ("", ""), substituted),
        framed("globs", "echo ", "*?[a]", of("*?[a]"), ("", ""), substituted),
        framed("brackets", "echo ", "[", size, ("", ""), substituted),
        flat("kills", "kill $(pgrep -f x)\n", of("kill $(pgrep -f x)\n"), "", line),
        flat("loops of kills", "pgrep x | while read p; do kill $p; done\n", size / 41, "", line),
        framed("given commands", "find . ", "-exec a \\; ", of("-exec a \\; "), ("", ""), |c| {
            format!("-exec {c} \\; ")
        }),
        flat("variables in subshells", "(v=1); a=1 | b; ", of("(v=1); a=1 | b; "), "", list),
        framed("many arguments", "set -- ", "x ", of("x "), ("", ""), |c| format!("$({c}) ")),
        many_variables(size / 24),
        many_values(size / 24),
        flat("directories", "cd a; ", of("cd a; "), "", list),
        flat("negations", "! a; ", of("! a; "), "", list),
        flat("bytes that are no text", "\u{e9}\u{1f600} ; ", of("\u{e9}\u{1f600} ; "), "", list),
        framed("an open quote", "echo '", "x ", of("x "), ("", ""), |c| format!("\n{c}\n")),
        framed("an open double quote", "echo \"", "x ", of("x "), ("", ""), substituted),
        framed("open substitutions", "echo ", "$( ", of("$( "), ("", ""), bare),
        framed("open parentheses", "", "( ", of("( "), ("", ""), bare),
        framed("open arithmetic", "", "(( ", of("(( "), ("", ""), bare),
        framed("open expansions", "echo ", "${a:-", of("${a:-"), ("", ""), substituted),
        framed("negations of one", "", "! ", of("! "), ("true", ""), |c| format!("{c}; ")),
        framed("times", "", "time ", of("time "), ("true", ""), |c| format!("{c}; ")),
        backticks(6),
        backticks(18),
        product(),
        choices(),
    ];
    for (name, open, close) in [
        ("$( )", "echo $(", ")"),
        ("\"$( )\"", "echo \"$(", ")\""),
        ("${ }", "echo ${a:-$(", ")}"),
        ("( )", "( ", " )"),
        ("( ; )", "( a; ", ")"),
        ("{ }", "{ ", "; }"),
        ("(( ))", "((", "))"),
        ("$(( ))", "echo $((", "))"),
        ("<( )", "cat <(", ")"),
        ("if", "if a; then ", "; fi"),
        ("condition", "if ", "; then a; fi"),
        ("while", "while a; do ", "; done"),
        ("for", "for a in b; do ", "; done"),
        ("case", "case a in b) ", ";; esac"),
        ("function", "f() { ", "; }"),
        ("subscript", "a[$(", ")]=1"),
        ("eval", "eval ", ""),
        ("heredoc", "cat <<E\n$(", "\n)\nE\n"),
        ("coproc", "coproc { ", "; }"),
    ] {
        let nested = nested(name, open, close, depth);
        // In arithmetic only a substitution is executed.
        let inside = if open.contains("((") { substituted } else { bare };
        all.push(Padding { name: format!("nested {}", nested.name), inside, ..nested });
    }
    all
}

/// The places of a command and a padding, by name.
fn placed(padding: &Padding, command: &str) -> Vec<(&'static str, String)> {
    let Padding { open, filler, inside, close, .. } = padding;
    let whole = format!("{open}{filler}{close}");
    let mut placed = vec![
        ("before", format!("{whole}\n{command}")),
        ("after", format!("{command}\n{whole}")),
        ("after in the list", format!("{command}; {whole}")),
        ("inside", format!("{open}{}{close}", inside(command))),
    ];
    // The second of two open quotes closes the first, and what stands between is data.
    if !padding.name.starts_with("an open") {
        placed.push(("around", format!("{whole}\n{command}\n{whole}")));
    }
    placed
}

/// Bytes and levels of each padding.
const SIZES: &[(usize, usize)] =
    if cfg!(debug_assertions) { &[(2_000, 200)] } else { &[(2_000, 20), (48_000, 1_000)] };

#[test]
fn the_library_finds_a_command_in_any_padding() {
    let gate = Gate::new(policy::shipped("firstmate").into_iter().collect());
    let mut hidden = Vec::new();
    for (size, depth) in SIZES {
        for padding in paddings(*size, *depth) {
            for command in DENIED {
                for (place, text) in placed(&padding, command) {
                    if gate.judge(&ToolCall::shell(text)).decision() != Decision::Deny {
                        hidden.push(format!("{size} bytes of {}, {place}: {command}", padding.name));
                    }
                }
            }
        }
    }
    assert!(hidden.is_empty(), "{} are hidden:\n{}", hidden.len(), hidden.join("\n"));
}

/// How much memory the hook may map, in KiB: 256 MiB, and the program itself, which also holds the
/// databases of a mission's host.
const MEMORY: &str = "274432";

/// The exit status of the hook for a command, when it may not take more than [`MEMORY`].
fn hook(command: &str) -> Option<i32> {
    let mut child = Command::new("sh");
    child.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", MEMORY, env!("CARGO_BIN_EXE_stanchion"), "hook"]);
    let payload = serde_json::json!({ "tool_input": { "command": command } }).to_string();
    feed(&mut child, payload.as_bytes()).status.code()
}

#[test]
fn the_hook_finds_a_command_in_any_padding_with_little_memory() {
    let (size, depth) = if cfg!(debug_assertions) { (10_000, 200) } else { (200_000, 1_000) };
    let mut hidden = Vec::new();
    for (number, padding) in paddings(size, depth).iter().enumerate() {
        let command = DENIED[number % DENIED.len()];
        for (place, text) in
            placed(padding, command).into_iter().filter(|(place, _)| matches!(*place, "before" | "inside"))
        {
            let status = hook(&text);
            if status != Some(2) {
                hidden.push(format!("{}, {place}: {command}: {status:?}", padding.name));
            }
        }
    }
    assert!(hidden.is_empty(), "{} are hidden:\n{}", hidden.len(), hidden.join("\n"));
}

#[test]
fn the_hook_finds_a_command_beside_megabytes() {
    let megabytes = if cfg!(debug_assertions) { 1 } else { 10 };
    let lines = "line of text with 'quotes' and $x\n".repeat(megabytes * 1_000_000 / 34);
    for padding in [
        format!("cat <<E\n{lines}E"),
        format!("cat <<'E'\n{lines}E"),
        format!("echo '{}'", "x".repeat(megabytes * 1_000_000)),
        "true\n".repeat(megabytes * 1_000_000 / 5),
        "\n".repeat(megabytes * 1_000_000),
        "# comment\n".repeat(megabytes * 100_000),
    ] {
        for command in DENIED {
            let head: String = padding.chars().take(20).collect();
            assert_eq!(hook(&format!("{padding}\n{command}")), Some(2), "before: {head:?}");
            assert_eq!(hook(&format!("{command}\n{padding}")), Some(2), "after: {head:?}");
        }
        assert_eq!(hook(&padding.replace('$', "")), Some(0), "nothing is denied");
    }
}
