//! Here-documents: delimiters and their quoting, bodies, and where they stand.

use super::{Form, Generator, form};

/// The kinds that are written here in code.
pub(super) const KINDS: &[&str] = &[
    "heredoc",
    "quoted heredoc",
    "tab-stripped heredoc",
    "live heredoc body",
    "delimiter look-alike",
    "heredoc before an operator",
];

pub(super) const FORMS: &[Form] = &[
    form(
        "several heredocs on a line",
        2,
        &["@e @u@h@h", "cat@h | @c@h", "@c@h; @c@h", "{ @c@h; @c@h@/}", "@c@h && @c@h || @c"],
    ),
    form(
        "heredoc in a substitution",
        2,
        &["@c $(cat@h@/) a", "@c \"$(@c@h@/)\"", "A=$(cat@h@/) @c", "@c <(cat@h@/)"],
    ),
    form(
        "heredoc in a loop",
        2,
        &[
            "for i in a b; do cat@h@/done",
            "while @c@h@/do @c; break; done",
            "until @c; do @c@h@/break; done",
            "while read -r l; do @c; break; done@h",
        ],
    ),
    form(
        "heredoc in a function",
        2,
        &[
            "h@#() { @c@h@/}@/h@#",
            "g() { cat@h@/@c; }@/g",
            "g() { @c; }@h@/g",
            "if @c@h@/then @c; else @c; fi",
        ],
    ),
    form(
        "heredoc on a compound command",
        2,
        &["@g@h", "{ @l}@h", "( @c )@h", "case x in x) @c@h@/;; esac", "if @l then @l fi@h"],
    ),
];

/// Lines that look as if they ended something.
const DATA: &[&str] = &["@d it's", "\"@d; @d", "# @d $u", "'", "@d \\\\", ")", "}", "esac"];
const LIVE: &[&str] = &[
    "x $(@c) y",
    "`@c`",
    "${u:-$(@c)}",
    "$((1+$(@c ; echo 1)))",
    "${u:-`@c`}",
    "\"$(@c)\"",
    "'$(@c)'",
    "\\\\$(@c)",
    "$[1+$(@c; echo 1)]",
    "${PATH#`@c`}",
    "a\\\n$(@c)",
    "# `@c`",
    "$(@c 'x)')",
];
const DEAD: &[&str] = &["\\$(@d) \\`@d\\`", "$u \\$@d", "<(@d)", "$'@d'", "~ * {a,b}", "\"${u:-\"@d\"}\""];
const QUOTED: &[&str] = &["$(@d) `@d` \\", "${@d", "$((@d", "'$(@d)", "\"`@d", "x \\"];

impl Generator {
    /// A heredoc operator; the body is written at the next newline.
    pub(super) fn heredoc(&mut self) -> String {
        self.note("heredoc");
        let end = self.rng.pick(&["EOF", "E", "END_1", "-x", "é", "E.F"]).to_owned();
        let quoted = self.rng.chance(40);
        let tab = self.rng.chance(25);
        let indent = if tab { self.rng.pick(&["\t", "\t\t", ""]) } else { "" };
        let mut body = String::new();
        for _ in 0..self.rng.below(4) {
            let line = self.line(&end, quoted);
            body.push_str(&format!("{indent}{line}\n"));
        }
        body.push_str(&format!("{indent}{end}\n"));
        self.heredocs.push(body);
        let delimiter = if quoted { self.delimiter(&end) } else { end };
        if tab {
            self.note("tab-stripped heredoc");
        }
        let blank = if delimiter.starts_with('-') || self.rng.chance(30) { " " } else { "" };
        let mut text = format!(" <<{}{blank}{delimiter}", if tab { "-" } else { "" });
        if self.rng.chance(45) {
            self.note("heredoc before an operator");
            let shape = self.rng.pick(&[
                "; @c",
                " && @c",
                " | @c",
                " >f",
                " 2>&1 | @c",
                " || @c",
                ";@c",
                "|@c",
                " & @c",
                " <in a",
            ]);
            text.push_str(&self.fill(shape));
        }
        text
    }

    fn line(&mut self, end: &str, quoted: bool) -> String {
        match self.rng.below(10) {
            0..=2 => {
                self.note("delimiter look-alike");
                match self.rng.below(6) {
                    0 => format!(" {end}"),
                    1 => format!("{end}x"),
                    2 => format!("{end} "),
                    3 => format!("'{end}'"),
                    4 => format!("{end};"),
                    _ => format!("x{end}"),
                }
            }
            3 | 4 => {
                let shape = if quoted { self.rng.pick(DATA) } else { self.rng.pick(&DATA[..5]) };
                self.fill(shape)
            }
            5..=7 if !quoted => {
                self.note("live heredoc body");
                let shape = self.rng.pick(LIVE);
                self.fill(shape)
            }
            _ => {
                let shape = self.rng.pick(if quoted { QUOTED } else { DEAD });
                self.fill(shape)
            }
        }
    }

    fn delimiter(&mut self, end: &str) -> String {
        self.note("quoted heredoc");
        let first = end.chars().next().map_or(1, char::len_utf8);
        let (head, tail) = end.split_at(first);
        match self.rng.below(6) {
            0 => format!("'{end}'"),
            1 => format!("\"{end}\""),
            2 => format!("\\{end}"),
            3 => format!("{head}''{tail}"),
            4 => format!("'{head}'{tail}"),
            _ => format!("{head}\"{tail}\""),
        }
    }
}
