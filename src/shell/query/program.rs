//! Makes a [`Program`] of the `#set!` pairs of one pattern. Owns what the keys mean; must never
//! see a pair that the compiler has not checked.

use super::table::Facts;
use super::{Operands, Program};
use crate::shell::model::Locality;

/// The program that an entry describes.
pub(super) fn program(facts: &Facts) -> Program {
    let mut program = Program { sink: facts.sink, ..Program::default() };
    for (key, value) in facts.settings.iter() {
        set(&mut program, key, value);
    }
    program
}

fn set(program: &mut Program, key: &str, value: &str) {
    let words = || value.split_whitespace().map(str::to_owned);
    match key {
        "subcommand" => program.subcommand.extend(words()),
        "flags" => program.flags.extend(words()),
        "options" => program.options.extend(words()),
        "attached" => program.attached.extend(words()),
        "text" => program.text.extend(words()),
        "exec" => program.exec.extend(words()),
        "inert" => program.inert.extend(words()),
        "until" => program.until.extend(words()),
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
