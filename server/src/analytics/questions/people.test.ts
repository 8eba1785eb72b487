import {
  createAudience,
  createReport,
  getOverview,
  getReportResult,
  identify,
  listDimensions,
  listValues,
  mintApiKey,
  type Question,
  runQuery,
} from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PeopleSet, rowsOfSet } from '../../store/filters/people-sets.ts'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

const nowMs = Date.parse('2026-11-15T12:00:00Z')
let world: World
let club: TestWorkspace

const visit = (person: number, event: string, properties: object) => ({
  event,
  anonymous_id: `a${person}`,
  session_id: `s${person}`,
  ts: `2026-11-1${person}T10:00:00Z`,
  historical: true,
  properties,
})

beforeAll(async () => {
  world = await startWorld({ now: () => nowMs })
  club = await world.newWorkspace()
  const page = { url: 'https://club.example/', title: 'Page' }
  const order = { amount: 5, currency: 'EUR', order_id: 'o1' }
  const views = [0, 1, 2, 3].map((person) => visit(person, '$pageview', page))
  await club.send([...views, visit(1, '$purchase', order)])
  for (const [person, traits] of [
    [0, { plan: 'pro', seats: 3 }],
    [1, { plan: 'pro', seats: 12, tags: ['a'] }],
    [2, { plan: 'free' }],
  ] as const) {
    const body = { anonymous_id: `a${person}`, user_id: `u${person}`, traits }
    expect((await club.call(identify, { body })).status).toBe(200)
  }
  await club.settle()
  const rules = { all: [{ field: 'orders', op: 'gte' as const, value: 1 }] }
  for (const name of ['Buyers', 'Customers']) {
    await club.call(createAudience, { body: { siteId: club.siteId, name, rules } })
  }
}, 120_000)
afterAll(() => world?.close())

const question = (members: Partial<Question>) => ({
  siteId: club.siteId,
  window: '30d',
  metrics: ['visitors' as const],
  ...members,
})
const rowsOf = async (members: Partial<Question>) => {
  const { status, body } = await club.call(runQuery, { body: question(members) })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.rows.map(({ dimensions, metrics }) => [...dimensions, ...Object.values(metrics)])
}

test('people are grouped and chosen by their traits, and nothing of that stays in the store', async () => {
  expect(await rowsOf({ dimensions: ['trait:plan'] })).toEqual([
    ['pro', 2],
    [null, 1],
    ['free', 1],
  ])
  const some = { dimensions: ['trait:plan'], filters: [['gte', 'trait:seats', 4] as const] }
  expect(await rowsOf(some)).toEqual([['pro', 1]])
  expect(await rowsOf({ filters: [['isNot', 'trait:plan', ['pro']]] })).toEqual([[2]])
  expect(await rowsOf({ filters: [['contains', 'trait:tags', ['"A"']]] })).toEqual([[1]])
  expect(await rowsOf({ filters: [['is', 'trait:constructor', ['x']]] })).toEqual([[0]])
  const filters = JSON.stringify([['is', 'trait:plan', ['pro']]])
  const overview = await club.call(getOverview, { query: { siteId: club.siteId, window: '30d', filters } })
  expect(overview.body.metrics.visitors).toBe(2)
  expect(await world.product.deps.events.query('SELECT 1 FROM audience_sets LIMIT 1')).toEqual([])
})

test('a statement that fails leaves no set of people behind', async () => {
  const { events } = world.product.deps
  const set = new PeopleSet(club.workspaceId, async function* () {
    yield [{ personId: 'per_1', value: 'pro', isText: true }]
    yield [{ personId: 'per_2' }]
  })
  const found = await events.query(`SELECT count() AS people FROM ${rowsOfSet('{set:String}')}`, { set })
  expect(found).toEqual([{ people: expect.anything() }])
  expect(Number(found[0]?.people)).toBe(2)
  await expect(events.query('SELECT {set:String} FROM no_such_table', { set })).rejects.toThrow()
  expect(await events.query('SELECT 1 FROM audience_sets LIMIT 1')).toEqual([])
})

test('who is in two audiences is in the row of each, and once in the total', async () => {
  const { body } = await club.call(runQuery, {
    body: question({ dimensions: ['audience'], metrics: ['visitors', 'events'] }),
  })
  expect(body.metrics.map(({ isAdditive }) => isAdditive)).toEqual([false, false])
  expect(body.rows.map(({ dimensions, metrics }) => [...dimensions, metrics.visitors])).toEqual([
    [null, 3],
    ['Buyers', 1],
    ['Customers', 1],
  ])
  expect(body.totals.metrics.visitors).toBe(4)
  expect(await rowsOf({ filters: [['contains', 'audience', ['buy']]] })).toEqual([[1]])
  expect(await rowsOf({ filters: [['isNotSet', 'audience']] })).toEqual([[3]])
})

test('traits and audiences are suggested, with their values', async () => {
  const { body } = await club.call(listDimensions, { query: { siteId: club.siteId } })
  expect(body.traits).toContainEqual({ name: 'trait:plan', types: ['string'] })
  expect(body.audiences.map(({ name }) => name)).toEqual(['Buyers', 'Customers'])
  const valuesOf = async (dimension: string, search = '') => {
    const { values } = (await club.call(listValues, { query: { siteId: club.siteId, dimension, search } }))
      .body
    return values.map(({ value }) => value)
  }
  expect(await valuesOf('trait:plan')).toEqual(['pro', 'free'])
  expect(await valuesOf('audience', 'CUST')).toEqual(['Customers'])
})

test('traits of another workspace are not known', async () => {
  const other = await world.newWorkspace()
  await other.send([visit(0, '$pageview', { url: 'https://other.example/', title: 'Page' })])
  await other.settle()
  const asked = { ...question({ dimensions: ['trait:plan'] }), siteId: other.siteId }
  const { body } = await other.call(runQuery, { body: asked })
  expect(body.rows.map(({ dimensions }) => dimensions)).toEqual([[null]])
  const { body: suggested } = await other.call(listDimensions, { query: { siteId: other.siteId } })
  expect(suggested.traits).toEqual([])
})

test('asking by traits takes the scope for people, however it is written', async () => {
  const mint = { kind: 'secret' as const, name: 'Reports', scopes: ['analytics:read' as const] }
  const { key } = (await club.call(mintApiKey, { body: mint })).body
  const asked = async (members: Partial<Question>) =>
    (await club.call(runQuery, { body: question(members) }, { key })).status
  expect(await asked({})).toBe(200)
  expect(await asked({ dimensions: ['trait:plan'] })).toBe(403)
  expect(await asked({ filters: [['not', ['is', 'trait:plan', ['pro']]]] })).toBe(403)
  const { siteId } = club
  const filters = '[["is","\\u0074rait:plan",["pro"]]]'
  expect((await club.call(getOverview, { query: { siteId, filters } }, { key })).status).toBe(403)
  const values = { query: { siteId, dimension: 'trait:plan' } }
  expect((await club.call(listValues, values, { key })).status).toBe(403)
  const { body } = await club.call(listDimensions, { query: { siteId } }, { key })
  expect(body.traits).toEqual([])
  const { siteId: _site, ...saved } = question({ dimensions: ['trait:plan'] })
  const report = { siteId, kind: 'query' as const, name: 'Plans', question: saved }
  const { body: made } = await club.call(createReport, { body: report })
  const result = (query: object) => club.call(getReportResult, { params: { id: made.id }, query }, { key })
  expect((await result({})).status).toBe(200)
  expect((await result({ filters })).status).toBe(403)
})

test('a question names five traits at most, and single events are not asked for them', async () => {
  const filters = Array.from({ length: 6 }, (_, index) => ['isSet', `trait:t${index}`] as const)
  const many = await club.call(runQuery, { body: question({ filters }) })
  expect(many).toMatchObject({ status: 422, body: { errors: [{ field: 'filters[5][1]' }] } })
  const where = [['is', 'trait:plan', ['pro']] as const]
  const metrics = [{ as: 'A', event: '$pageview', math: 'count' as const, where }]
  const single = await club.call(runQuery, { body: question({ metrics }) })
  expect(single).toMatchObject({ status: 422, body: { errors: [{ field: 'metrics[0].where[0][1]' }] } })
})
