import {
  attributionModels,
  computeAttribution,
  explainOutcome,
  getAttributionJob,
  getAttributionPolicy,
  getAttributionReport,
  getTouchpoints,
  listLedger,
  listOutcomes,
  mergePeople,
  recordConsent,
  resolveIdentity,
  reverseMerge,
  setAttributionPolicy,
  setExchangeRates,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs } from '../platform/units.ts'
import { eraseEverywhere } from '../testing/erasure.ts'
import { startWorld, type TestWorkspace, undated, untilTrue, type World } from '../testing/harness.ts'
import { noticesOf, subscribeToNotices } from '../testing/notices.ts'

const nowMs = Date.UTC(2026, 9, 20, 12)
/** For several computations on a machine that is busy with other test files. */
const slowMsMax = 240_000
let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ now: () => nowMs })
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const crawler = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const ad = '?utm_source=google&utm_medium=cpc&utm_campaign=spring'
const letter = '?utm_source=may&utm_medium=email&utm_campaign=may'

type Who = { anonymous_id?: string; user_id?: string }
const at = (daysAgo: number) => ({ ts: new Date(nowMs - daysAgo * dayMs).toISOString(), historical: true })

function visit(who: Who, daysAgo: number, query = '', from = '', userAgent = browser) {
  const page = { url: `https://shop.example/${query}`, ...(from !== '' && { referrer: from }) }
  return {
    event: '$pageview',
    ...who,
    ...at(daysAgo),
    properties: { title: 'Home' },
    context: { page, userAgent },
  }
}

function purchase(who: Who, id: string, daysAgo: number, amount = 100) {
  const properties = { amount, currency: 'EUR', order_id: id }
  return { event: '$purchase', event_id: id, ...who, ...at(daysAgo), properties }
}

async function compute(workspace: TestWorkspace, from = '2026-10-10', to = '2026-10-20') {
  const { status, body } = await workspace.call(computeAttribution, { body: { from, to } })
  expect(status).toBe(202)
  const read = async () => (await workspace.call(getAttributionJob, { params: { id: body.job_id } })).body
  await untilTrue('the computation', async () => ['done', 'failed'].includes((await read()).status), 120_000)
  const job = await read()
  expect(job).toMatchObject({ status: 'done', progress: 1 })
  return job
}

async function report(workspace: TestWorkspace, group_by: 'channel' | 'campaign' | 'source' = 'channel') {
  const query = { from: '2026-10-10', to: '2026-10-20', group_by }
  return undated((await workspace.call(getAttributionReport, { query })).body)
}

async function explain(workspace: TestWorkspace, outcomeId: string) {
  return (await workspace.call(explainOutcome, { params: { outcomeId } })).body
}

async function personOf(workspace: TestWorkspace, type: string, value: string): Promise<string> {
  const body = { identifiers: [{ type, value }], read_only: true }
  return String((await workspace.call(resolveIdentity, { body })).body.person_id)
}

const anna = { anonymous_id: 'device-anna' }
const bert = { anonymous_id: 'device-bert' }

describe('attribution of a shop', () => {
  beforeAll(async () => {
    await subscribeToNotices(shop, ['attribution.computed'])
    await shop.send([
      visit(anna, 40, ad),
      visit(anna, 10, ad),
      visit(anna, 6, '', 'https://chatgpt.com/'),
      visit(anna, 3, letter),
      { ...visit(anna, 2), user_id: 'anna' },
      purchase({ user_id: 'anna' }, 'order-anna', 1.5, 90),
      visit(anna, 1, ad),
      visit(bert, 5, '', 'https://www.google.com/', crawler),
      purchase(bert, 'order-bert', 1, 30),
    ])
  })

  test('starts with the default policy', async () => {
    const { body } = await shop.call(getAttributionPolicy, { query: {} })
    expect(body).toMatchObject({ version: 0, model: 'position', lookback_days: 30, created_at: null })
  })

  test(
    'is computed as a job, once: a second run finds nothing to do',
    async () => {
      expect(await compute(shop)).toMatchObject({ days_computed: 11, days_unchanged: 0, outcomes: 2 })
      expect(await compute(shop)).toMatchObject({ days_computed: 0, days_unchanged: 11, outcomes: 0 })
      expect(await noticesOf(world, shop, 'attribution.computed')).toMatchObject([
        { from: '2026-10-10', to: '2026-10-20', policy_version: 0, days_computed: 11, outcomes: 2 },
        { days_computed: 0, days_unchanged: 11 },
      ])
    },
    slowMsMax,
  )

  test('puts models side by side, and each gives out every outcome and every cent', async () => {
    const found = await report(shop)
    expect(found).toMatchObject({
      outcomes: 2,
      values: [{ currency: 'EUR', amount: 120 }],
      days: { computed: 11, outdated: 0, missing: 0 },
      data_driven: { method: 'fallback', fallback_reason: 'too_few_outcomes' },
    })
    const credits = new Map(found.rows.map((row) => [row.key, row.credits]))
    expect([...credits.keys()].sort()).toEqual([
      'AI Assistants',
      'Direct',
      'Email',
      'Paid Search',
      'Unattributed',
    ])
    expect(credits.get('Paid Search')).toMatchObject({ first: 1, last: 0, linear: 0.25 })
    expect(credits.get('Direct')).toMatchObject({ first: 0, last: 1, linear: 0.25 })
    expect(credits.get('Unattributed')).toMatchObject({ first: 1, time_decay: 1, data_driven: 1 })
    for (const model of attributionModels) {
      expect(found.rows.reduce((sum, row) => sum + row.credits[model], 0)).toBe(2)
      const euros = found.rows.reduce(
        (sum, row) => sum + Math.round((row.values[0]?.[model] ?? 0) * 10_000),
        0,
      )
      expect(euros).toBe(1_200_000)
    }
    expect((await report(shop, 'campaign')).rows.map(({ key }) => key)).toContain('spring')
  })

  test('is converted to one currency with the exchange rates of the workspace, to the last cent', async () => {
    const rates = (list: { currency: string; rate: number }[]) =>
      shop.call(setExchangeRates, { body: { base: 'USD', rates: list } })
    await rates([{ currency: 'EUR', rate: 1.5 }])
    const found = await report(shop)
    expect(found.values).toEqual([{ currency: 'USD', amount: 180 }])
    expect(found.exchange_rates).toEqual([{ currency: 'EUR', rate: 1.5 }])
    for (const model of attributionModels) {
      const shares = found.rows.map((row) => Math.round((row.values[0]?.[model] ?? 0) * 10_000))
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(1_800_000)
    }
    await rates([])
    expect(await report(shop)).toMatchObject({
      values: [{ currency: 'EUR', amount: 120 }],
      exchange_rates: [],
    })
  })

  test('explains an outcome: who shares it, who does not and why, and what other models would say', async () => {
    const trace = await explain(shop, 'order-anna')
    const channels = trace.considered.map(({ touchpoint }) => touchpoint.channel)
    expect(channels).toEqual(['Paid Search', 'AI Assistants', 'Email', 'Direct'])
    expect(trace.excluded.map(({ reason }) => reason)).toEqual(['outside_window', 'after_outcome'])
    expect(trace).toMatchObject({ model: 'position', policy_version: 0, unattributed: 0 })
    expect(Object.keys(trace.alternatives).sort()).toEqual([...attributionModels].sort())
    for (const model of attributionModels) {
      expect(trace.considered.reduce((sum, { alternatives }) => sum + alternatives[model], 0)).toBe(1)
    }
    expect(trace.computed).toMatchObject({ is_current: true, policy_version: 0 })
    expect(trace.identity.people.map(({ type }) => type)).toEqual(['user_id', 'anonymous_id'])
    const bertTrace = await explain(shop, 'order-bert')
    expect(bertTrace).toMatchObject({ considered: [], unattributed: 1, excluded: [{ reason: 'bot' }] })
  })

  test('lists the outcomes of a site, newest first and page by page, each to be explained', async () => {
    const list = async (query: { limit?: number; cursor?: string; from?: string; to?: string } = {}) => {
      const range = { from: '2026-10-10', to: '2026-10-20' }
      const asked = { site_id: shop.siteId, ...range, ...query }
      return shop.call(listOutcomes, { query: asked })
    }
    const { data, next_cursor } = (await list()).body
    const person_id = await personOf(shop, 'user_id', 'anna')
    expect(data.map(({ id }) => id)).toEqual(['order-bert', 'order-anna'])
    expect(data[1]).toEqual({ ...(await explain(shop, 'order-anna')).outcome, person_id })
    expect(next_cursor).toBeNull()
    const first = (await list({ limit: 1 })).body
    expect(first.data).toEqual(data.slice(0, 1))
    const second = (await list({ limit: 1, cursor: String(first.next_cursor) })).body
    expect(undated(second)).toEqual({ data: data.slice(1), next_cursor: null })
    expect(undated((await list({ to: '2026-10-10' })).body)).toEqual({ data: [], next_cursor: null })
    expect((await list({ cursor: 'xyz' })).status).toBe(422)
  })

  test('lists the touchpoints of a person, and knows no other', async () => {
    const personId = await personOf(shop, 'user_id', 'anna')
    const { body } = await shop.call(getTouchpoints, { params: { personId } })
    expect(body.considered).toHaveLength(5)
    expect(body.excluded).toMatchObject([{ reason: 'outside_window' }])
    expect((await shop.call(getTouchpoints, { params: { personId: 'per_nobody' } })).status).toBe(404)
    expect((await shop.call(explainOutcome, { params: { outcomeId: 'order-nobody' } })).status).toBe(404)
  })

  test(
    'computes again only what an event that came late can reach',
    async () => {
      await shop.send([visit(bert, 2, letter)])
      const job = await compute(shop)
      expect(job).toMatchObject({ days_computed: 3, days_unchanged: 8, outcomes: 2 })
      expect((await explain(shop, 'order-bert')).considered).toMatchObject([{ credit: 1 }])
    },
    slowMsMax,
  )

  test(
    'previews what a policy would change without changing anything, and keeps every version',
    async () => {
      const change = { ignore_direct: true, exclude_channels: ['AI Assistants'], model: 'last' as const }
      const tried = await shop.call(setAttributionPolicy, { body: { ...change, dry_run: true } })
      expect(tried.status).toBe(200)
      const before = { outcomes: { before: 2, after: 2 } }
      expect(tried.body).toMatchObject({ dry_run: true, ...before })
      expect(
        'channels' in tried.body && tried.body.channels.find(({ channel }) => channel === 'Email'),
      ).toMatchObject({
        after: 2,
      })
      expect((await shop.call(getAttributionPolicy, { query: {} })).body.version).toBe(0)

      const set = await shop.call(setAttributionPolicy, { body: change })
      expect([set.status, set.body]).toMatchObject([201, { version: 1, model: 'last' }])
      expect((await report(shop)).days).toMatchObject({ computed: 11, outdated: 11 })
      expect(await compute(shop)).toMatchObject({ days_computed: 11, policy_version: 1 })
      const { rows } = await report(shop)
      expect(rows.find(({ key }) => key === 'Email')?.credits.last).toBe(2)
      expect((await shop.call(getAttributionPolicy, { query: { version: 0 } })).body.model).toBe('position')
      expect((await shop.call(getAttributionPolicy, { query: { version: 7 } })).status).toBe(404)
      const wrong = await shop.call(setAttributionPolicy, { body: { position: { first: 0.7, last: 0.7 } } })
      expect(wrong.status).toBe(422)
    },
    slowMsMax,
  )

  test('leaves out what was not consented to when it happened', async () => {
    const clara = { anonymous_id: 'device-clara' }
    await shop.send([visit(clara, 9, ad), visit(clara, 2, letter), purchase(clara, 'order-clara', 1)])
    const body = {
      ...clara,
      categories: { analytics_storage: 'denied' as const },
      effective_at: new Date(nowMs - 10 * dayMs).toISOString(),
    }
    await shop.call(recordConsent, { body }, { key: shop.keys.secret })
    const granted = { ...body, categories: { analytics_storage: 'granted' as const } }
    const later = { ...granted, effective_at: new Date(nowMs - 5 * dayMs).toISOString() }
    await shop.call(recordConsent, { body: later }, { key: shop.keys.secret })
    const trace = await explain(shop, 'order-clara')
    expect(trace.excluded).toMatchObject([{ reason: 'consent_denied' }])
    expect(trace.considered).toHaveLength(1)
  })

  test('erases a person from all that it stores, and may be called twice', async () => {
    const { events } = world.product.deps
    const personId = await personOf(shop, 'anonymous_id', 'device-bert')
    const bert = { workspaceId: shop.workspaceId, originalIds: [personId] }
    await eraseEverywhere(world.product, bert)
    await eraseEverywhere(world.product, bert)
    const rows = await events.query(
      `SELECT 1 FROM attribution_touches WHERE workspace_id = {ws:String} AND person_id = {id:String}
       UNION ALL SELECT 1 FROM attribution_outcomes WHERE workspace_id = {ws:String} AND has(people, {id:String})`,
      { ws: shop.workspaceId, id: personId },
    )
    expect(rows).toEqual([])
  })
})

test(
  'a merge joins the paths, and after its reversal everything is as in a world without it',
  async () => {
    const [merged, plain] = [await world.newWorkspace(), await world.newWorkspace()]
    const events = [
      visit({ anonymous_id: 'phone-dora' }, 12, ad),
      visit({ anonymous_id: 'laptop-dora' }, 4, letter),
      purchase({ anonymous_id: 'laptop-dora' }, 'order-dora', 3),
      purchase({ anonymous_id: 'phone-dora' }, 'order-phone', 2),
    ]
    for (const workspace of [merged, plain]) await workspace.send(events)
    await compute(merged)
    const [survivor, absorbed] = [
      await personOf(merged, 'anonymous_id', 'phone-dora'),
      await personOf(merged, 'anonymous_id', 'laptop-dora'),
    ]
    const body = { survivor_id: survivor, absorbed_id: absorbed, reason: 'the same person' }
    expect((await merged.call(mergePeople, { body })).status).toBe(201)
    expect(await compute(merged)).toMatchObject({ outcomes: 2 })
    expect((await explain(merged, 'order-dora')).considered).toHaveLength(2)
    const joined = await report(merged)
    expect(joined.rows.find(({ key }) => key === 'Paid Search')?.credits.linear).toBe(1)

    const ledger = await merged.call(listLedger, { query: {} })
    const id = ledger.body.data.find(({ type }) => type === 'merge')?.id ?? ''
    const reversed = await merged.call(reverseMerge, { params: { id }, body: { reason: 'two people' } })
    expect(reversed.status).toBe(201)
    await compute(merged)
    await compute(plain)
    const { data_driven: one, ...after } = await report(merged)
    const { data_driven: other, ...without } = await report(plain)
    expect(after).toEqual(without)
    expect({ ...one, fitted_at: null }).toEqual({ ...other, fitted_at: null })
  },
  slowMsMax,
)

/** The same numbers every time: a linear congruential generator (Numerical Recipes). */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const arrivals = [
  [ad, ''],
  [letter, ''],
  ['', 'https://chatgpt.com/'],
  ['', 'https://www.google.com/'],
  ['', ''],
] as const

test(
  'computing step by step, whatever happens in between, ends as computing once from nothing',
  async () => {
    const workspace = await world.newWorkspace()
    await workspace.call(setAttributionPolicy, { body: { data_driven: 'markov' } })
    const next = numbers(17)
    const walker = (number: number) => ({ anonymous_id: `walker-${number}` })
    const personAt = (number: number) => personOf(workspace, 'anonymous_id', `walker-${number}`)
    const [first, last] = ['2026-09-25', '2026-10-20']
    for (let round = 0; round < 3; round++) {
      // From all days, so that most of them come late.
      const events = Array.from({ length: 480 }, (_, index) => {
        const [who, daysAgo] = [walker(next(200)), next(2_400) / 100]
        if (index % 3 === 0) return purchase(who, `order-${round}-${index}`, daysAgo, 1 + next(90))
        const [query, from] = arrivals[next(arrivals.length)] ?? ['', '']
        return visit(who, daysAgo, query, from)
      })
      const known = [1, 2, 3].map((number) => visit(walker(number), 20, ad))
      await workspace.send(round === 0 ? [...known, ...events] : events)
      if (round === 2) {
        const { data } = (await workspace.call(listLedger, { query: {} })).body
        const id = data.find(({ type }) => type === 'merge')?.id ?? ''
        const undone = await workspace.call(reverseMerge, { params: { id }, body: { reason: 'two' } })
        expect(undone.status).toBe(201)
        const categories = { analytics_storage: 'denied' as const }
        const denied = {
          ...walker(next(200)),
          categories,
          effective_at: new Date(nowMs - 25 * dayMs).toISOString(),
        }
        await workspace.call(recordConsent, { body: denied }, { key: workspace.keys.secret })
      }
      if (round > 0) {
        const body = {
          survivor_id: await personAt(round),
          absorbed_id: await personAt(round + 1),
          reason: 'one',
        }
        expect((await workspace.call(mergePeople, { body })).status).toBe(201)
      }
      await compute(workspace, first, last)
    }
    const { control } = world.product.deps
    const computed = async () => ({
      channels: await report(workspace),
      campaigns: await report(workspace, 'campaign'),
      fit: await control.query('SELECT fit FROM attribution_states WHERE workspace_id = $1', [
        workspace.workspaceId,
      ]),
    })
    const stepwise = await computed()
    expect(stepwise.channels.data_driven).toMatchObject({ method: 'markov' })
    for (const table of ['attribution_days', 'attribution_states']) {
      await control.query(`DELETE FROM ${table} WHERE workspace_id = $1`, [workspace.workspaceId])
    }
    expect(await compute(workspace, first, last)).toMatchObject({ days_computed: 26 })
    expect(await computed()).toEqual(stepwise)
  },
  slowMsMax,
)
