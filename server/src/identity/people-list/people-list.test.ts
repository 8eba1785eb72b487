import {
  createSite,
  getSubjectRequest,
  identify,
  type ListedPerson,
  listPeople,
  mergePeople,
  peopleListLimits,
  requestForget,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../platform/units.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../../testing/harness.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
let world: World
let serial = 0

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

const iso = (ms: number) => new Date(ms).toISOString()
const ago = (hours: number) => clock.ms - hours * hourMs
type Query = Partial<Record<'search' | 'columns' | 'seen_from' | 'seen_to' | 'site_id', string>> & {
  filters?: unknown
  limit?: number
}

async function pageOf(shop: TestWorkspace, { filters, ...query }: Query, cursor?: string) {
  const text = filters === undefined ? {} : { filters: JSON.stringify(filters) }
  return shop.call(listPeople, { query: { ...query, ...text, ...(cursor !== undefined && { cursor }) } })
}

async function readAll(shop: TestWorkspace, query: Query): Promise<ListedPerson[]> {
  const found: ListedPerson[] = []
  let cursor: string | undefined
  do {
    const { status, body } = await pageOf(shop, query, cursor)
    expect(status).toBe(200)
    expect(body.data.length).toBeLessThanOrEqual(query.limit ?? 50)
    found.push(...body.data)
    cursor = body.next_cursor ?? undefined
  } while (cursor !== undefined)
  return found
}

type Sent = { user_id?: string; anonymous_id?: string; hours: number; site_id?: string; isBot?: boolean }

async function send(shop: TestWorkspace, sent: readonly Sent[]): Promise<void> {
  if (sent.length === 0) return
  const events = sent.map(({ hours, isBot = false, ...who }) => ({
    event: '$login',
    event_id: `people-${serial++}`,
    ts: iso(ago(hours)),
    historical: true,
    properties: { method: 'x' },
    ...who,
    context: {
      userAgent: isBot ? 'Googlebot/2.1' : 'Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0 Safari/537.36',
    },
  }))
  await shop.send(events, { outcomes: ['accept', 'warn'] })
}

const idOf = (shop: TestWorkspace, type: string, value: string) =>
  world.product.deps.people.originalId(shop.workspaceId, { type, value })

/** Traits without an event of now: the time that is asked for is that of the events. */
async function told(shop: TestWorkspace, user: string, traits: Record<string, unknown>): Promise<void> {
  for (const [key, value] of Object.entries(traits)) {
    await world.product.deps.control.query(
      `INSERT INTO person_traits (workspace_id, original_id, key, value, set_at, source)
       VALUES ($1, $2, $3, $4::json, now(), 'identify')`,
      [shop.workspaceId, idOf(shop, 'user_id', user), key, JSON.stringify(value)],
    )
  }
}

const generated = fc.record({
  people: fc.array(
    fc.record({
      hours: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 3 }),
      plan: fc.constantFrom('free', 'pro', 'Team', null),
      seats: fc.option(fc.integer({ min: 1, max: 9 })),
    }),
    { maxLength: 8 },
  ),
  from: fc.integer({ min: 2, max: 110 }),
  length: fc.integer({ min: 1, max: 110 }),
  limit: fc.integer({ min: 1, max: 4 }),
  plans: fc.uniqueArray(fc.constantFrom('free', 'pro', 'Team'), { minLength: 1 }),
  seats: fc.integer({ min: 1, max: 9 }),
})
type Asked = typeof generated extends fc.Arbitrary<infer Value> ? Value : never
type One = Asked['people'][number] & { user: string; id: string; lastMs: number }

const traitsOf = ({ plan, seats }: Pick<One, 'plan' | 'seats'>) => ({
  ...(plan !== null && { plan }),
  ...(seats !== null && { seats }),
})

/** Filters on what people did, and on single events, with what they mean in a time. */
function eventCases(fromMs: number, toMs: number): [unknown, (one: One) => boolean][] {
  const times = ({ hours }: One) => hours.filter((hour) => ago(hour) >= fromMs && ago(hour) < toMs).length
  const often = { event: '$login', count: { op: 'gte', value: 2 } }
  const isPlain = ['isNotSet', 'trait:plan']
  return [
    [[['did', often]], (one) => times(one) >= 2],
    [[['didNot', often], isPlain], (one) => times(one) < 2 && one.plan === null],
    [[['is', 'event', ['$login']], isPlain], ({ plan }) => plan === null],
    [[['is', 'property:method', ['y']]], () => false],
    [
      [
        [
          'or',
          [
            ['is', 'property:method', ['x']],
            ['did', { event: '$signup' }],
          ],
        ],
      ],
      () => true,
    ],
  ]
}

/** Each filter with what it means. */
function filterCases({ plans, seats: least }: Asked): [unknown, (one: One) => boolean][] {
  const isOf = ({ plan }: One) => plan !== null && plans.includes(plan)
  const has = ({ seats }: One) => seats !== null && seats > least
  const isMore = ['gt', 'trait:seats', least]
  const isPlain = ['isNotSet', 'trait:plan']
  return [
    [[['is', 'trait:plan', plans]], isOf],
    [[['isNot', 'trait:plan', plans]], (one) => !isOf(one)],
    [[isMore], has],
    [[['or', [isMore, isPlain]]], (one) => has(one) || one.plan === null],
    [
      [
        ['not', ['isSet', 'trait:plan']],
        ['isSet', 'trait:seats'],
      ],
      ({ plan, seats }) => plan === null && seats !== null,
    ],
    [[['between', 'trait:seats', [least, 9]]], ({ seats }) => seats !== null && seats >= least],
    [[['contains', 'trait:plan', ['E']]], ({ plan }) => plan === 'free' || plan === 'Team'],
    [[['startsWith', 'trait:plan', ['t']]], ({ plan }) => plan === 'Team'],
  ]
}

async function plant(shop: TestWorkspace, { people }: Asked): Promise<One[]> {
  const planted = people.map((one): One => {
    const user = `user-${serial++}`
    return { ...one, user, id: idOf(shop, 'user_id', user), lastMs: ago(Math.min(...one.hours)) }
  })
  await send(
    shop,
    planted.flatMap(({ user, hours }) => hours.map((each) => ({ user_id: user, hours: each }))),
  )
  for (const one of planted) await told(shop, one.user, traitsOf(one))
  return planted
}

describe('people are listed', () => {
  test('by their last event, latest first, page by page, within a time and by the filters of every read', async () => {
    const check = async (asked: Asked) => {
      const shop = await world.newWorkspace()
      const [fromMs, toMs] = [ago(asked.from), ago(asked.from - asked.length)]
      const listed = (await plant(shop, asked))
        .filter(({ lastMs }) => lastMs >= fromMs && lastMs < toMs)
        .sort((one, other) => other.lastMs - one.lastMs || (one.id < other.id ? -1 : 1))
      const query = { seen_from: iso(fromMs), seen_to: iso(toMs), limit: asked.limit, columns: 'plan, seats' }
      const shown = listed.map((one) => ({
        person_id: one.id,
        identifiers: [{ type: 'user_id', value: one.user }],
        traits: traitsOf(one),
        first_seen_at: iso(ago(Math.max(...one.hours))),
        last_seen_at: iso(one.lastMs),
        events: one.hours.length,
      }))
      expect(await readAll(shop, query)).toEqual(shown)
      for (const [filters, fits] of filterCases(asked)) {
        const ids = (await readAll(shop, { ...query, filters })).map(({ person_id }) => person_id)
        expect(ids, JSON.stringify(filters)).toEqual(listed.filter(fits).map(({ id }) => id))
      }
      for (const [filters, fits] of eventCases(fromMs, toMs)) {
        const found = await readAll(shop, { ...query, filters, site_id: shop.siteId })
        const ids = found.map(({ person_id }) => person_id)
        expect(ids, JSON.stringify(filters)).toEqual(listed.filter(fits).map(({ id }) => id))
      }
    }
    await fc.assert(fc.asyncProperty(generated, check), { numRuns: 8 })
  }, 240_000)

  test('once after they were merged, without bots, and of one site where it is asked for', async () => {
    const shop = await world.newWorkspace()
    const { body: second } = await shop.call(createSite, {
      body: { name: 'Second', domain: `second-${serial++}.example` },
    })
    await send(shop, [
      { user_id: 'ada', hours: 5 },
      { user_id: 'grace', hours: 3, site_id: second.id },
      { anonymous_id: 'visitor', hours: 4 },
      { anonymous_id: 'crawler', hours: 1, isBot: true },
    ])
    const [ada, grace] = [idOf(shop, 'user_id', 'ada'), idOf(shop, 'user_id', 'grace')]
    const visitor = idOf(shop, 'anonymous_id', 'visitor')
    const ids = async (query: Query = {}) => (await readAll(shop, query)).map(({ person_id }) => person_id)
    expect(await ids()).toEqual([grace, visitor, ada])
    expect(await ids({ site_id: second.id })).toEqual([grace])
    const merge = { survivor_id: ada, absorbed_id: grace, reason: 'One' }
    expect((await shop.call(mergePeople, { body: merge })).status).toBe(201)
    expect(await ids()).toEqual([ada, visitor])
    expect(await ids({ site_id: second.id })).toEqual([ada])
    const filters = [['is', 'property:method', ['x']]]
    expect(await ids({ site_id: second.id, filters })).toEqual([ada])
    const [one, two] = await readAll(shop, {})
    expect(one).toMatchObject({ events: 2, first_seen_at: iso(ago(5)), last_seen_at: iso(ago(3)) })
    expect(one?.identifiers.map(({ value }) => value).sort()).toEqual(['ada', 'grace'])
    expect(two?.identifiers).toEqual([{ type: 'anonymous_id', value: 'visitor' }])
  })
})

describe('a search', () => {
  test('by an id or an identifier finds exactly those people, whenever they were seen', async () => {
    const shop = await world.newWorkspace()
    await send(shop, [
      { user_id: 'u_17', hours: 24 * 300 },
      { user_id: 'u_170', hours: 2 },
      { anonymous_id: 'device-of-nobody', hours: 24 * 200 },
    ])
    const found = async (search: string) =>
      (await readAll(shop, { search })).map(({ person_id }) => person_id)
    const person = idOf(shop, 'user_id', 'u_17')
    expect(await found('u_17')).toEqual([person])
    expect(await found(' u_17 ')).toEqual([person])
    expect(await found(person)).toEqual([person])
    expect(await found('device-of-nobody')).toEqual([idOf(shop, 'anonymous_id', 'device-of-nobody')])
    const [old] = await readAll(shop, { search: 'u_17' })
    expect(old).toMatchObject({ last_seen_at: iso(ago(24 * 300)), events: 1 })
  })

  test('by any other text looks in identifiers and in the traits that hold now, in any case', async () => {
    const shop = await world.newWorkspace()
    const traits = {
      name: 'Ada "the first" Löwe',
      plan: 'Enterprise',
      tags: ['beta', 'EU'],
      email: 'ada@example.com',
    }
    await shop.call(identify, { body: { user_id: 'customer-ada', anonymous_id: 'dev-1', traits } })
    await shop.call(identify, { body: { user_id: 'customer-grace', traits: { name: 'Grace' } } })
    await shop.settle()
    const found = async (search: string) =>
      (await readAll(shop, { search })).flatMap(({ identifiers }) => identifiers[0]?.value ?? '')
    for (const text of [
      'ENTERPRISE',
      'the first',
      '"the FIRST" l',
      'LÖW',
      'beta',
      'ada@EXAMPLE',
      'mer-ada',
    ]) {
      expect(await found(text), text).toEqual(['customer-ada'])
    }
    expect((await found('customer-')).sort()).toEqual(['customer-ada', 'customer-grace'])
    expect(await found('nothing like it')).toEqual([])
    const filters = [['is', 'trait:plan', ['Enterprise']]]
    expect(await readAll(shop, { search: 'customer-', filters })).toHaveLength(1)
    expect(await readAll(shop, { search: 'customer-grace', filters })).toEqual([])
    // What a weaker identifier says, a stronger one replaces.
    const own = idOf(shop, 'anonymous_id', 'dev-1')
    await world.product.deps.control.query(
      `INSERT INTO person_traits (workspace_id, original_id, key, value, set_at, source)
       VALUES ($1, $2, 'plan', '"hidden value"', now(), 'identify')`,
      [shop.workspaceId, own],
    )
    expect(await found('hidden value')).toEqual([])
  })

  test('looks through so many people for a page, and continues there', async () => {
    const shop = await world.newWorkspace()
    const many = peopleListLimits.examinedMax + 20
    const rows = Array.from({ length: many }, (_, nth) => ({
      workspace_id: shop.workspaceId,
      site_id: shop.siteId,
      ts: iso(ago(1) - nth * 1000)
        .replace('T', ' ')
        .replace('Z', ''),
      received_at: iso(ago(1)).replace('T', ' ').replace('Z', ''),
      event_id: `many-${nth}`,
      name: '$login',
      person_id: `per_${nth.toString(16).padStart(26, '0')}`,
    }))
    const { events } = world.product.deps
    await events.insertRows(
      'events',
      rows.map((row) => ({ ...row, counted: 1 })),
    )
    await events.command(
      `ALTER TABLE events UPDATE person_key = cityHash64(person_id) WHERE workspace_id = {workspaceId:String}
       SETTINGS mutations_sync = 2`,
      { workspaceId: shop.workspaceId },
    )
    const last = rows.at(-1)?.person_id ?? ''
    await world.product.deps.control.query(
      `INSERT INTO person_traits (workspace_id, original_id, key, value, set_at, source)
       VALUES ($1, $2, 'plan', '"rare"', now(), 'identify')`,
      [shop.workspaceId, last],
    )
    const filtered = await pageOf(shop, { filters: [['is', 'trait:plan', ['rare']]] })
    expect(filtered.body).toMatchObject({ data: [{ person_id: last }], next_cursor: null })
    const { body: first } = await pageOf(shop, { search: 'rare' })
    expect(first.data).toEqual([])
    expect(first.next_cursor).not.toBeNull()
    const { body: second } = await pageOf(shop, { search: 'rare' }, first.next_cursor ?? '')
    expect(second.data.map(({ person_id }) => person_id)).toEqual([last])
    expect(second.next_cursor).toBeNull()
  }, 60_000)
})

test('a forgotten person is in no list', async () => {
  const shop = await world.newWorkspace()
  const body = { user_id: 'leaver', traits: { email: 'leaver@example.com' } }
  await shop.call(identify, { body })
  await shop.settle()
  expect(await readAll(shop, { search: 'leaver' })).toHaveLength(1)
  const { body: request } = await shop.call(requestForget, {
    body: { identifiers: [{ type: 'user_id', value: 'leaver' }], regime: 'gdpr' },
  })
  const state = async () => (await shop.call(getSubjectRequest, { params: { id: request.id } })).body.status
  await untilTrue('the forget', async () => (await state()) === 'completed', 60_000)
  for (const search of ['leaver', 'leav', 'leaver@example.com']) {
    expect(await readAll(shop, { search })).toEqual([])
  }
  expect(await readAll(shop, {})).toEqual([])
}, 90_000)

describe('what cannot be asked is refused with a reason', () => {
  test.each([
    ['filters', { filters: '{' }, /JSON/],
    ['filters', { filters: '{"a":1}' }, /list/],
    ['filters[0][0]', { filters: '[["like","trait:plan",["a"]]]' }, /one of is, isNot/],
    ['filters[0][1]', { filters: '[["is","plan",["a"]]]' }, /trait:<name>/],
    ['filters[0][2]', { filters: '[["is","trait:plan",[{}]]]' }, /texts/],
    ['filters[0]', { filters: '[["isSet","trait:plan",1]]' }, /two items/],
    ['site_id', { filters: '[["is","country",["DE"]]]' }, /site_id/],
    ['site_id', { filters: '[["or",[["isSet","trait:a"],["inAudience",["aud_1"]]]]]' }, /site_id/],
    ['columns', { columns: Array.from({ length: 21 }, (_, nth) => `c${nth}`).join() }, /20 traits/],
    ['cursor', { cursor: 'x' }, /next_cursor/],
    ['seen_from', { seen_from: 'yesterday' }, /RFC 3339/],
    ['seen_from', { seen_from: iso(ago(0) - 402 * dayMs) }, /400 days/],
    ['seen_from', { seen_from: '2026-11-09', seen_to: '2026-11-08' }, /before seen_to/],
  ])('%s %j', async (field, query, said) => {
    const shop = await world.newWorkspace()
    const { status, problem } = await shop.call(listPeople, { query })
    expect(status).toBe(422)
    expect(problem).toMatchObject({ errors: [{ field }], detail: expect.stringMatching(said) })
  })

  test('a site of another workspace, a key without the scope', async () => {
    const [shop, other] = [await world.newWorkspace(), await world.newWorkspace()]
    expect((await pageOf(shop, { site_id: other.siteId })).status).toBe(404)
    expect((await (await world.signIn('viewer', shop)).call(listPeople, { query: {} })).status).toBe(403)
  })
})
