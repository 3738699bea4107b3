//! Writes tables as Rust source. Owns the generated text; used by `build.rs` alone.

use super::table::{Check, Facts, Item, Shape, Tables, Test, Text};
use std::fmt::Write;

/// Rust source of `static TABLES: Tables`.
pub fn emit(tables: &Tables) -> String {
    let mut out = Source::default();
    let patterns = out.list("Item", tables.patterns.iter().map(item).collect::<Vec<_>>().as_slice());
    let roots = out.raw("(u16, usize)", tables.roots.iter().map(|root| format!("{root:?}")));
    let anywhere = out.raw("usize", tables.anywhere.iter().map(ToString::to_string));
    let facts: Vec<Made> = tables.facts.iter().map(one_facts).collect();
    let facts = out.list("Facts", &facts);
    let names = tables.names.iter().map(|named| format!("Named {{ name: {}, facts: {} }}", text(&named.name), named.facts));
    let names = out.raw("Named", names);
    let name = tables.name;
    let body = format!(
        "pub(super) static TABLES: Tables = Tables {{ patterns: {patterns}, roots: {roots}, anywhere: {anywhere}, \
         facts: {facts}, names: {names}, name: {name:?} }};"
    );
    out.text + &body + "\n"
}

/// Makes the source of a value, after it has put the lists of the value into statics.
type Made<'t> = Box<dyn Fn(&mut Source) -> String + 't>;

#[derive(Default)]
struct Source {
    text: String,
    count: usize,
}

impl Source {
    fn list(&mut self, of: &str, values: &[Made<'_>]) -> String {
        let values: Vec<String> = values.iter().map(|value| value(self)).collect();
        self.raw(of, values.into_iter())
    }

    /// Puts a list into a static of its own; the expression that borrows it.
    fn raw(&mut self, of: &str, values: impl Iterator<Item = String>) -> String {
        let values: Vec<String> = values.collect();
        if values.is_empty() {
            return "Cow::Borrowed(&[])".to_owned();
        }
        self.count += 1;
        let name = format!("LIST_{}", self.count);
        let written = writeln!(self.text, "static {name}: [{of}; {}] = [{}];", values.len(), values.join(", "));
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
        format!("Cow::Borrowed(&{name})")
    }
}

fn text(text: &Text) -> String {
    format!("Cow::Borrowed({:?})", text.as_ref())
}

fn one_facts(facts: &Facts) -> Made<'_> {
    Box::new(|out| {
        let pairs = facts.settings.iter().map(|(key, value)| format!("({}, {})", text(key), text(value)));
        let settings = out.raw("(Cow<'static, str>, Cow<'static, str>)", pairs);
        format!("Facts {{ sink: {}, settings: {settings} }}", facts.sink)
    })
}

fn item(item: &Item) -> Made<'_> {
    Box::new(|out| items(out, item))
}

fn items(out: &mut Source, one: &Item) -> String {
    let shape = shape(out, &one.shape);
    let captures = out.raw("Cow<'static, str>", one.captures.iter().map(text));
    let tests: Vec<Made> = one.tests.iter().map(test).collect();
    let tests = out.list("Test", &tests);
    let children: Vec<Made> = one.children.iter().map(item).collect();
    let children = out.list("Item", &children);
    let Item { field, anchored, last, .. } = one;
    format!(
        "Item {{ shape: {shape}, field: {field}, anchored: {anchored}, last: {last}, captures: {captures}, \
         tests: {tests}, children: {children} }}"
    )
}

fn shape(out: &mut Source, shape: &Shape) -> String {
    match shape {
        Shape::Kind(kind) => format!("Shape::Kind({kind})"),
        Shape::Named => "Shape::Named".to_owned(),
        Shape::Any => "Shape::Any".to_owned(),
        Shape::Missing => "Shape::Missing".to_owned(),
        Shape::MissingKind(kind) => format!("Shape::MissingKind({kind})"),
        Shape::Choice(branches) => {
            let branches: Vec<Made> = branches.iter().map(item).collect();
            format!("Shape::Choice({})", out.list("Item", &branches))
        }
    }
}

fn test(test: &Test) -> Made<'_> {
    Box::new(|out| {
        let check = match &test.check {
            Check::OneOf(texts) => format!("Check::OneOf({})", out.raw("Cow<'static, str>", texts.iter().map(text))),
            Check::Match { literal, start, end } => {
                format!("Check::Match {{ literal: {}, start: {start}, end: {end} }}", text(literal))
            }
        };
        format!("Test {{ negated: {}, check: {check} }}", test.negated)
    })
}
