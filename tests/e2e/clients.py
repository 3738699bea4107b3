"""How each client is configured, started and given its hooks."""
import json
import os
import shutil

PORT = 18080
ROOT = "http://127.0.0.1:%d" % PORT
CLEAN_ENV = {
    "LANG": "C.UTF-8", "TERM": "dumb", "CI": "1", "NO_COLOR": "1", "DO_NOT_TRACK": "1",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "STUB_KEY": "dummy-key",
}


def put(path, text, mode=None):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not isinstance(text, str):
        text = json.dumps(text, indent=2)
    with open(path, "w") as f:
        f.write(text)
    if mode:
        os.chmod(path, mode)


def jsonl(path):
    try:
        with open(path) as f:
            return [json.loads(x) for x in f if x.strip()]
    except FileNotFoundError:
        return []


class Client:
    name = pkg = bin = ""
    shape = "claude"          # which documented deny shape is native
    pre, post = "PreToolUse", "PostToolUse"
    extra_prefix = []
    log = ""                  # the file below the home that tells of a denial, where that ends the run

    def __init__(self, harness):
        self.harness = harness

    prefix = ""               # install folder when it is not the name

    @property
    def exe(self):
        return os.path.join(self.harness, self.prefix or self.name, "node_modules", ".bin", self.bin or self.name)

    def version_argv(self):
        return [self.exe, "--version"]

    def env(self, r):
        return {}

    def hooks_block(self, r, timeout_unit=1):
        t = r["timeout"] * timeout_unit
        blk = {}
        if r["pre"] is not None:
            blk[self.pre] = [{"matcher": self.matcher, "hooks": [{"type": "command", "command": c, "timeout": t}
                                                                 for c in r["pre"]]}]
        if r["post"] is not None:
            for ev in [self.post] + self.post_extra:
                blk[ev] = [{"matcher": self.matcher, "hooks": [{"type": "command", "command": r["post"],
                                                                "timeout": t}]}]
        return blk

    def register(self, r, file, timeout_unit=1):
        """The rig's own hook, in a file of the project; not where something else was installed."""
        if not r.get("installed"):
            put(r["proj"] + file, {"hooks": self.hooks_block(r, timeout_unit)})

    post_extra = []           # further events that carry a tool's outcome

    matcher = "*"


class Claude(Client):
    name, pkg = "claude", "@anthropic-ai/claude-code"
    post_extra = ["PostToolUseFailure"]

    def setup(self, r):
        self.register(r, "/.claude/settings.json")
        put(r["home"] + "/.claude.json", {"hasCompletedOnboarding": True, "projects": {} if r.get("notrust") else {
            r["proj"]: {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}}})

    def env(self, r):
        return {"ANTHROPIC_BASE_URL": ROOT, "ANTHROPIC_API_KEY": "sk-ant-dummy", "IS_SANDBOX": "1",
                "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
                "DISABLE_BUG_COMMAND": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}

    def argv(self, r, prompt):
        return [self.exe, "-p", prompt, "--dangerously-skip-permissions", "--output-format", "stream-json",
                "--verbose", "--include-hook-events", "--model", "claude-sonnet-4-5"] + r.get("extra", [])


class ClaudeOld(Claude):
    name, pkg, bin = "claude-old", "@anthropic-ai/claude-code@2.1.197", "claude"


class Codex(Client):
    name, pkg = "codex", "@openai/codex"
    shape = "codex"
    model = "gpt-5.5"         # the one bundled model with plain function tools

    def setup(self, r):
        # This model is offered tools to start a sub-agent only so.
        agents = "multi_agent_v2 = true" if r["script"].get("sub") else ""
        self.register(r, "/.codex/hooks.json")
        put(r["home"] + "/.codex/config.toml", """
model = "%s"
model_provider = "stub"
check_for_update_on_startup = false
[analytics]
enabled = false
[feedback]
enabled = false
[features]
apps = false
plugins = false
enable_request_compression = false
image_generation = false
remote_plugin = false
%s
[model_providers.stub]
name = "stub"
base_url = "%s/v1"
wire_api = "responses"
env_key = "STUB_KEY"
request_max_retries = 1
stream_max_retries = 1
%s
""" % (self.model, agents, ROOT,
       "" if r.get("notrust") == "project" else '[projects."%s"]\ntrust_level = "trusted"' % r["proj"]))

    def env(self, r):
        return {"CODEX_HOME": r["home"] + "/.codex"}

    def argv(self, r, prompt):
        return [self.exe, "exec", "--dangerously-bypass-approvals-and-sandbox"] + (
            [] if r.get("notrust") == "hook" else ["--dangerously-bypass-hook-trust"]) + [
                "--json", "-C", r["proj"], prompt]


class CodexCode(Codex):
    """Every newer bundled model is code_mode_only: the model sends JavaScript to one `exec` tool."""
    name, prefix, bin = "codex-code", "codex", "codex"
    model = "gpt-6.2-sol"


PLUGIN_JS = """// spawns the checker for every tool call; exit 2 blocks
import { spawnSync } from "node:child_process"
import { appendFileSync } from "node:fs"
const PRE = %(pre)s, POST = %(post)s, LOG = %(log)s, TIMEOUT = %(timeout)d
const rec = (event, data) => appendFileSync(LOG, JSON.stringify({ t: Date.now() / 1000, event, cwd: process.cwd(),
  env: Object.keys(process.env).sort(), data }) + "\\n")
const ask = (cmd, payload) => {
  const p = spawnSync("sh", ["-c", cmd], { input: JSON.stringify(payload), encoding: "utf8", timeout: TIMEOUT * 1000 })
  rec("plugin.checker", { status: p.status, signal: p.signal, stdout: p.stdout, stderr: p.stderr, error: p.error && String(p.error) })
  return p
}
"""


class OpenCode(Client):
    name, pkg = "opencode", "opencode-ai"
    shape = "plugin"

    def setup(self, r):
        put(r["proj"] + "/opencode.json", {
            "$schema": "https://opencode.ai/config.json", "autoupdate": False, "share": "disabled",
            "model": "stub/stub", "small_model": "stub/stub", "permission": "allow",
            "enabled_providers": ["stub"],
            "provider": {"stub": {"npm": "@ai-sdk/openai-compatible", "name": "stub",
                                  "options": {"baseURL": ROOT + "/v1", "apiKey": "dummy-key"},
                                  "models": {"stub": {"name": "stub", "tool_call": True,
                                                      "limit": {"context": 200000, "output": 8000}}}}}})
        js = PLUGIN_JS % {"pre": json.dumps((r["pre"] or [None])[0]), "post": json.dumps(r["post"]),
                          "log": json.dumps(r["pluginlog"]), "timeout": r["timeout"]}
        how = r.get("plugin", "exit2")
        body = {
            "exit2": """
      const p = ask(PRE, { tool: input.tool, sessionID: input.sessionID, callID: input.callID, args: output.args })
      if (p.status === 2) throw new Error((p.stderr || "").trim() || "blocked")""",
            "throw-any": """
      const p = ask(PRE, { tool: input.tool, args: output.args })
      if (p.status !== 0) throw new Error((p.stderr || "").trim() || String(p.error || "blocked, status " + p.status))""",
            "throw-string": """
      throw "[code] reason as a string" """,
            "mutate": """
      output.args.command = "touch REWRITTEN" """,
            "replace": """
      output.args = { ...output.args, command: "touch REWRITTEN" } """,
            "return-deny": """
      return { block: true, decision: "deny", reason: "[code] reason" } """,
            "none": "",
        }[how]
        js += """
export const E2E = async (ctx) => {
  rec("plugin.init", { keys: Object.keys(ctx), directory: ctx.directory, worktree: ctx.worktree })
  return {
    "tool.execute.before": async (input, output) => {
      rec("tool.execute.before", { input, output })""" + body + """
    },
    "tool.execute.after": async (input, output) => {
      rec("tool.execute.after", { input, output })
      %s
    },
    "permission.ask": async (input, output) => { rec("permission.ask", { input, output }) },
    "shell.env": async (input, output) => { rec("shell.env", { input, output }) },
  }
}
""" % ('if (POST) ask(POST, { tool: input.tool, output })' if r["post"] else "")
        if r.get("plugin_file"):
            with open(r["plugin_file"]) as f:
                put(r["proj"] + "/.opencode/plugins/" + os.path.basename(r["plugin_file"]), f.read())
        elif not r.get("installed"):
            put(r["proj"] + "/.opencode/plugins/e2e.js", js)
        # OpenCode installs @opencode-ai/plugin into every config folder and waits for it: give it one.
        src = os.path.join(self.harness, "opencode-plugin")
        for d in (r["proj"] + "/.opencode", r["home"] + "/.config/opencode"):
            os.makedirs(d, exist_ok=True)
            for f in ("package.json", "package-lock.json"):
                shutil.copy(os.path.join(src, f), d)
            os.symlink(os.path.join(src, "node_modules"), d + "/node_modules")

    def env(self, r):
        return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "OPENCODE_DISABLE_SHARE": "1",
                "XDG_CONFIG_HOME": r["home"] + "/.config", "XDG_DATA_HOME": r["home"] + "/.local/share",
                "XDG_CACHE_HOME": r["home"] + "/.cache", "XDG_STATE_HOME": r["home"] + "/.local/state"}

    def argv(self, r, prompt):
        return [self.exe, "run", "--auto", "--format", "json", "--print-logs", prompt]


class Pi(Client):
    name, pkg = "pi", "@earendil-works/pi-coding-agent"
    shape = "plugin"

    def setup(self, r):
        put(r["home"] + "/.pi/agent/models.json", {"providers": {"stub": {
            "baseUrl": ROOT + "/v1", "api": "openai-completions", "apiKey": "dummy-key",
            "models": [{"id": "stub", "name": "stub", "reasoning": False, "input": ["text"],
                        "contextWindow": 200000, "maxTokens": 8000,
                        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]}}})
        js = PLUGIN_JS % {"pre": json.dumps((r["pre"] or [None])[0]), "post": json.dumps(r["post"]),
                          "log": json.dumps(r["pluginlog"]), "timeout": r["timeout"]}
        how = r.get("plugin", "exit2")
        body = {
            "exit2": """
    const p = ask(PRE, { toolName: event.toolName, toolCallId: event.toolCallId, input: event.input })
    if (p.status === 2) return { block: true, reason: (p.stderr || "").trim() || undefined }""",
            "throw-any": """
    const p = ask(PRE, { toolName: event.toolName, input: event.input })
    if (p.status !== 0) throw new Error((p.stderr || "").trim() || String(p.error || "blocked, status " + p.status))""",
            "throw-string": """
    throw "[code] reason as a string" """,
            "mutate": """
    event.input.command = "touch REWRITTEN" """,
            "replace": """
    return { input: { ...event.input, command: "touch REWRITTEN" } } """,
            "return-deny": """
    return { decision: "deny", reason: "[code] reason" } """,
            "block-noreason": """
    return { block: true } """,
            "none": "",
        }[how]
        js += """
export default function (pi) {
  rec("plugin.init", { keys: Object.keys(pi) })
  pi.on("tool_call", async (event, ctx) => {
    rec("tool_call", { event, ctx: { cwd: ctx.cwd, hasUI: ctx.hasUI } })""" + body + """
  })
  pi.on("tool_result", async (event, ctx) => {
    rec("tool_result", { event, ctx: { cwd: ctx.cwd, hasUI: ctx.hasUI } })
    %s
  })
}
""" % ('if (POST) ask(POST, { toolName: event.toolName, content: event.content, isError: event.isError })'
            if r["post"] else "")
        if r.get("plugin_file"):
            with open(r["plugin_file"]) as f:
                put(r["proj"] + "/.pi/extensions/" + os.path.basename(r["plugin_file"]), f.read())
        elif not r.get("installed"):
            put(r["proj"] + "/.pi/extensions/e2e.js", js)
        if r["script"].get("sub"):
            self.delegate(r)

    def delegate(self, r):
        """Pi starts no sub-agents by itself: its package has them as an example, each a `pi` of its own."""
        agent = r["home"] + "/.pi/agent"
        package = os.path.join(self.harness, self.name, "node_modules", "@earendil-works", "pi-coding-agent")
        shutil.copytree(package + "/examples/extensions/subagent", agent + "/extensions/subagent")
        put(agent + "/agents/e2e.md", "---\nname: e2e\ndescription: does as it is told\n---\n\nDo as you are told.\n")
        # `--approve` holds for one process: what the sub-agent's `pi` trusts, a person has entered.
        put(agent + "/trust.json", {os.path.realpath(r["proj"]): True})

    def env(self, r):
        return {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}

    def argv(self, r, prompt):
        a = [self.exe, "-p", "--mode", "json", "--provider", "stub", "--model", "stub"]
        if not r.get("sessions"):
            a += ["--no-session"]
        if self.name == "pi" and not r.get("notrust"):
            a += ["--approve"]
        return a + [prompt]


class PiOld(Pi):
    name, pkg, bin = "pi-old", "@earendil-works/pi-coding-agent@0.74.2", "pi"


class Grok(Client):
    name, pkg = "grok", "@xai-official/grok"
    shape = "grok"
    matcher = ""
    post_extra = ["PostToolUseFailure"]
    hook_file = "/.grok/hooks/e2e.json"

    def setup(self, r):
        self.register(r, self.hook_file)
        put(r["home"] + "/.grok/config.toml", """
[models]
default = "stub"
[model.stub]
model = "stub"
base_url = "%s/v1"
name = "stub"
api_key = "dummy-key"
api_backend = "chat_completions"
context_window = 200000
[telemetry]
enabled = false
[update]
auto_update = false
[cli]
auto_update = false
""" % ROOT)

    def env(self, r):
        return {"XAI_API_KEY": "dummy-key", "GROK_HOME": r["home"] + "/.grok", "GROK_DISABLE_AUTOUPDATER": "1",
                "GROK_TELEMETRY_ENABLED": "0", "GROK_TELEMETRY": "0", "GROK_CLI_CHAT_PROXY_BASE_URL": ROOT + "/v1",
                "GROK_XAI_API_BASE_URL": ROOT + "/v1"}

    def argv(self, r, prompt):
        return [self.exe, "-p", prompt, "--always-approve", "-m", "stub", "--output-format", "streaming-json"] + (
            [] if r.get("notrust") else ["--trust"])


class Gemini(Client):
    name, pkg = "gemini", "@google/gemini-cli"
    shape = "gemini"
    pre, post = "BeforeTool", "AfterTool"
    matcher = ".*"

    def setup(self, r):
        self.register(r, "/.gemini/settings.json", 1000)
        put(r["home"] + "/.gemini/settings.json", {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": bool(r.get("notrust"))}},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
            "experimental": {"enableAgents": True}})

    def env(self, r):
        e = {"GEMINI_API_KEY": "dummy-key", "GOOGLE_GEMINI_BASE_URL": ROOT, "GEMINI_TELEMETRY_ENABLED": "false",
             "GEMINI_MODEL": "gemini-2.5-pro"}
        if not r.get("notrust"):
            e["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
        return e

    def argv(self, r, prompt):
        return [self.exe, "-p", prompt, "--yolo", "--output-format", "stream-json", "-m", "gemini-2.5-pro"]


class Copilot(Client):
    name, pkg = "copilot", "@github/copilot"
    shape = "copilot"
    pre, post = "preToolUse", "postToolUse"

    def setup(self, r):
        h = {}
        if r["pre"] is not None:
            h[self.pre] = [{"type": "command", "bash": c, "timeoutSec": r["timeout"]} for c in r["pre"]]
        if r["post"] is not None:
            for ev in (self.post, "postToolUseFailure"):
                h[ev] = [{"type": "command", "bash": r["post"], "timeoutSec": r["timeout"]}]
        if not r.get("installed"):
            put(r["proj"] + "/.github/hooks/e2e.json", {"version": 1, "hooks": h})
        put(r["home"] + "/.copilot/config.json", {
            "trusted_folders": [] if r.get("notrust") else [r["proj"]], "banner": "never"})

    def env(self, r):
        return {"COPILOT_PROVIDER_BASE_URL": ROOT + "/v1", "COPILOT_PROVIDER_TYPE": "openai",
                "COPILOT_PROVIDER_API_KEY": "dummy-key", "COPILOT_MODEL": "stub", "COPILOT_OFFLINE": "true",
                "COPILOT_AUTO_UPDATE": "false", "COPILOT_HOME": r["home"] + "/.copilot"}

    def argv(self, r, prompt):
        return [self.exe, "-p", prompt, "--allow-all", "--no-color", "--output-format", "json"]


class CopilotPascal(Copilot):
    """The same client with Claude-style event names in its own hook file."""
    name, prefix, bin = "copilot-pascal", "copilot", "copilot"
    pre, post = "PreToolUse", "PostToolUse"


class CopilotClaude(Copilot):
    """The same client given only a .claude/settings.json."""
    name, prefix, bin = "copilot-claude", "copilot", "copilot"
    pre, post = "PreToolUse", "PostToolUse"

    def setup(self, r):
        self.register(r, "/.claude/settings.json")
        put(r["home"] + "/.copilot/config.json", {"trusted_folders": [r["proj"]], "banner": "never"})


class GrokClaude(Grok):
    """The same client given only a .claude/settings.json."""
    name, prefix, bin = "grok-claude", "grok", "grok"
    hook_file = "/.claude/settings.json"
    matcher = "Bash"


class Qwen(Client):
    name, pkg = "qwen", "@qwen-code/qwen-code"
    post_extra = ["PostToolUseFailure"]

    def setup(self, r):
        self.register(r, "/.qwen/settings.json", 1000)
        put(r["home"] + "/.qwen/settings.json", {
            "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": bool(r.get("notrust"))}},
            "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
            "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
            "model": {"name": "stub"}})

    def env(self, r):
        return {"OPENAI_BASE_URL": ROOT + "/v1", "OPENAI_API_KEY": "dummy-key", "OPENAI_MODEL": "stub",
                "QWEN_TELEMETRY_ENABLED": "false"}

    def argv(self, r, prompt):
        return [self.exe, "-p", prompt, "--yolo", "--output-format", "stream-json"]


class Cline(Client):
    """A denial ends its whole run: nothing is told to the model, and the reason stands in the log alone."""
    name, pkg = "cline", "cline"
    shape = "cline"
    log = "/.cline/data/logs/cline.log"

    def setup(self, r):
        put(r["home"] + "/.cline/data/settings/providers.json", {
            "version": 1, "lastUsedProvider": "openai-compatible", "modes": {}, "providers": {"openai-compatible": {
                "settings": {"provider": "openai-compatible", "apiKey": "dummy-key", "model": "stub",
                             "baseUrl": ROOT + "/v1"},
                "updatedAt": "2026-12-03T00:00:00.000Z", "tokenSource": "manual"}}})

    def env(self, r):
        return {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}

    def argv(self, r, prompt):
        return [self.exe, "--json", "--auto-approve", "true", "-P", "openai", "-m", "stub", "-k", "dummy-key", prompt]


ALL = [Claude, Codex, CodexCode, OpenCode, Pi, Grok, Gemini, Copilot, Qwen, Cline, ClaudeOld, PiOld,
       CopilotPascal, CopilotClaude, GrokClaude]
