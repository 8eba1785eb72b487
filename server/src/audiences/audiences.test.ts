import {
  type Audience,
  type AudienceCondition,
  type AudienceRules,
  batch,
  createAudience,
  deleteAudience,
  type Filter,
  getAudience,
  getOverview,
  listAudienceMembers,
  listAudiences,
  mergePeople,
  recordConsent,
  reverseMerge,
  setExchangeRates,
  updateAudience,
  updateSite,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { identifyPerson } from '../identity/commands/identify.ts'
import { findPerson } from '../identity/profiles/person.ts'
import { dayMs } from '../platform/units.ts'
import { eventSource } from '../store/event-source.ts'
import { eraseEverywhere } from '../testing/erasure.ts'
import { raise, startWorld, type TestWorkspace, type World } from '../testing/harness.ts'
import { refreshDue } from './audiences.ts'
import { audienceCondition } from './filter.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
let world: World

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

type Deed = {
  name: '$pageview' | '$purchase' | '$refund' | '$login'
  daysAgo: number
  cents: number
  usd: boolean
}
type Somebody = {
  deeds: Deed[]
  plan: string | null
  seats: number | null
  consent: 'granted' | 'denied' | null
}

const deed: fc.Arbitrary<Deed> = fc.record({
  name: fc.constantFrom('$pageview', '$purchase', '$refund', '$login'),
  // Never on the border of a window, where the time of the reading would decide.
  daysAgo: fc.constantFrom(0.5, 3.5, 6.5, 9.5, 29.5, 45.5, 399.5),
  cents: fc.integer({ min: 1, max: 20_000 }),
  usd: fc.boolean(),
})
const somebody: fc.Arbitrary<Somebody> = fc.record({
  deeds: fc.array(deed, { maxLength: 5 }),
  plan: fc.constantFrom('free', 'pro', 'Pro Max', null),
  seats: fc.constantFrom(1, 5, 10, null),
  consent: fc.constantFrom('granted', 'denied', null),
})

const comparison = fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'exists', 'notExists')
const window = fc.constantFrom<(string | undefined)[]>('7d', '30d', undefined)
const measure = (field: fc.Arbitrary<string>, value: fc.Arbitrary<number>): fc.Arbitrary<AudienceCondition> =>
  fc
    .record({ field, op: comparison, value, window })
    .map(({ window: days, ...rest }) => ({ ...rest, ...(days !== undefined && { window: days }) }))

const condition: fc.Arbitrary<AudienceCondition> = fc.oneof(
  measure(
    fc.constantFrom('event.$purchase', 'event.$login', 'events', 'orders', 'pageviews'),
    fc.integer({ min: 0, max: 3 }),
  ),
  measure(fc.constant('revenue'), fc.integer({ min: -50, max: 150 })),
  measure(
    fc.constantFrom('daysSince.$purchase', 'daysSinceSeen', 'daysSinceFirstSeen'),
    fc.constantFrom(5, 20, 100),
  ),
  fc.record({
    field: fc.constant('trait.plan'),
    op: fc.constantFrom('eq', 'neq', 'contains', 'exists', 'notExists'),
    value: fc.constantFrom('pro', 'free'),
  }),
  fc.record({
    field: fc.constant('trait.plan'),
    op: fc.constantFrom('in', 'notIn'),
    value: fc.constantFrom<string[][]>(['pro', 'x'], ['free', 'Pro Max']),
  }),
  fc.record({ field: fc.constant('trait.seats'), op: comparison, value: fc.constantFrom(1, 5, 7) }),
  fc.record({
    field: fc.constant('consent.ad_storage'),
    op: fc.constantFrom('eq', 'neq'),
    value: fc.constantFrom('granted', 'denied'),
  }),
)
const group = <Item>(items: fc.Arbitrary<Item>) =>
  fc
    .tuple(fc.constantFrom('all', 'any'), fc.array(items, { minLength: 1, maxLength: 3 }))
    .map(([kind, of]) => (kind === 'all' ? { all: of } : { any: of }))
const rulesOf: fc.Arbitrary<AudienceRules> = group(fc.oneof(condition, group(condition)))

/** The same rules in plain TypeScript, person by person. */
function fits(
  person: Somebody,
  rules: AudienceRules | AudienceCondition,
  regime: 'gdpr' | null,
  dollarRate: number,
): boolean {
  if ('all' in rules) return rules.all.every((one) => fits(person, one, regime, dollarRate))
  if ('any' in rules) return rules.any.some((one) => fits(person, one, regime, dollarRate))
  const { field, op, value, window: days = '400d' } = rules
  const deeds = person.deeds.filter((one) => one.daysAgo <= Number.parseInt(days, 10))
  const ages = (name?: string) =>
    deeds.filter((one) => name === undefined || one.name === name).map((one) => one.daysAgo)
  const named = (name: string) => deeds.filter((one) => one.name === name).length
  const held = { 'trait.plan': person.plan, 'trait.seats': person.seats }[field]
  if (held !== undefined) return traitFits(held, op, value)
  switch (field) {
    case 'consent.ad_storage':
      return ((person.consent ?? (regime === 'gdpr' ? 'denied' : 'granted')) === value) === (op === 'eq')
    case 'event.$purchase':
    case 'orders':
      return compares(named('$purchase'), op, value, true)
    case 'event.$login':
      return compares(named('$login'), op, value, true)
    case 'pageviews':
      return compares(named('$pageview'), op, value, true)
    case 'events':
      return compares(deeds.length, op, value, true)
    case 'revenue': {
      const signed = { $purchase: 1, $refund: -1, $pageview: 0, $login: 0 }
      const worth = (one: Deed) => one.cents * (one.usd ? dollarRate : 1)
      const cents = deeds.reduce((sum, one) => sum + worth(one) * signed[one.name], 0)
      return compares(cents / 100, op, value, true)
    }
    case 'daysSince.$purchase':
      return compares(Math.min(...ages('$purchase')), op, value, ages('$purchase').length > 0)
    case 'daysSinceSeen':
      return compares(Math.min(...ages()), op, value, ages().length > 0)
    default:
      return compares(Math.max(...ages()), op, value, ages().length > 0)
  }
}

function compares(number: number, op: string, value: unknown, isKnown: boolean): boolean {
  const wanted = Number(value)
  const isThere = isKnown && (number > 0 || !Number.isFinite(number))
  if (op === 'exists') return isThere
  if (op === 'notExists') return !isThere
  if (!isKnown) return false
  const table: Record<string, boolean> = {
    eq: number === wanted,
    neq: number !== wanted,
    gt: number > wanted,
    gte: number >= wanted,
    lt: number < wanted,
    lte: number <= wanted,
  }
  return table[op] ?? false
}

function traitFits(held: string | number | null, op: string, value: unknown): boolean {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (op === 'notExists') return held === null
  if (op === 'neq' || op === 'notIn') return !list.includes(held)
  if (held === null) return false
  if (op === 'exists') return true
  if (op === 'contains') return String(held).toLowerCase().includes(String(value))
  return typeof held === 'number' ? compares(held, op, value, true) : list.includes(held)
}

/** Filters, with what they ask of a person. */
const filterCases: readonly (readonly [readonly Filter[], (person: Somebody) => boolean])[] = [
  [[], () => true],
  [
    [['did', { event: '$purchase', within: '30d', count: { op: 'gte', value: 2 } }]],
    ({ deeds }) => deeds.filter(({ name, daysAgo }) => name === '$purchase' && daysAgo < 30).length >= 2,
  ],
  [[['is', 'trait:plan', ['pro', 'free']]], ({ plan }) => plan === 'pro' || plan === 'free'],
  [
    [['gt', 'property:amount', 50]],
    ({ deeds }) => deeds.some(({ name, cents }) => ['$purchase', '$refund'].includes(name) && cents > 5_000),
  ],
  [
    [
      [
        'or',
        [
          ['isNotSet', 'trait:seats'],
          ['didNot', { event: '$login' }],
        ],
      ],
    ],
    ({ seats, deeds }) => seats === null || !deeds.some(({ name }) => name === '$login'),
  ],
  [
    [
      ['is', 'event', ['$login']],
      ['gte', 'trait:seats', 5],
    ],
    ({ seats, deeds }) => (seats ?? 0) >= 5 && deeds.some(({ name }) => name === '$login'),
  ],
]

async function send(shop: TestWorkspace, userId: string, deeds: readonly Deed[]): Promise<void> {
  const wired = deeds.map(({ name, daysAgo, cents, usd }) => ({
    event: name,
    user_id: userId,
    ts: new Date(clock.ms - daysAgo * dayMs).toISOString(),
    historical: true,
    properties: {
      $pageview: { url: 'https://shop.example/', title: 'Home' },
      $login: { method: 'x' },
      $purchase: { amount: cents / 100, currency: usd ? 'USD' : 'EUR' },
      $refund: { amount: cents / 100, currency: usd ? 'USD' : 'EUR' },
    }[name],
    // Otherwise two events that are equal in everything would be one.
    event_id: `${userId}-${serial++}`,
    context: { userAgent: browser },
  }))
  if (wired.length > 0) await shop.call(batch, { body: { batch: wired } })
}
let serial = 0

async function fill(shop: TestWorkspace, people: readonly Somebody[]): Promise<Map<string, Somebody>> {
  const byId = new Map<string, Somebody>()
  for (const [index, person] of people.entries()) {
    const user_id = `user-${index}`
    const traits = {
      ...(person.plan !== null && { plan: person.plan }),
      ...(person.seats !== null && { seats: person.seats }),
    }
    const { people: known, now } = world.product.deps
    const sender = { workspaceId: shop.workspaceId, keyId: 'key_1', keyClass: 'secret' } as const
    // Not by an event, since what people did is counted.
    const bound = await identifyPerson(
      known,
      { ...sender, storesNothing: false },
      { known: [{ type: 'user_id', value: user_id }], anonymous: null, traits, setMs: now(), eventId: 'e' },
    )
    byId.set(bound.person_id, person)
    if (person.consent !== null) {
      await shop.call(recordConsent, { body: { user_id, categories: { ad_storage: person.consent } } })
    }
    await send(shop, user_id, person.deeds)
  }
  await shop.settle()
  return byId
}

describe('an audience', () => {
  test('contains exactly those whom its rules and filters describe, as calculated person by person', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(somebody, { minLength: 4, maxLength: 10 }),
        fc.array(rulesOf, { minLength: 10, maxLength: 10 }),
        fc.constantFrom<('gdpr' | null)[]>('gdpr', null),
        // Nothing: a dollar is worth nothing here unless the workspace says what.
        fc.constantFrom(0, 2),
        async (people, manyRules, regime, dollarRate) => {
          const shop = await world.newWorkspace()
          if (dollarRate !== 0) {
            const body = { base: 'EUR', rates: [{ currency: 'USD', rate: dollarRate }] }
            expect((await shop.call(setExchangeRates, { body })).status).toBe(200)
          }
          const byId = await fill(shop, people)
          // Only now, so that what people did is stored whatever they consented to.
          await shop.call(updateSite, { params: { id: shop.siteId }, body: { consentRegime: regime } })
          const seen = [...byId].filter(([, person]) => person.deeds.length > 0)
          for (const [index, rules] of manyRules.entries()) {
            const [filters = [], isChosen] = filterCases[index % filterCases.length] ?? []
            const expected = seen
              .filter(([, person]) => fits(person, rules, regime, dollarRate) && isChosen?.(person))
              .map(([id]) => id)
            const { body } = await shop.call(createAudience, {
              body: { siteId: shop.siteId, rules, filters, dryRun: true },
            })
            expect(body, JSON.stringify([rules, filters])).toMatchObject({
              size: expected.length,
              people: seen.length,
              sample: expected.sort(),
            })
          }
        },
      ),
      { numRuns: 2 },
    )
  }, 240_000)

  test('remembers who joined and who left, and when', async () => {
    const shop = await world.newWorkspace()
    const plain = { plan: null, seats: null, consent: null }
    const buyer: Deed = { name: '$purchase', daysAgo: 3.5, cents: 1000, usd: false }
    const [buyerId, otherId] = [
      ...(
        await fill(shop, [
          { ...plain, deeds: [buyer] },
          { ...plain, deeds: [{ ...buyer, name: '$login' }] },
        ])
      ).keys(),
    ]
    const rules = { all: [{ field: 'orders', op: 'gte' as const, value: 1, window: '7d' }] }
    const made = await create(shop, { siteId: shop.siteId, name: 'Buyers', rules })
    expect(made).toMatchObject({ size: 1, status: 'active', rules })
    const params = { id: made.id }
    const joinedAt = new Date(clock.ms).toISOString()
    const members = async (state: 'joined' | 'left' | 'all') =>
      (await shop.call(listAudienceMembers, { params, query: { state } })).body.data
    expect(await members('joined')).toEqual([{ personId: buyerId, joinedAt, leftAt: null }])

    await send(shop, 'user-1', [{ ...buyer, daysAgo: 0.5 }])
    await shop.settle()
    clock.ms += 6 * dayMs
    await refreshDue(world.product.deps, raise)
    const later = new Date(clock.ms).toISOString()
    expect(await members('joined')).toEqual([{ personId: otherId, joinedAt: later, leftAt: null }])
    expect(await members('left')).toEqual([{ personId: buyerId, joinedAt, leftAt: later }])
    expect((await members('all')).map(({ personId }) => personId)).toEqual([buyerId, otherId].sort())
    expect((await shop.call(getAudience, { params })).body).toMatchObject({ size: 1, sizeAt: later })
    const csv = await fetch(
      `${world.product.url}/api/cli/audiences/${made.id}/members?state=left&format=csv`,
      {
        headers: { authorization: `Bearer ${shop.keys.live}` },
      },
    )
    expect(await csv.text()).toBe(`personId,joinedAt,leftAt\r\n${buyerId},${joinedAt},${later}\r\n`)
    const overview = await shop.call(getOverview, { query: { siteId: shop.siteId, audience: made.id } })
    expect(overview.body.metrics).toMatchObject({ visitors: 1, events: 2, conversions: 1 })
    // Nothing changed since, so nothing is written.
    await refreshDue(world.product.deps, raise)
    expect(await members('joined')).toHaveLength(1)
  }, 120_000)

  test('follows people who become one and two again, and loses who is forgotten', async () => {
    const shop = await world.newWorkspace()
    const plain = { plan: null, seats: null, consent: null }
    const order: Deed = { name: '$purchase', daysAgo: 3.5, cents: 1000, usd: false }
    const people = await fill(shop, [
      { ...plain, deeds: [order] },
      { ...plain, deeds: [order] },
      { ...plain, deeds: [order, order, order] },
    ])
    const [first = '', second = '', third = ''] = [...people.keys()]
    const rules = { all: [{ field: 'orders', op: 'gte' as const, value: 2 }] }
    const made = await create(shop, { siteId: shop.siteId, name: 'Regulars', rules })
    expect(await filtered(shop, made.id)).toEqual([third])

    const merge = { survivor_id: first, absorbed_id: second, reason: 'the same' }
    const { body: entry } = await shop.call(mergePeople, { body: merge })
    clock.ms += 3_600_000
    await refreshDue(world.product.deps, raise)
    const survivor = entry.survivor_id ?? ''
    expect(await filtered(shop, made.id)).toEqual([survivor, third].sort())

    // A reversal is not waited for.
    await shop.call(reverseMerge, { params: { id: entry.id ?? '' }, body: { reason: 'not the same' } })
    expect(await filtered(shop, made.id)).toEqual([third])

    // A person merged with a member becomes a member at once.
    await shop.call(mergePeople, { body: { survivor_id: third, absorbed_id: second, reason: 'the same' } })
    expect(await filtered(shop, made.id)).toHaveLength(1)

    const { people: identities, events } = world.product.deps
    const whole = await findPerson(identities, shop.workspaceId, third)
    await eraseEverywhere(world.product, {
      workspaceId: shop.workspaceId,
      originalIds: whole?.originalIds ?? [],
    })
    const rows = await events.query('SELECT 1 FROM audience_members WHERE person_id IN {ids:Array(String)}', {
      ids: whole?.originalIds ?? [],
    })
    expect(rows).toEqual([])
  }, 120_000)

  test('of filters alone is counted, keeps them, and is counted again when they change', async () => {
    const shop = await world.newWorkspace()
    const plain = { plan: null, seats: null, consent: null }
    const login: Deed = { name: '$login', daysAgo: 3.5, cents: 1, usd: false }
    const people = await fill(shop, [
      { ...plain, plan: 'pro', deeds: [login] },
      { ...plain, deeds: [login, { ...login, daysAgo: 0.5 }] },
    ])
    const [first = '', second = ''] = [...people.keys()]
    const filters = [['is', 'trait:plan', ['pro']] as const]
    const made = await create(shop, { siteId: shop.siteId, name: 'By filter', filters })
    expect(made).toMatchObject({ size: 1, filters })
    expect(await filtered(shop, made.id)).toEqual([first])
    const often = [['did', { event: '$login', count: { op: 'gte' as const, value: 2 } }] as const]
    const changed = await shop.call(updateAudience, { params: { id: made.id }, body: { filters: often } })
    expect(changed.body).toMatchObject({ size: 1, filters: often, rules: made.rules })
    expect(await filtered(shop, made.id)).toEqual([second])
    for (const [wrong, field] of [
      [{}, 'rules'],
      [{ filters: [] }, 'rules'],
      [{ filters: [['is', 'nothing', ['x']] as const] }, 'filters[0][1]'],
      [{ filters: [['inAudience', [made.id]] as const] }, 'filters'],
      [{ filters: [['not', ['isSet', 'audience']] as const] }, 'filters'],
    ] as const) {
      const body = { siteId: shop.siteId, name: 'Wrong', ...wrong }
      const refused = await shop.call(createAudience, { body })
      expect(refused, JSON.stringify(wrong)).toMatchObject({ status: 422, problem: { errors: [{ field }] } })
    }
    const unknown = { siteId: shop.siteId, name: 'Goal', filters: [['reached', ['goal_1']] as const] }
    expect((await shop.call(createAudience, { body: unknown })).status).toBe(404)
  }, 120_000)

  test('is listed, changed and deleted', async () => {
    const shop = await world.newWorkspace()
    const rules = { any: [{ field: 'country', op: 'eq' as const, value: 'TR' }] }
    const body = { siteId: shop.siteId, name: 'Anywhere', rules }
    const made = await create(shop, body)
    expect((await shop.call(createAudience, { body })).status).toBe(409)
    expect((await shop.call(listAudiences, { query: {} })).body.data).toEqual([made])
    const params = { id: made.id }
    const changed = await shop.call(updateAudience, { params, body: { name: 'Turkey', status: 'paused' } })
    expect(changed.body).toMatchObject({ name: 'Turkey', status: 'paused', rules })
    expect((await shop.call(deleteAudience, { params })).status).toBe(204)
    expect((await shop.call(getAudience, { params })).status).toBe(404)
  })

  test.each([
    [{ field: 'shoe_size', op: 'eq', value: 43 }, 'field'],
    [{ field: 'events', op: 'contains', value: 'x' }, 'op'],
    [{ field: 'revenue', op: 'gt', value: 'much' }, 'value'],
    [{ field: 'revenue', op: 'gt' }, 'value'],
    [{ field: 'country', op: 'in', value: 'TR' }, 'value'],
    [{ field: 'orders', op: 'gt', value: 1, window: '401d' }, 'window'],
    [{ field: 'trait.plan', op: 'eq', value: 'x', window: '7d' }, 'window'],
    [{ field: 'consent.mood', op: 'eq', value: 'granted' }, 'field'],
    [{ field: 'consent.ad_storage', op: 'eq', value: 'maybe' }, 'value'],
  ] as const)('with the condition %o is refused with the place named', async (one, member) => {
    const shop = await world.newWorkspace()
    // boundary: on purpose not what a rule takes.
    const rules = { all: [{ field: 'events', op: 'gt', value: 0 }, one] } as unknown as AudienceRules
    const answer = await shop.call(createAudience, { body: { siteId: shop.siteId, rules, dryRun: true } })
    expect(answer.status).toBe(422)
    expect(answer.problem.errors?.[0]?.field).toBe(`rules.all[1].${member}`)
  })
})

async function create(
  shop: TestWorkspace,
  body: { siteId: string; name: string; rules?: AudienceRules; filters?: readonly Filter[] },
): Promise<Audience> {
  const answer = await shop.call(createAudience, { body })
  if (!('id' in answer.body)) throw new Error(`not created: ${answer.status}`)
  return answer.body
}

/** Whose events a read with this audience is about. */
async function filtered(shop: TestWorkspace, audienceId: string): Promise<string[]> {
  const { deps } = world.product
  const scope = { workspaceId: shop.workspaceId, siteId: shop.siteId, fromMs: 0, toMs: clock.ms + 1 }
  const { sql, params } = await audienceCondition(deps, shop.workspaceId, shop.siteId, audienceId)
  const readOverlays = {
    overlay: null,
    superseded: null,
    hasMerges: await deps.people.mapping.isUsed(shop.workspaceId),
  }
  const source = eventSource(readOverlays, scope)
  const rows = await deps.events.query<{ person_id: string }>(
    `SELECT DISTINCT person_id FROM ${source.from}
     WHERE workspace_id = {workspaceId:String} AND ${sql} ORDER BY person_id`,
    { workspaceId: shop.workspaceId, ...source.params, ...params },
  )
  return rows.map((row) => row.person_id)
}
