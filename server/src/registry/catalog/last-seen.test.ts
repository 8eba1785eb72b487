import { createSite, getCatalog, listEventHealth, listProposals } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '../../platform/units.ts'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

const clock = { ms: Date.parse('2026-06-30T12:34:56.789Z') }

let world: World
beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

/** The last two are quarantined: an amount is missing, and a currency is none. */
const kinds = [
  { event: '$login', properties: { method: 'mail' } },
  { event: 'report_exported', properties: { format: 'pdf' } },
  { event: '$purchase', properties: { amount: 5, currency: 'EUR' } },
  { event: '$purchase', properties: { amount: 5, currency: 'XXXX' } },
  { event: '$refund', properties: { amount: 5, currency: 'XXXX' } },
] as const

type Sent = { kind: (typeof kinds)[number]; agoMs: number; site: 0 | 1 }
/** Many in the same few hours, so that the last hour of one name is full of others. */
const agoMs = fc.oneof(fc.integer({ min: 1, max: 2 * 3_600_000 }), fc.integer({ min: 1, max: 6 * dayMs }))
const sent: fc.Arbitrary<Sent> = fc.record({
  kind: fc.constantFrom(...kinds),
  agoMs,
  site: fc.constantFrom(0, 1),
})

async function send(shop: TestWorkspace, siteIds: readonly [string, string], events: readonly Sent[]) {
  const wire = events.map(({ kind, agoMs: ago, site }) => ({
    ...kind,
    user_id: 'u',
    site_id: siteIds[site],
    ts: new Date(clock.ms - ago).toISOString(),
    historical: true,
  }))
  await shop.send(wire, { outcomes: ['accept', 'warn', 'quarantine'] })
}

/** When the last of each name happened, counted by hand. */
function lastOf(events: readonly Sent[]): Record<string, string> {
  const last = Map.groupBy(events, ({ kind }) => kind.event)
  return Object.fromEntries(
    [...last].map(([name, ones]) => [
      name,
      new Date(clock.ms - Math.min(...ones.map((one) => one.agoMs))).toISOString(),
    ]),
  )
}

const named = (pairs: readonly (readonly [string, string | null])[]) =>
  Object.fromEntries(pairs.filter(([, at]) => at !== null))

test('an event was last seen when its last one happened, to the millisecond, stored or quarantined, wherever it is asked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 25 }), async (events) => {
      const shop = await world.newWorkspace()
      const second = await shop.call(createSite, { body: { name: 'Second', domain: 'second.example' } })
      const siteIds = [shop.siteId, second.body.id] as const
      await send(shop, siteIds, events)

      const catalogOf = async (query: { siteId?: string }) =>
        named(
          (await shop.call(getCatalog, { query: { ...query, limit: 200 } })).body.data.map(
            ({ name, lastSeenAt }) => [name, lastSeenAt],
          ),
        )
      expect(await catalogOf({})).toEqual(lastOf(events))
      for (const [at, siteId] of siteIds.entries()) {
        expect(await catalogOf({ siteId })).toEqual(lastOf(events.filter(({ site }) => site === at)))
      }
      const health = await shop.call(listEventHealth, { query: {} })
      expect(named(health.body.data.map(({ name, last_seen_at }) => [name, last_seen_at]))).toEqual(
        lastOf(events),
      )
      const proposals = await shop.call(listProposals, { query: {} })
      const { report_exported } = lastOf(events)
      expect(proposals.body.data.map(({ last_seen_at }) => last_seen_at)).toEqual(
        report_exported === undefined ? [] : [report_exported],
      )
    }),
    { numRuns: 12, endOnFailure: true },
  )
})
