//! What is hidden, and what must stay to be seen.

use super::{MARK, recorded, redacted};
use crate::span::Span;
use proptest::prelude::*;

#[track_caller]
fn becomes(text: &str, expected: &str) {
    assert_eq!(redacted(text), expected.replace('#', MARK), "{text}");
}

#[test]
fn assignments() {
    becomes("API_KEY=abc123 run", "API_KEY=# run");
    becomes("export GITHUB_TOKEN='a b'; ls", "export GITHUB_TOKEN='#'; ls");
    becomes("TOKEN=\"a \\\" b\"x ls", "TOKEN=\"#\"# ls");
    becomes("TOKEN=ab'c d'e\\ f ls", "TOKEN=#'#'# ls");
    becomes("TOKEN=$'a\\'b' ls", "TOKEN=$'#' ls");
    becomes("TOKEN+=abc", "TOKEN+=#");
    becomes("env DB_PASS=x PWD=/tmp make", "env DB_PASS=# PWD=/tmp make");
    becomes("SECRETS=(one 'two three'); ls", "SECRETS=(# '#'); ls");
    becomes("bash -c 'TOKEN=abc run' && ls 'x'", "bash -c 'TOKEN=# run' && ls 'x'");
    becomes("bash -c 'run TOKEN=abc' && ls 'x'", "bash -c 'run TOKEN=#' && ls 'x'");
    becomes("bash -c 'TOKEN='\\''a b'\\'' run'", "bash -c 'TOKEN='\\''#'\\'' run'");
    becomes("bash -c \"TOKEN=\\\"a b\\\" run\"; ls", "bash -c \"TOKEN=\\\"#\\\" run\"; ls");
    becomes("bash -c \"TOKEN='a b' run\"; ls", "bash -c \"TOKEN='#' run\"; ls");
    becomes(
        "python3 -c 'password = \"a b\"; f(api_key=\"c\")'",
        "python3 -c 'password = \"#\"; f(api_key=\"#\")'",
    );
    becomes("TOKEN= ls", "TOKEN= ls");
    becomes("[ $KEY == $OTHER ]", "[ $KEY == $OTHER ]");
}

#[test]
fn what_is_executed_stays() {
    becomes("TOKEN=$(rm -rf /) ls", "TOKEN=$(rm -rf /) ls");
    becomes("TOKEN=\"x$(rm -rf /)y\" ls", "TOKEN=\"#$(rm -rf /)#\" ls");
    becomes("TOKEN=`cat f`; rm x", "TOKEN=`cat f`; rm x");
    becomes("TOKEN=abc; rm x", "TOKEN=#; rm x");
    becomes("(TOKEN=abc) && rm x", "(TOKEN=#) && rm x");
    becomes("TOKEN=$OTHER rm x", "TOKEN=$OTHER rm x");
    becomes("TOKEN=\"${OTHER}\" rm x", "TOKEN=\"${OTHER}\" rm x");
    becomes("A_TOKEN=$(B_TOKEN=abc run) ls", "A_TOKEN=$(B_TOKEN=# run) ls");
}

#[test]
fn headers_and_fields() {
    becomes("curl -H 'Authorization: Bearer abc.def' x", "curl -H 'Authorization: Bearer #' x");
    becomes("curl -H \"Authorization: Basic dXNlcg==\" x", "curl -H \"Authorization: Basic #\" x");
    becomes("curl -H \"Authorization: Bearer $TOKEN\" x", "curl -H \"Authorization: Bearer $TOKEN\" x");
    becomes("curl -H Authorization:\\ Bearer\\ abcd x", "curl -H Authorization:\\ Bearer\\ # x");
    becomes("curl -H 'X-Api-Key: abc' -H 'Accept: x'", "curl -H 'X-Api-Key: #' -H 'Accept: x'");
    becomes("curl -H 'Cookie: a=b; c=d' x", "curl -H 'Cookie: #' x");
    becomes("curl -d '{\"password\": \"a b\", \"x\": 1}' u", "curl -d '{\"password\": \"#\", \"x\": 1}' u");
    becomes("curl -d \"{\\\"token\\\":\\\"abc\\\"}\" u", "curl -d \"{\\\"token\\\":\\\"#\\\"}\" u");
    becomes("cat <<E\npassword: hunter2\nuser: me\nE", "cat <<E\npassword: #\nuser: me\nE");
    becomes("the bearer authentication is on", "the bearer authentication is on");
    becomes("x Bearer abcdef12345", "x Bearer #");
}

#[test]
fn urls() {
    becomes("git clone https://me:pa55@host/x", "git clone https://me:#@host/x");
    becomes("psql postgres://u:p?ss/w@db:5432/x", "psql postgres://u:#@db:5432/x");
    becomes("git push https://abcdef@host/x", "git push https://#@host/x");
    becomes("git clone ssh://git@host:22/x", "git clone ssh://git@host:22/x");
    becomes("curl http://host:8080/a@b", "curl http://host:8080/a@b");
    becomes("curl http://u:$PASS@host/", "curl http://u:$PASS@host/");
    becomes("curl 'https://h/x?access_token=abc&y=1'", "curl 'https://h/x?access_token=#&y=1'");
}

#[test]
fn options() {
    becomes("mysql -u root -phunter2 db", "mysql -u root -p# db");
    becomes("mysql -p'hunter 2' db", "mysql -p'#' db");
    becomes("sshpass -p hunter2 ssh host", "sshpass -p # ssh host");
    becomes("sudo /usr/bin/sshpass -p 'a b' ssh -p 22 host", "sudo /usr/bin/sshpass -p '#' ssh -p 22 host");
    becomes("docker login -u me -p hunter2 reg", "docker login -u me -p # reg");
    becomes("docker run -p 80:80 img", "docker run -p 80:80 img");
    becomes("mkdir -p a/b; tool -p hunter2", "mkdir -p a/b; tool -p #");
    becomes("tool --password hunter2 x", "tool --password # x");
    becomes("tool --password=hunter2 x", "tool --password=# x");
    becomes("tool --client-secret 'a b' x", "tool --client-secret '#' x");
    becomes("tool --token \"$T\" --auth --x", "tool --token \"$T\" --auth --x");
    becomes("docker login --password-stdin reg", "docker login --password-stdin reg");
    becomes("curl -u me:hunter2 x", "curl -u me:# x");
    becomes("curl --user 'me:a b' x", "curl --user 'me:#' x");
    becomes("curl -u \"$U:$P\" x", "curl -u \"$U:$P\" x");
    becomes("redis-cli -a hunter2 get x", "redis-cli -a # get x");
    becomes("openssl enc -pass pass:hunter2", "openssl enc -pass #");
    becomes("git add -p src", "git add -p src");
    becomes("ssh -p 22 host", "ssh -p 22 host");
}

#[test]
fn shapes() {
    for token in [
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "github_pat_11ABCDEFG0abcdefghij_klmno",
        "sk-proj-abcDEF123456789012345",
        "AKIAIOSFODNN7EXAMPLE",
        "xoxb-123456789012-abcdef",
        "glpat-abcdEFGH12345678",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_1",
        "npm_abcdefghijklmnop1234",
    ] {
        for text in ["echo T", "echo 'T'|x", "x=T", "f(T)", "a,T,b", "/p/T", "echo T\n"] {
            let hidden = redacted(&text.replace('T', token));
            assert_eq!(hidden, text.replace('T', MARK), "{token}");
        }
    }
    becomes("pip install sk-learn-extra-things", "pip install sk-learn-extra-things");
    becomes(
        "echo '-----BEGIN RSA PRIVATE KEY-----\nMII\nabc\n-----END RSA PRIVATE KEY-----'",
        "echo '-----BEGIN RSA PRIVATE KEY-----#-----END RSA PRIVATE KEY-----'",
    );
    becomes("-----BEGIN PRIVATE KEY-----\nMII", "-----BEGIN PRIVATE KEY-----#");
    becomes("-----BEGIN CERTIFICATE-----\nMII", "-----BEGIN CERTIFICATE-----\nMII");
}

#[test]
fn ordinary_commands_stay_as_they_are() {
    for text in [
        "ls -la src",
        "cd /srv/app && cargo test --workspace 2>&1 | tail -n 40",
        "sort -t: -k2,2n /etc/passwd",
        "git commit -m \"Tell why: the token's length\"",
        "find . -type f -path './x/*' -print0 | xargs -0 -p rm",
        "PATH=/a:/b AUTHOR=me make -j4",
        "docker run -v /run/secrets:/run/secrets:ro -p 127.0.0.1:80:80 img",
        "for key in a b; do echo \"$key\"; done",
        "echo 'see https://example.com/auth:x'",
        "kubectl get secrets -n kube-system",
        "awk -F: '{ print $1 }' f",
    ] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn spans_follow() {
    let text = b"A_TOKEN=secret bin/x; \xff TOKEN=y rm";
    let command = recorded(text, Span::default());
    assert_eq!(command.text, "A_TOKEN=[redacted] bin/x; \u{fffd} TOKEN=[redacted] rm");
    let slice = |start: usize, end: usize| {
        let span = command.span(Span::new(start, end));
        command.text.get(span.start..span.end).map(str::to_owned)
    };
    let find = |part: &[u8]| text.windows(part.len()).position(|window| window == part).unwrap_or(0);
    assert_eq!(slice(find(b"bin/x"), find(b"bin/x") + 5).as_deref(), Some("bin/x"));
    assert_eq!(slice(find(b"rm"), text.len()).as_deref(), Some("rm"));
    assert_eq!(slice(0, text.len()), Some(command.text.clone()));
    assert_eq!(slice(10, 12).as_deref(), Some(MARK));
    assert_eq!(slice(0, 10).as_deref(), Some("A_TOKEN=[redacted]"));
}

#[test]
fn long_commands_are_cut_around_what_decided() {
    let filler = "x".repeat(100_000);
    let text = format!("start {filler} bin/x {filler} TOKEN=secret");
    let at = text.find("bin/x").unwrap_or(0);
    let command = recorded(text.as_bytes(), Span::new(at, at + 5));
    assert!(command.text.len() < 60_000, "{}", command.text.len());
    assert!(command.text.starts_with("start x") && command.text.ends_with(" bytes left out]"));
    let span = command.span(Span::new(at, at + 5));
    assert_eq!(command.text.get(span.start..span.end), Some("bin/x"));
    let whole = recorded("y".repeat(60_000).as_bytes(), Span::default());
    assert_eq!(whole.text.len(), 60_000);
}

/// A place in a command for a secret, which stands for `@`.
const PLANTED: &[&str] = &[
    "API_TOKEN=@ run",
    "export PASSWORD='@'",
    "x && SECRET=\"@\" y | z",
    "bash -c 'TOKEN=@ run'",
    "bash -c \"export TOKEN='@'\"",
    "curl -H 'Authorization: Bearer @' https://h",
    "curl -H \"X-Auth-Token: @\" https://h",
    "curl -u me:@ https://h",
    "git clone https://me:@@host/x.git",
    "mysql -p@ db",
    "sshpass -p @ ssh h",
    "tool --password @",
    "tool --api-key=@",
    "curl -d '{\"secret\":\"@\"}' https://h",
    "curl 'https://h/?token=@&x=1'",
    "echo sk-1@",
    "cat <<E\nclient_secret: @\nE",
];

proptest! {
    /// No planted secret is seen, whatever stands around it.
    #[test]
    fn planted_secrets_are_hidden(
        before in "[ -~\n]{0,24}",
        secret in "Zq[a-zA-Z0-9]{18,30}",
        after in "[ -~\n]{0,24}",
        which in 0..PLANTED.len(),
    ) {
        let planted = PLANTED.get(which).copied().unwrap_or_default();
        let planted = planted.replacen('@', &secret, 1);
        for text in [planted.clone(), format!("{before}\n{planted}\n{after}"), format!("{planted};{after}")] {
            let hidden = redacted(&text);
            prop_assert!(!hidden.contains(&secret), "{text:?}\n{hidden:?}");
        }
    }

    /// Any bytes are read, and spans stay within the text and on its characters.
    #[test]
    fn any_text_is_read(bytes in prop::collection::vec(any::<u8>(), 0..200), start in 0..200_usize, end in 0..200_usize) {
        let command = recorded(&bytes, Span::new(start, end));
        let span = command.span(Span::new(start.min(bytes.len()), end.min(bytes.len())));
        prop_assert!(command.text.len() >= span.end && span.start <= span.end);
    }

    /// Hostile mixtures of the bytes that matter are read, too.
    #[test]
    fn hostile_text_is_read(parts in prop::collection::vec(
        prop::sample::select(vec!["TOKEN=", "'", "\"", "\\", "`", "$(", ")", "(", "://", ":", "@", " ", "\n", "-p", "mysql ",
            "--token ", "Bearer ", "ghp_", "a", "1", "'\\''", "\\\"", "$'", "-----BEGIN PRIVATE KEY-----", "é"]), 0..40)) {
        let text = parts.concat();
        let command = recorded(text.as_bytes(), Span::default());
        for place in 0..=text.len() {
            let span = command.span(Span::new(place, text.len()));
            prop_assert!(span.end <= command.text.len());
        }
    }
}

/// Growth is linear: a text of the largest size takes no longer than people notice.
#[test]
fn large_texts_are_read_in_time() {
    for unit in [
        "TOKEN=",
        "TOKEN='",
        "TOKEN=\"$(",
        "TOKEN=(",
        "a'b",
        "://a:",
        "mysql -p",
        "Bearer x ",
        "-----BEGIN ",
        "TOKEN=`",
        "sk-",
        "x.",
        "TOKEN: ",
        "\\\"TOKEN\\\": \\\"",
    ] {
        let text = unit.repeat((1 << 20) / unit.len());
        let started = std::time::Instant::now();
        let command = recorded(text.as_bytes(), Span::default());
        let time = started.elapsed();
        assert!(time.as_secs() < 5, "{unit:?}: {time:?}");
        assert!(command.text.len() <= 64 << 10, "{unit:?}");
    }
}
