
// OpenCode 1 and 2: neither can put a question here.
const judge = async (call) => {
  const answer = await ask({ ...call, tool_name: call.tool, tool_input: call.args })
  if (answer !== null) throw new Error(answer.reason)
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
