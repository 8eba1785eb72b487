import { Type } from 'typebox'
import { route } from './route.ts'

/**
 * Where the Model Context Protocol is spoken over HTTP. It is not in the table of routes, since the protocol says what
 * its messages are; who may call is read from here as from any other, and a failure is a problem that holds the error
 * of the protocol. Each tool calls routes of the table with the same credential, and those say what it may do.
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
  problems: ['unauthenticated', 'insufficient-scope'],
})
