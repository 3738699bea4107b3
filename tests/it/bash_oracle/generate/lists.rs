//! Lists, pipelines and simple commands, and what ends them.

use super::{Form, Generator, structures};

/// The kinds that are written here.
pub(super) const KINDS: &[&str] = &[
    "simple command",
    "semicolon",
    "newline",
    "background",
    "comment",
    "and list",
    "or list",
    "pipeline",
    "pipeline of both streams",
    "group",
    "subshell",
    "assignment prefix",
    "redirect before",
    "redirect between words",
    "redirect after",
    "continuation between words",
    "quoted name",
    "continuation at any byte",
    "payload with several commands",
];

const COMMENTS: &[&str] = &[
    " # it's @d",
    " # \"@d",
    " #`@d",
    "; # $(@d",
    " # @d \\",
    " #<<E @d; @d",
    " # @d)",
    " # ${@d",
    "\t#@d | @d",
    " # $'@d \\'",
];

impl Generator {
    /// Statements, each with its terminator.
    pub(super) fn list(&mut self, statements: usize) -> String {
        let mut text = String::new();
        for _ in 0..statements {
            text.push_str(&self.and_or());
            match self.rng.below(12) {
                0..=4 => {
                    self.note("semicolon");
                    text.push_str(self.rng.pick(&["; ", ";", " ; ", ";\t"]));
                }
                5..=8 => {
                    self.note("newline");
                    text.push_str(&self.newline());
                    if self.rng.chance(20) {
                        text.push_str(self.rng.pick(&["\n", "  ", "\t", "\\\n", " \n"]));
                    }
                }
                9 => {
                    self.note("background");
                    text.push_str(self.rng.pick(&[" & ", "& ", "&"]));
                }
                _ => {
                    self.note("comment");
                    let comment = self.rng.pick(COMMENTS);
                    text.push_str(&self.fill(comment));
                    text.push_str(&self.newline());
                }
            }
        }
        text
    }

    /// A few statements for a body.
    pub(super) fn body(&mut self) -> String {
        let statements = 1 + self.rng.below(2);
        self.depth += 1;
        let text = self.list(statements);
        self.depth -= 1;
        text
    }

    pub(super) fn and_or(&mut self) -> String {
        let mut text = self.pipeline();
        while self.rng.chance(22) {
            if self.rng.chance(50) {
                self.note("and list");
                text.push_str(self.rng.pick(&[" && ", "&&"]));
            } else {
                self.note("or list");
                text.push_str(self.rng.pick(&[" || ", "||"]));
            }
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
            if self.rng.chance(80) {
                self.note("pipeline");
                text.push_str(self.rng.pick(&[" | ", "|"]));
            } else {
                self.note("pipeline of both streams");
                text.push_str(" |& ");
            }
            if self.rng.chance(12) {
                text.push_str(&self.newline());
            }
            text.push_str(&if self.rng.chance(70) { self.simple() } else { self.group() });
        }
        text
    }

    pub(super) fn group(&mut self) -> String {
        if self.rng.chance(50) {
            self.note("group");
            format!("{{ {}}}", self.body())
        } else {
            self.note("subshell");
            let blank = self.rng.pick(&["", "", " "]);
            format!("({blank}{})", self.body())
        }
    }

    fn command(&mut self) -> String {
        if self.depth > 4 || !self.heredocs.is_empty() || self.rng.chance(45) {
            return self.simple();
        }
        let forms: Vec<&'static Form> = structures().collect();
        self.write(&forms)
    }

    /// A command name, sometimes written with quotes.
    pub(super) fn spelled(&mut self) -> String {
        let name = self.name();
        if !self.rng.chance(18) {
            return name;
        }
        self.note("quoted name");
        let (head, tail) = name.split_at(1 + self.rng.below(name.len() - 1));
        match self.rng.below(12) {
            0 => format!("\"{name}\""),
            1 => format!("'{head}'{tail}"),
            2 => format!("\\{name}"),
            3 => format!("{head}\"{tail}\""),
            4 => format!("{head}''{tail}"),
            5 => format!("$'{head}'{tail}"),
            6 => format!("{head}\\\n{tail}"),
            7 => format!("$\"{head}\"{tail}"),
            8 => format!("$'\\x{:02x}'{}", name.as_bytes()[0], &name[1..]),
            9 => format!("{head}$'\\\n{tail}'").replace("$'\\\n", "$'"),
            10 => format!("\"{head}\\\n{tail}\""),
            _ => format!("${{u}}{head}${{u}}{tail}"),
        }
    }

    pub(super) fn simple(&mut self) -> String {
        self.note("simple command");
        let mut text = String::new();
        if self.rng.chance(12) {
            self.note("assignment prefix");
            for _ in 0..=self.rng.below(2) {
                let name = self.rng.pick(&["A", "B", "_c", "A+", "_c[1]"]);
                let value = if self.rng.chance(30) { String::new() } else { self.word() };
                text.push_str(&format!("{name}={value} "));
            }
        }
        if self.rng.chance(8) {
            self.note("redirect before");
            text.push_str(&format!("{} ", self.redirect()));
        }
        text.push_str(&self.spelled());
        if self.rng.chance(90) {
            text.push_str(&format!(" {}", self.unique()));
        }
        for _ in 0..self.rng.below(3) {
            if self.rng.chance(8) {
                self.note("continuation between words");
                text.push_str(" \\\n");
            }
            if self.rng.chance(8) {
                self.note("redirect between words");
                text.push_str(&format!(" {}", self.redirect()));
            }
            text.push_str(self.rng.pick(&[" ", " ", "\t", "  "]));
            text.push_str(&self.word());
        }
        if self.rng.chance(15) {
            self.note("redirect after");
            text.push_str(&format!(" {}", self.redirect()));
        }
        for chance in [10, 4] {
            if self.rng.chance(chance) {
                text.push_str(&self.heredoc());
            }
        }
        text
    }

    /// A text for a payload: small, and without heredocs in most cases.
    pub(super) fn payload(&mut self) -> String {
        if self.depth > 3 || self.rng.chance(60) {
            let first = self.plain();
            return match self.rng.below(4) {
                0 => {
                    self.note("payload with several commands");
                    format!("{first}; {}", self.plain())
                }
                1 => format!("{first} 'a; b'"),
                _ => first,
            };
        }
        self.scoped(|this| this.list(1))
    }
}
