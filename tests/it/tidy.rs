//! The architecture as a test: what `ARCHITECTURE.md` says must not happen, does not.

use std::fs;
use std::path::{Path, PathBuf};

/// The data flow. A module may use modules of lower rank and its own; those of one rank stand apart.
const ORDER: &[&[&str]] = &[
    &["span", "verdict", "call"],
    &["shell"],
    &["policy"],
    &["guards"],
    &["gate"],
    &["harness", "audit", "layers"],
    &["mission"],
    &["history"],
    &["replay"],
    &["grants"],
    &["install"],
    &["matrix"],
    &["cli"],
    &["main"],
];

/// Uses between modules of one rank that the order allows all the same.
const SAME_RANK: &[(&str, &str)] = &[("verdict", "span")];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below `dir` that end in `extension`, in a stable order.
fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Whether a file is a module of tests only.
fn is_tests(name: &str) -> bool {
    name.ends_with("/tests.rs") || name.contains("/tests/")
}

/// A file's code where it counts as product, empty for a module of tests.
fn product(name: &str, text: &str) -> String {
    if is_tests(name) { String::new() } else { code(text) }
}

fn sources() -> Vec<(String, String)> {
    let found: Vec<_> = files(&root().join("src"), "rs").iter().map(|path| named(path)).collect();
    assert!(found.len() > 5, "the source files were not found");
    found
}

/// A file's path relative to the package, and its text.
fn named(path: &Path) -> (String, String) {
    let name = path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/");
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    (name, text)
}

/// `src/shell/model.rs` -> `shell`.
fn module(name: &str) -> &str {
    let inner = name.trim_start_matches("src/");
    inner.split('/').next().unwrap_or(inner).trim_end_matches(".rs")
}

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|names| names.contains(&module))
}

/// The modules that one line of code names: after `crate::` or `stanchion::`, a name or a `{…}` of names.
fn used(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for anchor in ["crate::", "stanchion::"] {
        for (at, _) in code.match_indices(anchor) {
            let before = code.get(..at).unwrap_or_default();
            if before.ends_with(|ch: char| ch.is_alphanumeric() || ch == '_') {
                continue;
            }
            let rest = code.get(at + anchor.len()..).unwrap_or_default();
            match rest.strip_prefix('{') {
                Some(group) => names.extend(heads(group)),
                None => names.push(identifier(rest)),
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The first names of the entries of a `{…}` group, nested groups skipped.
fn heads(group: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut start = true;
    for (at, ch) in group.char_indices() {
        match ch {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            _ if start && !ch.is_whitespace() => {
                names.push(identifier(group.get(at..).unwrap_or_default()));
                start = false;
            }
            _ => {}
        }
    }
    names
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|ch| ch.is_alphanumeric() || *ch == '_').collect()
}

/// A file's code without line comments, its own tests cut off.
fn code(text: &str) -> String {
    let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
    let kept = text.get(..tests).unwrap_or_default();
    let lines = kept.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn reads_the_names_of_a_use() {
    assert_eq!(used("use crate::shell::model::Script;"), ["shell"]);
    assert_eq!(used("use crate::{span::{Span, At}, verdict::Verdict};"), ["span", "verdict"]);
    assert_eq!(used("let x = crate::gate::Gate::new(); use tcrate::no;"), ["gate"]);
    assert_eq!(used("use stanchion::{\n    policy,\n    call::ToolCall,\n};"), ["policy", "call"]);
}

#[test]
fn modules_use_only_what_stands_before_them() {
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let own = module(&name);
        if own == "lib" {
            continue;
        }
        let Some(mine) = rank(own) else {
            wrong.push(format!("{name}: the module `{own}` has no place in the order"));
            continue;
        };
        for other in used(&product(&name, &text)) {
            let Some(theirs) = rank(&other) else { continue };
            let allowed = theirs < mine || other == own || SAME_RANK.contains(&(own, other.as_str()));
            if !allowed {
                wrong.push(format!("{name}: `{own}` must not use `{other}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "the data flows one way:\n{}", wrong.join("\n"));
}

#[test]
fn one_file_names_tree_sitter() {
    let named: Vec<String> = sources()
        .into_iter()
        .filter(|(name, text)| name != "src/shell/syntax.rs" && code(text).contains("tree_sitter"))
        .map(|(name, _)| name)
        .collect();
    assert!(named.is_empty(), "only src/shell/syntax.rs may name tree_sitter: {named:?}");
}

#[test]
fn no_file_holds_a_name_of_the_shipped_policy() {
    let named: Vec<String> = sources()
        .into_iter()
        .filter(|(name, text)| {
            let code = product(name, text);
            code.contains("fm-watch") || code.contains("x-mode.env")
        })
        .map(|(name, _)| name)
        .collect();
    assert!(named.is_empty(), "names of a project are policy data: {named:?}");
}

#[test]
fn only_the_command_line_prints_or_exits() {
    let outside: Vec<String> = sources()
        .into_iter()
        .filter(|(name, _)| !["cli", "main"].contains(&module(name)))
        .filter(|(name, text)| {
            let code = product(name, text);
            ["println!", "eprintln!", "process::exit", "env::var"].iter().any(|word| code.contains(word))
        })
        .map(|(name, _)| name)
        .collect();
    assert!(outside.is_empty(), "the library prints, exits or reads the environment: {outside:?}");
}

#[test]
fn every_file_says_what_it_owns() {
    let silent: Vec<String> = sources()
        .into_iter()
        .filter(|(name, text)| name != "src/main.rs" && !text.starts_with("//!"))
        .map(|(name, _)| name)
        .collect();
    assert!(silent.is_empty(), "files that do not open with `//!`: {silent:?}");
}

/// A word of a document that looks like a path of this package: `docs/shell.md`, `queries/*.scm`.
fn is_path(word: &str) -> bool {
    let known = ["src/", "docs/", "queries/", "policies/", "fixtures/", "tests/", "benches/", "examples/"];
    known.iter().any(|dir| word.starts_with(dir)) && !word.contains(char::is_whitespace)
}

/// Whether such a path stands for something that exists; `*` stands for at least one file.
fn exists(base: &Path, path: &str) -> bool {
    match path.split_once('*') {
        None => base.join(path).exists(),
        Some((dir, end)) => {
            let extension = end.rsplit('.').next().unwrap_or_default();
            !files(&base.join(dir), extension).is_empty()
        }
    }
}

#[test]
fn paths_in_documents_exist() {
    let mut documents: Vec<PathBuf> = files(&root().join("docs"), "md");
    documents.push(root().join("queries/README.md"));
    documents.extend(["README.md", "ARCHITECTURE.md"].iter().map(|name| root().join(name)));
    let mut missing = Vec::new();
    for document in documents.iter().filter(|path| path.exists()) {
        let (name, text) = named(document);
        let beside = document.parent().unwrap_or(root());
        // Links are relative to the document, code is relative to the package.
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !beside.join(target).exists() {
                missing.push(format!("{name}: {link}"));
            }
        }
        for word in text.split('`').skip(1).step_by(2).filter(|word| is_path(word)) {
            if !exists(root(), word) {
                missing.push(format!("{name}: {word}"));
            }
        }
    }
    assert!(missing.is_empty(), "paths that do not exist:\n{}", missing.join("\n"));
}
