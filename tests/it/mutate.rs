//! Texts from which mutants are made, the mutator, and the shrinker.

use crate::bash_oracle::rng::Rng;
use std::path::Path;

/// Pieces of bash, whole and broken.
const TOKENS: &[&[u8]] = &[
    b" ",
    b"\n",
    b"\t",
    b";",
    b"&",
    b"|",
    b"&&",
    b"||",
    b"|&",
    b";;",
    b";&",
    b"(",
    b")",
    b"((",
    b"))",
    b"{ ",
    b"; }",
    b"}",
    b"$",
    b"$(",
    b"$((",
    b"${",
    b"`",
    b"'",
    b"\"",
    b"$'",
    b"$\"",
    b"\\",
    b"\\\n",
    b"<",
    b">",
    b">>",
    b"<<",
    b"<<-",
    b"<<<",
    b"<(",
    b">(",
    b"&>",
    b">&",
    b"2>&1",
    b"<<E\n",
    b"<<'E'\n",
    b"\nE\n",
    b"#",
    b" #",
    b"!",
    b"! ",
    b"time ",
    b"time -p -- ",
    b"coproc ",
    b"coproc N { ",
    b"if ",
    b"; then ",
    b"; elif ",
    b"; else ",
    b"; fi",
    b"while ",
    b"until ",
    b"for x in ",
    b"for ((;;)) ",
    b"; do ",
    b"; done",
    b"select ",
    b"case x in ",
    b" in ",
    b"x) ",
    b";; esac",
    b"[[ ",
    b" ]]",
    b" =~ ",
    b"function ",
    b"f() ",
    b"f () { ",
    b"=",
    b"+=",
    b"a=",
    b"a=(",
    b"a[0]=",
    b"a[$(",
    b"${a:-",
    b"${a[@]}",
    b"${!a}",
    b"${#a}",
    b"$@",
    b"$*",
    b"$1",
    b"$a",
    b"~",
    b"*",
    b"?",
    b"[",
    b"]",
    b"{a,b}",
    b"{1..3}",
    b"..",
    b"eval ",
    b"bash -c ",
    b"bash <<< ",
    b"sudo ",
    b"env -S ",
    b"xargs ",
    b"trap ",
    b"exec ",
    b"set -- ",
    b"cd bin; ",
    b"export a=",
    b"read a <<< ",
    b"alias a=",
    b"shopt -s extglob\n",
    b"@(a|b)",
    b"!(",
    b"echo ",
    b"printf %s ",
    b"cat",
    b"pkill -f ",
    b"kill $(pgrep -f ",
    b"fm-watch",
    b"bin/fm-watch-arm.sh",
    b"bin/",
    b"-arm.sh",
    b"\\x41",
    b"\\u00e9",
    b"\xc3\xa9",
    b"\xff",
    b"\x00",
    b"\r",
    b"\x7f",
    b"9999999999",
    b"-",
    b"--",
    b"\\'",
    b"\\\"",
    b"\\`",
    b"\\$",
];

/// What a mutant may be put into.
const FRAMES: &[(&[u8], &[u8])] = &[
    (b"$(", b")"),
    (b"\"$(", b")\""),
    (b"`", b"`"),
    (b"(", b")"),
    (b"{ ", b"; }"),
    (b"if ", b"; then a; fi"),
    (b"cat <<E\n", b"\nE\n"),
    (b"cat <<E\n$(", b")\nE\n"),
    (b"eval '", b"'"),
    (b"bash -c \"", b"\""),
    (b"((", b"))"),
    (b"[[ ", b" ]]"),
    (b"case x in x) ", b";; esac"),
    (b"f() { ", b"; }"),
    (b"x=", b"; $x"),
    (b"<(", b")"),
    (b"${x:-", b"}"),
    (b"$((", b"))"),
    (b"a | ", b" | b"),
    (b"{\"tool_input\":{\"command\":\"", b"\"}}"),
];

/// Texts that are too long to be read often.
const LONGEST: usize = 2_000;

/// Every text of the fixtures, and every token.
pub fn corpus() -> Vec<Vec<u8>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut texts: Vec<Vec<u8>> = TOKENS.iter().map(|token| token.to_vec()).collect();
    for name in ["cases/dev.jsonl", "cases/grammar.jsonl"] {
        let lines = std::fs::read_to_string(fixtures.join(name)).unwrap();
        for line in lines.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = ["command", "text", "script"].iter().find_map(|key| case.get(key)?.as_str());
            texts.push(text.unwrap_or_else(|| panic!("{name}: {line}")).into());
        }
    }
    let matrix: toml::Table =
        toml::from_str(&std::fs::read_to_string(fixtures.join("matrix/watcher.toml")).unwrap()).unwrap();
    let rows = matrix["row"].as_array().unwrap();
    texts.extend(rows.iter().map(|row| row["command"].as_str().unwrap().into()));
    let mut snapshots: Vec<_> =
        std::fs::read_dir(fixtures.join("snapshots")).unwrap().map(|entry| entry.unwrap().path()).collect();
    snapshots.sort();
    let scripts = snapshots.iter().filter(|path| path.extension().is_some_and(|end| end == "sh"));
    texts.extend(scripts.map(|path| std::fs::read(path).unwrap()));
    texts
}

/// The mutant with this number: the same for the same seed, for ever.
pub fn mutant(corpus: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut text = corpus[rng.below(corpus.len())].clone();
    for _ in 0..=rng.below(6) {
        change(&mut text, corpus, &mut rng);
        text.truncate(LONGEST);
    }
    text
}

fn change(text: &mut Vec<u8>, corpus: &[Vec<u8>], rng: &mut Rng) {
    let (from, to) = range(text.len(), rng);
    let cut = text[from..to].to_vec();
    match rng.below(9) {
        0 | 1 => drop(text.splice(from..from, TOKENS[rng.below(TOKENS.len())].iter().copied())),
        2 => drop(text.drain(from..to)),
        3 => drop(text.splice(to..to, cut)),
        4 => drop(text.splice(from..to, corpus[rng.below(corpus.len())].iter().copied())),
        5 => drop(text.splice(from..to, TOKENS[rng.below(TOKENS.len())].iter().copied())),
        6 => {
            let (before, after) = FRAMES[rng.below(FRAMES.len())];
            drop(text.splice(from..to, [before, &cut, after].concat()));
        }
        7 => {
            let other = &corpus[rng.below(corpus.len())];
            text.truncate(to);
            text.extend_from_slice(&other[rng.below(other.len() + 1)..]);
        }
        _ => {
            if let Some(byte) = text.get_mut(from) {
                *byte ^= 1 << rng.below(8);
            }
        }
    }
}

fn range(len: usize, rng: &mut Rng) -> (usize, usize) {
    let (a, b) = (rng.below(len + 1), rng.below(len + 1));
    if rng.chance(70) { (a.min(b), a.max(b)) } else { (a, (a + rng.below(8)).min(len)) }
}

/// A smaller text that fails still: chunks are deleted as long as that works, at most `budget` times.
pub fn minimise(text: &[u8], mut budget: usize, fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut best = text.to_vec();
    let mut chunk = best.len().div_ceil(2);
    while chunk > 0 {
        let mut at = 0;
        while at < best.len() && budget > 0 {
            let end = (at + chunk).min(best.len());
            let shorter = [&best[..at], &best[end..]].concat();
            budget -= 1;
            if fails(&shorter) { best = shorter } else { at = end }
        }
        chunk /= 2;
    }
    best
}
