"""Turns the run folders into capture files and into a table."""
import json
import os
import re
import subprocess

import clients

ORDER = ["claude", "codex", "codex-code", "opencode", "pi", "grok", "gemini", "copilot", "qwen", "claude-old", "pi-old",
         "copilot-pascal", "copilot-claude", "grok-claude"]


def generalise(text, base):
    enc = base.replace("/", "%2F")
    dash = re.sub(r"[^A-Za-z0-9]", "-", base)
    for a, b in ((base + "/project", "/home/user/project"), (base + "/home", "/home/user"), (base + "/tmp", "/tmp"),
                 (base, "/home/user/run"), (enc + "%2Fproject", "%2Fhome%2Fuser%2Fproject"), (enc, "%2Fhome%2Fuser%2Frun"),
                 (dash + "-project", "-home-user-project"), (dash, "-work-run")):
        text = text.replace(a, b)
    here = os.path.dirname(os.path.abspath(__file__))
    text = text.replace(here + "/hook.py", "/opt/hook")
    text = re.sub(r"/[\w./-]*/bin/python3[\w.]* /opt/hook", "/opt/hook", text)
    text = text.replace(os.environ.get("E2E_HARNESS", os.path.expanduser("~/.cache/stanchion-e2e/clients")), "/opt/clients")
    return text


def label(text):
    if "RAN_SUB" in text and "E2E_SUB_PROMPT" not in text:
        return "subagent-shell"
    if "E2E_SUB_PROMPT" in text:
        return "subagent"
    if "RAN_BG" in text:
        return "background-shell"
    if "touch RAN_1" in text:
        return "shell"
    if "alpha" in text and "gamma" in text:
        return "edit"
    if "alpha" in text:
        return "write"
    return "other"


def captures(runs, here):
    for name in ORDER:
        dst = os.path.join(here, "..", "..", "fixtures", "captures", name)
        got = {}
        meta = None
        for case, suffix in (("90-capture", ""), ("91-shell-fails", "-failed"), ("93-odd-command", "-odd")):
            base = os.path.join(runs, name, case)
            plugin = os.path.exists(base + "/plugin.jsonl")     # there the stdin is only what our plugin sent
            for h in [] if plugin else clients.jsonl(base + "/hook.jsonl"):
                if "stdin" not in h:
                    continue
                raw = generalise(h["stdin"], base)
                if meta is None:
                    meta = {"client": name, "hook_cwd": generalise(h["cwd"], base), "hook_argv_tail": h["argv"],
                            "env_names": h["env"], "stdin_ends_with_newline": h["stdin"].endswith("\n")}
                try:
                    p = json.loads(raw)
                except ValueError:
                    p = {}
                ti = p.get("tool_input") or p.get("toolInput") or p.get("toolArgs") or p.get("input") or p.get("args")
                if p.get("output") and not ti:
                    ti = p["output"]
                lab = label(ti if isinstance(ti, str) else json.dumps(ti))
                if suffix and lab in ("other", "shell"):
                    lab = "shell"
                key = "%s-%s%s" % (h["event"], lab, suffix)
                if lab == "other":
                    key += "-" + re.sub(r"\W+", "_", str(p.get("tool_name") or p.get("toolName")))
                got.setdefault(key, raw)
            for h in clients.jsonl(base + "/plugin.jsonl"):
                if h["event"] in ("plugin.init", "plugin.checker") and suffix:
                    continue
                raw = generalise(json.dumps(h["data"], indent=1, ensure_ascii=False), base)
                d = h["data"]
                if meta is None:
                    meta = {"client": name, "plugin_process_cwd": generalise(h["cwd"], base), "env_names": h["env"]}
                if h["event"] == "plugin.init":
                    key = h["event"]
                elif h["event"] == "plugin.checker":
                    continue
                elif h["event"] == "shell.env":
                    key = "shell.env"
                else:
                    key = "%s-%s%s" % (h["event"], label(json.dumps(d)), suffix)
                got.setdefault(key, raw)
        if not got:
            continue
        os.makedirs(dst, exist_ok=True)
        for f in os.listdir(dst):
            os.unlink(os.path.join(dst, f))
        for k, raw in got.items():
            with open(os.path.join(dst, k.replace("/", "_") + ".json"), "w") as f:
                f.write(raw)
        meta = meta or {"client": name}
        meta["version"] = version(name)
        meta["env_names"] = [e for e in meta.get("env_names", []) if e not in clients.CLEAN_ENV]
        with open(os.path.join(dst, "meta.json"), "w") as f:
            json.dump(meta, f, indent=1)
        print(name, sorted(got))


def version(name):
    cl = {c.name: c for c in clients.ALL}[name](os.environ.get("E2E_HARNESS", os.path.expanduser("~/.cache/stanchion-e2e/clients")))
    pkg = re.sub(r"(?<=.)@[\d.]+$", "", cl.pkg)
    p = os.path.join(cl.harness, cl.prefix or cl.name, "node_modules", pkg, "package.json")
    try:
        with open(p) as f:
            return json.load(f)["version"]
    except OSError:
        return None


def notes(base):
    """What a client told the model about the hook outside the tool's result."""
    out = []
    reqs = [q for q in clients.jsonl(base + "/stub/requests.jsonl") if q.get("who") == "main" and q.get("tools")]
    if not reqs:
        return out
    b = reqs[-1]["body"]
    for it in b.get("input") or b.get("messages") or b.get("contents") or []:
        if it.get("role") in ("assistant", "tool", "model") or "call" in str(it.get("type")):
            continue
        parts = it.get("content") or it.get("parts") or []
        for p in [parts] if isinstance(parts, str) else parts:
            t = p if isinstance(p, str) else p.get("text") or ""
            if "[code]" in t and "tool_result" not in str(isinstance(p, dict) and p.get("type")):
                out.append("(%s) %s" % (it.get("role"), t))
    return out


def short(res, base):
    texts = [t["text"] for t in res.get("results") or []]
    t = texts[-1] if texts else ("(no further model call)" if res["main_requests"] else "(no model call)")
    t = re.sub(r"\n*<system-reminder>\s*<total_tokens>.*?</system-reminder>", "", t, flags=re.S)
    ex = notes(base)
    t = generalise(t, base)
    t = re.sub(r"/opt/hook \S+ \w+ \S+ --extra 'a b'", "HOOK-COMMAND", t)
    if ex:
        t += "  + beside it: " + " / ".join(generalise(e, base) for e in ex)
    return re.sub(r"\s*\n\s*", "\\\\n", t).replace("|", "\\|")[:330]


def verdict(res):
    f = [os.path.basename(x) for x in res["files"]]
    last = (res.get("results") or [{"text": ""}])[-1]["text"]
    if re.search("E2BIG|Argument list too long|os error 7", last):
        return "ran, but exec failed: too long"
    if res["case"].startswith("9c"):
        return "ran %s" % "+".join(x for x in f if x.startswith("RAN_"))
    if res["rc"] == "limit":
        return "CLIENT HUNG"
    if "REWRITTEN" in f:
        return "REWRITTEN" + (" +orig" if "RAN_1" in f else "")
    return "ran" if "RAN_1" in f else "blocked"


def table(runs):
    rows = []
    for name in ORDER:
        d = os.path.join(runs, name)
        if not os.path.isdir(d):
            continue
        v = version(name)
        for case in sorted(os.listdir(d)):
            if case.startswith("check-"):
                continue
            try:
                with open(os.path.join(d, case, "result.json")) as f:
                    res = json.load(f)
            except OSError:
                continue
            rows.append((name, v, res, os.path.join(d, case)))
    return rows


def main(runs, here, what):
    if what == "captures":
        return captures(runs, here)
    rows = table(runs)
    print("| client | version | case | outcome | hook calls | text the model was given |")
    print("|---|---|---|---|---|---|")
    for name, v, res, base in rows:
        print("| %s | %s | %s | %s | %s | %s |" % (
            name, v, res["case"], verdict(res) + ("" if res["rc"] == 0 else " (rc=%s)" % res["rc"]),
            ",".join(res["hook_calls"]) or "none", short(res, base)))


def matrix(runs):
    """case x client, one letter: B blocked, r ran, W rewritten"""
    rows = table(runs)
    names = [n for n in ORDER if any(r[0] == n for r in rows)]
    cases = sorted({r[2]["case"] for r in rows})
    cell = {(r[0], r[2]["case"]): verdict(r[2]) for r in rows}
    print("| case | " + " | ".join("%s %s" % (n, version(n)) for n in names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for c in cases:
        print("| %s | " % c + " | ".join(cell.get((n, c), "") for n in names) + " |")
