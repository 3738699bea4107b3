//! What a text lowers to and how it is explained, beside the text: `fixtures/snapshots/NAME.sh`.

use std::path::{Path, PathBuf};
use std::process::Command;

fn texts() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/snapshots");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "sh"));
    files.sort();
    let name = |file: &PathBuf| file.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|file| (name(file), std::fs::read_to_string(file).unwrap())).collect()
}

fn printed(arguments: &[&str], text: &str) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_stanchion")).args(arguments).arg("--").arg(text).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn compare(kind: &str, arguments: &[&str]) {
    let texts = texts();
    assert!(texts.len() >= 10);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../fixtures/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, text) in &texts {
            insta::assert_snapshot!(format!("{name}.{kind}"), printed(arguments, text), text);
        }
    });
}

#[test]
fn texts_lower_as_recorded() {
    compare("executions", &["check", "--executions"]);
}

#[test]
fn texts_are_explained_as_recorded() {
    compare("explain", &["explain"]);
}
