import { type Explanation, type listOutcomes, type Made, Problem } from '@assay/contract'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { SiteRow } from '../../sites/sites.ts'
import { addDays, type DayRange, startMs } from '../computation/days.ts'
import type { Context } from '../context.ts'
import { readPolicy } from '../policy.ts'
import { readOutcomes } from './collection.ts'
import type { OutcomePage, OutcomeRow } from './outcome-store.ts'

/**
 * What the live policy counts as an outcome, newest first: read from the events, so that none waits for a
 * job.
 */
export async function readOutcomePage(
  context: Context,
  site: SiteRow,
  { from, to }: DayRange,
  { limit = pageDefault, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Made<typeof listOutcomes>> {
  const policy = await readPolicy(context.control, site.workspace_id)
  const range = { fromMs: startMs(from), toMs: startMs(addDays(to, 1)) }
  const page = { rows: limit + 1, after: readCursor(cursor) }
  const rows = await readOutcomes(context, [site], policy, range, { page })
  const { page: shown, next } = pageOf(rows, limit, cursorOf)
  return {
    data: shown.map((row) => ({ ...toOutcome(row), person_id: row.owner_id })),
    next_cursor: next,
  }
}

export function toOutcome(row: OutcomeRow): Explanation['outcome'] {
  return {
    id: row.event_id,
    event: row.name,
    at: new Date(Number(row.ms)).toISOString(),
    site_id: row.site_id,
    amount: row.amount === null ? null : Number(row.amount),
    currency: row.currency,
  }
}

function cursorOf({ ms, event_id: eventId }: OutcomeRow): string {
  return Buffer.from(`${ms} ${eventId}`).toString('base64url')
}

function readCursor(cursor: string | undefined): OutcomePage['after'] {
  if (cursor === undefined) return null
  const [, ms, eventId] = /^(\d{1,13}) (.*)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (ms !== undefined && eventId !== undefined) return { ms: Number(ms), eventId }
  throw new Problem('invalid-parameter', {
    detail: 'cursor must be the next_cursor of the page before.',
    errors: [{ field: 'cursor', message: 'must be the next_cursor of the page before' }],
  })
}
