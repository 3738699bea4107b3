#!/usr/bin/env python3
"""End-to-end rig: real coding-agent clients, a stub model, a recording hook.

  rig.py list
  rig.py run CLIENT[,CLIENT] [--case ID[,ID]] [--checker 'CMD ...'] [--jobs N]
  rig.py report            # table from the results of all runs
Every client runs in its own network namespace (loopback only), as a child of
`unshare -n`; the stub runs in that namespace too.
"""
import argparse
import fcntl
import json
import os
import re
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import clients  # noqa: E402
import stub  # noqa: E402

HARNESS = os.environ.get("E2E_HARNESS", os.path.expanduser("~/.cache/stanchion-e2e/clients"))
RUNS = os.environ.get("E2E_RUNS", os.path.expanduser("~/.cache/stanchion-e2e/runs"))
PY = os.path.realpath(sys.executable)
MAIN = stub.MAIN_MARK + ": do the steps."
J = json.dumps
OPT = {"direct": False, "plugin_file": ""}

CLAUDE_DENY = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                      "permissionDecisionReason": "[code] reason"}}
STDERR_JSON = J({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"},
                 "systemMessage": "[code] reason"})
FLAT_DENY = J({"decision": "deny", "reason": "[code] reason"})
ONE = [{"kind": "shell", "command": "touch RAN_1"}]


def hso(**k):
    return J({"hookSpecificOutput": dict({"hookEventName": "PreToolUse"}, **k)})


# id -> answer of the pre hook (or special)
CASES = {
    "00-silent": {"exit": 0},
    "01-exit2-text": {"exit": 2, "stderr": "[code] reason in plain text"},
    "02-exit2-stderr-json": {"exit": 2, "stderr": STDERR_JSON},
    "03-exit2-stderr-json+stdout-json": {"exit": 2, "stderr": STDERR_JSON, "stdout": FLAT_DENY},
    "04-exit2-nothing": {"exit": 2},
    "05-exit2-stdout-text-only": {"exit": 2, "stdout": "[code] only on stdout"},
    "06-exit2-stdout-json-only": {"exit": 2, "stdout": FLAT_DENY},
    "07-exit2-stderr-text+stdout-hso-deny": {"exit": 2, "stderr": "[code] from stderr", "stdout": hso(
        permissionDecision="deny", permissionDecisionReason="[code] from stdout hso")},
    "08-exit2-stderr-text+stdout-all-shapes": {"exit": 2, "stderr": "[code] from stderr", "stdout": J({
        "decision": "deny", "reason": "[code] from flat", "permissionDecision": "deny",
        "permissionDecisionReason": "[code] from copilot", "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "[code] from hso"}})},
    "09-exit2-stderr-text+stdout-block-shapes": {"exit": 2, "stderr": "[code] from stderr", "stdout": J({
        "decision": "block", "reason": "[code] from flat", "permissionDecision": "deny",
        "permissionDecisionReason": "[code] from copilot", "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "[code] from hso"}})},
    "0a-exit2-stderr-json-all-shapes": {"exit": 2, "stderr": J({
        "decision": "deny", "reason": "[code] from flat", "permissionDecision": "deny",
        "permissionDecisionReason": "[code] from copilot", "systemMessage": "[code] from systemMessage",
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                               "permissionDecisionReason": "[code] from hso"}})},
    "0b-exit2-stderr-multiline": {"exit": 2, "stderr": "[code] line one\nline two \"q\" \u00e9\u20ac\n\n  indented\n"},
    "0c-exit2-stderr-9000-chars": {"exit": 2, "stderr": "[code] " + "y" * 9000 + " END"},
    "0d-exit2-stderr-text+stdout-flat-deny": {"exit": 2, "stderr": "[code] from stderr", "stdout": J(
        {"decision": "deny", "reason": "[code] from flat"})},
    "10-json-hso-deny": {"exit": 0, "stdout": J(CLAUDE_DENY)},
    "11-json-flat-deny": {"exit": 0, "stdout": FLAT_DENY},
    "12-json-flat-block": {"exit": 0, "stdout": J({"decision": "block", "reason": "[code] reason"})},
    "13-json-copilot-deny": {"exit": 0, "stdout": J({"permissionDecision": "deny",
                                                     "permissionDecisionReason": "[code] reason"})},
    "14-json-continue-false": {"exit": 0, "stdout": J({"continue": False, "stopReason": "[code] stop reason"})},
    "15-json-hso-deny-noreason+systemMessage": {"exit": 0, "stdout": STDERR_JSON},
    "16-json-all-shapes-deny": {"exit": 0, "stdout": J({
        "decision": "deny", "reason": "[code] from flat", "permissionDecision": "deny",
        "permissionDecisionReason": "[code] from copilot", "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "[code] from hso"}})},
    "17-json-block-shapes": {"exit": 0, "stdout": J({
        "decision": "block", "reason": "[code] from flat", "permissionDecision": "deny",
        "permissionDecisionReason": "[code] from copilot", "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "[code] from hso"}})},
    "18-native-deny+unknown-key": {"exit": 0, "stdout": "@NATIVE+KEY"},
    "19-native-deny+systemMessage": {"exit": 0, "stdout": "@NATIVE+SYS"},
    "1a-json-hso-deny-empty-reason": {"exit": 0, "stdout": hso(permissionDecision="deny",
                                                               permissionDecisionReason="")},
    "1b-exit0-stderr-deny-json": {"exit": 0, "stderr": J(CLAUDE_DENY)},
    "1c-json-hso-deny-long-multiline-reason": {"exit": 0, "stdout": hso(
        permissionDecision="deny", permissionDecisionReason="[code] line one\nline two\n" + "z" * 3000 + " END")},
    "1d-json-flat-deny-long-multiline-reason": {"exit": 0, "stdout": J(
        {"decision": "deny", "reason": "[code] line one\nline two\n" + "z" * 3000 + " END"})},
    "1e-exit0-stderr-native-deny": {"exit": 0, "stderr": "@NATIVE"},
    "1f-exit0-stdout-empty-object": {"exit": 0, "stdout": "{}"},
    "20-json-hso-ask": {"exit": 0, "stdout": hso(permissionDecision="ask", permissionDecisionReason="[code] ask")},
    "21-json-flat-ask": {"exit": 0, "stdout": J({"decision": "ask", "reason": "[code] ask"})},
    "22-json-copilot-ask": {"exit": 0, "stdout": J({"permissionDecision": "ask",
                                                    "permissionDecisionReason": "[code] ask"})},
    "23-json-hso-allow": {"exit": 0, "stdout": hso(permissionDecision="allow",
                                                   permissionDecisionReason="[code] fine")},
    "24-json-additionalContext": {"exit": 0, "stdout": hso(additionalContext="[code] extra context")},
    "25-json-systemMessage": {"exit": 0, "stdout": J({"systemMessage": "[code] system message"})},
    "30-rewrite-updatedInput": {"rewrite": "updatedInput", "command": "touch REWRITTEN"},
    "31-rewrite-updatedInput+allow": {"rewrite": "updatedInput+allow", "command": "touch REWRITTEN"},
    "32-rewrite-tool_input": {"rewrite": "tool_input", "command": "touch REWRITTEN"},
    "33-rewrite-modifiedArgs": {"rewrite": "modifiedArgs", "command": "touch REWRITTEN"},
    "34-rewrite-modifiedArgs+allow": {"rewrite": "modifiedArgs+allow", "command": "touch REWRITTEN"},
    "35-rewrite-updatedInput-partial+allow": {"rewrite": "updatedInput+allow", "command": "touch REWRITTEN",
                                              "partial": True},
    "40-exit1-text": {"exit": 1, "stderr": "[code] exit one"},
    "41-exit1-stdout-native-deny": {"exit": 1, "stdout": "@NATIVE", "stderr": "[code] exit one"},
    "42-exit3": {"exit": 3, "stderr": "[code] exit three"},
    "43-killed-by-signal": {"signal": 9, "stderr": "[code] dying"},
    "44-abort-134": {"signal": 6, "stderr": "[code] aborting"},
    "50-timeout": {"sleep": 12, "exit": 2, "stderr": "[code] too late", "_timeout": 2},
    "51-missing": {"_cmd": "/nonexistent/hook-binary --x"},
    "52-not-executable": {"_cmd": "NOEXEC"},
    "60-malformed-text": {"exit": 0, "stdout": "this is not JSON"},
    "61-malformed-json": {"exit": 0, "stdout": '{"decision": "deny", "reason": '},
    "62-json-wrong-types": {"exit": 0, "stdout": J({"hookSpecificOutput": {"hookEventName": "PreToolUse",
                                                                           "permissionDecision": 7}})},
    "63-noise-then-native-deny": {"exit": 0, "stdout": "warning: noise\n@NATIVE"},
    "64-native-deny-trailing-newlines": {"exit": 0, "stdout": "@NATIVE\n\n"},
    "65-native-deny-pretty-printed": {"exit": 0, "stdout": "@PRETTY"},
    "66-native-deny-then-second-line": {"exit": 0, "stdout": "@NATIVE\nsecond line\n"},
    "70-two-hooks-exit2+allow": {"_pre2": [{"exit": 2, "stderr": "[code] one denies"},
                                           {"exit": 0, "stdout": "@ALLOW"}]},
    "70b-two-hooks-allow+exit2": {"_pre2": [{"exit": 0, "stdout": "@ALLOW"},
                                            {"exit": 2, "stderr": "[code] one denies"}]},
    "70c-two-hooks-block-shapes+allow": {"_pre2": [{"exit": 2, "stderr": "[code] from stderr", "stdout": "@ALL"},
                                                   {"exit": 0, "stdout": "@ALLOW"}]},
    "70d-two-hooks-native-deny+allow": {"_pre2": [{"exit": 0, "stdout": "@NATIVE"},
                                                  {"exit": 0, "stdout": "@ALLOW"}]},
    "70e-two-hooks-deny+silent": {"_pre2": [{"exit": 2, "stderr": "[code] one denies"}, {"exit": 0}]},
    "71-no-read-stdin": {"_cmd": "true"},
    "72-no-read-stdin-exit2": {"_cmd": "echo '[code] unread' >&2; exit 2"},
    "80-post-exit2": {"exit": 0, "_post": {"exit": 2, "stderr": "[code] post says no"}},
    "81-post-block": {"exit": 0, "_post": {"exit": 0, "stdout": J({"decision": "block",
                                                                  "reason": "[code] post blocks"})}},
    "82-post-context": {"exit": 0, "_post": {"exit": 0, "stdout": J({"hookSpecificOutput": {
        "hookEventName": "PostToolUse", "additionalContext": "[code] post context"}})}},
    "90-capture": {"exit": 0, "_script": "capture"},
    "91-shell-fails": {"exit": 0, "_script": "fails"},
    "92-big-command": {"exit": 0, "_script": "big"},
    "92b-huge-command": {"exit": 0, "_script": "huge"},
    "93-odd-command": {"exit": 0, "_script": "odd"},
    "94-deny-write": {"exit": 2, "stderr": "[code] no writes", "_script": "write"},
    "96-stdin-of-open-shell": {"exit": 0, "_script": "stdin"},
    "97-deny-stdin-of-open-shell": {"_cmd": "i=$(cat); case \"$i\" in *RAN_1*) echo '[code] typed' >&2; exit 2;; esac",
                                    "_script": "stdin"},
    "95-deny-in-subagent": {"exit": 0, "_script": "subonly", "_subdeny": True},
    "9a-cd-then-shell": {"exit": 0, "_script": "cd"},
    "9b-workdir-argument": {"exit": 0, "_script": "workdir"},
    "9c-parallel-one-denied": {"_cmd": "i=$(cat); case \"$i\" in *'touch RAN_2'*) echo '[code] two' >&2; exit 2;; esac",
                               "_script": "par"},
    "9d-monitor-tool": {"exit": 0, "_script": "monitor"},
    "98-untrusted-project": {"exit": 2, "stderr": "[code] reason", "_notrust": "project"},
    "99-untrusted-hook": {"exit": 2, "stderr": "[code] reason", "_notrust": "hook"},
}
PLUGIN_CASES = {   # OpenCode and Pi: how the plugin itself reacts
    "p0-none": ("none", {"exit": 0}), "p1-exit2-throws/blocks": ("exit2", {"exit": 2, "stderr": "[code] reason"}),
    "p2-exit2-json-reason": ("exit2", {"exit": 2, "stderr": STDERR_JSON}),
    "p3-throw-any-exit1": ("throw-any", {"exit": 1, "stderr": "[code] exit one"}),
    "p4-throw-string": ("throw-string", {}), "p5-mutate-args": ("mutate", {}), "p6-replace-args": ("replace", {}),
    "p7-return-deny-object": ("return-deny", {}), "p8-block-noreason": ("block-noreason", {}),
}
PLUGIN_KEEP = ["00-silent", "01-exit2-text", "02-exit2-stderr-json", "03-exit2-stderr-json+stdout-json",
               "04-exit2-nothing", "40-exit1-text", "50-timeout", "51-missing", "52-not-executable",
               "80-post-exit2", "90-capture", "91-shell-fails", "92-big-command", "92b-huge-command", "93-odd-command", "94-deny-write", "95-deny-in-subagent", "9a-cd-then-shell", "9b-workdir-argument",
               "9c-parallel-one-denied", "98-untrusted-project"]

ODD = "printf '%s\\n' 'a \"b\" $c `d` \\\\ \u00e9\u20ac\U0001f600 \t tab' > ODD; touch RAN_1\n# line two\n"


NATIVE = {"gemini": {"decision": "deny", "reason": "[code] reason"},
          "copilot": {"permissionDecision": "deny", "permissionDecisionReason": "[code] reason"}}


def native(text, cl):
    """@NATIVE: the deny answer in the shape that the client's own documents give."""
    d = NATIVE.get(cl.shape, CLAUDE_DENY)
    allow = {"gemini": {"decision": "allow"}, "copilot": {"permissionDecision": "allow"}}.get(
        cl.shape, {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}})
    text = text.replace("@ALLOW", J(allow)).replace("@ALL", CASES["17-json-block-shapes"]["stdout"])
    return (text.replace("@NATIVE+KEY", J(dict(d, someOtherKey=1)))
            .replace("@NATIVE+SYS", J(dict(d, systemMessage="[code] sys")))
            .replace("@NATIVE", J(d)).replace("@PRETTY", json.dumps(d, indent=2)))


def scripts(name, proj, cl=""):
    if name == "capture":
        return {"main": [
            {"kind": "shell", "command": "touch RAN_1"},
            {"kind": "write", "path": proj + "/new.txt", "content": "alpha\nbeta\n"},
            {"kind": "edit", "path": proj + "/new.txt", "old": "alpha", "new": "gamma"},
            {"kind": "bgshell", "command": "sleep 0.6; touch RAN_BG"},
            {"kind": "task"},
            {"kind": "wait"},
        ], "sub": [{"kind": "shell", "command": "touch RAN_SUB"}]}
    if name == "stdin":       # a shell kept open, then a command typed into it
        return {"main": [{"kind": "raw", "tool": "exec_command",
                          "args": {"cmd": "bash --norc", "tty": True, "yield_time_ms": 400}},
                         {"kind": "raw", "tool": "write_stdin",
                          "args": {"session_id": "$SESSION", "chars": "touch RAN_1\n", "yield_time_ms": 800}}]}
    if name == "cd":
        return {"main": [{"kind": "shell", "command": "mkdir -p sub && cd sub"},
                         {"kind": "shell", "command": "touch RAN_1"}]}
    if name == "workdir":
        return {"main": [{"kind": "shell", "command": "mkdir -p sub"},
                         {"kind": "shellcwd", "command": "touch RAN_1", "dir": proj + "/sub"}]}
    if name == "par":
        return {"main": [{"kind": "par", "steps": [{"kind": "shell", "command": "touch RAN_%d" % i}
                                                   for i in (1, 2, 3)]}]}
    if name == "monitor":
        return {"main": [
            {"kind": "raw", "tool": "ToolSearch", "args": {"query": "select:Monitor", "max_results": 3}},
            {"kind": "raw", "tool": "Monitor", "force": True, "args": {
                "command": "touch RAN_1", "description": "e2e step", "timeout_ms": 5000}}]} if cl == "claude" else {
            "main": [{"kind": "raw", "tool": "monitor", "args": {"command": "touch RAN_1", "description": "e2e"}}]}
    if name == "fails":
        return {"main": [{"kind": "shell", "command": "touch RAN_1; echo out; echo err >&2; exit 7"}]}
    if name == "big":
        return {"main": [{"kind": "shell", "command": "touch RAN_1; : " + "x" * 100000}]}
    if name == "huge":
        return {"main": [{"kind": "shell", "command": "touch RAN_1\n" + ("# %s\n" % ("x" * 98)) * 2000}]}
    if name == "odd":
        return {"main": [{"kind": "shell", "command": ODD}]}
    if name == "write":
        return {"main": [{"kind": "write", "path": proj + "/RAN_1", "content": "alpha\n"}]}
    if name == "subonly":
        return {"main": [{"kind": "task"}], "sub": ONE}
    if name == "wait":
        return {"main": [{"kind": "task"}, {"kind": "wait"}], "sub": ONE}
    return {"main": ONE}


def place(cl, cid):
    """A fresh home and a fresh git project."""
    base = os.path.join(RUNS, cl.name, re.sub(r"[^\w.+-]", "_", cid))
    shutil.rmtree(base, ignore_errors=True)
    home, proj = base + "/home", base + "/project"
    os.makedirs(home)
    os.makedirs(proj)
    genv = dict(os.environ, HOME=home, GIT_AUTHOR_NAME="e", GIT_AUTHOR_EMAIL="e@e", GIT_COMMITTER_NAME="e",
                GIT_COMMITTER_EMAIL="e@e")
    clients.put(proj + "/README.md", "scratch\n")
    subprocess.run("git init -q -b main . && git add -A && git commit -qm init", shell=True, cwd=proj, env=genv,
                   check=True)
    return base, home, proj


def make_case(cl, cid, checker):
    base, home, proj = place(cl, cid)
    plugin = None
    if cid in PLUGIN_CASES:
        plugin, spec = PLUGIN_CASES[cid]
    else:
        spec = CASES[cid]
    hooklog = base + "/hook.jsonl"

    def cmd(event, ans, n=0):
        f = base + "/answer-%s%d.json" % (event, n)
        ans = {k: native(v, cl) if k in ("stdout", "stderr") else v for k, v in ans.items() if not k.startswith("_")}
        if checker and event == "pre":
            ans = {"checker": shlex.split(checker)}
        if cl.pre == "BeforeTool" and "hookEventName" not in ans:
            ans["hookEventName"] = "BeforeTool"
        clients.put(f, ans)
        return "%s %s %s %s %s --extra 'a b'" % (PY, HERE + "/hook.py", hooklog, event, f)

    if spec.get("_cmd") == "NOEXEC":
        clients.put(base + "/noexec", "#!/bin/sh\nexit 2\n", 0o644)
        pre = [base + "/noexec"]
    elif spec.get("_cmd"):
        pre = [spec["_cmd"]]
    elif spec.get("_pre2"):
        pre = [cmd("pre", a, i) for i, a in enumerate(spec["_pre2"])]
    else:
        pre = [cmd("pre", spec)]
    if spec.get("_subdeny"):      # denies every shell call, lets the sub-agent tool through
        clients.put(base + "/subdeny.sh", "#!/bin/sh\ni=$(cat)\ncase \"$i\" in *'touch RAN_1'*) "
                    "echo '[code] denied in sub-agent' >&2; exit 2;; esac\nexit 0\n", 0o755)
        pre = ["tee -a %s/subdeny.log | %s/subdeny.sh" % (base, base)]
    if checker and OPT["direct"] and not spec.get("_cmd"):
        pre = [checker]
    script = scripts(spec.get("_script"), proj, cl.name)
    if spec.get("_shell"):
        script = {"main": [{"kind": "shell", "command": spec["_shell"]}]}
    r = {"client": cl.name, "case": cid, "base": base, "home": home, "proj": proj, "pre": pre,
         "post": cmd("post", spec.get("_post", {"exit": 0})), "timeout": spec.get("_timeout", 30),
         "hooklog": hooklog, "pluginlog": base + "/plugin.jsonl", "script": script, "plugin_file": OPT["plugin_file"]}
    if plugin:
        r["plugin"] = plugin
    if spec.get("_notrust"):
        r["notrust"] = spec["_notrust"]
    cl.setup(r)
    return r


def inner(path):
    """Runs inside the namespace: loopback up, stub, client."""
    with open(path) as f:
        r = json.load(f)
    ifreq = struct.pack("16sh", b"lo", 0x1 | 0x40)             # IFF_UP | IFF_RUNNING
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as k:
        fcntl.ioctl(k, 0x8914, ifreq)                          # SIOCSIFFLAGS
    with open("/proc/net/dev") as f:                           # no way out of this namespace
        nics = [x.split(":")[0].strip() for x in f.readlines()[2:]]
    assert set(nics) <= {"lo", "tunl0", "sit0", "ip6tnl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0",
                         "ip6gre0"}, nics
    stub.serve(r["script"], r["base"] + "/stub", clients.PORT)
    out = open(r["base"] + "/client.out", "wb")
    err = open(r["base"] + "/client.err", "wb")
    t0 = time.time()
    p = subprocess.Popen(r["argv"], cwd=r["proj"], env=r["env"], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                         start_new_session=True)
    try:
        rc = p.wait(timeout=r["limit"])
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        rc = "limit"
        p.wait()
    wall = time.time() - t0
    if r.get("linger"):
        time.sleep(r["linger"])
    with open(r["base"] + "/rc.json", "w") as f:
        json.dump({"rc": rc, "wall": round(wall, 1)}, f)
    os._exit(0)


def run_case(cl, cid, checker, limit):
    return run_made(cl, make_case(cl, cid, checker), limit)


def environment(cl, r):
    env = dict(clients.CLEAN_ENV, HOME=r["home"], **cl.env(r))
    nodebin = os.path.join(HARNESS, "node22", "node_modules", ".bin")
    env["PATH"] = nodebin + ":/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
    env["SHELL"] = "/bin/bash"
    env["TMPDIR"] = r["base"] + "/tmp"
    return env


def run_made(cl, r, limit):
    env = environment(cl, r)
    os.makedirs(env["TMPDIR"], exist_ok=True)
    r.update(argv=cl.argv(r, MAIN), env=env, limit=limit, linger=1)
    with open(r["base"] + "/case.json", "w") as f:
        json.dump(r, f, indent=1)
    subprocess.run(["unshare"] + ([] if os.geteuid() == 0 else ["-r"]) + ["-n", "--pid", "--fork", "--kill-child", "--mount-proc", PY, HERE + "/rig.py",
                    "_inner", r["base"] + "/case.json"],
                   stdout=open(r["base"] + "/inner.log", "wb"), stderr=subprocess.STDOUT, timeout=limit + 30)
    return collect(r)


def collect(r):
    base, proj = r["base"], r["proj"]
    try:
        rc = json.load(open(base + "/rc.json"))
    except FileNotFoundError:
        rc = {"rc": "none", "wall": 0}
    reqs = clients.jsonl(base + "/stub/requests.jsonl")
    hooks = clients.jsonl(r["hooklog"])
    main = [q for q in reqs if q.get("who") == "main" and q.get("tools")]
    last = main[-1] if main else {}
    sub = [q for q in reqs if q.get("who") == "sub"]
    files = sorted(f for f in os.listdir(proj) if f.startswith(("RAN", "REWRITTEN", "ODD", "new.txt")))
    if os.path.isdir(proj + "/sub"):
        files += ["sub/" + f for f in sorted(os.listdir(proj + "/sub"))]
    res = {"client": r["client"], "case": r["case"], "rc": rc["rc"], "wall": rc["wall"], "files": files,
           "hook_calls": [h["event"] for h in hooks], "requests": len(reqs), "main_requests": len(main),
           "results": last.get("results"), "extra": last.get("extra") if last.get("results") else None,
           "sub_results": [q.get("results") for q in sub][-1:],
           "signals": [h for h in hooks if ".signal" in h["event"] or ".woke" in h["event"]]}
    with open(base + "/result.json", "w") as f:
        json.dump(res, f, indent=1)
    return res


def cases_for(cl):
    if cl.shape == "plugin":
        return PLUGIN_KEEP + [c for c in PLUGIN_CASES if cl.name.startswith("pi") or c[:2] != "p8"]
    out = list(CASES)
    if not cl.name.startswith("codex"):
        out = [c for c in out if c[:2] not in ("96", "97", "99")]
    if cl.name not in ("claude", "grok"):
        out.remove("9d-monitor-tool")
    return out


def each(todo, run, jobs):
    """Runs every case of a list of arguments, and gives each with what is wrong with it, in order."""
    with ThreadPoolExecutor(jobs) as ex:
        futs = [(key, ex.submit(run, *key)) for key in todo]
        for key, fut in futs:
            try:
                why = fut.result()
            except Exception as e:
                why = "the rig failed: %r" % e
            yield key, why


def tell(client, case, why):
    print("%s %-12s %-10s %s" % ("FAIL" if why else "ok  ", client, case, why.replace("\n", "\\n")), flush=True)


def main():
    if sys.argv[1:2] == ["_inner"]:
        return inner(sys.argv[2])
    ap = argparse.ArgumentParser()
    ap.add_argument("what", choices=["list", "run", "check", "report", "matrix", "captures"])
    ap.add_argument("clients", nargs="?", default="")
    ap.add_argument("--case", default="")
    ap.add_argument("--checker", default="")
    ap.add_argument("--direct", action="store_true", help="register the checker itself, without the recorder")
    ap.add_argument("--matcher", default=None, help="register the hooks with this matcher instead of match-all")
    ap.add_argument("--plugin-file", default="", help="OpenCode/Pi: use this plugin instead of the rig's own")
    ap.add_argument("--allow", default="touch RAN_1", help="check: a shell command the checker must let through")
    ap.add_argument("--deny", default="git reset --hard; touch RAN_1", help="check: one it must block")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--limit", type=int, default=90)
    a = ap.parse_args()
    table = {c.name: c(HARNESS) for c in clients.ALL}
    if a.matcher is not None:
        for c in table.values():
            c.matcher = a.matcher
    if a.what == "list":
        for n, c in table.items():
            print(n, c.pkg, "installed" if os.path.exists(c.exe) else "missing")
        print("\n".join(CASES))
        return
    if a.what == "matrix":
        import report
        return report.matrix(RUNS)
    if a.what in ("report", "captures"):
        import report
        return report.main(RUNS, HERE, a.what)
    OPT.update(direct=a.direct, plugin_file=os.path.abspath(a.plugin_file) if a.plugin_file else "")
    if a.what == "check":
        bad = 0
        todo = [n for n in (a.clients.split(",") if a.clients else table) if os.path.exists(table[n].exe)]
        CASES["check-allow"] = {"exit": 0, "_shell": a.allow}
        CASES["check-deny"] = {"exit": 0, "_shell": a.deny}
        with ThreadPoolExecutor(a.jobs) as ex:
            futs = [(n, c, ex.submit(run_case, table[n], c, a.checker, a.limit))
                    for n in todo for c in ("check-allow", "check-deny")]
            for n, c, f in futs:
                x = f.result()
                ok = ("RAN_1" in x["files"]) == (c == "check-allow") and x["main_requests"] >= 2
                bad += not ok
                print("%s %-14s %-11s :: %s" % ("ok  " if ok else "FAIL", n, c, " | ".join(
                    t["text"][:300].replace("\n", "\\n") for t in x["results"] or [])), flush=True)
        print("%d passed, %d failed" % (2 * len(todo) - bad, bad))
        return sys.exit(1 if bad else 0)
    jobs = []
    for n in a.clients.split(","):
        cl = table[n]
        want = a.case.split(",") if a.case else cases_for(cl)
        for cid in cases_for(cl) if a.case else want:
            if not a.case or any(cid == w or cid.startswith(w) for w in want):
                jobs.append((cl, cid))
    with ThreadPoolExecutor(a.jobs) as ex:
        futs = [(cl, cid, ex.submit(run_case, cl, cid, a.checker, a.limit)) for cl, cid in jobs]
        for cl, cid, f in futs:
            try:
                x = f.result()
                txt = " | ".join(t["text"][:150].replace("\n", "\\n") for t in (x["results"] or []))
                print("%-9s %-42s rc=%s %5.1fs files=%s hooks=%s req=%d/%d :: %s" % (
                    cl.name, cid, x["rc"], x["wall"], ",".join(x["files"]), ",".join(x["hook_calls"]),
                    x["main_requests"], x["requests"], txt[:400]), flush=True)
            except Exception as e:
                print(cl.name, cid, "RIG ERROR", repr(e), flush=True)


if __name__ == "__main__":
    main()
