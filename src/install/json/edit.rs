//! Changes of a JSON text that leave every other byte alone. Owns where commas, line ends and
//! indents go; must never know what the values mean.

use super::{Fault, Kind, Node, parse};
use std::ops::Range;

/// How a text is laid out.
#[derive(Clone, Debug)]
pub struct Style {
    newline: &'static str,
    unit: String,
    one_line: bool,
}

impl Style {
    /// The layout of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        let unit = indented.map_or("  ", |line| blank_head(line)).to_owned();
        let body = text.trim();
        let one_line = body.len() > 2 && !body.contains('\n');
        Self { newline, unit, one_line }
    }
}

fn blank_head(line: &str) -> &str {
    let rest = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - rest.len()).unwrap_or_default()
}

fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The blanks at the start of the line that holds a byte, and whether only they stand before it.
fn indent(text: &str, at: usize) -> (&str, bool) {
    let before = part(text, 0..at);
    let line = before.rfind('\n').map_or(before, |end| part(before, end + 1..before.len()));
    let head = blank_head(line);
    (head, head.len() == line.len())
}

/// Replaces parts of a text; the ranges do not overlap.
fn spliced(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut out = text.to_owned();
    for (range, new) in edits {
        out.replace_range(range, &new);
    }
    out
}

/// A value in the layout of a text; its lines but the first are indented by `indent`.
#[must_use]
pub fn render(node: &Node, text: &str, style: &Style, indent: &str) -> String {
    let inner = format!("{indent}{}", style.unit);
    let (parts, open, close): (Vec<String>, _, _) = match &node.kind {
        Kind::Object(members) => {
            let part = |member: &super::Member| {
                let value = render(&member.value, text, style, &inner);
                format!("{}: {value}", part(text, member.key.clone()))
            };
            (members.iter().map(part).collect(), '{', '}')
        }
        Kind::Array(elements) => {
            (elements.iter().map(|element| render(element, text, style, &inner)).collect(), '[', ']')
        }
        Kind::Text(_) | Kind::Other => return part(text, node.span.clone()).to_owned(),
    };
    let flat = |node: &Node| matches!(node.kind, Kind::Text(_) | Kind::Other);
    let short = style.one_line || node.elements().iter().all(flat) && matches!(node.kind, Kind::Array(_));
    if parts.is_empty() || short {
        return format!("{open}{}{close}", parts.join(", "));
    }
    let newline = style.newline;
    let lines = parts.join(&format!(",{newline}{inner}"));
    format!("{open}{newline}{inner}{lines}{newline}{indent}{close}")
}

fn children(node: &Node) -> Vec<Range<usize>> {
    match &node.kind {
        Kind::Object(members) => {
            members.iter().map(|member| member.key.start..member.value.span.end).collect()
        }
        Kind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
        Kind::Text(_) | Kind::Other => Vec::new(),
    }
}

/// The comma behind `at`, if only blanks and comments stand between.
fn comma(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n')?;
        } else if trimmed.starts_with("/*") {
            at += trimmed.find("*/")? + 2;
        } else {
            return trimmed.starts_with(',').then_some(at);
        }
    }
}

/// The end of the line from `at`, if nothing but blanks and comments stands before it.
fn line_end(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let here = at + rest.len() - trimmed.len();
        if trimmed.starts_with('\n') || trimmed.starts_with("\r\n") {
            return Some(at);
        } else if trimmed.starts_with("//") {
            let line = trimmed.find('\n')?;
            return Some(here + trimmed.get(..line)?.trim_end_matches('\r').len());
        } else if trimmed.starts_with("/*") {
            at = here + trimmed.find("*/")? + 2;
        } else {
            return None;
        }
    }
}

/// Adds an item at the end of an object or array. `item` is told the indent of its lines.
pub fn append(text: &str, holder: &Node, style: &Style, item: &dyn Fn(&str) -> String) -> String {
    let close = holder.span.end.saturating_sub(1);
    let items = children(holder);
    let (Some(first), Some(last)) = (items.first(), items.last()) else {
        let inside = part(text, holder.span.start + 1..close);
        let kept = holder.span.start + 1 + inside.trim_end().len();
        let base = indent(text, holder.span.start).0;
        let deeper = format!("{base}{}", style.unit);
        let new = if style.one_line && !inside.contains("//") {
            item("")
        } else {
            format!("{0}{deeper}{1}{0}{base}", style.newline, item(&deeper))
        };
        return spliced(text, vec![(kept..close, new)]);
    };
    let trailing = comma(text, last.end);
    let anchor = trailing.map_or(last.end, |at| at + 1);
    let end = if trailing.is_some() { "," } else { "" };
    let (head, alone) = indent(text, first.start);
    let mut edits = Vec::new();
    if alone && !style.one_line {
        let place = line_end(text, anchor).unwrap_or(anchor);
        let mut new = format!("{}{head}{}{end}", style.newline, item(head));
        if trailing.is_none() && place == last.end {
            new.insert(0, ',');
        } else if trailing.is_none() {
            edits.push((last.end..last.end, ",".to_owned()));
        }
        edits.push((place..place, new));
    } else {
        let lead = if trailing.is_some() { " " } else { ", " };
        edits.push((anchor..anchor, format!("{lead}{}{end}", item(head))));
    }
    spliced(text, edits)
}

/// Takes an item out of an object or array, with its comma and the blanks before it.
#[must_use]
pub fn remove(text: &str, holder: &Node, index: usize) -> String {
    let items = children(holder);
    let Some(item) = items.get(index) else { return text.to_owned() };
    let previous = index.checked_sub(1).and_then(|index| items.get(index));
    let bound = previous.map_or(holder.span.start + 1, |previous| previous.end);
    let before = part(text, bound..item.start);
    let start = bound + before.trim_end().len();
    let mut edits = Vec::new();
    if let Some(at) = comma(text, item.end) {
        edits.push((start..at + 1, String::new()));
    } else {
        let close = holder.span.end.saturating_sub(1);
        let bare = items.len() == 1
            && [before, part(text, item.end..close)].iter().all(|part| part.trim().is_empty());
        edits.push((start..if bare { close } else { item.end }, String::new()));
        if let Some(at) = previous.and_then(|previous| comma(text, previous.end)) {
            // The comma may be the very byte before the item's blanks.
            if at < start {
                edits.push((at..at + 1, String::new()));
            }
        }
    }
    spliced(text, edits)
}

/// Puts a value, given as JSON, where another stands.
///
/// # Errors
/// When the new value is no JSON.
pub fn replace(text: &str, node: &Node, style: &Style, value: &str) -> Result<String, Fault> {
    let tree = parse(value)?;
    let head = indent(text, node.span.start).0.to_owned();
    Ok(spliced(text, vec![(node.span.clone(), render(&tree.root, value, style, &head))]))
}

/// Adds an element, given as JSON, to the array at a path; makes what is missing on the way.
///
/// # Errors
/// When something on the way is of another kind.
pub fn push(text: &str, path: &[&str], element: &str) -> Result<String, Fault> {
    set(text, path, element, true)
}

/// Sets a member, given as JSON, unless it is there.
///
/// # Errors
/// When something on the way is of another kind.
pub fn ensure(text: &str, path: &[&str], value: &str) -> Result<String, Fault> {
    set(text, path, value, false)
}

fn set(text: &str, path: &[&str], value: &str, into_array: bool) -> Result<String, Fault> {
    let tree = parse(text)?;
    let style = Style::of(text);
    let mut node = &tree.root;
    for (depth, name) in path.iter().enumerate() {
        let Kind::Object(_) = node.kind else {
            let before: Vec<&str> = path.iter().take(depth).copied().collect();
            return Err(wrong(node, &before, "an object"));
        };
        let Some(next) = node.get(name) else {
            let rest = path.get(depth + 1..).unwrap_or_default();
            let inner = if into_array { format!("[{value}]") } else { value.to_owned() };
            let nested = rest.iter().rev().fold(inner, |inner, name| format!("{{{name:?}: {inner}}}"));
            let new = parse(&nested)?;
            let item = |indent: &str| format!("{name:?}: {}", render(&new.root, &nested, &style, indent));
            return Ok(append(text, node, &style, &item));
        };
        node = next;
    }
    if !into_array {
        return Ok(text.to_owned());
    }
    let Kind::Array(_) = node.kind else { return Err(wrong(node, path, "an array")) };
    let new = parse(value)?;
    Ok(append(text, node, &style, &|indent| render(&new.root, value, &style, indent)))
}

fn wrong(node: &Node, path: &[&str], wanted: &str) -> Fault {
    let name = if path.is_empty() { "the whole".to_owned() } else { format!("`{}`", path.join(".")) };
    Fault { offset: node.span.start, message: format!("{name} is not {wanted}") }
}
