//! Compares what bash ran with what stanchion calls executed.

use super::sandbox::Argv;
use stanchion::shell::model::{Command, Cooked, Opaque, PlaceKind, Script, Word};

/// How an execution was accounted for; the best that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// Not at all: stanchion is unsound.
    Missed,
    /// Through a command of whose first word nothing is known.
    Vague,
    /// It lies in an opaque region.
    Opaque,
    /// A command with that name and compatible words.
    Command,
}

/// Looks one execution up.
pub fn find(script: &Script, argv: &Argv) -> Found {
    let name = &argv[0];
    let mut best = Found::Missed;
    for command in &script.commands {
        if !matches(script, command, argv) {
            continue;
        }
        let nothing = |word: &&Word| !matches!(word.value, Cooked::Pattern(_)) && gives(word, &[], true);
        let first = command.words.iter().find(|word| !nothing(word));
        let known = first.is_some_and(|word| word.values().any(|value| names(value, name)));
        best = best.max(if known { Found::Command } else { Found::Vague });
    }
    let unique = argv.get(1).filter(|word| word.starts_with(b"n") && word.len() > 1);
    let mentioned = |region: &Opaque| {
        contains(&region.bytes, name) && unique.is_none_or(|unique| contains(&region.bytes, unique))
    };
    if best < Found::Opaque && script.opaque.iter().any(mentioned) {
        best = Found::Opaque;
    }
    best
}

/// Whether a value says which program it is.
fn names(value: &Cooked, name: &[u8]) -> bool {
    match value {
        Cooked::Exact(bytes) => base(bytes) == name,
        Cooked::Affix { head, tail } => {
            !(head.is_empty() && tail.is_empty()) && compatible(value, name, true)
        }
        Cooked::Pattern(_) => compatible(value, name, true),
        Cooked::Opaque => false,
    }
}

fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Whether `haystack`, without quotes, backslashes, newlines behind them and the generator's empty
/// variable, mentions `needle`.
fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    let full = String::from_utf8_lossy(haystack).replace("${u}", "");
    let plain: Vec<u8> = full.bytes().filter(|byte| !b"'\"\\\n$".contains(byte)).collect();
    [haystack, &plain].iter().any(|text| text.windows(needle.len()).any(|window| window == needle))
}

/// Whether a run of `command` can have been `argv`.
fn matches(script: &Script, command: &Command, argv: &Argv) -> bool {
    if command.words.is_empty() {
        return false;
    }
    // Wrappers that add words of their own, and replace `{}`.
    let feeds = script.kinds(command.place).any(|kind| {
        matches!(kind, PlaceKind::Wrapper { program } if matches!(&program[..], b"xargs" | b"gxargs" | b"find" | b"gfind" | b"parallel" | b"fd" | b"make"))
    });
    // `reach[n]`: the words so far can have given the first `n` of argv.
    let mut reach = vec![false; argv.len() + 1];
    reach[0] = true;
    for (position, word) in command.words.iter().enumerate() {
        let mut next = vec![false; argv.len() + 1];
        for from in (0..=argv.len()).filter(|from| reach[*from]) {
            for to in from..=argv.len() {
                let first = from == 0;
                if gives(word, &argv[from..to], first)
                    || (feeds && position > 0 && to == from + 1 && braces(word))
                {
                    next[to] = true;
                }
            }
        }
        reach = next;
    }
    reach[argv.len()] || (feeds && reach.iter().skip(1).any(|reached| *reached))
}

fn braces(word: &Word) -> bool {
    word.exact().is_some_and(|bytes| bytes.windows(2).any(|window| window == b"{}"))
}

/// Whether a word can have given these arguments.
fn gives(word: &Word, arguments: &[Vec<u8>], first: bool) -> bool {
    if let Some(exact) = word.exact() {
        return matches!(arguments, [only] if compatible(&word.value, only, first)) && !exact.is_empty()
            || matches!(arguments, [only] if same(exact, only, first));
    }
    match arguments {
        [only] => word.values().any(|value| compatible(value, only, first)),
        // Nothing, or several: only an expansion does that.
        [] => word.values().any(|value| match value {
            Cooked::Exact(bytes) => bytes.is_empty(),
            Cooked::Affix { head, tail } => head.is_empty() && tail.is_empty(),
            Cooked::Pattern(_) | Cooked::Opaque => true,
        }),
        [start, .., end] => word.values().any(|value| match value {
            Cooked::Pattern(_) => arguments.iter().all(|argument| compatible(value, argument, false)),
            Cooked::Exact(bytes) => fields(bytes, arguments, first),
            Cooked::Affix { head, tail } => {
                (start.starts_with(head) || first && same(head, start, first)) && end.ends_with(tail)
            }
            Cooked::Opaque => true,
        }),
    }
}

/// Whether an unquoted value splits into these fields.
fn fields(bytes: &[u8], arguments: &[Vec<u8>], first: bool) -> bool {
    let parts: Vec<&[u8]> =
        bytes.split(|byte| b" \t\n".contains(byte)).filter(|part| !part.is_empty()).collect();
    parts.len() == arguments.len()
        && parts
            .iter()
            .zip(arguments)
            .enumerate()
            .all(|(n, (part, argument))| same(part, argument, first && n == 0))
}

fn same(bytes: &[u8], argument: &[u8], first: bool) -> bool {
    bytes == argument || (first && base(bytes) == argument)
}

fn compatible(value: &Cooked, argument: &[u8], first: bool) -> bool {
    match value {
        // A tilde is kept as written: bash puts an absolute path in its place.
        Cooked::Exact(bytes) if bytes.starts_with(b"~") => {
            let name = bytes.iter().position(|byte| *byte == b'/').unwrap_or(bytes.len());
            let home = argument.strip_suffix(&bytes[name..]);
            bytes == argument || home.is_some_and(|home| home.starts_with(b"/"))
        }
        Cooked::Exact(bytes) => same(bytes, argument, first),
        Cooked::Affix { head, tail } => {
            let head = if first { base(head) } else { head };
            let tail = if first { base(tail) } else { tail };
            argument.len() >= head.len() + tail.len()
                && argument.starts_with(head)
                && argument.ends_with(tail)
        }
        Cooked::Pattern(pattern) => {
            let pattern = if first { base(pattern) } else { pattern };
            glob(pattern, argument) || literally(pattern, argument)
        }
        Cooked::Opaque => true,
    }
}

/// Whether a glob matches; a bracket stands for any one byte here.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|at| glob(rest, &text[at..])),
        [b'?', rest @ ..] => {
            let first = std::str::from_utf8(text).ok().and_then(|text| text.chars().next());
            !text.is_empty() && glob(rest, &text[first.map_or(1, char::len_utf8)..])
        }
        [b'[', rest @ ..] if !text.is_empty() && rest.contains(&b']') => {
            let ends = rest.iter().enumerate().skip(1).filter(|(_, byte)| **byte == b']');
            ends.map(|(end, _)| end).any(|end| glob(&rest[end + 1..], &text[1..]))
                || text[0] == b'[' && glob(rest, &text[1..])
        }
        [b'\\', byte, rest @ ..] | [byte, rest @ ..] => text.first() == Some(byte) && glob(rest, &text[1..]),
    }
}

/// Whether an argument is a pattern that matched no file; `*` stands for what is not known, too.
fn literally(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|at| literally(rest, &text[at..])),
        [b'\\', byte, rest @ ..] | [byte, rest @ ..] => {
            text.first() == Some(byte) && literally(rest, &text[1..])
        }
    }
}

/// Commands that stanchion calls executed although the name stands only where the text is data.
pub fn false_executions(script: &Script, executed: &[Argv]) -> Vec<String> {
    let mut found = Vec::new();
    for command in &script.commands {
        let Some(name) = command.words.first().and_then(Word::exact) else { continue };
        let data = matches!(name, [b'd', digit] if digit.is_ascii_digit());
        if data && !executed.iter().any(|argv| argv[0] == name) {
            found.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    found
}
