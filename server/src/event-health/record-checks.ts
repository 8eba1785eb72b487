import {
  type checkDuplicate,
  type getConversionMismatch,
  type Input,
  type Made,
  normalIdentifier,
  type Output,
  Problem,
  readTime,
} from '@assay/contract'
import { pageDefault } from '../platform/page.ts'
import { toPeriod } from './events-health.ts'
import { selectTrustedKeys } from './key-store.ts'
import { compareRecords, type DedupRecord } from './mismatch/duplicates.ts'
import { reconcile } from './mismatch/orders.ts'
import { type HealthContext, spanOf } from './scope.ts'
import type { HealthScope } from './stores/measures.ts'
import { selectRecord, selectSightings } from './stores/order-store.ts'

type ComparedEvent = Input<typeof checkDuplicate>['body']['a']

export async function checkRecords(
  context: HealthContext,
  workspaceId: string,
  { a, b }: Input<typeof checkDuplicate>['body'],
): Promise<Output<typeof checkDuplicate>> {
  return compareRecords(await recordOf(context, workspaceId, a), await recordOf(context, workspaceId, b))
}

async function recordOf(
  context: HealthContext,
  workspaceId: string,
  given: ComparedEvent,
): Promise<DedupRecord> {
  if (typeof given === 'string') return storedRecord(context, workspaceId, given)
  const time = given.ts === undefined ? undefined : readTime(given.ts)
  const { person_id, user_id, anonymous_id } = given
  // The strongest first, as an event of the same identifiers would be resolved.
  const named = Object.entries({ person_id, user_id, anonymous_id })
  const identifiers = named.flatMap(([type, value]) => (value === undefined ? [] : { type, value }))
  const person = await context.personOf(workspaceId, identifiers)
  return {
    eventId: given.event_id ?? '',
    name: given.event,
    ms: time?.ms ?? null,
    personId: person ?? '',
    anonymousId: normalValue(anonymous_id),
    source: given.source ?? '',
    properties: given.properties ?? {},
  }
}

/** As an event's own would be stored. */
function normalValue(text = ''): string {
  const normal = normalIdentifier(text)
  return 'value' in normal ? normal.value : ''
}

async function storedRecord(
  context: HealthContext,
  workspaceId: string,
  eventId: string,
): Promise<DedupRecord> {
  const place = await context.locate(workspaceId, eventId)
  const row = place === null ? null : await selectRecord(context.events, workspaceId, { ...place, eventId })
  if (row === null) throw new Problem('not-found', { detail: 'There is no such stored event.' })
  return {
    eventId: row.event_id,
    name: row.name,
    ms: Number(row.ms),
    personId: (await context.personOf(workspaceId, [{ type: 'person_id', value: row.person_id }])) ?? '',
    anonymousId: row.anonymous_id,
    source: row.source,
    properties: row.properties === '' ? {} : JSON.parse(row.properties),
  }
}

/** Orders of a busy month; beyond them the latest count. */
const sightingsMax = 200_000
export async function readMismatch(
  context: HealthContext,
  scope: HealthScope,
  query: Pick<Input<typeof getConversionMismatch>['query'], 'window' | 'finding' | 'limit'>,
): Promise<Made<typeof getConversionMismatch>> {
  const span = spanOf(query.window, context.now())
  const trusted = await selectTrustedKeys(context.control, scope.workspaceId)
  const rows = await selectSightings(context.events, scope, span, trusted, sightingsMax)
  const { orders, summary } = reconcile(
    rows.map((row) => ({
      orderId: row.order_id,
      kind: row.kind,
      name: row.name,
      eventId: row.event_id,
      platformId: row.platform_id,
      ms: Number(row.ms),
      amount: row.amount === null ? null : Number(row.amount),
      currency: row.currency,
    })),
  )
  const { finding } = query
  const listed = orders.filter(({ findings }) =>
    finding === undefined ? findings.length > 0 : findings.includes(finding),
  )
  return { period: toPeriod(span), ...summary, data: listed.slice(0, query.limit ?? pageDefault) }
}
