//! Substitutions in subscripts that bash expands when it evaluates a value: code in what looks like
//! data (bash manual 6.5 and 6.7).

use super::{Form, form};

pub(super) const FORMS: &[Form] = &[
    form(
        "let",
        1,
        &[
            "let \"a=$(@c; echo 1)\"",
            "let a=1+2; @c",
            "let 'a = 2 << 1'; @c",
            "let 'a[$(@c; echo 0)]=1'",
            "let '1 + n[`@c; echo 0`]'",
        ],
    ),
    form(
        "value in arithmetic",
        2,
        &[
            "x='a[$(@c; echo 0)]'; ((x))",
            "x='a[$(@c; echo 0)]'; : $((x + 1))",
            "x='a[`@c; echo 0`]'; let x",
            "x='a[$(@c; echo 0)]'; (( y = x ))",
            "x='a[$(@c; echo 0)]'; [[ x -eq 1 ]]",
            "x='a[$(@c; echo 0)]'; : ${PATH:x:1}",
            "x='a[$(@c; echo 0)]'; b[x]=1",
            "x='a[$(@c; echo 0)]'; for ((i=x;i<0;)); do :; done",
            "declare -i z; z='a[$(@c; echo 0)]'",
            "x='a[$(@c; echo 0)]'; w=x; ((w))",
            "x='a[$(@c; echo 0)]'; [[ $x -gt 0 ]]",
            "[[ 'a[$(@c; echo 0)]' -eq 0 ]]",
            "x='a[$(@c; echo 0)]'; (( $x ))",
        ],
    ),
    form(
        "name with a subscript",
        2,
        &[
            "[[ -v 'a[$(@c; echo 0)]' ]]",
            "test -v 'a[$(@c; echo 0)]'",
            "[ -v 'a[`@c; echo 0`]' ]",
            "printf -v 'a[$(@c; echo 0)]' x",
            "read 'a[$(@c; echo 0)]' <<<x",
            "a=(1); unset 'a[$(@c; echo 0)]'",
            "declare 'a[$(@c; echo 0)]=1'",
            "x='a[$(@c; echo 0)]'; : ${!x}",
            "export 'q=@d'; @c",
            "x='a[$(@c; echo 0)]'; [[ -v $x ]]",
            "x='a[$(@c; echo 0)]'; printf -v \"$x\" y",
            "typeset 'a[$(@c; echo 0)]=1'",
            "x='a[$(@c; echo 0)]'; test -v \"$x\"",
            "wait -n -p 'a[$(@c; echo 0)]'; @c",
            "x='$(@c)'; : \"${x@P}\"",
            "declare -n w='a[$(@c; echo 0)]'; : $w",
        ],
    ),
    form(
        "text that is not evaluated",
        1,
        &[
            "t='a[$(@d)]'; echo \"$t\"; @c",
            "echo 'a[$(@d)]'; @c",
            "t='$(@d)'; : \"$t\" $t; @c",
            "printf '%s' 'a[$(@d)]'; @c",
            "test -n 'a[$(@d)]'; @c",
        ],
    ),
];
