import { createSite, getLive, getOverview, listSiteFigures, siteFiguresMax } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../platform/units.ts'
import { startWorld, type World } from '../testing/harness.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
let world: World
beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

const seen = fc.record({
  site: fc.nat({ max: 2 }),
  visitor: fc.nat({ max: 5 }),
  minutesAgo: fc.oneof(fc.nat({ max: 4 }), fc.integer({ min: 5, max: 15 * 24 * 60 })),
  isSound: fc.constantFrom(true, true, true, false),
})

test('figures of all sites are those of the overview and of live of each, the most visited first', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(seen, { minLength: 5, maxLength: 60 }), async (events) => {
      const shop = await world.newWorkspace({ timezone: 'Europe/Berlin' })
      const made = await Promise.all(
        ['UTC', 'Pacific/Apia'].map((timezone, index) =>
          shop.call(createSite, {
            body: { name: `Site ${index}`, domain: `site${index}.example`, timezone },
          }),
        ),
      )
      const ids = [shop.siteId, ...made.map(({ body }) => body.id)]
      const sent = events.map(({ site, visitor, minutesAgo, isSound }, index) => ({
        // A strict workspace quarantines what it does not know.
        event: isSound ? '$pageview' : 'never_registered',
        event_id: `seen-${index}`,
        site_id: ids[site],
        anonymous_id: `visitor-${visitor}`,
        ts: new Date(clock.ms - minutesAgo * minuteMs).toISOString(),
        historical: true,
        properties: isSound ? { url: 'https://shop.example/', title: 'Home' } : {},
      }))
      await shop.send(sent, { key: shop.keys.secret, outcomes: ['accept', 'warn', 'quarantine'] })
      for (const period of [{ window: '7d' }, { window: '24h', timezone: 'Asia/Kolkata' }]) {
        const { body } = await shop.call(listSiteFigures, { query: period })
        expect(body.total).toBe(3)
        expect(body.sites.map(({ siteId }) => siteId).toSorted()).toEqual(ids.toSorted())
        const counts = body.sites.map(({ visitors }) => visitors)
        expect(counts).toEqual(counts.toSorted((a, b) => b - a))
        for (const { siteId, series, ...figures } of body.sites) {
          const overview = (await shop.call(getOverview, { query: { siteId, ...period } })).body
          const live = (await shop.call(getLive, { query: { siteId } })).body
          expect(figures).toMatchObject({
            period: overview.period,
            visitors: overview.metrics.visitors,
            previousVisitors: overview.previous.metrics.visitors,
            liveVisitors: live.visitors,
          })
          expect(series).toEqual(
            overview.series.map(({ start, isComplete, visitors }) => ({ start, isComplete, visitors })),
          )
          const held = overview.dataQuality.quarantined ?? 0
          expect((figures.heldShare ?? 0) > 0).toBe(held > 0)
        }
      }
    }),
    { numRuns: 3, endOnFailure: true },
  )
}, 240_000)

test('no answer has more sites than the most, and too long a period is refused', async () => {
  const shop = await world.newWorkspace()
  for (let index = 0; index < siteFiguresMax; index += 1) {
    const body = { name: `Site ${index}`, domain: `many${index}.example` }
    expect((await shop.call(createSite, { body })).status).toBe(201)
  }
  const { body } = await shop.call(listSiteFigures, { query: { window: '7d' } })
  expect([body.sites.length, body.total]).toEqual([siteFiguresMax, siteFiguresMax + 1])
  expect(body.sites.every(({ visitors, series }) => visitors === 0 && series.length === 7)).toBe(true)
  const late = {
    from: new Date(clock.ms - 800 * dayMs).toISOString(),
    to: new Date(clock.ms + hourMs).toISOString(),
  }
  expect((await shop.call(listSiteFigures, { query: late })).status).toBe(422)
}, 120_000)
