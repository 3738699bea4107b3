// Written by `stanchion install`; changes are lost. Form 1.
// Asks stanchion before each tool call. Exit status 2 blocks; so does a program that cannot answer.
import { spawn } from "node:child_process"

const PROGRAM = $PROGRAM
const ARGS = $ARGS
const LIMIT = 10000

// Nothing when the call may run; else why not, and whether a person may say otherwise.
const ask = (call) =>
  new Promise((resolve) => {
    let told = ""
    let said = ""
    let done = false
    const end = (answer) => {
      if (done) return
      done = true
      clearTimeout(timer)
      resolve(answer)
    }
    const broken = (why) =>
      end({ reason: "[stanchion-unavailable] the guard " + why + "; a person must run `stanchion doctor`" })
    let child
    const timer = setTimeout(() => {
      if (child) child.kill("SIGKILL")
      broken("did not answer in time")
    }, LIMIT)
    try {
      child = spawn(PROGRAM, ARGS, { stdio: ["pipe", "pipe", "pipe"] })
    } catch (error) {
      return broken("cannot be started: " + error)
    }
    child.on("error", (error) => broken("cannot be started: " + error))
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (text) => { told += text })
    child.stderr.setEncoding("utf8").on("data", (text) => { said += text })
    child.on("close", (status) => {
      if (status === 0) return end(null)
      if (status === 2) return end({ reason: said.trim() || "[stanchion] blocked", question: isQuestion(told) })
      broken("ended with status " + status)
    })
    child.stdin.end(JSON.stringify(call))
  })

const isQuestion = (text) => {
  try {
    return JSON.parse(text).decision === "ask"
  } catch {
    return false
  }
}
