
// Pi
const session = (ctx) => {
  try {
    return ctx.sessionManager.getSessionId()
  } catch {
    return undefined
  }
}

export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    const person = ctx && ctx.hasUI === true ? ctx.ui : undefined
    const answer = await ask({
      type: "tool_call",
      toolName: event.toolName,
      toolCallId: event.toolCallId,
      parentToolCallId: event.parentToolCallId,
      input: event.input,
      ctx: { cwd: ctx && ctx.cwd, hasUI: person !== undefined, sessionId: session(ctx) },
      cwd: ctx && ctx.cwd,
      tool_name: event.toolName,
      tool_input: event.input,
    })
    if (answer === null) return undefined
    if (answer.question && person && (await person.confirm("stanchion", answer.reason)) === true) return undefined
    return { block: true, reason: answer.reason }
  })
}
