import { type Command, serverOptions } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { findProject } from '../project/project.ts'
import { connect } from '../server/connection.ts'
import { ownVersion } from '../version.ts'

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'run a Model Context Protocol server on standard input and output, for AI editors',
  usage: 'assay mcp',
  options: serverOptions,
  examples: ['assay mcp   # as the command of an MCP server; see docs/mcp.md'],
  async run(context) {
    const { world } = context
    const { client } = connect(context, findProject(world.directory))
    // Takes half a second to load, so other commands do not import it.
    const { createMcpServer } = await import('../mcp/server.ts')
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    serveStdio(() => createMcpServer({ client, now: world.now, version: ownVersion() }))
    await world.inputEnded()
    return { exitCode: exitCodes.fine, data: {} }
  },
}
