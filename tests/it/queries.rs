//! The queries: what is shipped, what a mistake says, and the matcher against tree-sitter's own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use stanchion::shell::model::Locality;
use stanchion::shell::query::{Names, Operands, Queries};
use stanchion::shell::syntax;
use std::collections::BTreeSet;
use std::path::Path;
use tree_sitter::StreamingIterator;

type Found = BTreeSet<(String, usize, usize, bool)>;

/// A small deterministic generator of programs.
struct Generator(u64);

impl Generator {
    fn pick(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn word(&mut self) -> &'static str {
        let words = [
            "xxxx",
            "xx",
            "sudo",
            "bash",
            "'a b'",
            "\"$x y\"",
            "$(cat xx)",
            "${x:-y}",
            "-c",
            "timeout",
            "x=1",
            "eval",
        ];
        words[self.pick(words.len())]
    }

    fn simple(&mut self) -> String {
        let mut text =
            ["xx", "sudo", "export", "a=b xx", "eval", "unset", "[[ a == b ]] &&"][self.pick(7)].to_owned();
        for _ in 0..self.pick(4) {
            text += " ";
            text += self.word();
        }
        text + ["", "", " > out", " 2>&1", " <<< xx", "  # note"][self.pick(5)]
    }

    fn command(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple();
        }
        let (a, b) = (self.command(depth - 1), self.command(depth - 1));
        match self.pick(16) {
            0 => format!("({a}; {b})"),
            1 => format!("{{ {a}; {b}; }}"),
            2 => format!("if {a}; then {b}; else {a}; fi"),
            3 => format!("if {a}; then {b}; elif {b}; then {a}; fi"),
            4 => format!("while {a}; do {b}; done"),
            5 => format!("until {a}\ndo {b}\ndone"),
            6 => format!("for x in xx xxx; do {a}; done"),
            7 => format!("select x in xx; do {a}; done"),
            8 => format!("case xx in x) {a};; yy|z) {b};; esac"),
            9 => format!("{a} | {b}"),
            10 => format!("{a} && {b} || {a}"),
            11 => format!("! {a}"),
            12 => format!("xx() {{ {a}; }}; {b} &"),
            13 => format!("for ((i=0; i<3; i++)); do {a}; done"),
            14 => format!("{a} & {b}"),
            _ => format!("{a}\n{b}"),
        }
    }

    /// A program, now and then with a piece missing or out of place.
    fn program(&mut self) -> String {
        let depth = self.pick(4);
        let mut text = self.command(depth);
        if self.pick(4) == 0 {
            let at = self.pick(text.len() + 1);
            text.insert_str(at, [")", " fi ", "'", " ;; ", "(", " do "][self.pick(6)]);
        }
        text + "\n"
    }
}

fn ours(queries: &Queries, text: &str) -> Found {
    let tree = syntax::parse(text.as_bytes()).unwrap();
    let captures = queries.captures(&tree, &|span| Some(span.slice(text.as_bytes()).to_vec()));
    assert!(captures.is_sorted_by_key(|capture| capture.node), "not in node order: {text:?}");
    let found = captures.iter().map(|capture| {
        let node = &tree.nodes[capture.node];
        (capture.name.to_owned(), node.span.start, node.span.end, node.named)
    });
    found.collect()
}

fn theirs(query: &tree_sitter::Query, text: &str) -> Found {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
    let tree = parser.parse(text, None).unwrap();
    let mut cursor = tree_sitter::QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
    let mut found = Found::new();
    while let Some(one) = matches.next() {
        for capture in one.captures() {
            let name = query.capture_names()[capture.index as usize].to_owned();
            let node = capture.node;
            found.insert((name, node.start_byte(), node.end_byte(), node.is_named()));
        }
    }
    found
}

fn compiled(text: &str) -> tree_sitter::Query {
    tree_sitter::Query::new(&tree_sitter_bash::LANGUAGE.into(), text).unwrap()
}

fn compare(queries: &Queries, text: &str, seed: u64, programs: usize) {
    let query = compiled(text);
    let mut generator = Generator(seed);
    for _ in 0..programs {
        let program = generator.program();
        let (mut ours, theirs) = (ours(queries, &program), theirs(&query, &program));
        let repeated = repeated(&program);
        ours.retain(|found| theirs.contains(found) || !repeated.contains(&(found.1, found.2)));
        assert_eq!(ours, theirs, "seed {seed}: {program}");
    }
}

/// Ranges of nodes whose field an earlier sibling has, too (`> a b` has two destinations). There
/// tree-sitter's cursor may stop at the first, because it expects no second; ours looks on.
fn repeated(text: &str) -> BTreeSet<(usize, usize)> {
    let tree = syntax::parse(text.as_bytes()).unwrap();
    let mut seen = BTreeSet::new();
    let again = tree.nodes.iter().filter(|node| node.field != 0 && !seen.insert((node.parent, node.field)));
    again.map(|node| (node.span.start, node.span.end)).collect()
}

/// For patterns with several children: in a tree with errors tree-sitter stops looking for later
/// children of a field where the grammar rules them out. Ours looks on: never less.
fn compare_sequences(queries: &Queries, text: &str, seed: u64, programs: usize) {
    let query = compiled(text);
    let mut generator = Generator(seed);
    for _ in 0..programs {
        let program = generator.program();
        let (ours, theirs) = (ours(queries, &program), theirs(&query, &program));
        let broken =
            syntax::parse(program.as_bytes()).unwrap().nodes.iter().any(|node| node.error || node.missing);
        assert!(
            ours == theirs || broken && ours.is_superset(&theirs),
            "{text}\n{program}\n{ours:?}\n{theirs:?}"
        );
    }
}

fn shipped_text() -> String {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    let mut text = String::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "scm") {
            text += &std::fs::read_to_string(path).unwrap();
        }
    }
    text
}

fn load(text: &str) -> Result<Queries, Vec<String>> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.scm"), text).unwrap();
    let prefix = format!("{}/", dir.path().display());
    Queries::load(dir.path())
        .map_err(|errors| errors.iter().map(|error| error.to_string().replace(&prefix, "")).collect())
}

#[test]
fn shipped_patterns_capture_what_tree_sitter_captures() {
    compare(Queries::shipped(), &shipped_text(), 1, 600);
}

#[test]
fn files_read_at_run_time_capture_the_same() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    let loaded = Queries::load(&dir).unwrap();
    compare(&loaded, &shipped_text(), 2, 100);
    for name in ["sudo", "bash", "git", "docker", "mise"] {
        assert!(loaded.programs(name.as_bytes()).eq(Queries::shipped().programs(name.as_bytes())));
    }
}

#[test]
fn every_supported_feature_agrees_with_tree_sitter() {
    for text in [
        "(list (_) @command . (_) @command.name)",
        "(list . (_) @command)",
        "(list (_) @command .)",
        "(list . (_) @command . (_) @command.name .)",
        "(command name: (_) @command.name argument: (_) @command.argument)",
        "(command argument: (_) @command . argument: (_) @command.argument)",
        "(pipeline (_) @command (_) @command.name (_) @command.argument)",
        "(pipeline [(command) (subshell (_) @command.name)] @command)",
        "[(subshell) (compound_statement (command) @command)] @context.group",
        "(_ (command) @command)",
        "(_) @command",
        "_ @command",
        "(MISSING \"fi\") @unmodelled",
        "(ERROR (_) @command) @unmodelled",
        "(if_statement \"if\" @operator condition: (_) @command \"then\" (_) @command.name)",
        "((word) @command (#eq? @command \"xxxx\"))",
        "((word) @command (#not-any-of? @command \"xxxx\" \"xx\"))",
        "((word) @command (#match? @command \"^xx\"))",
        "((word) @command (#match? @command \"x$\") (#not-eq? @command \"xx\"))",
        "((word) @command (#not-match? @command \"\\\\$\\\\(\"))",
        "(list (command name: (_) @command.name (#eq? @command.name \"sudo\")) @command \"&&\" (_) @operator)",
        "(command name: (command_name (word) @command.name)) @command @context.if",
    ] {
        let queries = load(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        compare_sequences(&queries, text, 3, 200);
    }
}

#[test]
fn a_mistake_says_where_and_what_to_do() {
    let mut told = String::new();
    for text in [
        "(command) @command\n  (command @command",
        "(comand) @command",
        "; é\n(command nam: (_) @command)",
        "(command) @comand",
        "\"&&&\" @operator",
        "((word) @command (#same? @command \"x\"))",
        "((word) @command (#eq? @operator \"x\"))",
        "((word) @command (#eq? @command @command))",
        "((word) @command (#match? @command \"a.*\"))",
        "((command name: (command_name) @wrapper) (#any-of? @wrapper \"x\")\n (#set! flag \"-v\"))",
        "((command name: (command_name) @wrapper) (#any-of? @wrapper \"x\") (#set! flags \"v\"))",
        "((command name: (command_name) @sink) (#any-of? @sink \"x\") (#set! operands \"words\"))",
        "((command name: (command_name) @sink))",
        "((word) @sink (#eq? @sink \"x\"))",
        "((word) @command (#set! skip \"1\"))",
        "(command (word)+ @command.argument)",
        "(command !name) @command",
        "((word) @command (word) @command)",
        "(_statement) @command",
        "(subshell)",
        "(command) @command )",
        "(command name: (subshell)) @command",
        "((word) @command (#eq? @command \"x))",
        "[] @command",
    ] {
        told += text;
        for error in load(text).expect_err(text) {
            told += "\n  ";
            told += &error;
        }
        told += "\n\n";
    }
    insta::assert_snapshot!(told);
}

#[test]
fn an_empty_directory_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let errors = Queries::load(dir.path()).expect_err("no files");
    assert_eq!(errors.len(), 1);
    assert!(Queries::load(&dir.path().join("none")).is_err());
}

#[test]
fn the_programs_of_the_contract_are_known() {
    let wrappers = "sudo doas env command builtin exec nohup setsid timeout gtimeout nice ionice chrt taskset stdbuf time \
        strace ltrace unshare nsenter chroot flock xargs find fd fdfind entr busybox toybox ssh-agent dbus-run-session \
        xvfb-run systemd-run caffeinate arch unbuffer catchsegv direnv mise poetry uv pipenv npx bundle git docker podman kubectl";
    let sinks = "sh bash rbash zsh dash ksh mksh ash eval trap source . su script watch parallel git ssh";
    for (names, sink) in [(wrappers, false), (sinks, true)] {
        for name in names.split_whitespace() {
            let mut programs = Queries::shipped().programs(name.as_bytes());
            assert!(programs.any(|program| program.sink == sink), "{name}");
        }
    }
    assert!(Queries::shipped().programs(b"rm").next().is_none());
    assert!(Queries::shipped().programs(b"").next().is_none());
    assert!(Queries::shipped().programs(b"\xff").next().is_none());
}

#[test]
fn facts_arrive_in_the_program() {
    let one = |name: &str, index: usize| Queries::shipped().programs(name.as_bytes()).nth(index).unwrap();
    let list = |names: Names<'static>| names.iter().collect::<Vec<_>>();
    assert_eq!(one("timeout", 0).skip, 1);
    assert_eq!(one("eval", 0).operands, Operands::Join);
    assert_eq!(one("trap", 0).operands, Operands::First);
    assert_eq!(one("ssh", 0).locality, Locality::Remote);
    assert_eq!(one("docker", 0).locality, Locality::Container);
    assert_eq!(list(one("find", 0).until), [";", "+"]);
    assert_eq!(list(one("command", 0).inert), ["-v", "-V", "--help"]);
    assert_eq!(list(one("bash", 0).text), ["-c"]);
    assert!(one("bash", 0).stdin && one("sudo", 0).assignments && one("find", 0).lenient);
    assert!(one("bash", 0).flags.contains(b"+x") && one("bash", 0).flags.contains(b"-x"));
    assert_eq!(list(one("git", 1).subcommand), ["bisect", "run"]);
    assert_eq!(list(one("make", 0).runs), ["SHELL="]);
    assert_eq!(list(one("parallel", 0).arguments), [":::", ":::+", "::::", "::::+"]);
    assert!(one("env", 0).rest && one("xargs", 0).feeds && one("xargs", 0).replaces.contains(b"-I"));
}

/// Each option of a program stands in one list only; otherwise its reading would depend on order.
#[test]
fn no_option_is_described_twice() {
    let text = shipped_text();
    let names: BTreeSet<&str> = text.split('"').filter(|word| !word.contains([' ', '\n', '('])).collect();
    for name in names {
        for program in Queries::shipped().programs(name.as_bytes()) {
            let mut seen = BTreeSet::new();
            let lists =
                [program.flags, program.options, program.attached, program.text, program.exec, program.inert];
            for option in lists.into_iter().flat_map(Names::iter) {
                assert!(seen.insert(option), "{name}: {option}");
            }
        }
    }
}

#[test]
fn a_wide_and_a_deep_tree_take_linear_time() {
    let queries = Queries::shipped();
    for text in [
        "xx && ".repeat(2_000) + "xx",
        "(".repeat(2_000) + "xx" + &")".repeat(2_000),
        "xx xx; ".repeat(20_000),
    ] {
        let tree = syntax::parse(text.as_bytes()).unwrap();
        let started = std::time::Instant::now();
        assert!(!queries.captures(&tree, &|_| None).is_empty());
        assert!(started.elapsed().as_secs() < 5, "{} nodes", tree.nodes.len());
    }
}
