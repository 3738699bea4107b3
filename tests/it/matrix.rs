//! The shipped acceptance matrices through the program itself.

use stanchion::matrix::{self, Checker, Forms, Matrix, report};

fn every_row_holds(forms: Forms) {
    let parse = |(name, text): &(&str, &str)| Matrix::parse(name, text).unwrap();
    let matrices: Vec<Matrix> = matrix::SHIPPED.iter().map(parse).collect();
    let rows: usize = matrices.iter().map(|matrix| matrix.rows.len()).sum();
    assert!(matrices.iter().all(|matrix| matrix.rows.len() >= 80));
    let program = Checker::Stanchion(env!("CARGO_BIN_EXE_stanchion").into());
    let outcomes = matrix::run(&matrices, &program, forms, |_| {});
    assert_eq!(outcomes.len(), rows * forms.list().len());
    let failed = outcomes.iter().any(|outcome| outcome.failure.is_some());
    assert!(!failed, "{}", report::render(report::Format::Text, &outcomes));
}

#[test]
fn every_row_of_the_shipped_matrices_holds() {
    every_row_holds(Forms::Seed);
}

#[test]
fn every_row_holds_in_the_form_of_every_harness() {
    every_row_holds(Forms::Harness);
}

/// The policy `cwd` applies only where it is named.
#[test]
fn directories_are_not_guarded_unless_asked() {
    let (name, text) = matrix::SHIPPED.into_iter().find(|(name, _)| *name == "cwd.toml").unwrap();
    let mut matrix = Matrix::parse(name, text).unwrap();
    for row in &mut matrix.rows {
        (row.policy, row.expect, row.code) = (None, stanchion::verdict::Decision::Allow, None);
    }
    let program = Checker::Stanchion(env!("CARGO_BIN_EXE_stanchion").into());
    let outcomes = matrix::run(&[matrix], &program, Forms::All, |_| {});
    let loud: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| outcome.failure.is_some())
        .map(|outcome| outcome.id.as_str())
        .collect();
    assert!(loud.is_empty(), "{loud:?}");
}

#[test]
fn a_directory_that_cannot_be_made_fails_its_rows() {
    let text = "version = 1\ndirectory = \"d\"\n[directories.d.files]\n\"a\" = \"\"\n\"a/b\" = \"\"\n\
                [[row]]\nid = \"r\"\ncommand = \"ls\"\nexpect = \"allow\"\n";
    let program = Checker::Stanchion(env!("CARGO_BIN_EXE_stanchion").into());
    let outcomes = matrix::run(&[Matrix::parse("m.toml", text).unwrap()], &program, Forms::All, |_| {});
    assert_eq!(outcomes.len(), Forms::All.list().len());
    for outcome in outcomes {
        let failure = outcome.failure.unwrap();
        assert!(failure.got.contains("its directory cannot be made"), "{}", failure.got);
    }
}

#[test]
fn a_checker_that_hangs_fails_its_rows() {
    let text = "version = 1\n[[row]]\nid = \"r\"\ncommand = \"ls\"\nexpect = \"allow\"\n";
    let hangs = Checker::Other("sleep 5; :".into());
    let time_out = std::time::Duration::from_millis(200);
    let outcomes =
        matrix::run_within(&[Matrix::parse("m", text).unwrap()], &hangs, Forms::Seed, time_out, |_| {});
    assert_eq!(outcomes.len(), Forms::Seed.list().len());
    for outcome in outcomes {
        assert_eq!(outcome.failure.map(|failure| failure.got).as_deref(), Some("none within 0.2 s"));
    }
}
