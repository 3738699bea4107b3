//! The description against the types that are read: every key that is described is read, with the value that
//! its shape allows.

use super::table::{Described, Fits, Shape, Table, Text};
use crate::policy::problems::Problems;
use crate::policy::{facts, raw};
use std::fmt::Write as _;

/// How deep tables within tables are written.
const DEEP: usize = 4;

/// A text of a kind.
fn text(kind: &Text) -> String {
    match &kind.fits {
        Fits::All => "any".to_owned(),
        Fits::Pattern(_, holds) => {
            let samples = ["a.b", "a_b", "cd", "bin/a.sh", "/a/b"];
            (*samples.iter().find(|sample| holds(sample)).expect(kind.what)).to_owned()
        }
        Fits::Names(names) => names().first().expect(kind.what).to_string(),
    }
}

/// A value of a shape; nothing when it would be too deep.
fn value(shape: &Shape, depth: usize) -> Option<String> {
    Some(match shape {
        Shape::Bool => "true".to_owned(),
        Shape::Exactly(number) => number.to_string(),
        Shape::Bounds => "[1, 2]".to_owned(),
        Shape::Text(kind) => format!("{:?}", text(kind)),
        Shape::List(inner, least) => {
            let inner = value(inner, depth)?;
            format!("[{}]", vec![inner; 1.max(*least)].join(", "))
        }
        Shape::OneOrMore(inner) => format!("[{0}, {0}]", value(inner, depth)?),
        Shape::Table(table) if depth == 0 => {
            let _ = table;
            return None;
        }
        Shape::Table(table) => format!("{{ {} }}", keys(table(), depth - 1, ", ")),
        Shape::Map(names, inner) => format!("{{ {:?} = {} }}", text(names), value(inner, depth)?),
    })
}

/// A table with all its keys.
fn keys(table: &Table, depth: usize, between: &str) -> String {
    let mut written = String::new();
    for key in table.keys {
        let Some(value) = value(&key.shape, depth) else { continue };
        let before = if written.is_empty() { "" } else { between };
        write!(written, "{before}{} = {value}", key.name()).expect("a string takes text");
    }
    written
}

fn is_read<T: Described>() {
    let written = keys(T::table(), DEEP, "\n");
    let mut problems = Problems::new("all.toml", &written);
    let read = problems.read::<T>();
    let errors = problems.errors();
    assert!(read.is_some() && errors.0.is_empty(), "{written}\n{errors}");
}

#[test]
fn every_described_key_is_read() {
    is_read::<raw::RawPolicy>();
    is_read::<facts::RawFacts>();
}

#[test]
fn every_key_says_what_it_is_for() {
    fn check(table: &Table, depth: usize) {
        for key in table.keys {
            assert!(key.doc.iter().any(|line| line.trim().len() > 3), "{}: {}", table.name, key.name());
            let (Shape::Table(inner) | Shape::List(Shape::Table(inner), _)) = &key.shape else { continue };
            if depth > 0 {
                check(inner(), depth - 1);
            }
        }
    }
    check(raw::description(), DEEP);
    check(facts::description(), DEEP);
}
