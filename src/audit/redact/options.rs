//! Secrets in the words of known programs: `-p`, `--password X`, `-u user:X`. Owns the table of
//! programs; must never take an option's word for the secret where it is a number, a path or a variable.

use super::value::{Quotes, Value};
use super::{at, ends_word, is_expansion, names, run};
use std::ops::Range;

/// How a program is told a secret.
struct Program {
    names: &'static [&'static str],
    /// Options whose next word is one.
    next: &'static [&'static str],
    /// Options to which it is glued.
    glued: &'static [&'static str],
    /// Options whose next word is a user and, behind this byte, a secret.
    user: (&'static [&'static str], u8),
}

const NO_USER: (&[&str], u8) = (&[], b':');

const PROGRAMS: &[Program] = &[
    Program {
        names: &[
            "mysql",
            "mysqladmin",
            "mysqldump",
            "mysqlimport",
            "mysqlshow",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
            "mycli",
        ],
        next: &["-p"],
        glued: &["-p"],
        user: NO_USER,
    },
    Program { names: &["sshpass"], next: &["-p"], glued: &["-p"], user: NO_USER },
    Program { names: &["7z", "7za", "7zr", "7zz", "rar", "unrar"], next: &[], glued: &["-p"], user: NO_USER },
    Program { names: &["zip", "unzip", "zipcloak"], next: &["-P"], glued: &["-P"], user: NO_USER },
    Program { names: &["redis-cli", "valkey-cli"], next: &["-a"], glued: &["-a"], user: NO_USER },
    Program {
        names: &["sqlcmd", "bcp", "isql", "mosquitto_pub", "mosquitto_sub"],
        next: &["-P"],
        glued: &["-P"],
        user: NO_USER,
    },
    Program {
        names: &["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldappasswd", "ldapwhoami"],
        next: &["-w"],
        glued: &["-w"],
        user: NO_USER,
    },
    Program { names: &["openssl"], next: &["-k", "-K", "-pass"], glued: &[], user: NO_USER },
    Program {
        names: &["curl", "xh", "http", "https"],
        next: &[],
        glued: &[],
        user: (&["-u", "--user", "-U", "--proxy-user", "-a", "--auth"], b':'),
    },
    Program {
        names: &["smbclient", "rpcclient", "net", "smbget"],
        next: &[],
        glued: &[],
        user: (&["-U", "--user"], b'%'),
    },
    Program { names: &["lftp"], next: &[], glued: &[], user: (&["-u", "--user"], b',') },
];

/// Programs whose `-p` is something else.
const OTHER_P: &[&str] = &[
    "apt",
    "bash",
    "cargo",
    "cmake",
    "command",
    "cp",
    "declare",
    "dash",
    "df",
    "export",
    "find",
    "fish",
    "fuser",
    "gcc",
    "gdb",
    "git",
    "go",
    "grep",
    "gzip",
    "hg",
    "id",
    "install",
    "iptables",
    "java",
    "journalctl",
    "kill",
    "ksh",
    "less",
    "local",
    "ls",
    "lsof",
    "make",
    "mkdir",
    "mkfifo",
    "mktemp",
    "mount",
    "mv",
    "nc",
    "ncat",
    "netstat",
    "nice",
    "ninja",
    "nix-shell",
    "nmap",
    "node",
    "npx",
    "parallel",
    "patch",
    "perf",
    "perl",
    "pgrep",
    "pkill",
    "ps",
    "pytest",
    "python",
    "python3",
    "read",
    "readonly",
    "renice",
    "rg",
    "rmdir",
    "rsync",
    "ruby",
    "rustc",
    "scp",
    "screen",
    "sed",
    "sh",
    "socat",
    "ss",
    "ssh",
    "strace",
    "su",
    "sudo",
    "systemctl",
    "tail",
    "tar",
    "taskset",
    "tee",
    "test",
    "time",
    "timeout",
    "tmux",
    "top",
    "touch",
    "trap",
    "tsc",
    "type",
    "ulimit",
    "unshare",
    "wait",
    "xargs",
    "xxd",
    "zsh",
];

/// What a command was found to be.
#[derive(Clone, Copy)]
enum Kind {
    Known(&'static Program),
    OtherP,
    Unknown,
}

/// Adds what it finds.
pub fn find(text: &[u8], found: &mut Vec<Range<usize>>) {
    let mut kind = Kind::Unknown;
    // Only options ask which program they belong to.
    let mut words: Vec<&[u8]> = Vec::new();
    let mut quotes = Quotes::default();
    let mut place = 0;
    while place < text.len() {
        let end = run(text, place, |byte| !is_edge(byte));
        if end == place {
            let byte = at(text, place);
            if b";|&(\n".contains(&byte) {
                kind = Kind::Unknown;
                words.clear();
            }
            quotes.pass(byte);
            place += 1;
            continue;
        }
        let word = text.get(place..end).unwrap_or_default();
        words.push(word);
        word.iter().for_each(|byte| quotes.pass(*byte));
        if word.starts_with(b"-") {
            kind = words.drain(..).rev().find_map(named).unwrap_or(kind);
            option(text, place..end, kind, quotes, found);
        }
        place = end;
    }
}

/// What separates words, quotes included: words in quotes are words of a command, too.
fn is_edge(byte: u8) -> bool {
    ends_word(byte) || b"'\"`{}".contains(&byte)
}

fn named(word: &[u8]) -> Option<Kind> {
    let base = word.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let is = |name: &&str| name.as_bytes() == base;
    let known = PROGRAMS.iter().find(|program| program.names.iter().any(&is));
    known.map(Kind::Known).or_else(|| OTHER_P.iter().any(is).then_some(Kind::OtherP))
}

/// The secret that an option tells.
fn option(text: &[u8], word: Range<usize>, kind: Kind, quotes: Quotes, found: &mut Vec<Range<usize>>) {
    let name = text.get(word.clone()).unwrap_or_default();
    let is = |option: &&str| option.as_bytes() == name;
    let mut next = name.len() > 2 && !name.contains(&b'=') && names::is_secret(name);
    if let Kind::Known(program) = kind {
        let (users, by) = program.user;
        if users.iter().any(is) {
            found.extend(behind(text, value(text, word.end, quotes), by));
            return;
        }
        let joined = |option: &&&str| {
            name.starts_with(option.as_bytes()) && (!is(option) || text_follows(text, word.end))
        };
        if let Some(option) = program.glued.iter().find(joined) {
            found.extend(Value::word(text, word.start + option.len(), quotes).parts);
            return;
        }
        next |= program.next.iter().any(is);
    }
    if next {
        found.extend(value(text, word.end, quotes));
    } else if matches!(kind, Kind::Unknown) && name == b"-p" {
        let parts = value(text, word.end, quotes);
        found.extend(parts.into_iter().filter(|part| is_unlike_a_place(text, part)));
    }
}

/// Whether a quote goes on with the word that ends here.
fn text_follows(text: &[u8], end: usize) -> bool {
    b"'\"".contains(&at(text, end))
}

/// The word behind an option.
fn value(text: &[u8], end: usize, quotes: Quotes) -> Vec<Range<usize>> {
    let start = run(text, end, |byte| byte == b' ' || byte == b'\t');
    if start == end || at(text, start) == b'-' {
        return Vec::new();
    }
    Value::word(text, start, quotes).parts
}

/// What stands behind a byte in the parts of a value.
fn behind(text: &[u8], parts: Vec<Range<usize>>, by: u8) -> Vec<Range<usize>> {
    let mut kept = Vec::new();
    let mut seen = false;
    for part in parts {
        let bytes = text.get(part.clone()).unwrap_or_default();
        let start = if seen { Some(0) } else { bytes.iter().position(|byte| *byte == by).map(|at| at + 1) };
        if let Some(start) = start {
            seen = true;
            kept.push(part.start + start..part.end);
        }
    }
    kept.retain(|part| !is_expansion(text.get(part.clone()).unwrap_or_default()));
    kept
}

/// Whether a word is no port, no mapping of ports, no path and no variable.
fn is_unlike_a_place(text: &[u8], part: &Range<usize>) -> bool {
    let word = text.get(part.clone()).unwrap_or_default();
    let numbers = word.iter().all(|byte| byte.is_ascii_digit() || b":.,/-".contains(byte));
    !numbers && !word.first().is_some_and(|byte| b"/.~$".contains(byte))
}
