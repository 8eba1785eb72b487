import { ApiProblem, type BatchResult, type Call, type Client, importEvents } from '@assay/contract'
import type { Context } from '../command.ts'

/** As long as a server that restarts takes, and longer. */
const attemptsMax = 60
const pauseMs = 2_000

/** Sends one batch, and waits as long as the server asks for it. */
export async function sendBatch(
  { world, progress }: Context,
  client: Client,
  calls: readonly Call[],
  siteId: string | undefined,
): Promise<BatchResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const body = { batch: [...calls], ...(siteId !== undefined && { site_id: siteId }) }
      return await client.call(importEvents, { body })
    } catch (error) {
      const isPassing = error instanceof ApiProblem && (error.status === 429 || error.status >= 500)
      if (!isPassing || attempt === attemptsMax) throw error
      progress(`The server is busy (${error.status}); it is asked again.`)
      await world.wait(pauseMs)
    }
  }
}
