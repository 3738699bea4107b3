//! Cooking against real bash: `printf '%s\0' WORD` and the word's exact value are the same bytes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::print_stdout)]

use crate::bash_oracle::campaign::read;
use crate::bash_oracle::rng::Rng;
use crate::bash_oracle::sandbox::Sandbox;

const SEED: u64 = 20_261_202;
const WORDS: usize = if cfg!(debug_assertions) { 4_000 } else { 40_000 };

/// Words by hand: each escape, whole, truncated and invalid, and each way to glue quotes.
const TABLE: &[&str] = &[
    "a",
    "\\a",
    "\\\\",
    "\\ ",
    "\\'",
    "\\\"",
    "\\$",
    "\\`",
    "\\;",
    "\\#",
    "\\&",
    "\\|",
    "\\<",
    "\\>",
    "\\(",
    "\\)",
    "\\*",
    "\\?",
    "\\[",
    "\\{",
    "\\~",
    "\\!",
    "\\\n",
    "a\\\nb",
    "\\\\\\\nb",
    "''",
    "\"\"",
    "$''",
    "$\"\"",
    "'a'",
    "'\\'",
    "'a\\nb'",
    "'\"'",
    "'$x'",
    "'`x`'",
    "'a\nb'",
    "'a\\\nb'",
    "\"a\"",
    "\"'\"",
    "\"\\\"\"",
    "\"\\\\\"",
    "\"\\$x\"",
    "\"\\`x\\`\"",
    "\"\\n\"",
    "\"\\'\"",
    "\"\\a\"",
    "\"a\\\nb\"",
    "\"a\nb\"",
    "\"\\!\"",
    "\"a;b|c&d\"",
    "\"$\"",
    "\"a$\"",
    "\"$ \"",
    "a$",
    "$",
    "$'a'",
    "$'\\a'",
    "$'\\b'",
    "$'\\e'",
    "$'\\E'",
    "$'\\f'",
    "$'\\n'",
    "$'\\r'",
    "$'\\t'",
    "$'\\v'",
    "$'\\\\'",
    "$'\\''",
    "$'\\\"'",
    "$'\\?'",
    "$'\\1'",
    "$'\\12'",
    "$'\\101'",
    "$'\\1012'",
    "$'\\377'",
    "$'\\400'",
    "$'\\777'",
    "$'\\8'",
    "$'\\09'",
    "$'a\\0b'",
    "$'\\0'",
    "$'\\00'",
    "$'\\000'",
    "$'\\0001'",
    "$'a\\x00b'c",
    "$'\\x'",
    "$'\\xg'",
    "$'\\x4'",
    "$'\\x41'",
    "$'\\x414'",
    "$'\\xff'",
    "$'\\xF'",
    "$'\\x{41}'",
    "$'\\x{414}'",
    "$'\\x{}'",
    "$'\\x{41'",
    "$'\\x{g}'",
    "$'\\x{00e9}'",
    "$'\\u'",
    "$'\\ug'",
    "$'\\u4'",
    "$'\\u41'",
    "$'\\u041'",
    "$'\\u0041'",
    "$'\\u00411'",
    "$'\\u00e9'",
    "$'\\u20ac'",
    "$'\\ud800'",
    "$'\\uffff'",
    "$'\\u0'",
    "$'\\u0000b'",
    "$'\\U'",
    "$'\\U41'",
    "$'\\U00000041'",
    "$'\\U000000411'",
    "$'\\U0001f600'",
    "$'\\U00110000'",
    "$'\\U7fffffff'",
    "$'\\Uffffffff'",
    "$'\\u7f'",
    "$'\\u80'",
    "$'\\ca'",
    "$'\\cA'",
    "$'\\c['",
    "$'\\c?'",
    "$'\\c\\\\'",
    "$'\\c\\\\a'",
    "$'\\c@'",
    "$'\\c1'",
    "$'\\c '",
    "$'\\c'",
    "$'\\q'",
    "$'\\ '",
    "$'\\\na'",
    "$'a\nb'",
    "$'$x`y`'",
    "$'\"'",
    "$'\\'\\''",
    "$\"a\"",
    "$\"\\\"\"",
    "$\"\\$x\"",
    "$\"it's\"",
    "a'b'\"c\"d",
    "'a'\\''b'",
    "a\"'\"b",
    "a$'\\t'b",
    "\"$'a'\"",
    "'a'$'b'$\"c\"",
    "a#b",
    "\\#a",
    "''#a",
    "a=b",
    "a='b c'",
    "-rf",
    "--",
    "é",
    "\"é\"",
    "$'é'",
    "a\\é",
    "\u{a0}",
    "日本",
    "{a}",
    "{}",
    "a{b",
    "a}b",
    "{a,b",
    "'{a,b}'",
    "\"{a,b}\"",
    "{'a,b'}",
    "{a\\,b}",
    "a,b",
    "{a..b",
    "{..}",
    "a:b",
    "a@b",
    "a%b",
    "a+b",
    "a^b",
    "\\\r",
    "'\r'",
    "\"\\\r\"",
    "a\\\tb",
    "!",
    "a!",
    "]",
    "a]",
    "=",
    "%",
];

/// Pieces that the generator glues.
const PIECES: &[&str] = &[
    "a",
    "b",
    "-",
    "é",
    "\\;",
    "\\\\",
    "\\'",
    "\\\n",
    "\\a",
    "'x y'",
    "'\\'",
    "''",
    "\"\"",
    "\"y\\\"\"",
    "\"\\\\\"",
    "\"'\"",
    "\"\\z\"",
    "\"a\\\nb\"",
    "$\"q\"",
];

const ESCAPES: &[&str] = &[
    "a", "\\a", "\\b", "\\e", "\\E", "\\f", "\\n", "\\r", "\\t", "\\v", "\\\\", "\\'", "\\\"", "\\?", "\\1",
    "\\18", "\\101", "\\4012", "\\x", "\\x4", "\\x41", "\\xfg", "\\x{4", "\\x{41}", "\\xe9", "\\u", "\\u4",
    "\\u00e9", "\\u20ACf", "\\U1f600", "\\U", "\\cA", "\\c?", "\\c\\\\", "\\q", "\\8", "\\0", "\\x0", "é",
    " ", "\"", "$", "`", ";", "#", "\n", "\\\n", "{", "}", "f", "0",
];

fn generated(rng: &mut Rng) -> String {
    let mut word = String::new();
    for _ in 0..=rng.below(4) {
        if rng.chance(50) {
            word.push_str("$'");
            for _ in 0..rng.below(6) {
                word.push_str(rng.pick(ESCAPES));
            }
            word.push('\'');
        } else {
            word.push_str(rng.pick(PIECES));
        }
    }
    word
}

/// What bash makes of each word: `None` where it gives more or fewer than one.
fn in_bash(sandbox: &Sandbox, words: &[String]) -> Vec<Option<Vec<u8>>> {
    let mut program = String::from("set -f; p() { printf '%s\\0' \"$#\" \"$@\"; }\n");
    for word in words {
        program.push_str(&format!("p {word}\n"));
    }
    let output = sandbox.output(program.as_bytes());
    let mut fields = output.split(|byte| *byte == 0);
    words
        .iter()
        .map(|word| {
            let field = fields.next().unwrap_or_default();
            let count: usize = std::str::from_utf8(field).expect(word).parse().expect(word);
            let mut values: Vec<Vec<u8>> = fields.by_ref().take(count).map(<[u8]>::to_vec).collect();
            if count == 1 { values.pop() } else { None }
        })
        .collect()
}

/// Words that are not cooked as bash does, and how many were exact.
fn compare(words: &[String]) -> Option<(Vec<String>, usize)> {
    let sandbox = Sandbox::new()?;
    let mut wrong = Vec::new();
    let mut exact = 0;
    for words in words.chunks(400) {
        for (word, wanted) in words.iter().zip(in_bash(&sandbox, words)) {
            let script = read(format!("alpha {word}").as_bytes());
            let got = script.commands.first().and_then(|command| match &command.words[..] {
                [_, word] => word.exact(),
                _ => None,
            });
            exact += usize::from(got.is_some());
            if let Some(wanted) = wanted
                && got != Some(&wanted[..])
            {
                wrong.push(format!("{word:?}: bash {:?}, cooked {:?}", show(&wanted), got.map(show)));
            }
        }
    }
    Some((wrong, exact))
}

fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

#[test]
fn table_is_cooked_as_bash_does() {
    let words: Vec<String> = TABLE.iter().map(|word| (*word).to_owned()).collect();
    let Some((wrong, exact)) = compare(&words) else {
        println!("skipped: no bash on this machine");
        return;
    };
    println!("{exact} of {} words are exact", words.len());
    assert!(wrong.is_empty(), "{} of {} words\n{}", wrong.len(), words.len(), wrong.join("\n"));
}

#[test]
fn generated_words_are_cooked_as_bash_does() {
    let mut rng = Rng::new(SEED);
    let words: Vec<String> = (0..WORDS).map(|_| generated(&mut rng)).collect();
    let Some((mut wrong, exact)) = compare(&words) else {
        println!("skipped: no bash on this machine");
        return;
    };
    println!("seed {SEED}: {exact} of {WORDS} words are exact");
    wrong.sort_by_key(String::len);
    let all = wrong.len();
    wrong.truncate(30);
    assert!(wrong.is_empty(), "seed {SEED}: {all} of {WORDS} words, the shortest:\n{}", wrong.join("\n"));
}
