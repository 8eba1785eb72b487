import {
  batch,
  createDefinition,
  createMapping,
  getBackfill,
  getCatalog,
  getOverview,
  startBackfill,
  updateMapping,
  withdrawBackfill,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readOverview } from '../../analytics/overview.ts'
import { selectFigures } from '../../analytics/tally/figures.ts'
import { hourMs } from '../../platform/units.ts'
import { startWorld, type TestWorkspace, undated, untilTrue, type World } from '../../testing/harness.ts'

/** Time goes by with every request, so that the order of arrival is known. */
const clock = { ms: Date.parse('2026-06-30T12:00:00Z') }
const daysShown = 20

let world: World
beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms++ })
})
afterAll(() => world?.close())

type Properties = Record<string, unknown>
type Sent = { event: string; hoursAgo: number; properties: Properties }
type Rule = { target: '$purchase' | '$refund' | '$signup'; propertyMap: Record<string, string> }
type Step =
  | { kind: 'send'; events: Sent[] }
  | { kind: 'rule'; rule: Rule }
  | { kind: 'backfill'; fromHoursAgo: number; toHoursAgo: number }
  | { kind: 'withdraw'; which: number }

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 3 })
const properties: fc.Arbitrary<Properties> = fc
  .record({
    total: optional(fc.constantFrom(12.5, '7.25')),
    amount: fc.option(fc.constantFrom(3, 4.5), { nil: undefined, freq: 1 }),
    currency: optional(fc.constantFrom('EUR', 'EUR', 'USD')),
    method: fc.option(fc.constant('mail'), { nil: undefined, freq: 1 }),
    order_id: optional(fc.constantFrom('o1', 'o2', 'o3')),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
const hours = fc.integer({ min: 1, max: 300 })
const custom: fc.Arbitrary<Sent> = fc.record({
  event: fc.constantFrom('shop_order', 'Shop Order', 'shopOrder'),
  hoursAgo: hours,
  properties,
})
const purchase: fc.Arbitrary<Sent> = fc.record({
  event: fc.constant('$purchase'),
  hoursAgo: hours,
  properties: fc.record({
    amount: fc.constantFrom(1, 2),
    currency: fc.constant('EUR'),
    order_id: fc.constantFrom('o1', 'o2', 'o3', 'o4'),
  }),
})
const rule: fc.Arbitrary<Rule> = fc.record({
  target: fc.constantFrom('$purchase', '$purchase', '$refund', '$signup'),
  propertyMap: fc.constantFrom({ total: 'amount' }, {}, { total: 'amount', currency: 'method' }),
})
const send = fc.record({
  kind: fc.constant('send' as const),
  events: fc.array(fc.oneof({ weight: 3, arbitrary: custom }, { weight: 1, arbitrary: purchase }), {
    minLength: 2,
    maxLength: 12,
  }),
})
const backfill = fc
  .tuple(fc.integer({ min: 0, max: 250 }), fc.integer({ min: 50, max: 320 }))
  .map(([to, length]): Step => ({ kind: 'backfill', fromHoursAgo: to + length, toHoursAgo: to }))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: backfill },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rule' as const), rule }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: send },
)

/** What is stored, or read, of one event. */
type Facts = { name: string; amount: number; currency: string; order: string }
type Stored = Facts & {
  id: string
  tsMs: number
  arrival: number
  isOurs: boolean
  properties: Properties
  counted: boolean
  wasQuarantined: boolean
}
type Laid = { id: string; rule: Rule; fromMs: number; toMs: number; reach: number }

/** The gate in the plainest way: what a rule makes of properties, or null when they are not enough. */
function judged(name: string, given: Properties): Facts | null {
  const { amount, currency, order_id } = given
  if (name === '$signup') {
    return typeof given.method === 'string' ? { name, amount: 0, currency: '', order: '' } : null
  }
  if (amount === undefined || currency === undefined) return null
  const order = name === '$purchase' ? String(order_id ?? '') : ''
  return { name, amount: Number(amount), currency: String(currency), order }
}

function moved({ propertyMap }: Rule, given: Properties): Properties {
  const result = { ...given }
  for (const [from, to] of Object.entries(propertyMap)) {
    if (given[from] === undefined || given[to] !== undefined || result[to] !== undefined) continue
    result[to] = given[from]
    delete result[from]
  }
  return result
}

/** The product in memory: everything is calculated again for each read. */
class Model {
  readonly stored: Stored[] = []
  readonly laid: Laid[] = []
  rule: Rule | null = null
  /** How many events were stored when the overlay was last made. */
  settledAt = 0
  #arrivals = 0

  send(id: string, { event, properties: given }: Sent, tsMs: number): void {
    const isOurs = event !== '$purchase'
    const arrival = this.#arrivals
    const kept = isOurs && this.rule !== null ? moved(this.rule, given) : given
    const plain = { name: 'shop_order', amount: 0, currency: '', order: '' }
    const facts = !isOurs ? judged(event, given) : this.rule === null ? plain : judged(this.rule.target, kept)
    const base = { id, tsMs, arrival, isOurs, properties: kept }
    if (facts === null) {
      // Quarantined: in the catalog under the name that it would have had, and in no report.
      const name = this.rule?.target ?? ''
      this.stored.push({
        ...base,
        name,
        amount: 0,
        currency: '',
        order: '',
        counted: false,
        wasQuarantined: true,
      })
      return
    }
    const isRepeat =
      facts.order !== '' && this.stored.some((one) => one.order === facts.order && !one.wasQuarantined)
    this.stored.push({ ...base, ...facts, counted: !isRepeat, wasQuarantined: false })
  }

  endRequest(): void {
    this.#arrivals++
  }

  /** Each event as it is read. */
  read(): (Stored & { counted: boolean })[] {
    const before = this.stored.slice(0, this.settledAt)
    const effective = before.map((one) => ({ ...one, ...this.#factsOf(one) }))
    const laidIds = new Set(effective.filter((one) => one.isLaid).map((one) => one.id))
    const touched = new Set(
      before.flatMap((one, index) => (laidIds.has(one.id) ? [one.order, effective[index]?.order ?? ''] : [])),
    )
    touched.delete('')
    const firsts = new Map<string, string>()
    const storedById = new Map(before.map((one) => [one.id, one]))
    const place = (one: Stored) => {
      const stored = storedById.get(one.id)
      const countsAnyway = stored?.order === one.order && stored.counted
      return [one.arrival, countsAnyway ? 0 : 1, one.tsMs, one.id] as const
    }
    for (const order of touched) {
      const [first] = effective
        .filter((one) => one.name === '$purchase' && one.order === order && !one.wasQuarantined)
        .toSorted((left, right) => compare(place(left), place(right)))
      if (first !== undefined) firsts.set(order, first.id)
    }
    const counted = (one: (typeof effective)[number]) => {
      if (one.order !== '' && touched.has(one.order)) return firsts.get(one.order) === one.id
      return one.isLaid || one.counted
    }
    const wonByLaid = new Set([...firsts].filter(([, id]) => laidIds.has(id)).map(([order]) => order))
    const late = this.stored.slice(this.settledAt)
    return [
      ...effective.map((one) => ({ ...one, counted: counted(one) })),
      ...late.map((one) => ({ ...one, counted: one.counted && !wonByLaid.has(one.order) })),
    ]
  }

  #factsOf(one: Stored): Partial<Facts> & { isLaid: boolean } {
    if (!one.isOurs || one.wasQuarantined) return { isLaid: false }
    for (const { rule: laid, fromMs, toMs, reach } of this.laid.toReversed()) {
      const isMeant = one.tsMs >= fromMs && one.tsMs < toMs && this.stored.indexOf(one) < reach
      const facts = isMeant ? judged(laid.target, moved(laid, one.properties)) : null
      if (facts !== null) return { ...facts, isLaid: true }
    }
    return { isLaid: false }
  }
}

function compare(left: readonly (number | string)[], right: readonly (number | string)[]): number {
  const at = left.findIndex((value, index) => value !== right[index])
  return at === -1 ? 0 : (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1
}

const window = `${daysShown}d`
const round = (value: number) => Math.round(value * 10_000) / 10_000

/** What the model says that overview and catalog answer. */
function expected(model: Model) {
  const all = model.read()
  const counted = all.filter((one) => one.counted && !one.wasQuarantined)
  const sum = (currency: string) =>
    round(
      counted
        .filter((one) => one.currency === currency && ['$purchase', '$refund'].includes(one.name))
        .reduce((total, one) => total + (one.name === '$refund' ? -one.amount : one.amount), 0),
    )
  const names = [...new Set(counted.map((one) => one.name))]
  const seen = Map.groupBy(all, (one) => one.name)
  return {
    events: counted.length,
    conversions: counted.filter((one) => ['$purchase', '$signup'].includes(one.name)).length,
    revenue: sum('EUR'),
    dollars: sum('USD'),
    byName: names
      .map((key) => ({ key, events: counted.filter((one) => one.name === key).length }))
      .toSorted((a, b) => b.events - a.events || (a.key < b.key ? -1 : 1)),
    catalog: [...seen]
      .map(([name, ones]) => {
        const lastMs = Math.max(...ones.map((one) => one.tsMs))
        return { name, volume: ones.length, lastSeenAt: new Date(lastMs).toISOString() }
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

async function actual(shop: TestWorkspace): Promise<ReturnType<typeof expected>> {
  const query = { siteId: shop.siteId, window, includeBots: true }
  const { metrics, otherCurrencies, breakdowns } = (await shop.call(getOverview, { query })).body
  const catalog = (await shop.call(getCatalog, { query: { siteId: shop.siteId, limit: 200 } })).body.data
  return {
    events: metrics.events,
    conversions: metrics.conversions,
    revenue: metrics.revenue,
    dollars: otherCurrencies.find(({ currency }) => currency === 'USD')?.revenue ?? 0,
    byName: breakdowns.events
      .map(({ key, events }) => ({ key, events }))
      .sort((a, b) => b.events - a.events || (a.key < b.key ? -1 : 1)),
    catalog: catalog.flatMap(({ name, volume, lastSeenAt }) =>
      lastSeenAt === null ? [] : [{ name, volume, lastSeenAt }],
    ),
  }
}

/** One history, applied to the product and to the model. */
class Story {
  readonly #shop: TestWorkspace
  readonly #model = new Model()
  #mappingId: string | null = null
  #sent = 0

  constructor(shop: TestWorkspace) {
    this.#shop = shop
  }

  async tell(step: Step): Promise<void> {
    if (step.kind === 'send') return this.#send(step.events)
    if (step.kind === 'rule') return this.#setRule(step.rule)
    if (step.kind === 'withdraw') return this.#withdraw(step.which)
    return this.#backfill(step.fromHoursAgo, step.toHoursAgo)
  }

  async #send(events: readonly Sent[]): Promise<void> {
    const wire = events.map((one) => {
      const id = `e${String(++this.#sent).padStart(4, '0')}`
      // Seconds differ, so that no two events lie at one time.
      const tsMs = startMs - one.hoursAgo * hourMs + this.#sent * 1_000
      this.#model.send(id, one, tsMs)
      const { event, properties } = one
      return {
        event,
        event_id: id,
        user_id: 'u',
        ts: new Date(tsMs).toISOString(),
        historical: true,
        properties,
      }
    })
    this.#model.endRequest()
    await this.#shop.call(batch, { body: { batch: wire } })
    await this.#shop.settle()
  }

  async #setRule(given: Rule): Promise<void> {
    const { siteId } = this.#shop
    if (this.#mappingId === null) {
      const made = await this.#shop.call(createMapping, { body: { siteId, source: 'shop_order', ...given } })
      this.#mappingId = made.body.id
    } else {
      await this.#shop.call(updateMapping, { params: { id: this.#mappingId }, body: given })
    }
    this.#model.rule = given
  }

  async #backfill(fromHoursAgo: number, toHoursAgo: number): Promise<void> {
    const { rule: current } = this.#model
    if (this.#mappingId === null || current === null) return
    const [fromMs, toMs] = [startMs - fromHoursAgo * hourMs, startMs - toHoursAgo * hourMs]
    const range = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
    const params = { id: this.#mappingId }
    const isFirst = this.#model.laid.length === 0
    const seen = isFirst ? await this.#preview(params.id, range) : null
    const { body } = await this.#shop.call(startBackfill, { params, body: range })
    if ('dryRun' in body) throw new Error('a job was asked for')
    await untilTrue('the back-fill', async () => (await this.#read(body.id)).status === 'done')
    if (seen !== null) expect(await this.#read(body.id)).toMatchObject(seen)
    this.#model.laid.push({ id: body.id, rule: current, fromMs, toMs, reach: this.#model.stored.length })
    this.#model.settledAt = this.#model.stored.length
  }

  /** What a dry run says is what is done. */
  async #preview(id: string, range: { from: string; to: string }) {
    const { body } = await this.#shop.call(startBackfill, {
      params: { id },
      body: { ...range, dryRun: true },
    })
    if (!('dryRun' in body)) throw new Error('a dry run was asked for')
    const { matched, events, renamed, refused, codes } = body
    return { matched, events, renamed, refused, codes }
  }

  async #read(id: string) {
    return (await this.#shop.call(getBackfill, { params: { id } })).body
  }

  async #withdraw(which: number): Promise<void> {
    const [gone] = this.#model.laid.splice(which % Math.max(1, this.#model.laid.length), 1)
    if (gone === undefined) return
    const answer = await this.#shop.call(withdrawBackfill, { params: { id: gone.id } })
    expect(answer.body.status).toBe('withdrawn')
    this.#model.settledAt = this.#model.stored.length
  }

  async check(): Promise<void> {
    expect(await actual(this.#shop)).toEqual(expected(this.#model))
  }

  async withdrawAll(): Promise<void> {
    while (this.#model.laid.length > 0) await this.#withdraw(0)
  }
}
const startMs = clock.ms

test('reads equal a plain count in memory after every rule, back-fill, withdrawal and late event, and in the end the stored events', async () => {
  await fc.assert(
    fc.asyncProperty(
      send,
      rule,
      fc.array(step, { minLength: 3, maxLength: 4 }),
      async (first, given, steps) => {
        const shop = await world.newWorkspace()
        await shop.call(createDefinition, { body: { name: 'shop_order' } })
        const story = new Story(shop)
        for (const one of [first, { kind: 'rule', rule: given } as const, ...steps]) {
          await story.tell(one)
          if (one.kind === 'backfill' || one.kind === 'withdraw') await story.check()
        }
        await story.withdrawAll()
        await story.check()
        await expectStored(shop)
      },
    ),
    { numRuns: 6, endOnFailure: true },
  )
}, 240_000)

/** Without an overlay the whole answer is that of the plain table. */
async function expectStored(shop: TestWorkspace): Promise<void> {
  const { events, requireSite } = world.product.deps
  const query = {
    siteId: shop.siteId,
    from: '2026-06-10T00:00:00Z',
    to: '2026-06-30T00:00:00Z',
    includeBots: true,
  }
  const { body } = await shop.call(getOverview, { query })
  const bare = await readOverview(
    { events, readFigures: async (asked) => ({ ...(await selectFigures(events, asked)), stored: null }) },
    await requireSite(shop.workspaceId, shop.siteId),
    {
      workspaceId: shop.workspaceId,
      siteId: shop.siteId,
      includeBots: true,
      readOverlays: { overlay: null, superseded: null, hasMerges: false },
    },
    { currency: 'EUR', rates: [] },
    { fromMs: Date.parse(query.from), toMs: Date.parse(query.to), timezone: 'UTC', nowMs: clock.ms },
    'day',
  )
  expect(undated(body)).toEqual(bare)
}
