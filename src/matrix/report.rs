//! Reports of a matrix run. Owns their formats; must never print.

use super::outcome::Outcome;
use serde::Serialize;
use std::fmt::Write as _;

/// How to report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people: failures and a sum.
    #[default]
    Text,
    /// Test Anything Protocol 14.
    Tap,
    /// `JUnit` XML.
    Junit,
    /// One JSON object.
    Json,
}

/// Renders the outcomes of a run.
#[must_use]
pub fn render(format: Format, outcomes: &[Outcome]) -> String {
    match format {
        Format::Text => text(outcomes),
        Format::Tap => tap(outcomes),
        Format::Junit => junit(outcomes),
        Format::Json => json(outcomes),
    }
}

fn failed(outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter(|outcome| outcome.failure.is_some()).count()
}

fn text(outcomes: &[Outcome]) -> String {
    let mut report = String::new();
    for outcome in outcomes {
        let Some(failure) = &outcome.failure else { continue };
        let Outcome { matrix, id, line, form, command, .. } = outcome;
        let _ = writeln!(report, "FAIL {matrix}:{line} {id} ({form})");
        let _ = writeln!(report, "  command {command:?}");
        let _ = writeln!(report, "  wanted  {}", failure.wanted);
        let _ = writeln!(report, "  got     {}", failure.got);
    }
    let bad = failed(outcomes);
    let _ = writeln!(report, "{} passed, {bad} failed", outcomes.len() - bad);
    report
}

fn tap(outcomes: &[Outcome]) -> String {
    let mut report = format!("TAP version 14\n1..{}\n", outcomes.len());
    for (index, outcome) in outcomes.iter().enumerate() {
        let not = if outcome.failure.is_some() { "not " } else { "" };
        let name = tap_name(outcome);
        let _ = writeln!(report, "{not}ok {} - {name}", index + 1);
        if let Some(failure) = &outcome.failure {
            let _ = writeln!(report, "  ---\n  command: {}", quoted(&outcome.command));
            let _ = writeln!(report, "  wanted: {}", quoted(&failure.wanted));
            let _ = writeln!(report, "  got: {}\n  ...", quoted(&failure.got));
        }
    }
    report
}

/// `#` and `\` have a meaning in a description.
fn tap_name(outcome: &Outcome) -> String {
    let name = format!("{} {} {}", outcome.matrix, outcome.id, outcome.form);
    name.replace('\\', "\\\\").replace('#', "\\#").replace('\n', " ")
}

/// A JSON string is a YAML one.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn junit(outcomes: &[Outcome]) -> String {
    let mut report = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (total, bad) = (outcomes.len(), failed(outcomes));
    let _ = writeln!(report, "<testsuites tests=\"{total}\" failures=\"{bad}\">");
    for suite in outcomes.chunk_by(|a, b| a.matrix == b.matrix) {
        let name = suite.first().map(|outcome| xml(&outcome.matrix)).unwrap_or_default();
        let (total, bad) = (suite.len(), failed(suite));
        let _ = writeln!(report, "  <testsuite name=\"{name}\" tests=\"{total}\" failures=\"{bad}\">");
        suite.iter().for_each(|outcome| junit_case(&mut report, outcome));
        report.push_str("  </testsuite>\n");
    }
    report.push_str("</testsuites>\n");
    report
}

fn junit_case(report: &mut String, outcome: &Outcome) {
    let (id, form) = (xml(&outcome.id), outcome.form);
    let _ = write!(report, "    <testcase classname=\"{id}\" name=\"{form}\"");
    let Some(failure) = &outcome.failure else {
        report.push_str("/>\n");
        return;
    };
    let (wanted, got, command) = (xml(&failure.wanted), xml(&failure.got), xml(&outcome.command));
    let _ = writeln!(
        report,
        ">\n      <failure message=\"wanted {wanted}\">command {command}\nwanted {wanted}\ngot {got}</failure>\n    </testcase>"
    );
}

/// Escapes text for XML 1.0, which has no spelling at all for most control characters.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' | '\r' => {
                let _ = write!(escaped, "&#{};", u32::from(char));
            }
            char if char.is_control() || char == '\u{fffe}' || char == '\u{ffff}' => escaped.push('\u{fffd}'),
            char => escaped.push(char),
        }
    }
    escaped
}

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    passed: usize,
    failed: usize,
    outcomes: &'a [Outcome],
}

fn json(outcomes: &[Outcome]) -> String {
    let failed = failed(outcomes);
    let report = Report { schema: 1, passed: outcomes.len() - failed, failed, outcomes };
    serde_json::to_string(&report).unwrap_or_default() + "\n"
}
