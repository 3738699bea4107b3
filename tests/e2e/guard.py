#!/usr/bin/env python3
"""Real clients, guarded by what `stanchion install` registers.

  guard.py STANCHION [CLIENT[,CLIENT]] [--level user|project] [--policy NAME] [--markdown FILE]

Each case gets a home and a project of its own; there the program's own `install` registers the hook, and
nothing else does. Exit status: 0 every case held, 1 one did not, 3 a client is not installed.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import clients  # noqa: E402
import rig  # noqa: E402

CLIENTS = ["claude", "codex", "codex-code", "opencode", "pi", "grok", "gemini", "copilot", "qwen", "cline"]
# The name for `stanchion install`, where it is another.
HARNESS = {"codex-code": "codex", "claude-old": "claude", "pi-old": "pi"}
DENIED = "git reset --hard; touch RAN_1"
SHELL_CODE, FILE_CODE = "[git.reset-hard]", "[self.change]"
# Some clients refuse to write below `.git` or in their own directories themselves.
GUARDED = ".stanchion.toml"
# What only a person can do; the rig does it by options of the clients.
BY_HAND = {"not-reviewed", "not-trusted"}
def steps(case, proj, client):
    shell = {"kind": "shell", "command": DENIED}
    guarded = {"path": proj + "/" + GUARDED, "rel": GUARDED}
    return {
        "allowed": {"main": [{"kind": "shell", "command": "touch RAN_1"},
                             {"kind": "write", "path": proj + "/new.txt", "content": "alpha\n"}]},
        "denied": {"main": [shell]},
        "background": {"main": [{"kind": "bgshell", "command": DENIED}]},
        "write": {"main": [dict(guarded, kind="write", content="version = 1\n")]},
        "subagent": {"main": [{"kind": "task"}, {"kind": "wait"}], "sub": [shell]},
        "monitor": {"main": MONITOR.get(client)},
        "guest": {"main": [shell]},
        "twice": {"main": [shell]},
    }[case]


CASES = ["allowed", "denied", "background", "write", "subagent"]
# Some clients have another tool that runs a command; Claude Code tells of it when it is searched.
MONITOR = {
    "claude": [{"kind": "raw", "tool": "ToolSearch", "args": {"query": "select:Monitor", "max_results": 3}},
               {"kind": "raw", "tool": "Monitor", "force": True,
                "args": {"command": DENIED, "description": "e2e step", "timeout_ms": 5000}}],
    "grok": [{"kind": "raw", "tool": "monitor", "args": {"command": DENIED, "description": "e2e"}}],
}
# Clients that read Claude Code's file, and at which level: with that registration alone, and with two.
READERS = {"grok": "user", "copilot": "project"}
GUESTS = {"guest": ["claude"], "twice": ["claude", None]}


def texts(results):
    return "\n".join(t["text"] for group in results for t in (group or []))


def recorded(r):
    """How many denials the hook recorded."""
    path = r["home"] + "/.local/state/stanchion/decisions.jsonl"
    return len([x for x in clients.jsonl(path) if x.get("decision") == "deny"])


def failure(case, r, x, log):
    """Why a case did not hold; empty when it did."""
    ran = "RAN_1" in x["files"]
    if x["main_requests"] < (1 if log and case != "allowed" else 2):
        return "the client did not run: rc %s, see %s" % (x["rc"], r["base"])
    if case == "allowed":
        written = os.path.exists(r["proj"] + "/new.txt")
        return "" if ran and written else "an allowed call did not run: " + texts([x["results"]])[:300]
    if ran:
        return "the denied command ran"
    if os.path.exists(r["proj"] + "/" + GUARDED):
        return "the guarded file was written"
    if case in GUESTS and recorded(r) != 1:
        return "%d answers were recorded for one call" % recorded(r)
    told = texts(x["sub_results"] if case == "subagent" else [x["results"]])
    if log:
        with open(r["home"] + log) as f:
            told = f.read()
    code = FILE_CODE if case == "write" else SHELL_CODE
    reason = told.partition(code)[2].strip()
    return "" if len(reason) > 20 else "the model was not told %s and why, but: %s" % (code, told[:300])


def run(cl, case, a):
    base, home, proj = rig.place(cl, "guard-" + case)
    r = {"client": cl.name, "case": "guard-" + case, "base": base, "home": home, "proj": proj, "pre": None,
         "post": None, "timeout": 30, "hooklog": base + "/hook.jsonl", "pluginlog": base + "/plugin.jsonl",
         "script": steps(case, proj, cl.name), "installed": True}
    cl.setup(r)
    name = HARNESS.get(cl.name, cl.name)
    names = [n or name for n in GUESTS.get(case, [None])]
    level = READERS[cl.name] if case in GUESTS else a.level
    level = ["--project"] if level == "project" else []

    def own(*words):
        p = subprocess.run([a.stanchion, *words, *names, *level], cwd=proj, env=rig.environment(cl, r),
                           capture_output=True, text=True)
        with open("%s/%s.out" % (base, words[0]), "w") as f:
            f.write(p.stdout + p.stderr)
        return p

    p = own("install", *["--policy=" + p for p in a.policy.split(",")])
    if p.returncode:
        return "`stanchion install` failed: " + p.stderr
    found = {x["code"] for x in json.loads(own("doctor", "--json").stdout)["findings"]}
    if found - BY_HAND:
        return "`stanchion doctor` found " + ", ".join(sorted(found - BY_HAND))
    return failure(case, r, rig.run_made(cl, r, a.limit), cl.log)


def cases(name, a):
    named = a.case.split(",") if a.case else CASES + ["monitor"] + list(GUESTS)
    has = {"monitor": MONITOR, **{guest: READERS for guest in GUESTS}}
    return [c for c in named if name in has.get(c, [name])]


def version(cl):
    path = os.path.dirname(os.path.dirname(cl.exe))
    name = cl.pkg[:1] + cl.pkg[1:].partition("@")[0]
    with open(os.path.join(path, name, "package.json")) as f:
        return json.load(f)["version"]


def markdown(rows):
    lines = ["| client | version | " + " | ".join(CASES) + " |", "|---" * (len(CASES) + 2) + "|"]
    for name, number, results in rows:
        lines.append("| %s | %s | %s |" % (name, number, " | ".join("FAILED" if x else "held" for x in results)))
    return "\n".join(lines) + "\n"


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("stanchion")
    ap.add_argument("clients", nargs="?", default=",".join(CLIENTS))
    ap.add_argument("--level", choices=["user", "project"], default="user")
    ap.add_argument("--policy", default="firstmate,core")
    ap.add_argument("--case", default="", help="some cases")
    ap.add_argument("--markdown", default="", help="write the table to this file")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--limit", type=int, default=90)
    a = ap.parse_args()
    a.stanchion = os.path.abspath(a.stanchion)
    table = {c.name: c(rig.HARNESS) for c in clients.ALL}
    missing = [n for n in a.clients.split(",") if not os.path.exists(table[n].exe)]
    todo = [n for n in a.clients.split(",") if n not in missing]
    for n in missing:
        print("MISSING %s: not installed" % n)
    keys, bad, results = [(n, c) for n in todo for c in cases(n, a)], 0, {n: [] for n in todo}
    for (n, c), why in rig.each(keys, lambda n, c: run(table[n], c, a), a.jobs):
        bad += bool(why)
        if c in CASES:
            results[n].append(why)
        rig.tell(n, c, why)
    rows = [(n, version(table[n]), results[n]) for n in todo]
    if a.markdown:
        with open(a.markdown, "w") as f:
            f.write(markdown(rows))
    print("%d held, %d failed" % (len(keys) - bad, bad))
    sys.exit(1 if bad else 3 if missing else 0)


if __name__ == "__main__":
    main()
