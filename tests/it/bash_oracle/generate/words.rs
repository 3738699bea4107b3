//! Words: every quoting and expansion form, and the texts of substitutions.

use super::{Form, Generator, form};

pub(super) const FORMS: &[Form] = &[
    form(
        "single quotes",
        3,
        &["'@d; @d'", "'$(@d)'", "'`@d`'", "'\\'", "'# @d'", "'a\n@d b'", "'<<E'", "''"],
    ),
    form(
        "double quotes",
        3,
        &[
            "\"@d; @d\"",
            "\"\\$(@d)\"",
            "\"it's\"",
            "\"\\\\\"",
            "\"# @d\"",
            "\"a\n@d\"",
            "\"<(@d)\"",
            "\"\\`@d\\`\"",
            "\"\"",
            "\"\\a\\'\\n\"",
            "\"$\"",
            "\"a$\"'b'",
        ],
    ),
    form(
        "dollar quotes",
        3,
        &[
            "$'@d; @d'",
            "$'\\\\'",
            "$'it\\'s @d'",
            "$'\\n@d'",
            "$'\\x41\\101'",
            "$'\\'; @d '",
            "$'$(@d)'",
            "$'\\cA'",
            "$'a\\\\'",
            "$'\\u00e9\\e\\?'",
            "$'\\\"@d\\\"'",
            "$'a\\0b'",
            "$'\\q\\x'",
        ],
    ),
    form("locale quotes", 1, &["$\"@d ; @d\"", "$\"it's\"", "$\"\\\"\""]),
    form(
        "backslashes",
        2,
        &[
            "a\\;@d",
            "\\#@d",
            "\\'",
            "\\\"",
            "\\`@d",
            "\\$\\(@d\\)",
            "a\\ @d",
            "\\&",
            "\\|@d",
            "\\\\",
            "\\~",
            "\\*",
        ],
    ),
    form(
        "glued quotes",
        2,
        &[
            "a'b'\"c\"",
            "'a'\"@d;\"b",
            "\"\"'@d'",
            "a\"'\"b\"'\"",
            "$'a''@d'\\;",
            "a''b",
            "\"a\"$'b'c",
            "x=\"@d\"",
        ],
    ),
    form(
        "command substitution",
        4,
        &["$(@i)", "$(@i)", "$( @i)", "a$(@i)", "'b'$(@i)$(@i)", "$(@i)b", "$(<in)"],
    ),
    form(
        "quoted command substitution",
        3,
        &["\"it's $( @i) \\\" x\"", "\"$(@i)\"", "\"a$(@i)'$(@i)'\"", "\"$(echo \"@d\")\""],
    ),
    form("backticks", 3, &["`@b`", "`@b`", "x`@b`y", "\"`@c`\"", "`@c``@c`", "`@c` `@c`"]),
    form(
        "nested backticks",
        2,
        &[
            "`@c \\`@c\\``",
            "`@c \\`@c \\\\\\`@c\\\\\\`\\``",
            "\"`@c \\`@c\\``\"",
            "`@c $(@c \\`@c\\`)`",
            "`@c \\`@c '\\\\$x'\\``",
        ],
    ),
    form("process substitution in", 2, &["<(@i)", "<( @i)", "a<(@c)"]),
    form("process substitution out", 2, &[">(@i)", ">( @i)"]),
    form(
        "default value",
        3,
        &[
            "${u:-@s}",
            "${u-@s}",
            "\"${u:-@s}\"",
            "${u:=@s}",
            "${PATH:+@s}",
            "\"${u:-'@s'}\"",
            "${u:-a b@s}",
            "${u:-\"@s\"}",
            "${PATH+@s}",
            "\"${u:-\"@s\"}\"",
            "${u:-<(@c)}",
            "${u:-'}'@s}",
            "${u:-\\}@s}",
            "\"${u:-\\}@s}\"",
        ],
    ),
    form(
        "trimmed value",
        2,
        &[
            "${PATH#@s}",
            "${PATH##*@s}",
            "${PATH%@s}",
            "\"${PATH%%@s}\"",
            "${PATH%%]*}",
            "\"${PATH#\"@s\"}\"",
            "\"${PATH#'@d'}\"",
            "${PATH%\"}\"}",
        ],
    ),
    form(
        "replaced value",
        2,
        &[
            "${PATH//a/@s}",
            "${PATH/@s/b}",
            "\"${PATH//@s/}\"",
            "${PATH//'/'/@s}",
            "${PATH/#@s/c}",
            "\"${PATH//\\//@s}\"",
            "${PATH/%@s}",
        ],
    ),
    form(
        "case-changed value",
        1,
        &["${PATH^^@s}", "${PATH,,@s}", "\"${PATH^@s}\"", "${PATH,@s}", "\"${PATH@Q}\"", "${u@U}"],
    ),
    form(
        "substring",
        2,
        &[
            "${PATH:$(@c; echo 1)}",
            "${PATH:1:`@c;echo 1`}",
            "\"${PATH:(-1)}\"",
            "${PATH: $(@c)0:1}",
            "${PATH: -1}",
            "${#PATH}",
        ],
    ),
    form(
        "nested parameters",
        2,
        &[
            "${u:-${v:-@s}}",
            "\"${u:-\"${v:-@s}\"}\"",
            "${u:-(a)@s}",
            "${u:-a;b@s}",
            "${u:-A|B@s}",
            "${u:-$'\\''@s}",
            "${u:-${PATH#@s}$((1))}",
            "\"${u:-${v:-'@s'}}\"",
        ],
    ),
    form(
        "special parameters",
        1,
        &[
            "$$",
            "$?",
            "\"$@\"",
            "$*",
            "$#",
            "\"$!\"",
            "$-",
            "${!u}",
            "${!PAT@}",
            "\"${!BASH@}\"",
            "$1",
            "${10}",
        ],
    ),
    form(
        "arithmetic expansion",
        2,
        &[
            "$((1 + 2))",
            "$(( $(@c; echo 1) + 1 ))",
            "\"$((`@c; echo 2`*2))\"",
            "$(( (1) + (2) ))",
            "$((1<<2))",
            "$((0 ? $(@c)1 : 2))",
            "$(( \"1\" + '2' ))",
            "$((16#ff))",
            "$((n[$(@c; echo 0)]=1))",
            "$((1,\n2))",
            "$(( ${u:-`@c; echo 3`} ))",
            "$((1 > 2 || 1 & 1))",
        ],
    ),
    form("bracket arithmetic", 1, &["$[1+1]", "$[$(@c; echo 1)+1]", "\"$[n[0]+`@c; echo 1`]\""]),
    form(
        "two subshells in a substitution",
        1,
        &["$((@c) ; @c)", "$((@c) | cat)", "\"$((@c) && (@c))\"", "$( (@c) )"],
    ),
    form(
        "subscript",
        2,
        &[
            "${arr[$(@c; echo 0)]}",
            "\"${arr[`@c; echo 0`]}\"",
            "${arr[1]:-$(@c)}",
            "\"${arr[@]}\"",
            "${#arr[*]}",
            "${arr[@]:1}",
            "\"${!arr[@]}\"",
            "${arr[\"1\"]}",
        ],
    ),
    form(
        "continuation in a word",
        2,
        &[
            "a\\\nb",
            "\"a\\\nb\"",
            "$\\\n(@c)",
            "\"$\\\n(@c)\"",
            "a\\\n#b",
            "'a\\\nb'",
            "a\\\n$(@c)",
            "$\\\n{u:-a}",
            "$(\\\n@c)",
            "\\\n\"a\"",
            "$\\\n((1))",
        ],
    ),
    form(
        "brace expansion",
        3,
        &[
            "{a,b}",
            "x{1..3}y",
            "{a,'b c'}",
            "{a}",
            "{a,$(@c)}",
            "{,a}",
            "\"{a,b}\"",
            "a{b,c{d,e}}",
            "{a..e..2}",
            "{01..3}",
            "{a,b}{1,2}",
            "\\{a,b}",
            "{a\\,b,c}",
            "${u:-{a,b}}",
            "{3..1}",
            "{a,b",
            "a{}b",
            "{$u,b}",
            "{a,\"\"}",
            "x{a,\\ }",
        ],
    ),
    form(
        "glob",
        2,
        &[
            "*", "i?", "[a-z]n", "zz*", "\"*\"", "[!a]*x", "*/*.sh", "i[n]", "\\[a]", "[", "[]", "'i'?",
            "i\\n", "nope/*",
        ],
    ),
    form("tilde", 1, &["~", "~/x", "\"~\"", "a~", "\\~/b", "x=~/y", "~+/z", "~nobody/q"]),
    form(
        "unquoted splitting",
        2,
        &[
            "a${IFS}b",
            "a$IFS$u",
            "$u$u",
            "a$u",
            "\"$u\"",
            "$u\"\"",
            "\"a${IFS}\"",
            "x$IFS-y$IFS/z",
            "$u'a b'",
            "${u}\\ ",
        ],
    ),
    form("non-ASCII", 1, &["é", "'ü ;'", "日本", "$'\\xff'", "\u{b}", "a\u{c}#b", "x\r", "\u{a0}"]),
];

impl Generator {
    pub(super) fn word(&mut self) -> String {
        if self.depth > 6 || self.rng.chance(30) {
            return self.rng.pick(&["a", "-rf", "x=1", "a#b", "1", "--", "a.b", "/", "{}", "]"]).to_owned();
        }
        let forms: Vec<&'static Form> = FORMS.iter().collect();
        self.write(&forms)
    }

    /// A text for a substitution.
    pub(super) fn inner(&mut self) -> String {
        if self.depth > 4 || self.rng.chance(55) {
            return self.plain();
        }
        let text = self.scoped(|this| {
            if this.rng.chance(70) {
                let text = this.and_or();
                if this.heredocs.is_empty() { text } else { text + &this.newline() }
            } else {
                this.list(1)
            }
        });
        // A blank keeps `$((` away from an inner subshell.
        if text.starts_with('(') { format!(" {text}") } else { text }
    }

    /// The same, as it is written between backticks.
    pub(super) fn backticked(&mut self) -> String {
        self.inner().replace('\\', "\\\\").replace('`', "\\`")
    }

    pub(super) fn substitution(&mut self) -> String {
        let plain = self.plain();
        match self.rng.below(3) {
            0 => format!("`{plain}`"),
            _ => format!("$({plain})"),
        }
    }

    /// A text as one word that gives exactly that text.
    pub(super) fn quoted(&mut self, text: &str) -> String {
        match self.rng.below(4) {
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
            2 if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" ;/.".contains(&byte)) => {
                text.replace(' ', "\\ ").replace(';', "';'")
            }
            _ => format!("'{}'", text.replace('\'', "'\\''")),
        }
    }
}
