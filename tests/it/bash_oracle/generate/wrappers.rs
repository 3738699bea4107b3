//! Programs that run their operands, with their options.

use super::{Form, form};

pub(super) const FORMS: &[Form] = &[
    form("env", 2, &["env @c", "env A=1 @c", "env -u B A=1 @c", "env -- @c", "env -i PATH=\"$PATH\" @c", "env --unset=B @c", "env -S @q", "env -uB -C . @c", "env --split-string=@q", "env -iS 'PATH=$PATH' true; @c", "env --chdir=. A= @c", "env - PATH=\"$PATH\" @c", "env -vS @q"]),
    form("command builtin", 2, &["command @c", "command -- @c", "command -v @d; @c", "command -V @d; @c", "command command @c", "command eval @q", "command -p @d; @c"]),
    form("builtin", 1, &["builtin eval @q", "builtin command @c", "builtin echo @d; @c", "builtin source <(echo @q)"]),
    form("exec", 2, &["(exec @c)", "(exec -a name @c)", "(exec >f @c)", "(exec -- @c)", "(exec -l @c)", "(exec env @c)", "(exec >f; @c)", "{ (exec @c); }"]),
    form("nohup", 1, &["nohup @c", "nohup -- @c", "nohup env @c", "nohup @c &"]),
    form("nice", 1, &["nice @c", "nice -n 1 @c", "nice -5 @c", "nice --adjustment=2 @c", "nice -n1 @c", "nice --adj 2 @c", "gnice -n 3 @c"]),
    form("timeout", 2, &["timeout 3 @c", "timeout -k 1 3 @c", "timeout -s TERM 3 @c", "timeout --signal=TERM 3s @c", "timeout -vk1 3 @c", "timeout --foreground --kill-after 1 3 @c", "timeout -- 3 @c", "gtimeout 3 @c"]),
    form("setsid", 1, &["setsid -w @c", "setsid --wait @c", "setsid -w -- @c", "setsid @c"]),
    form("stdbuf", 1, &["stdbuf -oL @c", "stdbuf -o L @c", "stdbuf --output=0 @c", "stdbuf -i0 -e L @c"]),
    form("ionice", 1, &["ionice -c 3 @c", "ionice -c2 -n 7 @c", "ionice --class=3 -t @c"]),
    form("chrt", 1, &["chrt -o 0 @c", "chrt --other 0 @c", "chrt -b 0 @c"]),
    form("taskset", 1, &["taskset 1 @c", "taskset -c 0 @c", "taskset --cpu-list 0 @c"]),
    form("flock", 1, &["flock f @c", "flock -n f @c", "flock f -c @q", "flock -w 2 f @c", "flock --exclusive -E 4 f @c", "flock -x f -c @q"]),
    form("unshare", 1, &["prlimit --core=0 @c", "prlimit -c0 @c", "unshare @c", "unshare -- @c"]),
    form("xargs", 2, &["echo a b | xargs @c", "echo a b | xargs -n1 @c", "echo a b | xargs -n 2 -r @c", "echo a b | xargs -I{} @c {}", "echo a b | xargs -0 @c", "echo a | xargs --max-args=1 @c", "xargs <in @c", "xargs -a in @c", "echo a | xargs -P1 -L 1 env @c", "echo a | xargs -i @c {}", "xargs @c <<<x", "echo a | gxargs -t -- @c"]),
    form("xargs with a shell", 2, &["echo a | xargs bash -c '@c'", "echo a | xargs -I{} bash -c '@c {}'", "echo '@1' | xargs bash -c", "echo '@1' | xargs -I{} bash -c '{}'", "echo '@1' | xargs env", "echo @n | xargs -I@@ @@ @u", "printf '%s\\0' '@1' | xargs -0 -I % sh -c %"]),
    form("find", 2, &["find . -maxdepth 0 -exec @c {} \\;", "find . -maxdepth 0 -exec @c {} +", "find . -maxdepth 0 -name 'z*' -o -exec @c ';'", "find . -maxdepth 0 -execdir @c \\;", "find . -maxdepth 0 -exec @c \\; -exec @c ';'", "find . -maxdepth 0 -exec bash -c @q \\;", "find . -maxdepth 0 \\( -exec @c \\; \\)", "find . -maxdepth 0 -ok @c \\; <<<y", "gfind . -maxdepth 0 -exec env @c \\;"]),
    form("sudo", 2, &["sudo @c", "sudo -u root @c", "sudo -nu root -- @c", "sudo A=1 @c", "sudo -E env @c", "sudo --user=root @c", "sudo -n -H @c", "sudo bash -c @q", "doas @c", "doas -u root @c", "sudo -uroot sh -c @q"]),
    form("other wrappers", 2, &["unbuffer @c", "caffeinate -i @c", "catchsegv @c", "ssh-agent @c", "busybox @c", "xvfb-run -a @c", "npx @c", "poetry run @c", "pipenv run @c", "uv run @c", "bundle exec @c", "direnv exec . @c", "mise exec -- @c", "mise x node -- @c", "dbus-run-session -- @c", "systemd-run --scope @c", "strace -f @c", "ltrace -f @c", "git bisect run @c", "docker exec c1 @c", "docker exec -it -u root c1 @c", "podman exec c1 bash -c @q", "kubectl exec pod -- @c", "fd x -x @c", "fd -x @c ';'", "entr @c <in"]),
    form("stacked wrappers", 2, &["nohup nice -n 1 timeout 3 @c", "env A=1 timeout 3 env @c", "command env nohup @c", "timeout 3 bash -c @q", "nice env -- setsid -w @c", "sudo timeout 3 nice @c", "env bash -c @p", "exec 3>f; nohup @c >f 2>&1 &", "time env @c", "! nohup timeout 3 @c"]),
    form("wrapper words", 2, &["env\\\n @c", "'env' @c", "/usr/bin/env @c", "e=env; $e @c", "$u env @c", "env \"@n\" @u", "nohup '@n' @u", "env @n @w", "timeout $(@c; echo 3) @c", "env >f @c", "timeout 2>f 3 @n <in @u", "env {@n,@u}", "nice \"$@\" @c", "env $u @c"]),
    form("make", 1, &["make SHELL=bash; @c", "make -n; @c"]),
];
