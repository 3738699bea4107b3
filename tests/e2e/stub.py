#!/usr/bin/env python3
"""Scripted stub model server for coding-agent clients (standard library only).

Speaks, streaming and not: Anthropic Messages, OpenAI Responses, OpenAI Chat
Completions, Gemini generateContent / streamGenerateContent.

The server keeps no conversation state.  Which scripted step comes next is the
number of tool results found in the request, so retries are harmless.

  main conversation  : its text holds MAIN_MARK  -> script["main"]
  sub-agent          : its text holds SUB_MARK (and not MAIN_MARK) -> script["sub"]
  anything else, or a request that offers no tools (titles, summaries) -> plain text

A step is a dict: {"kind": "shell"|"bgshell"|"shellcwd"|"write"|"edit"|"task"|"wait"|"raw", ...}
or {"kind": "par", "steps": [...]} for several tool calls in one model turn.
The tool's name and the argument names come from the tool list in the request.
"""
import gzip
import json
import os
import re
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAIN_MARK = "E2E_MAIN_PROMPT"
SUB_MARK = "E2E_SUB_PROMPT"

KINDS = {
    "shell": ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command",
              "run_terminal_command", "run_terminal_cmd", "local_shell", "run_commands"],
    "write": ["Write", "write", "write_file", "create", "apply_patch", "search_replace", "editor"],
    "edit": ["Edit", "edit", "replace", "search_replace", "apply_patch"],
    "task": ["Agent", "Task", "task", "spawn_agent", "spawn_subagent", "agent", "subagent",
             "invoke_agent", "generalist", "codebase_investigator"],
    "wait": ["wait_agent", "wait", "read_agent", "get_task_output", "TaskOutput"],
}
KINDS["bgshell"] = KINDS["shellcwd"] = KINDS["shell"]


# ---------------------------------------------------------------- tool lists
def flatten_tools(body):
    """-> list of {name, schema, wire, namespace}"""
    out = []

    def add(t, namespace=None):
        if not isinstance(t, dict):
            return
        if "functionDeclarations" in t or "function_declarations" in t:      # Gemini
            for f in t.get("functionDeclarations") or t.get("function_declarations"):
                out.append({"name": f["name"], "wire": "gemini", "namespace": None,
                            "schema": f.get("parametersJsonSchema") or f.get("parameters") or {}})
        elif t.get("type") == "namespace":                                    # Responses
            for s in t.get("tools") or []:
                add(s, t.get("name"))
        elif t.get("type") == "function" and "function" in t:                 # Chat
            f = t["function"]
            out.append({"name": f["name"], "wire": "function", "namespace": None,
                        "schema": f.get("parameters") or {}})
        elif t.get("type") == "function":                                     # Responses
            out.append({"name": t["name"], "wire": "function", "namespace": namespace,
                        "schema": t.get("parameters") or {}})
        elif t.get("type") == "custom" and "input_schema" not in t:           # Responses
            out.append({"name": t["name"], "wire": "custom", "namespace": namespace, "schema": {}})
        elif t.get("type") in ("local_shell", "shell"):
            out.append({"name": t["type"], "wire": t["type"], "namespace": None, "schema": {}})
        elif "name" in t:                                                     # Anthropic
            out.append({"name": t["name"], "wire": "anthropic", "namespace": None,
                        "schema": t.get("input_schema") or {}})

    for t in body.get("tools") or []:
        add(t)
    for item in body.get("input") or [] if isinstance(body.get("input"), list) else []:
        if isinstance(item, dict) and item.get("type") == "additional_tools":
            for t in item.get("tools") or []:
                add(t)
    return out


def default_for(name, spec):
    spec = spec or {}
    if spec.get("enum"):
        return spec["enum"][0]
    t = spec.get("type")
    if isinstance(t, list):
        t = next((x for x in t if x != "null"), "string")
    t = str(t or "string").lower()
    return {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}.get(t, "e2e " + name)


def build_args(step, tool):
    if step.get("args") is not None:
        return step["args"]
    schema = tool["schema"] or {}
    props = schema.get("properties") or {}
    req = set(schema.get("required") or [])
    kind = step["kind"]
    a = {}
    for p, spec in props.items():
        spec = spec if isinstance(spec, dict) else {}
        t = spec.get("type")
        low = p.lower()
        v = None
        if kind in ("shell", "bgshell", "shellcwd"):
            if kind == "shellcwd" and low in ("workdir", "working_directory", "directory", "dir_path", "cwd"):
                v = step["dir"]
            elif low == "commands":
                v = [step["command"]]
            elif low in ("command", "cmd", "script"):
                v = ["bash", "-lc", step["command"]] if t == "array" else step["command"]
            elif low in ("run_in_background", "is_background", "background"):
                if kind == "bgshell" or p in req:
                    v = kind == "bgshell"
            elif low == "mode" and kind == "bgshell" and "async" in (spec.get("enum") or []):
                v = "async"
            elif low in ("timeout", "timeout_ms", "yield_time_ms") and p in req:
                v = 10000
            elif low == "yield_time_ms" and kind == "bgshell":
                v = 250
            elif low == "description":
                v = "e2e step"
        elif kind == "write":
            if low in ("file_path", "filepath", "path", "absolute_path", "target_file"):
                v = step["path"]
            elif low in ("content", "contents", "file_text", "new_string", "new_text", "text"):
                v = step["content"]
            elif low == "old_string":
                v = ""
        elif kind == "edit":
            if low in ("file_path", "filepath", "path", "absolute_path", "target_file"):
                v = step["path"]
            elif low in ("old_string", "oldstring", "oldtext", "old_str"):
                v = step["old"]
            elif low in ("new_string", "newstring", "newtext", "new_str"):
                v = step["new"]
            elif low == "edits":
                v = [{"oldText": step["old"], "newText": step["new"]}]
        elif kind == "task":
            if low in ("prompt", "message", "instructions", "task", "objective", "query"):
                v = SUB_MARK + ": run the one command."
            elif low in ("subagent_type", "agent", "agent_type"):
                v = step.get("agent") or (spec.get("enum") or [None])[0]
                if v is None and p in req and tool["name"] == "task":
                    v = "general"         # OpenCode
                if v is None and tool["name"] == "subagent":
                    v = "e2e"             # Pi's extension; see clients.py
                if v is None and p in req:
                    v = "general-purpose"
            elif low in ("run_in_background", "background", "is_background"):
                v = bool(step.get("background"))
            elif low == "mode" and "sync" in (spec.get("enum") or []):
                v = "sync"
            elif low == "agent_name" and tool["name"] == "invoke_agent":      # Gemini
                v = "generalist"
            elif low in ("task_name", "name", "agent_name") and p in req:
                v = "sub_one"
            elif low in ("fork_context", "fork"):
                v = False
            elif low == "fork_turns" and tool["name"] == "spawn_agent":     # Codex
                v = "none"
        if v is None and p in req:
            v = default_for(p, spec)
        if v is not None:
            a[p] = v
    return a


def patch_text(step):
    rel = step.get("rel") or os.path.basename(step["path"])
    if step["kind"] == "write":
        lines = "".join("+%s\n" % x for x in step["content"].splitlines())
        return "*** Begin Patch\n*** Add File: %s\n%s*** End Patch\n" % (rel, lines)
    return "*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n" % (rel, step["old"], step["new"])


def session_of(res):
    m = re.findall(r'session[ _]?(?:ID|id)"?[:\s]+"?(\d+)', "\n".join(r["text"] for r in res))
    return m[-1] if m else "0"


def code_mode(step, res):
    """Codex code mode: every tool but a few is reached from JavaScript in one `exec` call."""
    k = step["kind"]
    if k in ("shell", "bgshell", "shellcwd"):
        a = {"cmd": step["command"]}
        if k == "shellcwd":
            a["workdir"] = step["dir"]
        if k == "bgshell":
            a["yield_time_ms"] = 250
        return "text(await tools.exec_command(%s));" % json.dumps(a)
    if k in ("write", "edit"):
        return "text(await tools.apply_patch(%s));" % json.dumps(patch_text(step))
    if k == "raw":
        a = json.dumps(step.get("args") or {}).replace('"$SESSION"', session_of(res))
        return "text(await tools.%s(%s));" % (step["tool"], a)
    return None


def pick_tool(step, tools):
    names = [step["tool"]] if step.get("tool") else KINDS.get(step["kind"], [])
    for n in names:
        for t in tools:
            if t["name"] == n:
                return t
    return None


# ------------------------------------------------------------ request parsing
def text_of(x):
    if isinstance(x, str):
        return x
    if isinstance(x, list):
        return "\n".join(text_of(i) for i in x)
    if isinstance(x, dict):
        for k in ("text", "content", "output", "parts", "result"):
            if k in x:
                return text_of(x[k])
        return json.dumps(x)
    return "" if x is None else str(x)


def user_texts(api, body):
    out = []
    if api in ("anthropic", "chat"):
        for m in body.get("messages") or []:
            if m.get("role") == "user":
                c = m.get("content")
                if isinstance(c, list):
                    c = [b for b in c if isinstance(b, dict) and b.get("type") == "text"]
                out.append(text_of(c))
    elif api == "responses":
        inp = body.get("input")
        if isinstance(inp, str):
            return [inp]
        for m in inp or []:
            if m.get("role") == "user" or m.get("type") == "agent_message":
                out.append(text_of(m.get("content")))
    elif api == "gemini":
        for m in body.get("contents") or []:
            if m.get("role", "user") == "user":
                out.append(text_of([p for p in m.get("parts") or [] if "text" in p]))
    return out


def tool_results(api, body):
    """-> list of texts given back to the model, oldest first"""
    out = []
    if api == "anthropic":
        for m in body.get("messages") or []:
            if m.get("role") == "user" and isinstance(m.get("content"), list):
                for b in m["content"]:
                    if isinstance(b, dict) and b.get("type") == "tool_result":
                        out.append({"text": text_of(b.get("content")), "is_error": b.get("is_error", False)})
    elif api == "chat":
        for m in body.get("messages") or []:
            if m.get("role") == "tool":
                out.append({"text": text_of(m.get("content"))})
    elif api == "responses":
        for m in body.get("input") or [] if isinstance(body.get("input"), list) else []:
            if str(m.get("type", "")).endswith("call_output"):
                out.append({"text": text_of(m.get("output"))})
    elif api == "gemini":
        for m in body.get("contents") or []:
            for p in m.get("parts") or []:
                if "functionResponse" in p:
                    out.append({"text": json.dumps(p["functionResponse"].get("response"))})
    return out


def extra_after_result(api, body):
    """Text blocks that a client put beside or after the last tool result (hook notes and so on)."""
    out = []
    if api == "anthropic":
        msgs = body.get("messages") or []
        for m in reversed(msgs):
            if m.get("role") == "assistant":
                break
            c = m.get("content")
            if isinstance(c, str):
                out.append(c)
            else:
                out += [b.get("text", "") for b in c if isinstance(b, dict) and b.get("type") == "text"]
    elif api == "chat":
        for m in reversed(body.get("messages") or []):
            if m.get("role") in ("assistant", "tool"):
                break
            out.append(text_of(m.get("content")))
    elif api == "responses":
        for m in reversed(body.get("input") or []):
            if str(m.get("type", "")).endswith(("call_output", "_call")):
                break
            out.append("[%s] %s" % (m.get("role"), text_of(m.get("content"))))
    elif api == "gemini":
        cs = body.get("contents") or []
        if cs:
            out += [p["text"] for p in cs[-1].get("parts") or [] if "text" in p]
    return out


# ------------------------------------------------------------------ answering
class Stub:
    def __init__(self, script, logdir):
        self.script = script
        self.logdir = logdir
        self.lock = threading.Lock()
        self.n = 0
        os.makedirs(logdir, exist_ok=True)

    def log(self, rec):
        with self.lock:
            with open(os.path.join(self.logdir, "requests.jsonl"), "a") as f:
                f.write(json.dumps(rec) + "\n")

    def nid(self):
        with self.lock:
            self.n += 1
            return self.n

    def decide(self, api, body):
        tools = flatten_tools(body)
        texts = "\n".join(user_texts(api, body))
        who = "main" if MAIN_MARK in texts else "sub" if SUB_MARK in texts else "other"
        res = tool_results(api, body)
        if who == "other" or not tools:
            return who, {"text": "e2e-title"}, tools, res
        pos = 0
        for step in self.script.get(who) or []:
            group = step["steps"] if step["kind"] == "par" else [step]
            if len(res) < pos + len(group):
                calls = []
                for st in group:
                    c = self.call_for(st, tools, res)
                    if c is None and st["kind"] == "wait":
                        return who, {"text": "E2E_DONE " + who}, tools, res
                    if c is None:
                        return who, {"text": "NO TOOL for step %s" % st.get("kind")}, tools, res
                    calls.append(c)
                return who, {"calls": calls}, tools, res
            pos += len(group)
        return who, {"text": "E2E_DONE " + who}, tools, res

    def call_for(self, step, tools, res):
        """-> {"tool", "args"} or {"tool", "input"}; None when the client offers no such tool"""
        tool = pick_tool(step, tools)
        if tool is None and step.get("force"):       # a deferred tool that is not in the list
            tool = {"name": step["tool"], "wire": "anthropic", "namespace": None, "schema": {}}
        if tool is None:
            ex = [t for t in tools if t["name"] == "exec" and t["wire"] == "custom"]
            js = code_mode(step, res) if ex else None
            return {"tool": ex[0], "input": js} if js else None
        if tool["name"] == "apply_patch" and step["kind"] in ("write", "edit"):
            key = "input" if tool["wire"] == "custom" else "args"
            return {"tool": tool, key: patch_text(step) if key == "input" else {"input": patch_text(step)}}
        if tool["wire"] == "custom":
            return {"tool": tool, "input": step.get("input") or step.get("command", "")}
        args = build_args(step, tool)
        args = json.loads(json.dumps(args).replace('"$SESSION"', session_of(res)))
        if step["kind"] == "wait":
            m = re.findall(r'"(?:agent_id|id)"\s*:\s*"([^"]+)"', "\n".join(r["text"] for r in res))
            for k in ("ids", "targets"):
                if k in (tool["schema"].get("properties") or {}):
                    args[k] = m[-1:]
        return {"tool": tool, "args": args}


def sse(events, named):
    out = []
    for name, data in events:
        if named:
            out.append("event: %s\n" % name)
        out.append("data: %s\n\n" % (data if isinstance(data, str) else json.dumps(data)))
    return "".join(out).encode()


def anthropic(d, n, body):
    model = body.get("model", "stub")
    mid = "msg_%06d" % n
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    if "text" in d:
        blocks, stop = [{"type": "text", "text": d["text"]}], "end_turn"
    else:
        blocks = [{"type": "tool_use", "id": "toolu_%06d%s" % (n, "abcdef"[i] if i else ""), "name": c["tool"]["name"],
                   "input": c["args"]} for i, c in enumerate(d["calls"])]
        stop = "tool_use"
    msg = {"id": mid, "type": "message", "role": "assistant", "model": model, "content": blocks,
           "stop_reason": stop, "stop_sequence": None, "usage": usage}
    if not body.get("stream"):
        return msg
    ev = [("message_start", {"type": "message_start", "message": dict(msg, content=[], stop_reason=None)})]
    for i, b in enumerate(blocks):
        if b["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": b["text"]}
        else:
            start, delta = dict(b, input={}), {"type": "input_json_delta", "partial_json": json.dumps(b["input"])}
        ev += [("content_block_start", {"type": "content_block_start", "index": i, "content_block": start}),
               ("content_block_delta", {"type": "content_block_delta", "index": i, "delta": delta}),
               ("content_block_stop", {"type": "content_block_stop", "index": i})]
    ev += [("message_delta", {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                              "usage": {"output_tokens": 5}}),
           ("message_stop", {"type": "message_stop"})]
    return sse(ev, True)


def response_item(c, n, i):
    ids = "%06d%s" % (n, "abcdef"[i] if i else "")
    if "input" in c:
        item = {"type": "custom_tool_call", "id": "ctc_" + ids, "call_id": "call_" + ids,
                "name": c["tool"]["name"], "input": c["input"], "status": "completed"}
    elif c["tool"]["wire"] == "local_shell":
        item = {"type": "local_shell_call", "id": "lsc_" + ids, "call_id": "call_" + ids, "status": "completed",
                "action": {"type": "exec", "command": ["bash", "-lc", c["args"].get("command", "")]}}
    else:
        item = {"type": "function_call", "id": "fc_" + ids, "call_id": "call_" + ids,
                "name": c["tool"]["name"], "arguments": json.dumps(c["args"]), "status": "completed"}
    if c["tool"].get("namespace"):
        item["namespace"] = c["tool"]["namespace"]
    return item


def responses(d, n, body):
    base = {"id": "resp_%06d" % n, "object": "response", "created_at": int(time.time()),
            "model": body.get("model", "stub"), "parallel_tool_calls": True, "tools": [], "tool_choice": "auto",
            "metadata": {}, "error": None, "incomplete_details": None, "instructions": None}
    usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
    if "text" in d:
        items = [{"type": "message", "id": "msg_%06d" % n, "role": "assistant", "status": "completed",
                  "content": [{"type": "output_text", "text": d["text"], "annotations": []}]}]
    else:
        items = [response_item(c, n, i) for i, c in enumerate(d["calls"])]
    done = dict(base, status="completed", output=items, usage=usage)
    if not body.get("stream"):
        return done
    ev = [("response.created", {"response": dict(base, status="in_progress", output=[])})]
    for i, item in enumerate(items):
        at = {"output_index": i, "item_id": item["id"]}
        started = dict(item, status="in_progress")
        for k, v in (("content", []), ("arguments", ""), ("input", "")):
            if k in started:
                started[k] = v
        ev.append(("response.output_item.added", {"output_index": i, "item": started}))
        if item["type"] == "message":
            part = item["content"][0]
            at["content_index"] = 0
            ev += [("response.content_part.added", dict(at, part=dict(part, text=""))),
                   ("response.output_text.delta", dict(at, delta=part["text"])),
                   ("response.output_text.done", dict(at, text=part["text"])),
                   ("response.content_part.done", dict(at, part=part))]
        elif item["type"] == "function_call":
            ev += [("response.function_call_arguments.delta", dict(at, delta=item["arguments"])),
                   ("response.function_call_arguments.done", dict(at, arguments=item["arguments"]))]
        ev.append(("response.output_item.done", {"output_index": i, "item": item}))
    ev.append(("response.completed", {"response": done}))
    return sse([(k, dict(v, type=k, sequence_number=i)) for i, (k, v) in enumerate(ev)], True)


def chat(d, n, body):
    base = {"id": "chatcmpl-%06d" % n, "created": int(time.time()), "model": body.get("model", "stub")}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    if "text" in d:
        msg, fin = {"role": "assistant", "content": d["text"]}, "stop"
    else:
        msg = {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_%06d%s" % (n, "abcdef"[i] if i else ""), "type": "function",
             "function": {"name": c["tool"]["name"], "arguments": json.dumps(c["args"])}}
            for i, c in enumerate(d["calls"])]}
        fin = "tool_calls"
    if not body.get("stream"):
        return dict(base, object="chat.completion", usage=usage,
                    choices=[{"index": 0, "message": msg, "finish_reason": fin}])
    delta = dict(msg)
    if "tool_calls" in delta:
        delta["tool_calls"] = [dict(t, index=i) for i, t in enumerate(delta["tool_calls"])]
    chunk = dict(base, object="chat.completion.chunk")
    ev = [("", dict(chunk, choices=[{"index": 0, "delta": delta, "finish_reason": None}])),
          ("", dict(chunk, choices=[{"index": 0, "delta": {}, "finish_reason": fin}])),
          ("", dict(chunk, choices=[], usage=usage)), ("", "[DONE]")]
    return sse(ev, False)


def gemini(d, n, body, stream):
    if "text" in d:
        parts = [{"text": d["text"]}]
        if re.search(r'"responseMimeType"\s*:\s*"application/json"', json.dumps(body)):
            parts = [{"text": "{}"}]
    else:
        parts = [{"functionCall": {"name": c["tool"]["name"], "args": c["args"]}, "thoughtSignature": "c2tpcA=="}
                 for c in d["calls"]]
    r = {"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
         "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
         "modelVersion": "stub"}
    return sse([("", r)], False) if stream else r


def make_handler(stub):
    class H(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *a):
            pass

        def send(self, code, payload, ctype="application/json"):
            data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
            self.send_response(code)
            self.send_header("content-type", ctype)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def do_GET(self):
            stub.log({"t": time.time(), "method": self.command, "path": self.path})
            p = self.path.split("?")[0]
            if p.endswith("/models"):
                m = {"id": "stub", "object": "model", "type": "model", "display_name": "stub", "created": 1,
                     "owned_by": "stub"}
                self.send(200, {"object": "list", "data": [m], "models": [], "has_more": False})
            else:
                self.send(404 if "/v1" in p else 200, {})

        do_HEAD = do_GET

        def do_POST(self):
            if self.headers.get("transfer-encoding", "").lower() == "chunked":
                raw = b""
                while True:
                    size = int(self.rfile.readline().split(b";")[0], 16)
                    raw += self.rfile.read(size)
                    self.rfile.readline()
                    if size == 0:
                        break
            else:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            enc = self.headers.get("content-encoding", "")
            try:
                if enc == "gzip":
                    raw = gzip.decompress(raw)
                elif enc == "deflate":
                    raw = zlib.decompress(raw)
                body = json.loads(raw or b"{}")
            except Exception as e:
                stub.log({"t": time.time(), "method": "POST", "path": self.path, "enc": enc, "bad": repr(e)})
                return self.send(200, {})
            p = self.path.split("?")[0]
            n = stub.nid()
            rec = {"t": time.time(), "n": n, "method": "POST", "path": self.path}
            if p.endswith("/count_tokens") or p.endswith(":countTokens"):
                stub.log(dict(rec, api="count"))
                return self.send(200, {"input_tokens": 10, "totalTokens": 10})
            api = ("anthropic" if p.endswith("/messages") else
                   "responses" if p.endswith("/responses") else
                   "chat" if p.endswith("/chat/completions") else
                   "gemini" if re.search(r":(stream)?[gG]enerateContent$", p) else None)
            if api is None:
                stub.log(dict(rec, api=None, body=body))
                return self.send(200, {})
            who, d, tools, res = stub.decide(api, body)
            stub.log(dict(rec, api=api, who=who, tools=[t["name"] for t in tools], results=res,
                          extra=extra_after_result(api, body),
                          answer=d.get("text") or [dict(c, tool=c["tool"]["name"]) for c in d["calls"]], body=body))
            if api == "gemini":
                out = gemini(d, n, body, "streamGenerateContent" in p)
            else:
                out = {"anthropic": anthropic, "responses": responses, "chat": chat}[api](d, n, body)
            self.send(200, out, "text/event-stream" if isinstance(out, bytes) else "application/json")

    return H


def serve(script, logdir, port):
    stub = Stub(script, logdir)
    srv = ThreadingHTTPServer(("127.0.0.1", port), make_handler(stub))
    srv.daemon_threads = True
    threading.Thread(target=srv.serve_forever, daemon=True).start()
    return srv


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        scr = json.load(f)
    serve(scr, sys.argv[2], int(sys.argv[3]))
    while True:
        time.sleep(3600)
