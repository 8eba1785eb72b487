/** A worker at the edge. `npx node examples/worker/build.ts` makes of it what `workerd serve` or a deployment takes. */
import { createClient } from '@assay/server'

type Env = { ASSAY_URL: string; ASSAY_KEY: string }
type Context = { waitUntil: (work: Promise<unknown>) => void }

export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    // No timers between requests: the worker flushes after it has answered.
    const client = createClient({ key: env.ASSAY_KEY, url: env.ASSAY_URL, flushIntervalMs: 0 })
    const { pathname, searchParams } = new URL(request.url)
    client.track({
      event: '$share',
      anonymousId: searchParams.get('visitor') ?? crypto.randomUUID(),
      properties: { channel: 'link', url: pathname },
    })
    context.waitUntil(client.flush())
    return Response.json({ shared: pathname })
  },
}
