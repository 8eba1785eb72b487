import { mcpEndpoint, Problem } from '@assay/contract'
import type { Clock } from '../platform/clock.ts'
import { unauthenticated } from './access/principal.ts'
import { isServedOn, type Plane, serve } from './serve.ts'

/** The MCP server on the control plane. It keeps nothing between two requests, so any node can answer any of them. */
export function mcpRoutes(plane: Plane, now: Clock, version: string): void {
  if (!isServedOn(plane, mcpEndpoint)) return
  const { app } = plane
  serve(plane, mcpEndpoint, async ({ body, request, reply }) => {
    // A cookie belongs to the dashboard; what speaks this protocol is no page of ours.
    if (request.headers.authorization === undefined)
      throw unauthenticated('Give an API key or an access token.')
    // Half a second to load, which no start has to wait for.
    const { answerMcp } = await import('./mcp-answer.ts')
    return answerMcp({ app, request, reply, body, now, version })
  })
  // There are no sessions to stream from or to end.
  app.route({
    method: ['GET', 'DELETE'],
    url: mcpEndpoint.path,
    handler: async () => {
      throw new Problem('method-not-allowed', {
        detail: `${mcpEndpoint.path} takes POST.`,
        headers: { allow: 'POST' },
      })
    },
  })
}
