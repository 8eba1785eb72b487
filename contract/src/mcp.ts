import { Type } from 'typebox'
import { accessProblems } from './problems.ts'
import { route } from './route.ts'

/**
 * The Model Context Protocol over HTTP. It is not in the table of routes, since the protocol defines its
 * messages; access is declared here as for any route, and a failure is a problem that contains the error of
 * the protocol. Each tool calls routes of the table with the same credential, so their access rules apply.
 */
export const mcpEndpoint = route({
  id: 'mcp',
  method: 'POST',
  path: '/mcp',
  plane: 'control',
  access: 'read',
  rate: 'controlRead',
  tag: 'MCP',
  summary: 'Model Context Protocol, streamable HTTP without sessions',
  body: Type.Unknown(),
  rawBody: true,
  success: { status: 200, body: Type.Unknown() },
  problems: accessProblems,
})
