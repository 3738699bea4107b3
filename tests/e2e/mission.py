#!/usr/bin/env python3
"""A real client whose agent works under a baked gate, and what of it ends in a database of events.

  mission.py STANCHION [--store FILE|URL] [--limit SECONDS]

Claude Code is asked for a call that the mission denies, one that its task only tries out to deny, one of a
sub-agent whose role may not do it, and one that nobody objects to; the host drains the records under the
session that it chose itself. Exit status: 0 all held, 1 something did not, 3 the client is not installed.
"""
import argparse
import json
import os
import subprocess
import sys
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import clients  # noqa: E402
import rig  # noqa: E402

TASK = """version = 1
name = "task"
[task]
mode = "shadow"
allowed_tools = ["Bash", "Agent", "Task"]
"""
VERIFIER = "---\nname: verifier\ndescription: verifies\ntools: Write, Bash\n---\nVerify.\n"
DENIED = "git push --force origin main; touch RAN_1"


def steps(proj):
    def write(name):
        return {"kind": "write", "path": proj + "/" + name, "content": "alpha\n"}

    return {"main": [{"kind": "shell", "command": DENIED}, write("new.txt"), {"kind": "shell", "command": "touch RAN_2"},
                     {"kind": "task", "agent": "verifier"}, {"kind": "wait"}],
            "sub": [write("RAN_3")]}


def run(a, cl):
    """Where the case ran, its record directory and the session."""
    base, home, proj = rig.place(cl, "mission")
    session, records, gate = str(uuid.uuid4()), base + "/records", base + "/gate"
    r = {"client": cl.name, "case": "mission", "base": base, "home": home, "proj": proj, "pre": None, "post": None,
         "timeout": 30, "hooklog": base + "/hook.jsonl", "pluginlog": base + "/plugin.jsonl", "script": steps(proj),
         "installed": True, "extra": ["--session-id", session]}
    cl.setup(r)
    clients.put(proj + "/.claude/agents/verifier.md", VERIFIER)
    clients.put(base + "/task.toml", TASK)
    own = [["bake", "--policy", "mission", "--policy", base + "/task.toml", "--record-dir", records, "--out", gate],
           ["guest-install", "claude", "--gate", gate, "--dir", base + "/opt", "--home", home]]
    for words in own:
        p = subprocess.run([a.stanchion, *words], cwd=proj, env=rig.environment(cl, r), capture_output=True, text=True)
        if p.returncode:
            sys.exit("`stanchion %s` failed: %s" % (words[0], p.stderr))
    return r, rig.run_made(cl, r, a.limit), records, session


def drained(a, r, records, session):
    """The events of the records."""
    store = ["--store", a.store or r["base"] + "/events.sqlite"]
    env = dict(os.environ, XDG_STATE_HOME=r["base"] + "/state")
    p = subprocess.run([a.stanchion, "drain", "-q", "--mission", session, "--phase", "e2e", "--session",
                        session + "=ann", "dir:" + records, *store], env=env, capture_output=True, text=True)
    if p.returncode:
        sys.exit("`stanchion drain` failed: " + p.stdout + p.stderr)
    p = subprocess.run([a.stanchion, "events", "--json", "--mission", session, *store], env=env, capture_output=True,
                       text=True, check=True)
    return [json.loads(line) for line in p.stdout.splitlines()]


def failures(x, events):
    def has(kind, target, **detail):
        found = [e for e in events if e["kind"] == kind and e["target"].endswith(target) and e["agent"] == "ann"]
        return any(all(str(e["detail"].get(k, "")).startswith(v) for k, v in detail.items()) for e in found)

    denied = "the denied call is no event of its agent"
    told = [
        ("RAN_1" not in x["files"], "the denied command ran"),
        ("RAN_3" not in x["files"], "the role's denied call ran"),
        ("RAN_2" in x["files"] and "new.txt" in x["files"], "an allowed call did not run"),
        (any("git push --force" in json.dumps(e["detail"]["payload"]) for e in events if e["kind"] == "gate.denied"
             and e["agent"] == "ann"), denied),
        (has("gate.would_deny", "Write", rule="task-permission"), "the shadowed call is no event of its agent"),
        (has("gate.denied", "Write", rule="role", agent_type="verifier", agent=""), "the role's denial is no event"),
        (has("tool.call", "Bash", command="touch RAN_2"), "the tapped command is no event of its agent"),
        (has("tool.call", "Write") and has("file.touch", "/new.txt", effect="write"), "the touched file is no event"),
        (all(e["agent"] == "ann" for e in events), "an event is nobody's"),
    ]
    return [why for held, why in told if not held]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("stanchion")
    ap.add_argument("--store", default="")
    ap.add_argument("--limit", type=int, default=90)
    a = ap.parse_args()
    a.stanchion = os.path.abspath(a.stanchion)
    cl = clients.Claude(rig.HARNESS)
    if not os.path.exists(cl.exe):
        print("MISSING claude: not installed")
        sys.exit(3)
    r, x, records, session = run(a, cl)
    events = drained(a, r, records, session)
    bad = failures(x, events)
    for e in events:
        print("%-15s %-8s %s %s" % (e["kind"], e["agent"], e["target"], e["detail"].get("rule", "")))
    for why in bad:
        print("FAIL %s, see %s" % (why, r["base"]))
    print("mission: " + ("failed" if bad else "held"))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
