// Written by `stanchion install`; changes are lost. Form 1 for Pi.
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
    child.stderr.on("data", (bytes) => { said += bytes })
    child.on("close", (status) => {
      if (status === 0) return end(null)
      if (status === 2) return end(said.trim() || "[stanchion] blocked")
      broken("ended with status " + status)
    })
    child.stdin.end(JSON.stringify(call))
  })

export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    const reason = await ask({
      type: "tool_call",
      toolName: event.toolName,
      toolCallId: event.toolCallId,
      parentToolCallId: event.parentToolCallId,
      input: event.input,
      cwd: ctx && ctx.cwd,
      tool_name: event.toolName,
      tool_input: event.input,
    })
    if (reason !== null) return { block: true, reason }
  })
}
