//! Redirects: every form, and where they stand besides simple commands.

use super::{Form, Generator, form};

pub(super) const FORMS: &[Form] = &[
    form(
        "redirect on a compound command",
        2,
        &[
            "@g @r",
            "@g@r @r",
            "if @l then @l fi @r",
            "for i in a; do @l done @r",
            "case x in x) @c ;; esac @r",
            "[[ x ]] @r",
            "(( 1 )) @r",
        ],
    ),
    form(
        "redirects alone",
        1,
        &["@r; @c", "@r @r\n@c", ">f$(@c)", "<in >f && @c", "{ >f; @c; }", "3<in 4>f; @c"],
    ),
    form(
        "redirects before the words",
        2,
        &[
            "@r @r @e @u",
            "</dev/null @e @u -rf /",
            "@e</dev/null @u -rf /",
            "@e >f @u <in -x",
            "\"@n\">f @u --hard",
            ">f 2>&1 @n @u",
            "2>f @n @u",
        ],
    ),
    form(
        "descriptors",
        2,
        &[
            "@c 2>&1 >f",
            "@c 2>&-",
            "@c 3<>f 3>&-",
            "{ @c; } {fd}>f",
            "@c {fd}<in a",
            "@c >&f",
            "@c >&2",
            "@c &>>f",
            "@c 0<in",
            "exec 3>f; @c >&3",
            "@c 2>&1-",
            "@c 12>f",
            "@n @u 2>f a2>f",
        ],
    ),
    form(
        "here-string",
        2,
        &[
            "@e @u <<<@w",
            "@e <<<a @u",
            "cat <<<'@d; @d' ; @c",
            "@c <<<\"$(@c)\"",
            "@c <<< `@c`",
            "<<<@w @c",
            "@c 3<<<x y",
            "@c <<<$'@d\\n'",
        ],
    ),
    form(
        "substitution in a redirect",
        2,
        &[
            "@c >f$(@c)",
            "@c < <(@i)",
            "@c > >(@i)",
            "@c >\"f`@c`\"",
            "@c >f${u:-`@c`}",
            "@c 2> >(@c) < <(@c) a",
            "@c <<<$(@i)",
        ],
    ),
];

impl Generator {
    pub(super) fn redirect(&mut self) -> String {
        let plain = [
            ">f",
            "> f",
            ">>f",
            "<in",
            ">|f",
            "&>f",
            "&>>f",
            "2>&1",
            "2>f",
            "3<in",
            "{fd}>f",
            "0<&-",
            "2>&-",
            "1>&2",
            "<>f",
            ">'f'",
            ">f\\\n",
            "</dev/null",
            "<\t\"in\"",
            "2>>f",
            "10>f",
        ];
        match self.rng.below(10) {
            0..=6 => self.rng.pick(&plain).to_owned(),
            7 if self.depth < 5 => {
                let shape = self.rng.pick(&[">f$(@c)", "< <(@c)", "> >(@c)", ">\"f`@c`\"", ">f${u:-`@c`}"]);
                self.fill(shape)
            }
            _ => {
                let shape = self.rng.pick(&["<<<@w", "<<< @w"]);
                self.fill(shape)
            }
        }
    }
}
