//! The form of policy files: what is told of malformed ones, and the schema that editors read.

mod conform;

use crate::child::{run, text};
use conform::Schema;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The TOML files of a directory, by their names below the package.
fn files(directory: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(directory)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| format!("{directory}/{}", name(path))).collect()
}

const MALFORMED: &str = "fixtures/policies/malformed";

fn told(file: &str) -> String {
    let output = run(&["policy", "check", file], b"");
    assert_eq!(output.status.code(), Some(1), "{file}");
    assert!(output.stderr.is_empty());
    text(&output.stdout).to_owned()
}

#[test]
fn malformed_policies_are_told_as_recorded() {
    let files = files(MALFORMED);
    assert!(files.len() >= 25, "{} files", files.len());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../fixtures/policies/malformed");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for file in &files {
            let name = Path::new(file).file_stem().unwrap().to_string_lossy().into_owned();
            insta::assert_snapshot!(name, told(file));
        }
    });
}

/// Each problem has its file, line and column, the line and a mark below the place.
#[test]
fn every_problem_has_its_place() {
    for file in files(MALFORMED) {
        let source = std::fs::read_to_string(root().join(&file)).unwrap();
        let lines: Vec<&str> = source.lines().collect();
        let told = told(&file);
        let told: Vec<&str> = told.lines().collect();
        assert!(!told.is_empty() && told.len().is_multiple_of(3), "{file}");
        for problem in told.chunks(3) {
            let place = problem[0].strip_prefix(&file).expect(problem[0]);
            let mut parts = place.split(':').skip(1);
            let number = |part: Option<&str>| part.unwrap().parse::<usize>().unwrap();
            let (line, column) = (number(parts.next()), number(parts.next()));
            let before = &lines[line - 1].as_bytes()[..column - 1];
            let mark = problem[2].find('^').expect(problem[2]);
            assert!(problem[2].len() > mark + 2, "{file}: no remedy: {}", problem[2]);
            // What stands above the mark is what stands at the place.
            let shown: Vec<char> = problem[1].chars().collect();
            let at = problem[2].chars().position(|ch| ch == '^').unwrap();
            let wanted = std::str::from_utf8(&lines[line - 1].as_bytes()[before.len()..]).unwrap();
            assert_eq!(shown.get(at).copied(), wanted.chars().next(), "{file}: {}", problem[0]);
        }
    }
}

#[test]
fn the_schemas_in_the_documents_are_those_of_the_program() {
    for (file, arguments) in [
        ("docs/policy.schema.json", &["policy", "schema"][..]),
        ("docs/facts.schema.json", &["policy", "schema", "--facts"]),
    ] {
        let printed = run(arguments, b"");
        assert_eq!(printed.status.code(), Some(0));
        let kept = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        assert_eq!(text(&printed.stdout), kept, "write `stanchion {}` to {file}", arguments.join(" "));
    }
}

#[test]
fn the_document_tells_of_every_key() {
    fn names(schema: &Value, found: &mut Vec<String>) {
        for (key, value) in schema.as_object().into_iter().flatten() {
            if key == "properties" {
                found.extend(value.as_object().unwrap().keys().cloned());
            }
            names(value, found);
        }
    }
    let document = std::fs::read_to_string(root().join("docs/policies.md")).unwrap();
    let mut found = Vec::new();
    names(&stanchion::policy::schema(), &mut found);
    assert!(found.len() > 50);
    found.retain(|name| !document.contains(&format!("`{name}`")));
    assert_eq!(found, [""; 0], "keys of which docs/policies.md does not tell");
}

/// One thing in a line changed: left out, of another type, with a slip in the key, cut off, or put twice.
fn mutants(line: &str) -> Vec<String> {
    let mut all = vec![String::new(), format!("{line}\n{line}")];
    let cut: String = line.chars().take(line.chars().count() / 2).collect();
    all.push(cut);
    if let Some((key, value)) = line.split_once(" = ") {
        all.extend(
            ["7", "true", "\"\"", "[]", "{}", "[7]", "\"x\"", "[\"x\"]", "{ x = 1 }"]
                .map(|other| format!("{key} = {other}")),
        );
        all.push(format!("{key}s = {value}"));
        all.push(format!("\"\" = {value}"));
    }
    all
}

/// Whatever is changed in a good file, it is read, or each problem has a place in the file and a remedy. The reader
/// of the types finds nothing that the description let pass.
#[test]
fn changed_files_are_read_or_told_of() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("changed.toml");
    let (mut read, mut told) = (0, 0);
    for file in ["policies/cwd.toml", "policies/core/secrets.toml", "fixtures/policies/lighthouse.toml"] {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            for mutant in mutants(line) {
                let changed: Vec<&str> = lines
                    .iter()
                    .enumerate()
                    .map(|(place, line)| if place == at { &mutant } else { *line })
                    .collect();
                let changed = changed.join("\n");
                std::fs::write(&path, &changed).unwrap();
                let Err(errors) = stanchion::policy::load(&path) else {
                    read += 1;
                    continue;
                };
                told += 1;
                assert!(!errors.0.is_empty(), "{changed}");
                for error in errors.0 {
                    let line = changed.lines().nth(error.line - 1).unwrap_or_default();
                    assert_eq!(line, error.excerpt, "{error}");
                    assert!(error.column <= line.len() + 1 && !error.remedy.is_empty(), "{error}");
                    assert!(!error.remedy.contains("as the schema says"), "{error}\n{mutant}");
                }
            }
        }
    }
    assert!(read > 100 && told > 500, "{read} read, {told} told");
}

/// A file as JSON, as an editor's schema check sees it. `None` when it is no TOML.
fn as_json(file: &str) -> Option<Value> {
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    let table: toml::Table = text.parse().ok()?;
    Some(serde_json::to_value(table).unwrap())
}

#[test]
fn good_files_conform_to_the_schema() {
    let schema = Schema::new(stanchion::policy::schema());
    let good: Vec<String> = ["policies", "policies/core", "fixtures/policies"]
        .iter()
        .flat_map(|directory| files(directory))
        .collect();
    assert!(good.len() >= 12, "{good:?}");
    for file in good {
        assert_eq!(schema.faults(&as_json(&file).unwrap()), [""; 0], "{file}");
    }
    let schema = Schema::new(stanchion::policy::facts::schema());
    for file in files("policies/programs") {
        assert_eq!(schema.faults(&as_json(&file).unwrap()), [""; 0], "{file}");
    }
}

/// Files whose mistakes are ones of meaning: the schema, which knows form alone, has nothing against them.
const OF_MEANING: &[&str] = &[
    "condition-against-itself",
    "condition-idle-program",
    "condition-two-programs",
    "duplicate-id",
    "no-reasons",
    "path-without-effect",
    "shadowed-rule",
    "unknown-option",
];

#[test]
fn malformed_files_do_not_conform() {
    let schema = Schema::new(stanchion::policy::schema());
    for file in files(MALFORMED) {
        let name = Path::new(&file).file_stem().unwrap().to_str().unwrap();
        let Some(value) = as_json(&file) else { continue };
        let faults = schema.faults(&value);
        assert_eq!(faults.is_empty(), OF_MEANING.contains(&name), "{file}: {faults:?}");
    }
}

#[test]
fn a_check_tells_everything_as_json() {
    let file = format!("{MALFORMED}/all-at-once.toml");
    let output = run(&["policy", "check", "--json", &file, "firstmate"], b"");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["schema"], 1);
    let problems = report["problems"].as_array().unwrap();
    assert_eq!(problems.len(), told(&file).lines().count() / 3);
    assert!(problems.iter().all(|problem| problem["file"] == file.as_str() && problem["line"].is_u64()));
    assert_eq!(report["policies"][0]["name"], "firstmate");
}
