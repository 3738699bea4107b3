#!/usr/bin/env python3
"""Real clients run commands; `stanchion replay` must find every one of them in what the clients keep.

  history.py STANCHION [CLIENT[,CLIENT]] [--keep DIR]

No hook is registered. What ran is told by the files that the commands leave. `--keep` writes the transcripts,
with neutral paths, and the commands that ran (see fixtures/transcripts). Exit status: 0 every command was found,
1 one was not, 3 a client is not installed.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import clients  # noqa: E402
import rig  # noqa: E402

CLIENTS = ["claude", "codex", "codex-code", "opencode", "pi", "grok", "gemini", "copilot", "qwen"]
HARNESS = {"codex-code": "codex"}
COMMANDS = [
    "touch RAN_1",
    "printf '%s\\n' 'a \"b\" $c \\\\ \u00e9' > ODD; touch RAN_2\n# a second line\n",
    "touch RAN_3; exit 3",
    "git status --short | cat && touch RAN_4",
]
BACKGROUND = "sleep 0.2; touch RAN_5"
SUB = "touch RAN_6"
# Below the home: what holds transcripts, without what a client brings along.
KEPT = {
    "claude": [".claude/projects"], "codex": [".codex/sessions"], "codex-code": [".codex/sessions"],
    "opencode": [".local/share/opencode"], "pi": [".pi/agent/sessions"], "grok": [".grok/sessions"],
    "gemini": [".gemini/tmp"], "copilot": [".copilot/session-state"], "qwen": [".qwen/projects", ".qwen/tmp"],
}


def neutral(text, r):
    return text.replace(r["proj"], "/home/user/project").replace(r["home"], "/home/user").replace(
        r["base"], "/home/user/run")


def keep(r, name, ran, to):
    """Copies the transcripts with neutral paths."""
    for part in KEPT[name]:
        top = os.path.join(r["home"], part)
        for folder, _, files in os.walk(top):
            for f in files:
                path = os.path.join(folder, f)
                rel = os.path.relpath(path, r["home"])
                for real, put in ((r["proj"], "/home/user/project"), (r["home"], "/home/user")):
                    for mark in "-", "%2F":
                        rel = rel.replace(real.replace("/", mark), put.replace("/", mark))
                target = os.path.join(to, name, rel)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                try:
                    with open(path, encoding="utf-8") as src:
                        text = neutral(src.read(), r)
                    with open(target, "w", encoding="utf-8") as dst:
                        dst.write(text)
                except UnicodeDecodeError:
                    shutil.copy(path, target)
    clients.put(os.path.join(to, name, "ran.json"), ran)


def run(cl, a):
    base, home, proj = rig.place(cl, "history")
    script = {"main": [{"kind": "shell", "command": c} for c in COMMANDS] + [
        {"kind": "bgshell", "command": BACKGROUND}, {"kind": "task"}, {"kind": "wait"}],
        "sub": [{"kind": "shell", "command": SUB}]}
    r = {"client": cl.name, "case": "history", "base": base, "home": home, "proj": proj, "pre": None,
         "post": None, "timeout": 30, "hooklog": base + "/hook.jsonl", "pluginlog": base + "/plugin.jsonl",
         "script": script, "installed": True, "sessions": True}
    cl.setup(r)
    x = rig.run_made(cl, r, a.limit)
    ran = [c for n, c in enumerate(COMMANDS + [BACKGROUND, SUB], 1) if "RAN_%d" % n in x["files"]]
    if a.keep:
        keep(r, cl.name, ran, a.keep)
    if len(ran) < len(COMMANDS):
        return "the client ran %d of its commands: rc %s, see %s" % (len(ran), x["rc"], base)
    p = subprocess.run([a.stanchion, "replay", "--calls"], cwd=proj, env=rig.environment(cl, r),
                       capture_output=True, text=True)
    if p.returncode:
        return "`stanchion replay` failed: " + p.stderr
    calls = [json.loads(line) for line in p.stdout.splitlines()]
    found = [c["command"].strip() for c in calls if c["harness"] == HARNESS.get(cl.name, cl.name)]
    missed = [c for c in ran if found.count(c.strip()) != 1]
    return "of %d commands these were not found once: %r in %s" % (len(ran), missed, base) if missed else ""


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("stanchion")
    ap.add_argument("clients", nargs="?", default=",".join(CLIENTS))
    ap.add_argument("--keep", default="", help="write the transcripts below this directory")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--limit", type=int, default=90)
    a = ap.parse_args()
    a.stanchion = os.path.abspath(a.stanchion)
    table = {c.name: c(rig.HARNESS) for c in clients.ALL}
    names = [n for n in a.clients.split(",") if n in CLIENTS]
    todo = [n for n in names if os.path.exists(table[n].exe)]
    bad = 0
    for (n,), why in rig.each([(n,) for n in todo], lambda n: run(table[n], a), a.jobs):
        bad += bool(why)
        rig.tell(n, "history", why)
    print("%d found all, %d did not" % (len(todo) - bad, bad))
    sys.exit(1 if bad else 3 if len(todo) < len(names) else 0)


if __name__ == "__main__":
    main()
