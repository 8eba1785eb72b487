import { mcpEndpoint, Problem } from '@assay/contract'
import type { Clock } from '../platform/clock.ts'
import { unauthenticated } from './access/principal.ts'
import { isServedOn, type Plane, serve } from './serve.ts'

/** The MCP server on the control plane. It is stateless, so any node can answer any request. */
export function mcpRoutes(plane: Plane, now: Clock, version: string): void {
  if (!isServedOn(plane, mcpEndpoint)) return
  const { app } = plane
  serve(plane, mcpEndpoint, async ({ body, request, reply }) => {
    // Cookies are for the dashboard only.
    if (request.headers.authorization === undefined)
      throw unauthenticated('Give an API key or an access token.')
    // Takes half a second to load, so no start waits for it.
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
