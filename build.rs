//! Compiles `queries/*.scm` and `policies/*.toml` into tables that are part of the binary. A mistake in
//! one is a build error with its place and what to do.
#![allow(clippy::print_stdout, dead_code, missing_docs)]

#[path = "build/link.rs"]
mod link;

#[path = "src/shell/query/compile.rs"]
mod compile;
#[path = "src/shell/query/emit.rs"]
mod emit;
#[path = "src/shell/query/parse.rs"]
mod parse;
#[path = "src/shell/query/table.rs"]
mod table;
#[path = "src/shell/query/vocabulary.rs"]
mod vocabulary;

#[path = "src/policy"]
mod policy {
    pub mod binary;
    pub mod digest;
    pub mod emit;
    pub mod mission;
    pub mod problems;
    pub mod raw;
    pub mod settings;
    pub mod source;
    pub mod types;
    pub mod form {
        pub mod near;
        pub mod table;
        pub mod texts;
        pub mod walk;
    }
    pub mod facts {
        pub mod raw;
        pub mod types;
    }
    pub mod rule {
        pub mod needles;
        pub mod raw;
        pub mod sense;
        pub mod types;
    }
}

use compile::{Compiler, Grammar};
use parse::Fault;
use std::path::{Path, PathBuf};

struct Bash(tree_sitter::Language);

impl Grammar for Bash {
    fn kind(&self, name: &str, named: bool) -> Option<u16> {
        Some(self.0.id_for_node_kind(name, named)).filter(|id| *id != 0)
    }

    fn field(&self, name: &str) -> Option<u16> {
        self.0.field_id_for_name(name).map(std::num::NonZeroU16::get)
    }
}

fn main() -> std::io::Result<()> {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    println!("cargo::rerun-if-changed=queries");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/shell/query");
    link::arguments(&out)?;
    start();
    let grammar = Bash(tree_sitter_bash::LANGUAGE.into());
    let mut compiler = Compiler::default();
    for file in files(Path::new("queries"), "scm")? {
        let text = std::fs::read_to_string(&file)?;
        for fault in add(&mut compiler, &grammar, &text) {
            let (line, column) = parse::position(&text, fault.at);
            println!("cargo::error={}:{line}:{column}: {}; {}", file.display(), fault.message, fault.remedy);
        }
    }
    std::fs::write(out.join("queries.rs"), emit::emit(&compiler.finish(&grammar)))?;
    let facts = facts()?;
    let table = format!("static FACTS: Facts = {};\n", policy::source::Source::source(&facts));
    std::fs::write(out.join("facts.rs"), &table)?;
    let policies = policy::emit::emit(&policies(&facts)?);
    let build = policy::digest::digest(&[table.as_str(), &policies, &sources()?].concat());
    let build = format!(
        "/// Names what policies are compiled by and judged with.\npub const BUILD: u64 = {build:#x};\n"
    );
    std::fs::write(out.join("policies.rs"), [policies, build].concat())
}

/// Links the one thing that must happen before Rust's runtime starts (see the file) into the programs.
fn start() {
    println!("cargo::rerun-if-changed=build/start.c");
    if std::env::var_os("CARGO_CFG_UNIX").is_some() {
        for object in cc::Build::new().file("build/start.c").compile_intermediates() {
            println!("cargo::rustc-link-arg-bins={}", object.display());
        }
    }
}

/// The version, and the text of what compiles policies and of the queries.
fn sources() -> std::io::Result<String> {
    let mut text = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let parts = [
        ("src/policy", "rs"),
        ("src/policy/facts", "rs"),
        ("src/policy/form", "rs"),
        ("src/policy/raw", "rs"),
        ("src/policy/rule", "rs"),
        ("src/layers", "rs"),
        ("queries", "scm"),
    ];
    for (directory, ending) in parts {
        for file in files(Path::new(directory), ending)? {
            text += &std::fs::read_to_string(file)?;
        }
    }
    Ok(text)
}

fn facts() -> std::io::Result<policy::facts::types::Facts> {
    let mut parts = Vec::new();
    for file in files(Path::new("policies/programs"), "toml")? {
        match policy::facts::raw::compile(&file.display().to_string(), &std::fs::read_to_string(&file)?) {
            Ok(part) => parts.push(part),
            Err(errors) => errors.0.iter().for_each(|error| println!("cargo::error={error}")),
        }
    }
    Ok(policy::facts::raw::join(parts))
}

fn policies(facts: &policy::facts::types::Facts) -> std::io::Result<Vec<policy::types::Policy>> {
    println!("cargo::rerun-if-changed=policies");
    println!("cargo::rerun-if-changed=src/policy");
    let mut policies = Vec::new();
    let mut all = files(Path::new("policies"), "toml")?;
    all.extend(files(Path::new("policies/core"), "toml")?);
    for file in all {
        let text = std::fs::read_to_string(&file)?;
        match policy::raw::compile(&file.display().to_string(), &text, facts, &[]) {
            Ok(policy) => policies.push(policy),
            Err(errors) => errors.0.iter().for_each(|error| println!("cargo::error={error}")),
        }
    }
    Ok(policies)
}

fn files(dir: &Path, ending: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == ending));
    files.sort();
    Ok(files)
}

fn add(compiler: &mut Compiler, grammar: &Bash, text: &str) -> Vec<Fault> {
    let faults = match parse::parse(text) {
        Ok(patterns) => compiler.add(&patterns, grammar),
        Err(fault) => vec![fault],
    };
    if !faults.is_empty() {
        return faults;
    }
    let refused = tree_sitter::Query::new(&grammar.0, text).err().map(|error| {
        let message = if error.kind == tree_sitter::QueryErrorKind::Structure {
            "no syntax tree can have this shape".to_owned()
        } else {
            format!("tree-sitter refuses the pattern here ({:?})", error.kind)
        };
        Fault::new(error.offset, message, "see the tree with `stanchion dump-tree`")
    });
    refused.into_iter().collect()
}
