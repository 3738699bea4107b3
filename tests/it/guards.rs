//! The guards against CONTRACT 5 and 6, and the prefilter against the guards.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use proptest::prelude::*;
use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy;
use stanchion::shell::{self, query::Queries};
use stanchion::verdict::Verdict;

const ARM: &str = "bin/fm-watch-arm.sh";

fn gate() -> Gate {
    Gate::new(policy::shipped("firstmate").into_iter().collect())
}

fn code(verdict: &Verdict) -> Option<&str> {
    verdict.deciding().map(|finding| finding.code.as_str())
}

/// Rows are a command in which `ARM` stands for the blessed script, and the code or `allow`.
fn table(rows: &[(&str, &str)]) {
    let gate = gate();
    let mut wrong = Vec::new();
    for (command, expect) in rows {
        let command = command.replace("ARM", ARM);
        let mut call = ToolCall::shell(command.as_bytes().to_vec());
        call.home = Some("/srv/home".into());
        let verdict = gate.judge(&call);
        let got = code(&verdict).unwrap_or("allow");
        if got != *expect {
            wrong.push(format!("{command}\n    wanted {expect}, got {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn extended_patterns_may_name_the_script() {
    table(&[
        ("shopt -s extglob\nbin/fm-w@(atch)-arm.sh &", "unclassifiable-protected-command"),
        ("shopt -s extglob\nbin/fm-watch-+(a|r|m).sh", "unclassifiable-protected-command"),
        ("shopt -s extglob\nbin/!(x)", "unclassifiable-protected-command"),
        ("shopt -s extglob\nls bin/fm-w@(atch)-arm.sh", "allow"),
        ("shopt -s extglob\nbin/other-@(a|b).sh", "allow"),
    ]);
}

#[test]
fn blessed_shape() {
    table(&[
        ("ARM", "allow"),
        ("exec ARM --restart", "allow"),
        ("exec -a x ARM", "watcher-nested"),
        ("exec -- ARM", "watcher-nested"),
        ("cd bin && ./fm-watch-arm.sh", "allow"),
        ("cd /srv/app/bin && ./fm-watch-arm.sh", "allow"),
        ("cd bin; ./fm-watch-arm.sh &", "watcher-background"),
        ("cd ~/app/bin && ./fm-watch-arm.sh", "allow"),
        ("cd ~/app && cd bin; ./fm-watch-arm.sh &", "watcher-background"),
        ("cd ~/app/bin; ./fm-watch.sh", "watcher-direct"),
        ("cd ~; bin/fm-watch-arm.sh &", "watcher-background"),
        ("cd '~/bin'; ./fm-watch.sh", "allow"),
        ("cd bin && fm-watch-arm.sh", "allow"),
        ("cd bin && bash fm-watch-arm.sh", "watcher-nested"),
        ("export A=b; ARM", "allow"),
        ("export A=$B; ARM", "allow"),
        ("export A=$(id); ARM", "watcher-bundled"),
        ("export A=b C=d; ARM", "watcher-bundled"),
        ("export A=b >x; ARM", "watcher-bundled"),
        ("source config/x-mode.env; ARM", "allow"),
        (". ./config/x-mode.env && ARM", "allow"),
        (". /srv/home/config/../config/x-mode.env\nARM", "allow"),
        (". /other/config/x-mode.env; ARM", "watcher-bundled"),
        ("[ -f config/x-mode.env ] && . config/x-mode.env; ARM", "allow"),
        ("[ -f config/x-mode.env ] && . config/x-mode.env && ARM", "allow"),
        ("[ -f config/x-mode.env ]; . config/x-mode.env; ARM", "watcher-bundled"),
        ("[ -f config/other.env ] && . config/x-mode.env; ARM", "watcher-bundled"),
        ("cd a b; ARM", "watcher-bundled"),
        ("cd $(pwd) && ARM", "watcher-bundled"),
        ("cd x || ARM", "watcher-bundled"),
        ("ARM; ARM", "watcher-bundled"),
        ("ARM; echo", "watcher-bundled"),
        ("echo; ARM", "watcher-bundled"),
        ("! ARM", "watcher-bundled"),
        ("ARM 'a;b' fm-watch # c", "allow"),
        ("ARM;", "allow"),
        ("$FM_HOME/ARM", "allow"),
        ("~/firstmate/ARM", "allow"),
        ("bin//./x/../fm-watch-arm.sh", "allow"),
        ("fm-watch-arm.sh &", "allow"),
        ("BIN/fm-watch-arm.sh &", "allow"),
        ("${x}-arm.sh &", "allow"),
    ]);
}

#[test]
fn codes() {
    table(&[
        ("ARM &", "watcher-background"),
        ("ARM & disown", "watcher-background"),
        ("ARM; disown", "watcher-background"),
        ("nohup ARM", "watcher-background"),
        ("setsid ARM", "watcher-background"),
        ("sleep 1 & ARM", "watcher-background"),
        ("nohup sleep 9; ARM", "watcher-background"),
        ("nohup nice ARM", "watcher-nested"),
        ("sudo nohup ARM", "watcher-nested"),
        ("ARM | cat", "watcher-pipeline"),
        ("echo | ARM", "watcher-pipeline"),
        ("ARM |& cat", "watcher-pipeline"),
        ("ARM | cat &", "watcher-background"),
        ("ARM > x", "watcher-redirection"),
        ("</dev/null ARM", "watcher-redirection"),
        ("ARM <<< x", "watcher-redirection"),
        ("ARM <<'E'\nx\nE", "watcher-redirection"),
        ("exec ARM > x", "watcher-redirection"),
        ("ARM > x | cat", "watcher-pipeline"),
        ("A=b ARM", "watcher-nested"),
        ("ARM $(id)", "watcher-nested"),
        ("ARM \"`id`\"", "watcher-nested"),
        ("(ARM)", "watcher-nested"),
        ("{ ARM; }", "watcher-nested"),
        ("echo $(ARM)", "watcher-nested"),
        ("cat <(ARM)", "watcher-nested"),
        ("env ARM", "watcher-nested"),
        ("command ARM", "watcher-nested"),
        ("sudo ARM", "watcher-nested"),
        ("xargs ARM", "watcher-nested"),
        ("find . -exec ARM {} \\;", "watcher-nested"),
        ("stdbuf -o0 ARM", "watcher-nested"),
        ("bash ARM", "watcher-nested"),
        ("source ARM", "watcher-nested"),
        ("bash -lc 'ARM'", "watcher-nested"),
        ("bash -c 'ARM &'", "watcher-nested"),
        ("bash -c 'echo ARM'", "allow"),
        ("busybox sh -c 'ARM'", "watcher-nested"),
        ("eval ARM", "watcher-nested"),
        ("trap ARM EXIT", "watcher-nested"),
        ("echo ARM | bash", "watcher-nested"),
        ("bash <(echo ARM)", "watcher-nested"),
        ("cat <<E\n$(ARM)\nE", "watcher-nested"),
        ("x=ARM; $x", "watcher-nested"),
        ("x=ARM; \"$x\" &", "watcher-nested"),
        ("x=bin/fm-watch; ${x}-arm.sh", "watcher-nested"),
        ("for f in ARM; do \"$f\"; done", "watcher-nested"),
        ("for f in ARM; do echo \"$f\"; done", "allow"),
        ("W='ARM &' bash -c 'eval \"$W\"'", "watcher-nested"),
        ("W='ARM'; bash -lc \"$W\"", "watcher-nested"),
        ("export W='ARM &'; bash -lc \"$W\"", "watcher-nested"),
        ("bash -lc \"$W\"", "allow"),
        ("docker exec c ARM", "watcher-nested"),
        ("ssh host ARM", "allow"),
        ("if ARM; then :; fi", "unclassifiable-protected-command"),
        ("while ARM; do :; done", "unclassifiable-protected-command"),
        ("f() { ARM; }; f", "unclassifiable-protected-command"),
        ("time ARM", "unclassifiable-protected-command"),
        ("coproc ARM", "unclassifiable-protected-command"),
        ("case x in x) ARM ;; esac", "unclassifiable-protected-command"),
        ("if true; then (ARM); fi", "unclassifiable-protected-command"),
        ("bin/fm-w*-arm.sh", "unclassifiable-protected-command"),
        ("bin/fm-watch-?rm.sh", "unclassifiable-protected-command"),
        ("ARM 'x", "unclassifiable-protected-command"),
        ("bin/fm-watch.sh", "watcher-direct"),
        ("bin/fm-watch.sh &", "watcher-direct"),
        ("bin/fm-watch.sh | cat", "watcher-direct"),
        ("exec bin/fm-watch.sh", "watcher-direct"),
        ("A=b bin/fm-watch.sh", "watcher-direct"),
        ("! bin/fm-watch.sh", "watcher-direct"),
        ("bash bin/fm-watch.sh", "watcher-nested"),
        ("bin/fm-$'\\x77'atch-arm.sh &", "watcher-background"),
        ("bin/fm-$\"watch\"-arm.sh &", "watcher-background"),
        ("bin/fm-wat\\\nch-arm.sh &", "watcher-background"),
    ]);
}

#[test]
fn kills() {
    let deny = "broad-watcher-kill";
    table(&[
        ("pkill -f fm-watch", deny),
        ("/usr/bin/pkill -f fm-watch", deny),
        ("sudo -n pkill -9 -f '/bin/fm-watch.sh'", deny),
        ("command pkill fm-watch", deny),
        ("pkill -f 'fm-wat[c]h'", deny),
        ("pkill -f 'fm.watch'", deny),
        ("pkill -f 'fm-w'", deny),
        ("pkill -f 'bin/fm-(watch|x)'", deny),
        ("pkill -f 'bin/fm-watch-arm\\.sh'", deny),
        ("pkill -f '(x|fm-watch)'", deny),
        ("pkill -f 'fm-watch(-arm)?\\.sh$'", deny),
        ("pkill -f 'bash .*fm-watch'", deny),
        ("pkill -f '/fm-wa.*'", deny),
        ("pkill -f 'f[m]-watch.sh'", deny),
        ("pkill -f '.*'", deny),
        ("pkill -if FM-WATCH", deny),
        ("pkill --full fm-watch", deny),
        ("pkill -u root sshd", "allow"),
        ("pkill -f 'unrelated'", "allow"),
        ("pkill -f 'firefox|chrome'", "allow"),
        ("pkill node", "allow"),
        ("pkill -F fm-watch.pid", "allow"),
        ("killall fm-watch.sh", deny),
        ("killall -r 'fm-w.*'", deny),
        ("skill fm-watch", deny),
        ("fuser -k bin/fm-watch.sh", deny),
        ("fuser -vk bin/fm-watch.sh", deny),
        ("fuser bin/fm-watch.sh", "allow"),
        ("kill \"$(pgrep -f '/bin/fm-watch.sh')\"", deny),
        ("kill `pidof fm-watch.sh`", deny),
        ("p=$(pgrep -f fm-watch); kill $p", deny),
        ("p=$(pgrep -f fm-watch); q=$p; kill $q", deny),
        ("pids=($(pgrep -f fm-watch)); kill \"${pids[@]}\"", deny),
        ("read p < <(pgrep -f fm-watch); kill $p", deny),
        ("pgrep -f fm-watch | xargs kill -9", deny),
        ("pgrep -f fm-watch | while read p; do kill $p; done", deny),
        ("while read p; do kill $p; done < <(pgrep -f fm-watch)", deny),
        ("for p in $(pgrep -f fm-watch); do kill $p; done", deny),
        ("ps aux | grep fm-watch | awk '{print $2}' | xargs kill", deny),
        ("kill $(ps aux | grep '[f]m-watch' | awk '{print $2}')", deny),
        ("kill $(pgrep -f other); pgrep -f fm-watch", "allow"),
        ("pgrep -f fm-watch", "allow"),
        ("pgrep -f fm-watch | xargs ps -p", "allow"),
        ("echo 'pkill -f fm-watch'", "allow"),
        ("while true; do pkill -f fm-watch; done", deny),
        ("until false; do kill $(pgrep -f fm-watch); done", deny),
        ("for f in 1; do echo fm-watch; done", "allow"),
        ("bash -c 'pkill -f fm-watch'", deny),
        ("n=fm-watch; pkill -f $n", deny),
        ("n=fm-watch; pkill -f \"bin/$n.sh\"", deny),
        ("kill 1234", "allow"),
        ("ssh host pkill -f fm-watch", "allow"),
        ("pkill -f 'fm-(x|watch)'", deny),
        ("pkill -f 'fm-watc{1}h'", deny),
        ("pkill -f '(fm-)(watch) --once'", deny),
        ("pkill -f 'fm-w[[:alpha:]]tch'", deny),
        ("pkill -f '.*firefox.*'", "allow"),
        ("pkill -f 'bin/node'", "allow"),
        ("pkill -f sh", "allow"),
        ("mapfile -t p < <(pgrep -f fm-watch); kill \"${p[@]}\"", deny),
        ("read p <<< \"$(pgrep -f fm-watch)\"; kill $p", deny),
        ("read p < <(pgrep -f other); kill $p", "allow"),
        ("export P=$(pgrep -f fm-watch); kill $P", deny),
    ]);
}

#[test]
fn the_prefilter_knows_extended_globs() {
    for open in ["@(", "+(", "!("] {
        assert!(gate().may_concern(format!("shopt -s extglob\nbin/fm-w{open}atch)-arm.sh &").as_bytes()));
    }
    assert!(!gate().may_concern(b"cargo test --release"));
}

/// One way to write a byte of a command word so that bash reads the same byte.
pub fn disguise(byte: u8, how: u8) -> String {
    let plain = char::from(byte);
    match how {
        0 => format!("'{plain}'"),
        1 => format!("\"{plain}\""),
        2 => format!("\\{plain}"),
        3 => format!("$'\\x{byte:02x}'"),
        4 => format!("$'\\{byte:03o}'"),
        5 => format!("$\"{plain}\""),
        6 => format!("\\\n{plain}"),
        7 => format!("[{plain}]"),
        8 => "?".to_owned(),
        9 => format!("{{{plain},_}}"),
        10 => "*".to_owned(),
        11 => format!("@({plain})"),
        12 => format!("+({plain})"),
        _ => plain.to_string(),
    }
}

fn frames() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "@ &",
        "(@)",
        "bash -c '@ &'",
        "eval @",
        "cd bin; ./@ &",
        "shopt -s extglob\n@ &",
        "printf '@' | bash",
        "echo -e '@' | sh",
        "x=@; $x",
        "bash <<'E'\n@ &\nE",
        "bash <<< '@'",
        "pkill -f @",
        "xargs @",
        "if true; then @; fi",
        "alias w=@; w",
        "trap @ EXIT",
        "@ 'x",
        "kill `pgrep @`",
        "env -S '@'",
    ])
}

fn names() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "bin/fm-watch-arm.sh",
        "bin/fm-watch.sh",
        "bin/fm-watch-checkpoint.sh",
        "fm-watch",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    /// What the prefilter lets pass, no guard objects to.
    #[test]
    fn the_prefilter_is_a_superset(frame in frames(), name in names(), kinds in proptest::collection::vec(0u8..13, 2), how in proptest::collection::vec(0usize..10, 40)) {
        let word: String =
            name.bytes().zip(how).map(|(byte, how)| disguise(byte, kinds.get(how).copied().unwrap_or(u8::MAX))).collect();
        let text = frame.replace('@', &word).into_bytes();
        let gate = gate();
        if !gate.may_concern(&text) {
            let script = shell::read(&text, Queries::shipped());
            let verdict = gate.judge_script(&ToolCall::shell(text.clone()), &script);
            prop_assert!(verdict.findings().is_empty(), "{:?} passes but has {:?}", String::from_utf8_lossy(&text), verdict.findings());
        }
    }
}
