//! Compound commands and function definitions (bash manual 3.2.5, 3.3). What the grammar misreads
//! (`case`, arithmetic `for`, brace-bodied loops, function headers) is written into the skeleton in
//! a plainer form of the same length.

use super::{
    Body, Compound, CompoundKind, Element, List, Part, Scanner, Stage, Step, Word, is_meta, is_name,
};
use crate::shell::model::Separator;
use crate::span::Span;

const OPENERS: [&[u8]; 9] = [b"{", b"if", b"while", b"until", b"for", b"select", b"case", b"function", b"[["];

impl Scanner<'_> {
    /// Whether a compound command starts at the cursor.
    pub(crate) fn at_compound(&self) -> bool {
        self.peek() == Some(b'(') || OPENERS.iter().any(|opener| self.at_reserved(opener))
    }

    /// A compound command or function definition at the cursor, if there is one.
    pub(crate) fn compound(&mut self) -> Step<Option<Box<Compound>>> {
        self.blanks();
        let mut compound = if self.at_reserved(b"function") {
            self.function_keyword()?
        } else if let Some(compound) = self.function_parens()? {
            compound
        } else if let Some(compound) = self.plain_compound()? {
            compound
        } else {
            return Ok(None);
        };
        compound.redirects.extend(self.redirects()?);
        Ok(Some(compound))
    }

    fn plain_compound(&mut self) -> Step<Option<Box<Compound>>> {
        let compound = if self.peek() == Some(b'(') {
            self.parenthesis()?
        } else if self.at_reserved(b"{") {
            self.group()?
        } else if self.at_reserved(b"if") {
            self.if_clause()?
        } else if self.at_reserved(b"while") {
            self.while_loop(b"while")?
        } else if self.at_reserved(b"until") {
            self.while_loop(b"until")?
        } else if self.at_reserved(b"for") {
            self.for_loop(b"for", CompoundKind::For)?
        } else if self.at_reserved(b"select") {
            self.for_loop(b"select", CompoundKind::Select)?
        } else if self.at_reserved(b"case") {
            self.case()?
        } else if self.at_reserved(b"[[") {
            self.test()?
        } else {
            return Ok(None);
        };
        Ok(Some(compound))
    }

    /// `( … )`, `(( … ))`, or two subshells that begin like arithmetic. Bash reads the latter twice, and
    /// takes the body of a heredoc in them for commands the second time, and what follows for the body.
    fn parenthesis(&mut self) -> Step<Box<Compound>> {
        if self.peek2() != Some(b'(') {
            return self.subshell();
        }
        if let Some(test) = self.arithmetic_command()? {
            return Ok(test);
        }
        let (start, before) = (self.skip(self.pos), self.out.data.len());
        let subshell = self.subshell()?;
        let mut read = self.out.data.iter().skip(before);
        if read.any(|(_, kind)| *kind == "heredoc") && !std::mem::replace(&mut self.lost, true) {
            let span = Span::new(start, self.src.len());
            let reason = "a heredoc behind (( that is no arithmetic: bash takes its body for commands";
            self.out.faults.push(super::Fault { span, reason });
        }
        Ok(subshell)
    }

    fn subshell(&mut self) -> Step<Box<Compound>> {
        let at = self.skip(self.pos);
        self.bump();
        if self.raw(self.pos) == Some(b'(') {
            return self.outer_subshell();
        }
        // To the grammar `{(` is a word: there the parentheses are left out, and so is the separator
        // before the closing one.
        let glued = at > 0 && matches!(self.skeleton.get(at - 1), Some(b'{'));
        let (open, shut): (&[u8], &[u8]) = if glued { (b" ", b" ") } else { (b"(", b")") };
        self.put(at, open);
        let list = self.list(false)?;
        self.close(b")", shut)?;
        if glued && list.elements.last().is_some_and(|last| last.separator != Separator::End) {
            let inside = Span::new(at, self.pos).slice(&self.skeleton);
            if let Some(last) = inside.iter().rposition(|byte| *byte != b' ') {
                self.put(at + last, b" ");
            }
        }
        Ok(compound(CompoundKind::Subshell, vec![list]))
    }

    /// `((a); b)`: the grammar would take the two parentheses for arithmetic, so the outer ones leave no
    /// trace in the skeleton; where the list ends in a separator a dummy command follows it.
    fn outer_subshell(&mut self) -> Step<Box<Compound>> {
        let list = self.list(false)?;
        self.newlines();
        let end = self.skip(self.pos);
        self.close(b")", b" ")?;
        if list.elements.last().is_some_and(|last| last.separator != Separator::End) {
            self.dummy(Span::new(end, end + 1));
        }
        Ok(compound(CompoundKind::Subshell, vec![list]))
    }

    fn close(&mut self, word: &[u8], text: &[u8]) -> Step<()> {
        self.newlines();
        if word == b")" {
            if self.peek() != Some(b')') {
                return self.stop("unclosed parenthesis");
            }
            let at = self.skip(self.pos);
            self.bump();
            self.put(at, text);
            return Ok(());
        }
        self.reserved(word, text)
    }

    fn group(&mut self) -> Step<Box<Compound>> {
        self.reserved(b"{", b"{")?;
        let list = self.body()?;
        self.close(b"}", b"}")?;
        Ok(compound(CompoundKind::Group, vec![list]))
    }

    /// A list that must not be empty.
    fn body(&mut self) -> Step<List> {
        let list = self.list(false)?;
        if list.elements.is_empty() {
            return self.stop("an empty list");
        }
        Ok(list)
    }

    fn if_clause(&mut self) -> Step<Box<Compound>> {
        let mut lists = Vec::new();
        self.reserved(b"if", b"if")?;
        loop {
            lists.push(self.body()?);
            self.close(b"then", b"then")?;
            lists.push(self.body()?);
            self.newlines();
            if self.at_reserved(b"elif") {
                self.reserved(b"elif", b"elif")?;
                continue;
            }
            if self.at_reserved(b"else") {
                self.reserved(b"else", b"else")?;
                lists.push(self.body()?);
            }
            self.close(b"fi", b"fi")?;
            return Ok(compound(CompoundKind::If, lists));
        }
    }

    fn while_loop(&mut self, word: &[u8]) -> Step<Box<Compound>> {
        self.reserved(word, word)?;
        let condition = self.body()?;
        self.close(b"do", b"do")?;
        let body = self.body()?;
        self.close(b"done", b"done")?;
        Ok(compound(CompoundKind::While, vec![condition, body]))
    }

    fn for_loop(&mut self, word: &[u8], kind: CompoundKind) -> Step<Box<Compound>> {
        let start = self.skip(self.pos);
        self.reserved(word, word)?;
        self.blanks();
        let mut loop_ = compound(kind, Vec::new());
        if self.peek() == Some(b'(') && self.peek2() == Some(b'(') {
            self.bump();
            self.bump();
            let body = self.arithmetic_body(b"))")?;
            loop_.words.push(evaluated(body));
            self.fill(Span::new(start, self.pos), b' ');
            self.put(start, b"while x");
            self.dummies.push(start + 6);
        } else {
            self.for_names(&mut loop_)?;
        }
        self.for_body(&mut loop_, start)?;
        Ok(loop_)
    }

    /// `NAME [in WORD…]`
    fn for_names(&mut self, loop_: &mut Compound) -> Step<()> {
        let word = self.word()?;
        if !matches!(word.parts.first(), Some(Part::Literal { quoted: false, .. })) {
            return self.stop("a loop variable is missing");
        }
        loop_.name = written(&word);
        loop_.header = word.span;
        self.fill(word.span, b'x');
        self.newlines();
        if !self.at_reserved(b"in") {
            return Ok(());
        }
        let in_at = self.skip(self.pos);
        self.bump();
        self.bump();
        loop {
            self.blanks();
            match self.peek() {
                None | Some(b'\n' | b';' | b'#') => break,
                Some(b'<' | b'>') if self.peek2() != Some(b'(') => return self.stop("unexpected token"),
                Some(b'&' | b'|' | b'(' | b')') => return self.stop("unexpected token"),
                Some(_) => {
                    let word = self.word()?;
                    self.fill(word.span, b'x');
                    loop_.words.push(word);
                }
            }
        }
        if !loop_.words.is_empty() {
            self.put(in_at, b"in");
        }
        Ok(())
    }

    /// `; do … done`, or `{ … }`.
    fn for_body(&mut self, loop_: &mut Compound, start: usize) -> Step<()> {
        let end_of_header = self.pos;
        self.blanks_and_comment();
        let at = self.pos;
        if self.peek() == Some(b';') {
            self.bump();
            self.put(at, b";");
        } else if self.raw(self.pos) == Some(b'\n') {
            self.put(at, b";");
        } else if self.skeleton.get(at.saturating_sub(1)) == Some(&b' ') {
            self.put(at - 1, b";");
        }
        self.newlines();
        if self.at_reserved(b"{") {
            self.fill(Span::new(start, self.pos), b' ');
            self.dummies.retain(|dummy| *dummy < start || *dummy >= end_of_header);
            self.reserved(b"{", b"{")?;
            loop_.lists.push(self.body()?);
            return self.close(b"}", b"}");
        }
        self.close(b"do", b"do")?;
        loop_.lists.push(self.body()?);
        self.close(b"done", b"done")
    }

    /// `case`: the skeleton has a group in which words and patterns are dummy commands.
    fn case(&mut self) -> Step<Box<Compound>> {
        let mut case = compound(CompoundKind::Case, Vec::new());
        self.reserved(b"case", b"{   ")?;
        self.blanks();
        let word = self.word()?;
        if word.span.is_empty() {
            return self.stop("a word is missing after case");
        }
        self.dummy(word.span);
        case.words.push(word);
        self.newlines();
        self.reserved(b"in", b"; ")?;
        loop {
            self.newlines();
            if self.at_reserved(b"esac") {
                self.reserved(b"esac", b"}   ")?;
                return Ok(case);
            }
            self.case_arm(&mut case)?;
        }
    }

    /// A dummy command in the skeleton.
    fn dummy(&mut self, span: Span) {
        let start = self.skip(span.start);
        self.fill(Span::new(start, span.end), b'x');
        self.dummies.push(start);
    }

    fn case_arm(&mut self, case: &mut Compound) -> Step<()> {
        self.blanks();
        if self.peek() == Some(b'(') {
            self.bump();
        }
        let start = self.pos;
        loop {
            self.blanks();
            match self.peek() {
                Some(b')') => break,
                Some(b'|') => self.bump(),
                _ => {
                    let word = self.pattern_word()?;
                    if word.span.is_empty() {
                        return self.stop("a pattern is missing");
                    }
                    case.words.push(word);
                }
            }
        }
        if case.words.is_empty() || start == self.pos {
            return self.stop("a pattern is missing");
        }
        self.dummy(Span::new(start, self.pos));
        let paren = self.skip(self.pos);
        self.bump();
        self.put(paren, b";");
        let list = self.list(false)?;
        let ended = list.elements.last().is_none_or(|last| last.separator != Separator::End);
        case.lists.push(list);
        self.newlines();
        if self.peek() == Some(b';') {
            let at = self.skip(self.pos);
            self.bump();
            while matches!(self.peek(), Some(b';' | b'&')) {
                self.bump();
            }
            self.put(at, if ended { b" " } else { b";" });
        } else if !self.at_reserved(b"esac") {
            return self.stop("unclosed case");
        }
        Ok(())
    }

    fn function_keyword(&mut self) -> Step<Box<Compound>> {
        for _ in 0..8 {
            self.bump();
        }
        self.blanks();
        let word = self.word()?;
        if word.span.is_empty() {
            return self.stop("a function name is missing");
        }
        self.blanks();
        if self.peek() == Some(b'(') {
            let back = self.pos;
            self.bump();
            self.blanks();
            if self.peek() == Some(b')') { self.bump() } else { self.pos = back }
        }
        self.function_body(&word)
    }

    /// `name ( )` before a compound command.
    fn function_parens(&mut self) -> Step<Option<Box<Compound>>> {
        let start = self.skip(self.pos);
        let mut at = start;
        while self
            .raw(at)
            .is_some_and(|byte| !is_meta(byte) && !matches!(byte, b'"' | b'\'' | b'$' | b'`' | b'\\' | b'='))
        {
            at = self.skip(at + 1);
        }
        let end = at;
        while matches!(self.raw(at), Some(b' ' | b'\t')) {
            at = self.skip(at + 1);
        }
        if end == start || self.raw(at) != Some(b'(') || self.raw(start) == Some(b'#') {
            return Ok(None);
        }
        let extended =
            self.extglob && end == at && matches!(self.raw(end - 1), Some(b'@' | b'?' | b'*' | b'+' | b'!'));
        if extended {
            return Ok(None);
        }
        at = self.skip(at + 1);
        while matches!(self.raw(at), Some(b' ' | b'\t')) {
            at = self.skip(at + 1);
        }
        if self.raw(at) != Some(b')') {
            return Ok(None);
        }
        let back = self.pos;
        let word = self.word()?;
        if word.span.end != end {
            self.pos = back;
            return Ok(None);
        }
        self.pos = at + 1;
        Ok(Some(self.function_body(&word)?))
    }

    fn function_body(&mut self, name: &Word) -> Step<Box<Compound>> {
        self.newlines();
        let at = self.pos;
        let Some(mut body) = self.deeper(Self::plain_compound)? else {
            return self.stop("a function body is missing");
        };
        body.redirects.extend(self.redirects()?);
        let span = Span::new(at, self.pos);
        let stage = Stage { coproc: false, body: Body::Compound(body), name: Span::default(), span };
        let element =
            Element { stages: vec![stage], negated: false, timed: false, separator: Separator::End, span };
        let mut function = compound(CompoundKind::Function, vec![List { elements: vec![element] }]);
        function.name = written(name);
        function.header = name.span;
        Ok(function)
    }

    /// `[[ … ]]`: one dummy-free command in the skeleton.
    fn test(&mut self) -> Step<Box<Compound>> {
        let start = self.skip(self.pos);
        self.bump();
        self.bump();
        let mut words = Vec::new();
        let mut pattern = false;
        loop {
            self.newlines();
            match self.peek() {
                None => return self.stop("unclosed [["),
                Some(b'(' | b')' | b'|' | b'&' | b'<' | b'>' | b';') if !pattern => {
                    let process = matches!(self.peek(), Some(b'<' | b'>')) && self.peek2() == Some(b'(');
                    if process { words.push(self.word()?) } else { self.bump() }
                }
                Some(_) => {
                    if self.at_reserved(b"]]") {
                        self.bump();
                        self.bump();
                        break;
                    }
                    let before = self.pos;
                    let word = self.pattern_word()?;
                    if self.pos == before {
                        self.bump();
                        continue;
                    }
                    pattern = matches!(word.span.slice(self.src), b"=~" | b"==" | b"=" | b"!=");
                    words.push(word);
                }
            }
        }
        Ok(self.tested(start, words))
    }

    /// Wraps the words of a test into the command that stands for it.
    fn tested(&mut self, start: usize, words: Vec<Word>) -> Box<Compound> {
        let span = Span::new(start, self.pos);
        self.fill(span, b'x');
        self.dummies.push(start);
        let mut test = compound(CompoundKind::Test, Vec::new());
        test.words = words;
        test
    }

    /// `(( … ))`; `None` when it is two subshells instead.
    fn arithmetic_command(&mut self) -> Step<Option<Box<Compound>>> {
        let start = self.skip(self.pos);
        let back = self.pos;
        let marks = self.mark();
        self.bump();
        self.bump();
        match self.arithmetic_body(b"))") {
            Ok(word) => Ok(Some(self.tested(start, vec![evaluated(word)]))),
            Err(stop) => {
                self.retry(stop, back, marks)?;
                Ok(None)
            }
        }
    }

    /// Takes a failed guess back; the work that guesses cost is bounded.
    pub(crate) fn retry(&mut self, stop: super::Stop, back: usize, mark: super::Mark) -> Step<()> {
        self.retries += self.pos.max(stop.at).saturating_sub(back);
        if self.retries > 16 * self.src.len() + 65_536 {
            return Err(stop);
        }
        self.fill(Span::new(back, self.pos.max(stop.at)), b' ');
        self.pos = back;
        self.undo(mark);
        Ok(())
    }

    /// Whether a plain name stands at `at`; used by callers that look ahead.
    pub(crate) fn name_at(&self, at: usize) -> bool {
        self.raw(at).is_some_and(|byte| is_name(byte) && !byte.is_ascii_digit())
    }
}

/// The literal bytes of a word.
fn written(word: &Word) -> Vec<u8> {
    let literal = |part: &Part| match part {
        Part::Literal { bytes, .. } => bytes.clone(),
        Part::Parameter { .. }
        | Part::Substitution { .. }
        | Part::Backtick { .. }
        | Part::Arithmetic { .. } => Vec::new(),
    };
    word.parts.iter().flat_map(literal).collect()
}

/// The inside of arithmetic as one word.
fn evaluated(body: Word) -> Word {
    Word { span: body.span, parts: vec![Part::Arithmetic { parts: body.parts, quoted: true }] }
}

/// Boxed at once: it is handed up through every level of nesting, and each holds a place for it.
fn compound(kind: CompoundKind, lists: Vec<List>) -> Box<Compound> {
    Box::new(Compound {
        kind,
        lists,
        words: Vec::new(),
        redirects: Vec::new(),
        name: Vec::new(),
        header: Span::default(),
    })
}
