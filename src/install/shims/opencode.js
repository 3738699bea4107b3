// Written by `stanchion install`; changes are lost. Form 1 for OpenCode 1 and 2.
// Asks stanchion before each tool call. Exit status 2 blocks; so does a program that cannot answer.
import { spawn } from "node:child_process"

const PROGRAM = $PROGRAM
const ARGS = $ARGS
const LIMIT = 10000

const ask = (call) =>
  new Promise((resolve) => {
    let said = ""
    let done = false
    const end = (reason) => {
      if (done) return
      done = true
      clearTimeout(timer)
      resolve(reason)
    }
    const broken = (why) => end("[stanchion-unavailable] the guard " + why + "; a person must run `stanchion doctor`")
    let child
    const timer = setTimeout(() => {
      if (child) child.kill("SIGKILL")
      broken("did not answer in time")
    }, LIMIT)
    try {
      child = spawn(PROGRAM, ARGS, { stdio: ["pipe", "ignore", "pipe"] })
    } catch (error) {
      return broken("cannot be started: " + error)
    }
    child.on("error", (error) => broken("cannot be started: " + error))
    child.stdin.on("error", () => {})
    child.stderr.setEncoding("utf8").on("data", (text) => { said += text })
    child.on("close", (status) => {
      if (status === 0) return end(null)
      if (status === 2) return end(said.trim() || "[stanchion] blocked")
      broken("ended with status " + status)
    })
    child.stdin.end(JSON.stringify(call))
  })

const judge = async (call) => {
  const reason = await ask({ ...call, tool_name: call.tool, tool_input: call.args })
  if (reason !== null) throw new Error(reason)
}

export default {
  id: "stanchion",
  // OpenCode 1
  server: async ({ directory }) => ({
    "tool.execute.before": (input, output) =>
      judge({ tool: input.tool, sessionID: input.sessionID, callID: input.callID, args: output.args, cwd: directory }),
  }),
  // OpenCode 2
  setup: async (ctx) => {
    await ctx.tool.hook("execute.before", (event) =>
      judge({
        tool: event.tool,
        sessionID: event.sessionID,
        callID: event.id,
        agent: event.agent,
        args: event.input,
        cwd: ctx.location && ctx.location.directory,
      }),
    )
  },
}
