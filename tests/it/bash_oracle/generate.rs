//! Generates bash programs over stub commands. Knows nothing of stanchion.
//!
//! Commands that may run are `alpha beta gamma delta p00…p09` (exit 0) and `x00…x04` (exit 1), most
//! with a first argument that is unique in the program, so that no execution hides another. The names
//! `d0…d9` stand only where the text is data.

use super::rng::Rng;

macro_rules! kinds {
    ($($name:ident),* $(,)?) => {
        /// The construct kinds that the generator writes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind { $($name),* }
        /// All kinds.
        pub const KINDS: &[Kind] = &[$(Kind::$name),*];
    };
}

kinds! {
    Simple, Semicolon, Newline, AndList, OrList, Background, Pipeline, PipeBoth, Negation, Time, Coproc,
    Subshell, Group, If, Elif, While, Until, ForIn, ForArith, Select, Case, CaseFallthrough, CaseParen,
    Function, FunctionKeyword, SingleQuote, DoubleQuote, AnsiC, LocaleQuote, Backslash, GluedQuotes,
    QuotedName, CommandSub, QuotedSub, Backtick, NestedBacktick, ProcessIn, ProcessOut, ParamDefault,
    ParamTrim, ParamReplace, ParamCase, ParamSubstring, ParamNested, Arithmetic, LegacyArithmetic,
    ArithCommand, Subscript, Array, AssignPrefix, AssignNewline, AssignSub, RedirectBefore, RedirectMiddle,
    RedirectAfter, RedirectDescriptor, RedirectSub, RedirectCompound, Heredoc, HeredocQuoted, HeredocTab,
    HeredocSub, HeredocOperator, HereString, Comment, Continuation, ContinuationInWord, SingleTest,
    DoubleTest, DoubleTestRegex, Eval, BashC, ShC, Env, CommandBuiltin, Builtin, ExecSubshell, Nohup, Nice,
    Timeout, Setsid, Stdbuf, Xargs, FindExec, Trap, SourceProcess, PipeIntoShell, ShellHereString,
    ShellHeredoc, ShellProcess, VariableCommand, VariableSplit, VariableEval, ArrayCommand, BraceWords,
    BraceCommand, Declare, Glob, EchoData, Let,
}

/// A generator for one program.
pub struct Generator {
    rng: Rng,
    /// How often each kind was written, by `Kind as usize`.
    pub counts: Vec<u64>,
    heredocs: Vec<String>,
    depth: usize,
    serial: usize,
}

const STRUCTURES: &[Kind] = &[
    Kind::Negation, Kind::Time, Kind::Coproc, Kind::Subshell, Kind::Group, Kind::If, Kind::Elif, Kind::While,
    Kind::Until, Kind::ForIn, Kind::ForArith, Kind::Select, Kind::Case, Kind::CaseFallthrough, Kind::CaseParen,
    Kind::Function, Kind::FunctionKeyword, Kind::ArithCommand, Kind::SingleTest, Kind::DoubleTest,
    Kind::DoubleTestRegex, Kind::Array, Kind::AssignNewline, Kind::AssignSub, Kind::Eval, Kind::BashC, Kind::ShC,
    Kind::Env, Kind::CommandBuiltin, Kind::Builtin, Kind::ExecSubshell, Kind::Nohup, Kind::Nice, Kind::Timeout,
    Kind::Setsid, Kind::Stdbuf, Kind::Xargs, Kind::FindExec, Kind::Trap, Kind::SourceProcess,
    Kind::PipeIntoShell, Kind::ShellHereString, Kind::ShellHeredoc, Kind::ShellProcess, Kind::VariableCommand,
    Kind::VariableSplit, Kind::VariableEval, Kind::ArrayCommand, Kind::Declare, Kind::EchoData, Kind::Let,
    Kind::RedirectCompound, Kind::BraceCommand,
];

const WORDS: &[Kind] = &[
    Kind::SingleQuote, Kind::DoubleQuote, Kind::AnsiC, Kind::LocaleQuote, Kind::Backslash, Kind::GluedQuotes,
    Kind::CommandSub, Kind::QuotedSub, Kind::Backtick, Kind::NestedBacktick, Kind::ProcessIn, Kind::ProcessOut,
    Kind::ParamDefault, Kind::ParamTrim, Kind::ParamReplace, Kind::ParamCase, Kind::ParamSubstring,
    Kind::ParamNested, Kind::Arithmetic, Kind::LegacyArithmetic, Kind::Subscript, Kind::ContinuationInWord,
    Kind::BraceWords, Kind::Glob,
];

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed), counts: vec![0; KINDS.len()], heredocs: Vec::new(), depth: 0, serial: 0 }
    }

    /// One whole program.
    pub fn program(&mut self) -> String {
        let statements = 1 + self.rng.below(4);
        self.scoped(|this| this.list(statements))
    }

    fn note(&mut self, kind: Kind) {
        self.counts[kind as usize] += 1;
    }

    /// A text with heredocs of its own: they end within it.
    fn scoped(&mut self, write: impl FnOnce(&mut Self) -> String) -> String {
        let outer = std::mem::take(&mut self.heredocs);
        self.depth += 1;
        let mut text = write(self);
        if !self.heredocs.is_empty() {
            text.push_str(&self.newline());
        }
        self.depth -= 1;
        self.heredocs = outer;
        text
    }

    /// A newline and the bodies of the heredocs that were begun on the line.
    fn newline(&mut self) -> String {
        let mut text = String::from("\n");
        for body in std::mem::take(&mut self.heredocs) {
            text.push_str(&body);
        }
        text
    }

    /// Statements, each with its terminator.
    fn list(&mut self, statements: usize) -> String {
        let mut text = String::new();
        for _ in 0..statements {
            let statement = self.and_or();
            text.push_str(&statement);
            match self.rng.below(12) {
                0..=4 => {
                    self.note(Kind::Semicolon);
                    text.push_str(self.rng.pick(&["; ", ";", " ; "]));
                }
                5..=8 => {
                    self.note(Kind::Newline);
                    text.push_str(&self.newline());
                    if self.rng.chance(20) {
                        text.push_str(self.rng.pick(&["\n", "  ", "\t"]));
                    }
                }
                9 => {
                    self.note(Kind::Background);
                    text.push_str(self.rng.pick(&[" & ", "& "]));
                }
                _ => {
                    self.note(Kind::Comment);
                    let data = self.data();
                    text.push_str(&match self.rng.below(6) {
                        0 => format!(" # it's {data}"),
                        1 => format!(" # \"{data}"),
                        2 => format!(" #`{data}"),
                        3 => format!("; # $({data}"),
                        4 => format!(" # {data} \\"),
                        _ => format!(" #<<E {data}; {data}"),
                    });
                    text.push_str(&self.newline());
                }
            }
        }
        text
    }

    /// A few statements for a body, on their own.
    fn body(&mut self) -> String {
        let statements = 1 + self.rng.below(2);
        self.depth += 1;
        let text = self.list(statements);
        self.depth -= 1;
        text
    }

    fn and_or(&mut self) -> String {
        let mut text = self.pipeline();
        while self.rng.chance(22) {
            let kind = if self.rng.chance(50) { Kind::AndList } else { Kind::OrList };
            self.note(kind);
            text.push_str(match kind {
                Kind::AndList => self.rng.pick(&[" && ", "&&"]),
                _ => self.rng.pick(&[" || ", "||"]),
            });
            if self.rng.chance(12) {
                text.push_str(&self.newline());
            }
            text.push_str(&self.pipeline());
        }
        text
    }

    fn pipeline(&mut self) -> String {
        let mut text = self.command();
        while self.rng.chance(15) {
            let kind = if self.rng.chance(80) { Kind::Pipeline } else { Kind::PipeBoth };
            self.note(kind);
            text.push_str(match kind {
                Kind::Pipeline => self.rng.pick(&[" | ", "|"]),
                _ => " |& ",
            });
            if self.rng.chance(12) {
                text.push_str(&self.newline());
            }
            let next = if self.rng.chance(70) { self.simple() } else { self.group() };
            text.push_str(&next);
        }
        text
    }

    fn group(&mut self) -> String {
        if self.rng.chance(50) {
            self.note(Kind::Group);
            format!("{{ {}}}", self.body())
        } else {
            self.note(Kind::Subshell);
            format!("({})", self.body())
        }
    }

    fn command(&mut self) -> String {
        if self.depth > 4 || !self.heredocs.is_empty() || self.rng.chance(45) {
            return self.simple();
        }
        let kind = STRUCTURES[self.rng.below(STRUCTURES.len())];
        self.note(kind);
        self.structure(kind)
    }

    fn name(&mut self) -> String {
        match self.rng.below(10) {
            0..=5 => self.rng.pick(&["alpha", "beta", "gamma", "delta"]).to_owned(),
            6..=8 => format!("p0{}", self.rng.below(10)),
            _ => format!("x0{}", self.rng.below(5)),
        }
    }

    fn data(&mut self) -> String {
        format!("d{}", self.rng.below(10))
    }

    fn unique(&mut self) -> String {
        self.serial += 1;
        format!("n{}", self.serial)
    }

    /// A stub and its plain unique argument.
    fn plain(&mut self) -> String {
        let name = self.name();
        let unique = self.unique();
        format!("{name} {unique}")
    }

    /// A command name, sometimes written with quotes.
    fn spelled(&mut self) -> String {
        let name = self.name();
        if !self.rng.chance(15) {
            return name;
        }
        self.note(Kind::QuotedName);
        let (head, tail) = name.split_at(1 + self.rng.below(name.len() - 1));
        match self.rng.below(7) {
            0 => format!("\"{name}\""),
            1 => format!("'{head}'{tail}"),
            2 => format!("\\{name}"),
            3 => format!("{head}\"{tail}\""),
            4 => format!("{head}''{tail}"),
            5 => format!("$'{head}'{tail}"),
            _ => format!("{head}\\\n{tail}"),
        }
    }

    fn simple(&mut self) -> String {
        self.note(Kind::Simple);
        let mut text = String::new();
        if self.rng.chance(12) {
            self.note(Kind::AssignPrefix);
            for _ in 0..=self.rng.below(2) {
                let name = self.rng.pick(&["A", "B", "_c"]);
                let value = if self.rng.chance(30) { String::new() } else { self.word() };
                text.push_str(&format!("{name}={value} "));
            }
        }
        if self.rng.chance(8) {
            self.note(Kind::RedirectBefore);
            text.push_str(&format!("{} ", self.redirect()));
        }
        text.push_str(&self.spelled());
        if self.rng.chance(90) {
            text.push_str(&format!(" {}", self.unique()));
        }
        for _ in 0..self.rng.below(3) {
            if self.rng.chance(8) {
                self.note(Kind::Continuation);
                text.push_str(" \\\n");
            }
            if self.rng.chance(8) {
                self.note(Kind::RedirectMiddle);
                text.push_str(&format!(" {}", self.redirect()));
            }
            text.push(' ');
            text.push_str(&self.word());
        }
        if self.rng.chance(15) {
            self.note(Kind::RedirectAfter);
            text.push_str(&format!(" {}", self.redirect()));
        }
        if self.rng.chance(10) {
            text.push_str(&self.heredoc());
        }
        if self.rng.chance(4) {
            text.push_str(&self.heredoc());
        }
        text
    }

    fn redirect(&mut self) -> String {
        match self.rng.below(11) {
            0 => ">f".to_owned(),
            1 => "> f".to_owned(),
            2 => ">>f".to_owned(),
            3 => "<in".to_owned(),
            4 => ">|f".to_owned(),
            5 => "&>f".to_owned(),
            6 | 7 => {
                self.note(Kind::RedirectDescriptor);
                self.rng.pick(&["2>&1", "2>f", "3<in", "{fd}>f", "0<&-", "2>&-", "1>&2", "<>f"]).to_owned()
            }
            8 if self.depth < 5 => {
                self.note(Kind::RedirectSub);
                let plain = self.plain();
                self.rng.pick(&[">f$(@)", "< <(@)", "> >(@)", ">\"f`@`\"", ">f${u:-`@`}"]).replace('@', &plain)
            }
            _ => {
                self.note(Kind::HereString);
                format!("<<<{}{}", if self.rng.chance(50) { " " } else { "" }, self.word())
            }
        }
    }

    /// A heredoc operator; the body is written at the next newline.
    fn heredoc(&mut self) -> String {
        self.note(Kind::Heredoc);
        let end = self.rng.pick(&["EOF", "E", "END_1", "-x"]).to_owned();
        let quoted = self.rng.chance(40);
        let tab = self.rng.chance(25);
        let data = self.data();
        let indent = if tab { "\t" } else { "" };
        let mut body = String::new();
        for _ in 0..self.rng.below(4) {
            let line = match self.rng.below(10) {
                0 => format!("{data} it's"),
                1 => format!("\"{data}; {data}"),
                2 => format!(" {end}"),
                3 => format!("{end}x"),
                4 if !quoted => {
                    self.note(Kind::HeredocSub);
                    format!("x $({}) y", self.plain())
                }
                5 if !quoted => {
                    self.note(Kind::HeredocSub);
                    format!("`{}`", self.plain())
                }
                6 if !quoted => {
                    self.note(Kind::HeredocSub);
                    format!("${{u:-$({})}}", self.plain())
                }
                7 if !quoted => {
                    self.note(Kind::HeredocSub);
                    format!("$((1+$({} ; echo 1)))", self.plain())
                }
                8 if !quoted => format!("\\$({data}) \\`{data}\\`"),
                4..=8 => format!("$({data}) `{data}` \\"),
                _ => format!("# {data} $x"),
            };
            body.push_str(&format!("{indent}{line}\n"));
        }
        body.push_str(&format!("{indent}{end}\n"));
        self.heredocs.push(body);
        let delimiter = if quoted {
            self.note(Kind::HeredocQuoted);
            let (head, tail) = end.split_at(1);
            match self.rng.below(4) {
                0 => format!("'{end}'"),
                1 => format!("\"{end}\""),
                2 => format!("\\{end}"),
                _ => format!("{head}\"{tail}\""),
            }
        } else {
            end
        };
        if tab {
            self.note(Kind::HeredocTab);
        }
        let blank = if self.rng.chance(30) { " " } else { "" };
        let blank = if delimiter.starts_with('-') { " " } else { blank };
        let mut text = format!(" <<{}{blank}{delimiter}", if tab { "-" } else { "" });
        if self.rng.chance(45) {
            self.note(Kind::HeredocOperator);
            let next = self.plain();
            text.push_str(&match self.rng.below(6) {
                0 => format!("; {next}"),
                1 => format!(" && {next}"),
                2 => format!(" | {next}"),
                3 => " >f".to_owned(),
                4 => format!(" 2>&1 | {next}"),
                _ => format!(" || {next}"),
            });
        }
        text
    }

    /// A text for a substitution.
    fn inner(&mut self) -> String {
        if self.depth > 4 || self.rng.chance(55) {
            return self.plain();
        }
        self.scoped(|this| {
            if this.rng.chance(70) {
                let text = this.and_or();
                if this.heredocs.is_empty() { text } else { text + &this.newline() }
            } else {
                let text = this.list(1);
                text
            }
        })
    }

    fn word(&mut self) -> String {
        if self.depth > 6 || self.rng.chance(35) {
            return self.rng.pick(&["a", "-rf", "x=1", "a#b", "1", "--", "a.b", "é"]).to_owned();
        }
        let kind = WORDS[self.rng.below(WORDS.len())];
        self.note(kind);
        self.depth += 1;
        let word = self.spell(kind);
        self.depth -= 1;
        word
    }

    fn spell(&mut self, kind: Kind) -> String {
        let data = self.data();
        match kind {
            Kind::SingleQuote => {
                self.rng.pick(&["'@; @'", "'$(@)'", "'`@`'", "'\\'", "'# @'", "'a\n@ b'", "'<<E'"]).replace('@', &data)
            }
            Kind::DoubleQuote => self
                .rng
                .pick(&["\"@; @\"", "\"\\$(@)\"", "\"it's\"", "\"\\\\\"", "\"# @\"", "\"a\n@\"", "\"<(@)\"", "\"\\`@\\`\""])
                .replace('@', &data),
            Kind::AnsiC => self
                .rng
                .pick(&["$'@; @'", "$'\\\\'", "$'it\\'s @'", "$'\\n@'", "$'\\x41\\101'", "$'\\'; @ '", "$'$(@)'", "$'\\cA'"])
                .replace('@', &data),
            Kind::LocaleQuote => self.rng.pick(&["$\"@ ; @\"", "$\"it's\"", "$\"\\\"\""]).replace('@', &data),
            Kind::Backslash => {
                self.rng.pick(&["a\\;@", "\\#@", "\\'", "\\\"", "\\`@", "\\$\\(@\\)", "a\\ @", "\\&", "\\|@"]).replace('@', &data)
            }
            Kind::GluedQuotes => {
                self.rng.pick(&["a'b'\"c\"", "'a'\"@;\"b", "\"\"'@'", "a\"'\"b\"'\"", "$'a''@'\\;"]).replace('@', &data)
            }
            Kind::CommandSub => {
                let inner = self.inner();
                // A space keeps `$((` away from an inner subshell.
                let blank = if inner.starts_with('(') || self.rng.chance(20) { " " } else { "" };
                let lead = self.rng.pick(&["", "", "a", "'b'"]);
                format!("{lead}$({blank}{inner})")
            }
            Kind::QuotedSub => {
                let inner = self.inner();
                let blank = if inner.starts_with('(') { " " } else { "" };
                format!("\"it's $({blank}{inner}) \\\" x\"")
            }
            Kind::Backtick => {
                let inner = backticked(&self.inner());
                if self.rng.chance(60) { format!("`{inner}`") } else { format!("x`{inner}`y") }
            }
            Kind::NestedBacktick => {
                let first = self.plain();
                let second = self.plain();
                let third = if self.rng.chance(30) { format!(" \\\\\\`{}\\\\\\`", self.plain()) } else { String::new() };
                let text = format!("`{first} \\`{second}{third}\\``");
                if self.rng.chance(40) { format!("\"{text}\"") } else { text }
            }
            Kind::ProcessIn => format!("<({})", self.inner()),
            Kind::ProcessOut => format!(">({})", self.inner()),
            Kind::ParamDefault => {
                let inner = self.substitution();
                let shape = self.rng.pick(&["${u:-@}", "${u-@}", "\"${u:-@}\"", "${u:=@}", "${PATH:+@}", "\"${u:-'@'}\"", "${u:-a b@}", "${u:-\"@\"}"]);
                shape.replace('@', &inner)
            }
            Kind::ParamTrim => {
                let inner = self.substitution();
                self.rng.pick(&["${PATH#@}", "${PATH##*@}", "${PATH%@}", "\"${PATH%%@}\"", "${PATH%%]*}", "\"${PATH#\"@\"}\""]).replace('@', &inner)
            }
            Kind::ParamReplace => {
                let inner = self.substitution();
                self.rng.pick(&["${PATH//a/@}", "${PATH/@/b}", "\"${PATH//@/}\"", "${PATH//'/'/@}", "${PATH/#@/c}"]).replace('@', &inner)
            }
            Kind::ParamCase => {
                let inner = self.substitution();
                self.rng.pick(&["${PATH^^@}", "${PATH,,@}", "\"${PATH^@}\""]).replace('@', &inner)
            }
            Kind::ParamSubstring => {
                let plain = self.plain();
                self.rng.pick(&["${PATH:$(@; echo 1)}", "${PATH:1:`@;echo 1`}", "\"${PATH:(-1)}\"", "${PATH: $(@)0:1}"]).replace('@', &plain)
            }
            Kind::ParamNested => {
                let inner = self.substitution();
                self.rng.pick(&["${u:-${v:-@}}", "\"${u:-\"${v:-@}\"}\"", "${u:-(a)@}", "${u:-a;b@}", "${u:-A|B@}", "${u:-$'\\''@}"]).replace('@', &inner)
            }
            Kind::Arithmetic => {
                let plain = self.plain();
                self.rng.pick(&["$((1 + 2))", "$(( $(@; echo 1) + 1 ))", "\"$((`@; echo 2`*2))\"", "$(( (1) + (2) ))", "$((1<<2))", "$((0 ? $(@)1 : 2))"]).replace('@', &plain)
            }
            Kind::LegacyArithmetic => {
                let plain = self.plain();
                self.rng.pick(&["$[1+1]", "$[$(@; echo 1)+1]"]).replace('@', &plain)
            }
            Kind::Subscript => {
                let plain = self.plain();
                self.rng.pick(&["${arr[$(@; echo 0)]}", "\"${arr[`@; echo 0`]}\"", "${arr[1]:-$(@)}", "\"${arr[@]}\"".trim(), "${#arr[*]}"]).replace('@', &plain).replace(&format!("${{arr[{plain}]}}"), "${arr[@]}")
            }
            Kind::ContinuationInWord => {
                let plain = self.plain();
                self.rng.pick(&["a\\\nb", "\"a\\\nb\"", "$\\\n(@)", "\"$\\\n(@)\"", "a\\\n#b", "'a\\\nb'", "a\\\n$(@)"]).replace('@', &plain)
            }
            Kind::BraceWords => {
                let plain = self.plain();
                self.rng.pick(&["{a,b}", "x{1..3}y", "{a,'b c'}", "{a}", "{a,$(@)}", "{,a}", "\"{a,b}\"", "a{b,c{d,e}}"]).replace('@', &plain)
            }
            _ => {
                self.note(Kind::Glob);
                self.rng.pick(&["*", "i?", "[a-z]n", "zz*", "\"*\"", "~", "[!a]*x"]).to_owned()
            }
        }
    }

    fn substitution(&mut self) -> String {
        let plain = self.plain();
        match self.rng.below(3) {
            0 => format!("`{plain}`"),
            _ => format!("$({plain})"),
        }
    }

    /// A text for a payload: small, and without heredocs in most cases.
    fn payload(&mut self) -> String {
        if self.depth > 3 || self.rng.chance(60) {
            let first = self.plain();
            return match self.rng.below(4) {
                0 => format!("{first}; {}", self.plain()),
                1 => format!("{first} 'a; b'"),
                _ => first,
            };
        }
        self.scoped(|this| this.list(1))
    }

    fn quoted(&mut self, text: &str) -> String {
        match self.rng.below(3) {
            0 => {
                let mut quoted = String::from("\"");
                for c in text.chars() {
                    if matches!(c, '\\' | '"' | '$' | '`') {
                        quoted.push('\\');
                    }
                    quoted.push(c);
                }
                quoted + "\""
            }
            1 => {
                let escaped = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
                format!("$'{escaped}'")
            }
            _ => format!("'{}'", text.replace('\'', "'\\''")),
        }
    }

    fn structure(&mut self, kind: Kind) -> String {
        self.depth += 1;
        let text = self.compound(kind);
        self.depth -= 1;
        text
    }

    #[allow(clippy::too_many_lines)]
    fn compound(&mut self, kind: Kind) -> String {
        let data = self.data();
        match kind {
            Kind::Negation => {
                let command = if self.rng.chance(60) { self.simple() } else { self.group() };
                self.rng.pick(&["! ", "! ! ", "!  "]).to_owned() + &command
            }
            Kind::Time => {
                let command = if self.rng.chance(60) { self.simple() } else { self.group() };
                self.rng.pick(&["time ", "time -p ", "time ! "]).to_owned() + &command
            }
            Kind::Coproc => {
                if self.rng.chance(50) { format!("coproc {}", self.plain()) } else { format!("coproc N {{ {}}}", self.body()) }
            }
            Kind::Subshell => format!("( {})", self.body()),
            Kind::Group => format!("{{ {}}}", self.body()),
            Kind::If => {
                let condition = self.body();
                let then = self.body();
                let other = if self.rng.chance(40) { format!("else {}", self.body()) } else { String::new() };
                format!("if {condition}then {then}{other}fi")
            }
            Kind::Elif => {
                let condition = self.plain();
                let first = self.body();
                let second = self.body();
                format!("if ! {condition}; then {first}elif {}; then {second}fi", self.plain())
            }
            Kind::While => format!("while {}do {}break; done", self.body(), self.body()),
            Kind::Until => format!("until {}do {}break; done", self.body(), self.body()),
            Kind::ForIn => {
                let head = self.rng.pick(&["i in a", "i in a \"$(@)\"", "i in `@`", "i in {a,b}", "i in 'd1;' x"]);
                let plain = self.plain();
                let head = head.replace('@', &plain);
                let body = self.body();
                if self.rng.chance(15) { format!("for {head}; {{ {body}}}") } else { format!("for {head}; do {body}done") }
            }
            Kind::ForArith => {
                let plain = self.plain();
                let head = self.rng.pick(&["i=0;i<1;i++", "i=$(@; echo 0); i<1; i++", " ; ; ", "i=0; i<(1); i++"]).replace('@', &plain);
                format!("for (({head})); do {}break; done", self.body())
            }
            Kind::Select => format!("select i in a 'b;'; do {}break; done <<<1", self.body()),
            Kind::Case => {
                let subject = self.rng.pick(&["x", "\"$(echo x)\"", "'x'"]);
                let pattern = self.rng.pick(&["x", "x|y", "[x]", "*", "'x'", "?"]);
                let blank = self.rng.pick(&["", " ", "\n"]);
                let arm = self.body();
                let last = self.plain();
                format!("case {subject} in z) {last};;{blank}{pattern}){blank}{arm};; esac")
                    .replace("; ;;", ";;")
                    .replace(";;;", ";;")
            }
            Kind::CaseFallthrough => {
                let operator = self.rng.pick(&[";&", ";;&"]);
                format!("case x in x) {} {operator} *) {};; esac", self.plain(), self.plain())
            }
            Kind::CaseParen => {
                format!("case $({} ; echo x) in (x) {} ;; (`{}`) : ; esac", self.plain(), self.plain(), self.plain())
            }
            Kind::Function => {
                let name = format!("f{}", self.serial);
                let body = if self.rng.chance(70) { format!("{{ {}}}", self.body()) } else { format!("( {})", self.body()) };
                format!("{name}() {body}; {name} a")
            }
            Kind::FunctionKeyword => {
                let name = format!("f{}", self.serial);
                let parens = self.rng.pick(&["", "()", " ( )"]);
                format!("function {name}{parens} {{ {}}}; {name}", self.body())
            }
            Kind::ArithCommand => {
                let plain = self.plain();
                self.rng.pick(&["((1))", "(( $(@; echo 1) ))", "((x = 1, y = x<<2))", "(( (1) && `@; echo 1` ))", "(( 1 > 2 ))"]).replace('@', &plain)
            }
            Kind::SingleTest => {
                let plain = self.plain();
                self.rng.pick(&["[ 2 -lt 3 ]", "[ \"$(@)\" = x ]", "[ -f in ] && @", "[ x ] || @", "[ x = `@` ]", "[ ! x ]\n@", "[ 'a;b' ] ; @", "test -n \"$(@)\""]).replace('@', &plain)
            }
            Kind::DoubleTest => {
                let plain = self.plain();
                self.rng.pick(&["[[ x ]] && @", "[[ x == \"$(@)\" || y ]]", "[[ x = *`@`* ]]", "[[ a < b && ( -n x ) ]]", "[[ $(@) -eq 0 ]]", "[[ x != [a-z;]* ]]; @", "[[ -n $(@) &&\n x ]]", "[[ x == a|b ]]"]).replace('@', &plain).replace("[[ x == a|b ]]", "[[ x == @(a|b) ]]")
            }
            Kind::DoubleTestRegex => {
                let plain = self.plain();
                self.rng.pick(&["[[ x =~ ^(a|b)$ ]] || @", "[[ x =~ ^`@` ]]", "[[ x =~ $(@) ]]", "[[ x =~ [;\\&]+ ]]; @", "[[ x =~ \"a b\" ]]; @"]).replace('@', &plain)
            }
            Kind::Array => {
                let plain = self.plain();
                self.rng.pick(&["arr=(a 'd1;' $(@))", "arr=([0]=a [1]=`@`)", "arr+=(x)\n@", "arr[$(@; echo 0)]=1", "arr=(a # d2 it's\n b); @", "arr=(\n a\n \"$(@)\"\n)"]).replace('@', &plain)
            }
            Kind::AssignNewline => {
                let plain = self.plain();
                let group = self.group();
                self.rng.pick(&["A=1 B=2\n@", "A= C=\nB=\n@", ">f >g\n@", "A=1\n@", "A=x; @", "A=$x:$x/v @"])
                    .replace('@', if self.rng.chance(50) { &plain } else { &group })
                    .replace("/v {", "/v\n{")
                    .replace("/v (", "/v\n(")
            }
            Kind::AssignSub => {
                let substitution = self.substitution();
                self.rng.pick(&["A=@", "A=\"@\"", "A+=x@", "A=@ B=@"]).replace('@', &substitution)
            }
            Kind::Eval => {
                let payload = self.payload();
                if self.rng.chance(30) { format!("eval {}", self.plain()) } else { format!("eval {}", self.quoted(&payload)) }
            }
            Kind::BashC | Kind::ShC => {
                let payload = if kind == Kind::ShC { self.plain() } else { self.payload() };
                let head = if kind == Kind::ShC { self.rng.pick(&["sh -c", "dash -c", "sh -ec"]) } else { self.rng.pick(&["bash -c", "bash -xc", "bash -c --", "bash --norc -c", "bash +x -c", "bash -O extglob -c"]) };
                let tail = if self.rng.chance(25) { " a0 'd1;' b" } else { "" };
                // $'…' is not for dash, but the outer bash reads it.
                format!("{head} {}{tail}", self.quoted(&payload))
            }
            Kind::Env => {
                let head = self.rng.pick(&["env", "env A=1", "env -u B A=1", "env --", "env -i PATH=\"$PATH\"", "env -S", "env --unset=B"]);
                format!("{head} {}", if head == "env -S" { let plain = self.plain(); self.quoted(&plain) } else { self.plain() })
            }
            Kind::CommandBuiltin => {
                let head = self.rng.pick(&["command", "command -p", "command --", "command -v"]);
                let head = if head == "command -p" { "command" } else { head };
                if head == "command -v" { format!("command -v {data}; {}", self.plain()) } else { format!("{head} {}", self.plain()) }
            }
            Kind::Builtin => {
                let payload = self.plain();
                format!("builtin eval {}", self.quoted(&payload))
            }
            Kind::ExecSubshell => {
                let head = self.rng.pick(&["exec", "exec -a name", "exec -c", "exec >f"]);
                let head = if head == "exec -c" { "exec" } else { head };
                format!("({head} {})", self.plain())
            }
            Kind::Nohup => format!("nohup {}", self.plain()),
            Kind::Nice => format!("{} {}", self.rng.pick(&["nice", "nice -n 1", "nice -5", "nice --adjustment=2"]), self.plain()),
            Kind::Timeout => format!("{} {}", self.rng.pick(&["timeout 3", "timeout -k 1 3", "timeout -s TERM 3", "timeout --signal=TERM 3s"]), self.plain()),
            Kind::Setsid => format!("{} {}", self.rng.pick(&["setsid -w", "setsid -fw"]).replace("-fw", "-w"), self.plain()),
            Kind::Stdbuf => format!("{} {}", self.rng.pick(&["stdbuf -oL", "stdbuf -o L", "stdbuf --output=0"]), self.plain()),
            Kind::Xargs => {
                let head = self.rng.pick(&["xargs", "xargs -n1", "xargs -n 2 -r", "xargs -I{}", "xargs -0", "xargs --max-args=1"]);
                let tail = if head == "xargs -I{}" { " {}" } else { "" };
                format!("echo a b | {head} {}{tail}", self.plain())
            }
            Kind::FindExec => {
                let plain = self.plain();
                self.rng.pick(&["find . -maxdepth 0 -exec @ {} \\;", "find . -maxdepth 0 -exec @ {} +", "find . -maxdepth 0 -name 'z*' -o -exec @ ';'"]).replace('@', &plain)
            }
            Kind::Trap => {
                let payload = self.plain();
                let payload = self.quoted(&payload);
                format!("( trap {payload} {}; : )", self.rng.pick(&["EXIT", "0", "EXIT INT"]))
            }
            Kind::SourceProcess => {
                let plain = self.plain();
                let quoted = self.quoted(&plain);
                let head = self.rng.pick(&["source", "."]);
                format!("{head} <(echo {quoted})")
            }
            Kind::PipeIntoShell => {
                let plain = self.plain();
                let quoted = self.quoted(&plain);
                let shell = self.rng.pick(&["bash", "sh", "bash -s a", "bash -", "dash"]);
                self.rng.pick(&["echo @ | ", "printf '%s\\n' @ | ", "echo -n @ | ", "printf @ | "]).replace('@', &quoted) + shell
            }
            Kind::ShellHereString => {
                let payload = self.payload();
                format!("bash <<<{}", self.quoted(&payload))
            }
            Kind::ShellHeredoc => {
                let plain = self.plain();
                self.heredocs.push(format!("{plain}\nEOS\n"));
                format!("{} <<{}", self.rng.pick(&["bash", "sh", "bash -s"]), self.rng.pick(&["'EOS'", "EOS", "\\EOS"]))
            }
            Kind::ShellProcess => {
                let plain = self.plain();
                let quoted = self.quoted(&plain);
                self.rng.pick(&["bash <(echo @)", "bash < <(echo @)", "bash -c \"$(echo @)\""]).replace('@', &quoted)
            }
            Kind::VariableCommand => {
                let name = self.name();
                let unique = self.unique();
                self.rng.pick(&["v=@; $v %", "v=@\n\"$v\" %", "v=@; ${v} %", "v='@'; w=$v; $w %", "export v=@; $v %", "read v <<<@; $v %", "v=; ${v:-@} %", "v=@; $z$v %"]).replace('@', &name).replace('%', &unique)
            }
            Kind::VariableSplit => {
                let plain = self.plain();
                self.rng.pick(&["v='@'; $v a", "v='@ -x'; $v", "v='env @'; $v"]).replace('@', &plain)
            }
            Kind::VariableEval => {
                let plain = self.plain();
                self.rng.pick(&["v='@'; eval \"$v\"", "v='@'; bash -c \"$v\"", "v='@'; echo \"$v\" | bash", "v='@'; eval $v", "v='@ &'; eval \"$v\""]).replace('@', &plain)
            }
            Kind::ArrayCommand => {
                let plain = self.plain();
                self.rng.pick(&["c=(@); \"${c[@]}\"", "c=(@ 'a b'); \"${c[@]}\" z", "c=(@); ${c[*]}", "c=(@); c+=(q); \"${c[@]}\""]).replace("[@]", "[!]").replace('@', &plain).replace("[!]", "[@]")
            }
            Kind::Declare => {
                let substitution = self.substitution();
                self.rng.pick(&["declare q=@", "export Q=\"@\"", "declare -a q=(a @)", "readonly R$RANDOM=@", "declare -i n=1"]).replace('@', &substitution)
            }
            Kind::BraceCommand => {
                let name = self.name();
                let unique = self.unique();
                self.rng.pick(&["{@,%}", "{@,%,a} b", "@{,} %", "{@,}  %"]).replace("@{,}", "@").replace('@', &name).replace('%', &unique)
            }
            Kind::EchoData => {
                self.rng.pick(&["echo @ a", "printf '%s' @", "echo \"a; @\"", ": $x @", "echo '@' | cat", "echo @ >f", "true @"]).replace('@', &data)
            }
            Kind::Let => {
                let plain = self.plain();
                self.rng.pick(&["let \"a=$(@; echo 1)\"", "let a=1+2", "let 'a = 2 << 1'"]).replace('@', &plain)
            }
            _ => {
                self.note(Kind::RedirectCompound);
                let group = self.group();
                let redirect = self.redirect();
                format!("{group} {redirect}")
            }
        }
    }
}

/// A text as it is written between backticks.
fn backticked(text: &str) -> String {
    text.replace('\\', "\\\\").replace('`', "\\`")
}
