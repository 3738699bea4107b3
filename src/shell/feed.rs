//! Words that a program gets from elsewhere: from standard input (`xargs`) or behind a mark
//! (`parallel :::`). Must never guess a word: what is not known is not fed.

use super::environment::Environment;
use super::lower::{Lowerer, Origin};
use super::model::{Command, Cooked, Word};
use super::query::Program;
use super::resolve::Followed;
use crate::span::Span;

/// How many words or lines are fed to one program.
const MAX_FED: usize = 32;

impl Lowerer<'_> {
    /// The commands that a program makes of the words on its standard input.
    pub(super) fn fed(
        &mut self,
        followed: &Followed<'_>,
        program: &Program,
        range: std::ops::Range<usize>,
        env: &mut Environment,
    ) {
        let Followed { command, .. } = followed;
        let texts = self.standard_input(command);
        if texts.is_empty() {
            return;
        }
        let options = command.words.get(1..range.start).unwrap_or_default();
        let operands = command.words.get(range).unwrap_or_default();
        let mark = replaced(program, options);
        let end = end_of_words(options);
        for text in texts {
            match &mark {
                Some(mark) => {
                    let ends = |byte: &u8| *byte == end.unwrap_or(b'\n');
                    let lines = text.split(ends).filter(|line| !line.is_empty());
                    for line in lines.take(MAX_FED) {
                        let line =
                            if end.is_some() { line.to_vec() } else { words(line, None, b"").concat() };
                        let words = operands.iter().map(|word| replace(word, mark, &line)).collect();
                        self.inner_words(followed, words, false, env);
                    }
                }
                None => {
                    let shape = operands.last().cloned().unwrap_or_default();
                    let fed = words(&text, end, b" \t\n").into_iter().take(MAX_FED);
                    let fed = fed.map(|bytes| Word { value: Cooked::Exact(bytes), ..shape.clone() });
                    self.inner_words(followed, operands.iter().cloned().chain(fed).collect(), false, env);
                }
            }
        }
    }

    /// Programs that stand in operands such as `SHELL=PROGRAM`.
    pub(super) fn run_by_operands(
        &mut self,
        followed: &Followed<'_>,
        program: &Program,
        env: &mut Environment,
    ) {
        for prefix in program.runs.iter() {
            for word in followed.command.words.iter().skip(1) {
                let rest = |value: &Cooked| {
                    value.exact().and_then(|bytes| bytes.strip_prefix(prefix.as_bytes())).map(<[u8]>::to_vec)
                };
                let Some(bytes) = word.values().find_map(rest) else { continue };
                let run = Word { value: Cooked::Exact(bytes), alternatives: Vec::new(), ..word.clone() };
                // It gets each recipe as `PROGRAM -c TEXT`, not on its standard input.
                let option =
                    Word { value: Cooked::Exact(b"-c".to_vec()), span: word.span, ..Word::default() };
                self.inner_words(followed, vec![run, option], true, env);
            }
        }
    }

    /// A text with arguments behind a mark.
    pub(super) fn with_arguments(
        &mut self,
        command: &Command,
        base: &[u8],
        program: &Program,
        operands: &[Word],
        env: &mut Environment,
    ) {
        let mark = |word: &Word| {
            word.exact().is_some_and(|bytes| program.arguments.iter().any(|mark| mark.as_bytes() == bytes))
        };
        let at = operands.iter().position(mark).unwrap_or(operands.len());
        let (text, rest) = operands.split_at_checked(at).unwrap_or((operands, &[]));
        let arguments = rest.iter().filter(|word| !mark(word)).filter_map(|word| word.value.exact());
        let mut arguments: Vec<Vec<u8>> = arguments.map(<[u8]>::to_vec).collect();
        if rest.is_empty() {
            let lines =
                |text: Vec<u8>| text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
            arguments.extend(self.standard_input(command).into_iter().flat_map(lines));
        }
        arguments.retain(|argument| !argument.is_empty());
        if !text.is_empty() {
            self.joined(command, base, text, env);
        }
        let known: Vec<&[u8]> = text.iter().filter_map(|word| word.value.exact()).collect();
        if known.len() < text.len() {
            return;
        }
        let span = operands.iter().map(|word| word.span).reduce(Span::cover).unwrap_or_default();
        for argument in arguments.into_iter().take(MAX_FED) {
            let template = known.join(&b' ');
            let whole = match template.windows(2).any(|pair| pair == b"{}") {
                true => substitute(&template, b"{}", &argument),
                false => [template.as_slice(), b" ", &argument].concat(),
            };
            self.payload(command, base, &whole, Origin::Within(span), env);
        }
    }
}

/// What the words of standard input replace, if an option says so.
fn replaced(program: &Program, options: &[Word]) -> Option<Vec<u8>> {
    for (at, word) in options.iter().enumerate() {
        let Some(bytes) = word.value.exact() else { continue };
        let takes = |option: &&str| bytes.starts_with(option.as_bytes());
        let Some(option) = program.replaces.iter().find(takes) else { continue };
        let rest = bytes.get(option.len()..).unwrap_or_default();
        let rest = rest.strip_prefix(b"=").unwrap_or(rest);
        let next = || options.get(at + 1).and_then(|word| word.value.exact());
        let optional = program.attached.contains(option.as_bytes());
        return Some(match rest {
            b"" if optional => b"{}".to_vec(),
            b"" => next().unwrap_or(b"{}").to_vec(),
            rest => rest.to_vec(),
        });
    }
    None
}

/// `-0` and `-d`: what ends a word; there are no quotes in the input then.
fn end_of_words(options: &[Word]) -> Option<u8> {
    for (at, word) in options.iter().enumerate() {
        let Some(bytes) = word.exact() else { continue };
        if bytes.starts_with(b"-0") || bytes == b"--null" {
            return Some(0);
        }
        let Some(glued) = bytes.strip_prefix(b"-d").or(bytes.strip_prefix(b"--delimiter=")) else { continue };
        let next = options.get(at + 1).and_then(Word::exact).filter(|_| glued.is_empty());
        return super::cook::ansi_c(next.unwrap_or(glued)).first().copied().or(Some(0));
    }
    None
}

fn replace(word: &Word, mark: &[u8], with: &[u8]) -> Word {
    let value = match &word.value {
        Cooked::Exact(bytes) => Cooked::Exact(substitute(bytes, mark, with)),
        other @ (Cooked::Affix { .. } | Cooked::Pattern(_) | Cooked::Opaque) => other.clone(),
    };
    Word { value, ..word.clone() }
}

fn substitute(bytes: &[u8], mark: &[u8], with: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        match rest.strip_prefix(mark).filter(|_| !mark.is_empty()) {
            Some(after) => {
                out.extend_from_slice(with);
                rest = after;
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

/// Words as `xargs` reads them: blanks and newlines separate, quotes and backslashes quote.
fn words(text: &[u8], end: Option<u8>, separators: &[u8]) -> Vec<Vec<u8>> {
    if let Some(end) = end {
        let ends = |byte: &u8| *byte == end;
        return text.split(ends).filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect();
    }
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(end), byte) if end == *byte => quote = None,
            (Some(_), byte) => word.get_or_insert_default().push(*byte),
            (None, b'\'' | b'"') => {
                quote = Some(*byte);
                word.get_or_insert_default();
            }
            (None, b'\\') => word.get_or_insert_default().extend(bytes.next()),
            (None, byte) if separators.contains(byte) => words.extend(word.take()),
            (None, byte) => word.get_or_insert_default().push(*byte),
        }
    }
    words.extend(word);
    words
}
