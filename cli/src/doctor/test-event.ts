import { ApiProblem, batch, type Client, isRecord } from '@assay/contract'
import type { World } from '../world.ts'
import { type Check, fail, ok, unknown, warn } from './check.ts'

/** With this header all events of a batch are stored or none (RFC 7240). */
export const allOrNothing = { prefer: 'handling=strict' }
/** No contract and no severity lets it pass, so nothing of its batch is ever stored. */
const impossible = null

/**
 * Sends a page view the way an SDK does, and reads what the gate says. It goes with an event that cannot pass, in a
 * batch that is stored as a whole or not at all: so it counts nowhere and leaves nothing to clean up.
 */
export async function checkEvent(world: World, data: Client, siteId: string | undefined): Promise<Check[]> {
  const event = {
    event: '$pageview',
    anonymous_id: `doctor-${world.newId()}`,
    properties: { url: '/', title: 'assay doctor' },
  }
  const body = { batch: [event, impossible], ...(siteId !== undefined && { site_id: siteId }) }
  try {
    await data.call(batch, { body })
  } catch (error) {
    if (error instanceof ApiProblem) return [checkOf(error)]
    throw error
  }
  const hint = 'A proxy may remove the header Prefer. Update the server, or use --no-event.'
  return [fail('test event', 'The server did not treat the batch as all or nothing.', hint)]
}

function checkOf(problem: ApiProblem): Check {
  if (problem.status === 403) return unknown('test event', 'This key may not send events (events:send).')
  const { results, errors = [] } = problem.body
  const verdict = Array.isArray(results) && isRecord(results[0]) ? results[0].outcome : undefined
  if (typeof verdict !== 'string')
    return fail('test event', `It was refused: ${problem.detail}`, 'Is this the address of the data plane?')
  const reason = errors.find(({ field }) => field.startsWith('batch[0]'))?.message
  const said = `It was sent and validated: ${verdict}. Nothing of it is stored.`
  if (verdict === 'accept' || verdict === 'warn') return ok('test event', said)
  return warn('test event', said, reason ?? 'See the severities and the consent regime of the site.')
}
