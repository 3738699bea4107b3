//! Makes a [`Program`] of the `#set!` pairs of one pattern. Owns what the keys mean; must never
//! see a pair that the compiler has not checked.

use super::table::Facts;
use super::{Names, Operands, Program};
use crate::shell::model::Locality;

/// The program that an entry describes.
pub(super) fn program(facts: &Facts) -> Program<'_> {
    let mut program = Program { sink: facts.sink, ..Program::default() };
    for (key, value) in facts.settings.iter() {
        set(&mut program, key, value);
    }
    program
}

fn set<'q>(program: &mut Program<'q>, key: &str, value: &'q str) {
    match key {
        "subcommand" => program.subcommand = Names(value),
        "flags" => program.flags = Names(value),
        "options" => program.options = Names(value),
        "attached" => program.attached = Names(value),
        "text" => program.text = Names(value),
        "exec" => program.exec = Names(value),
        "inert" => program.inert = Names(value),
        "until" => program.until = Names(value),
        "rest" => program.rest = value == "true",
        "runs" => program.runs = Names(value),
        "arguments" => program.arguments = Names(value),
        "replaces" => program.replaces = Names(value),
        "feeds" => program.feeds = value == "true",
        "skip" => program.skip = value.parse().unwrap_or(0),
        "assignments" => program.assignments = value == "true",
        "stdin" => program.stdin = value == "true",
        "lenient" => program.lenient = value == "true",
        "operands" => program.operands = operands(value),
        "locality" => program.locality = locality(value),
        _ => {}
    }
}

fn operands(value: &str) -> Operands {
    match value {
        "join" => Operands::Join,
        "first" => Operands::First,
        "file" => Operands::File,
        "nothing" => Operands::Nothing,
        _ => Operands::Command,
    }
}

fn locality(value: &str) -> Locality {
    match value {
        "remote" => Locality::Remote,
        "container" => Locality::Container,
        _ => Locality::Local,
    }
}
