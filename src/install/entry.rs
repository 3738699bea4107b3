//! The command of a registration: how it is written, and how it is found again. Owns the words of
//! `PROGRAM hook …`; must never touch a file.

use super::json::{Kind, Node};
use std::path::Path;

/// Options of the hook that are a person's choice: a new installation keeps them.
const KEPT: [&str; 4] = ["--policy", "--root", "--home", "--queries"];

/// How many words a command has without options: `PROGRAM hook --harness NAME`.
const PLAIN: usize = 4;

/// The command of a registration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments.
    pub words: Vec<String>,
}

impl Command {
    /// The command for a harness. `native` names the harnesses whose calls it leaves to their own
    /// registrations; `kept` are options of an older entry.
    #[must_use]
    pub fn new(program: &str, harness: &str, native: &[&str], kept: &[String]) -> Self {
        let mut words: Vec<String> = [program, "hook", "--harness", harness].map(str::to_owned).into();
        if !native.is_empty() {
            words.extend(["--native".to_owned(), native.join(",")]);
        }
        words.extend_from_slice(kept);
        Self { words }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The arguments.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Whether this is a call of stanchion's hook.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        let named = |word: &str| Path::new(word).file_name().is_some_and(|name| name == "stanchion");
        let pairs = self.words.iter().zip(self.words.iter().skip(1));
        pairs.into_iter().any(|(program, command)| named(program) && command == "hook")
    }

    /// The options that are a person's choice.
    #[must_use]
    pub fn kept(&self) -> Vec<String> {
        let mut kept = Vec::new();
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            if KEPT.contains(&word.as_str()) {
                kept.push(word.clone());
                kept.extend(words.next().cloned());
            } else if KEPT.iter().any(|name| word.strip_prefix(name).is_some_and(|end| end.starts_with('=')))
            {
                kept.push(word.clone());
            }
        }
        kept
    }

    /// The value of an option of the hook.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        let inline = |word: &&String| word.strip_prefix(name).is_some_and(|end| end.starts_with('='));
        if let Some(word) = self.words.iter().find(inline) {
            return word.get(name.len() + 1..);
        }
        let at = self.words.iter().position(|word| word == name)?;
        self.words.get(at + 1).map(String::as_str)
    }

    /// Puts the command into a template, as JSON.
    #[must_use]
    pub fn fill(&self, template: &str) -> String {
        let arguments: Vec<String> = self.arguments().iter().map(|word| json(word)).collect();
        template
            .replace("$CALL", &self.call())
            .replace("$PROGRAM", &json(self.program()))
            .replace("$ARGS", &format!("[{}]", arguments.join(", ")))
            .replace("$LINE", &json(&self.line()))
    }

    /// The members that start it without a shell. Harnesses that read another's file drop `args` (Grok
    /// 1.0.41, Copilot 1.0.102), and a program without arguments is the hook with its defaults: what is
    /// more than those stands in the line, which they keep.
    fn call(&self) -> String {
        if self.words.len() > PLAIN {
            return format!("\"command\": {}", json(&self.line()));
        }
        "\"command\": $PROGRAM, \"args\": $ARGS".to_owned()
    }

    /// The command as a line for a shell.
    #[must_use]
    pub fn line(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    }
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn quoted(word: &str) -> String {
    let plain = |ch: char| ch.is_ascii_alphanumeric() || "/._-+=:,@%".contains(ch);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}

/// The words of a shell line, quotes taken off; good enough to find a program and its options.
#[must_use]
pub fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(ch) = chars.next() {
        match (quote, ch) {
            (Some(open), _) if ch == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(ch);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(ch),
        }
    }
    words.extend(word);
    words
}

/// The command of one handler: an object with `command` and perhaps `args`, or `bash`, or `exec`.
#[must_use]
pub fn command(handler: &Node) -> Option<(Command, bool)> {
    let text = ["command", "bash", "exec"].into_iter().find_map(|name| handler.get(name)?.text());
    let Some(text) = text else { return command(handler.get("action")?) };
    if let Some(args) = handler.get("args") {
        let mut words = vec![text.to_owned()];
        words.extend(args.elements().iter().filter_map(Node::text).map(str::to_owned));
        return Some((Command { words }, true));
    }
    Some((Command { words: split(text) }, false))
}

/// The handlers of an entry: those of its `hooks`, or itself.
#[must_use]
pub fn handlers(element: &Node) -> Vec<&Node> {
    match element.get("hooks") {
        Some(hooks) if matches!(hooks.kind, Kind::Array(_)) => hooks.elements().iter().collect(),
        Some(_) | None => vec![element],
    }
}

/// Whether a handler is stanchion's.
#[must_use]
pub fn is_ours(handler: &Node) -> bool {
    command(handler).is_some_and(|(command, _)| command.is_ours())
}
