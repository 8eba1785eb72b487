import {
  createGoal,
  createSite,
  deleteGoal,
  type Filter,
  type Goal,
  getGoal,
  getOverview,
  goalLimits,
  listDimensions,
  listGoals,
  queryFunnel,
  runQuery,
  updateGoal,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

const nowMs = Date.UTC(2026, 10, 10, 12)
let world: World
let shop: TestWorkspace
beforeAll(async () => {
  world = await startWorld({ now: () => nowMs })
  shop = await world.newWorkspace()
  const at = (hours: number) => ({ ts: new Date(nowMs - hours * hourMs).toISOString(), historical: true })
  const visits = Array.from({ length: 6 }, (_, nth) => [
    {
      event: '$pageview',
      event_id: `goal-view-${nth}`,
      anonymous_id: `visitor-${nth}`,
      ...at(nth + 2),
      properties: { url: `https://shop.example${nth < 4 ? '/thanks' : '/'}`, title: 'Page' },
    },
    {
      event: 'newsletter_joined',
      event_id: `goal-join-${nth}`,
      anonymous_id: `visitor-${nth}`,
      ...at(nth + 1.9),
      properties: { list: nth % 2 === 0 ? 'weekly' : 'daily' },
    },
  ])
  const purchase = {
    event: '$purchase',
    event_id: 'goal-purchase',
    anonymous_id: 'visitor-0',
    ...at(1),
    properties: { amount: 5, currency: 'EUR', order_id: 'o-1' },
  }
  await shop.send([...visits.flat(), purchase], { outcomes: ['accept', 'warn'] })
})
afterAll(() => world?.close())

type Wanted = Partial<Pick<Goal, 'name' | 'event' | 'page' | 'filters'>>
const make = (wanted: Wanted) =>
  shop.call(createGoal, { body: { siteId: shop.siteId, name: 'Goal', ...wanted } })
const weekly: Filter[] = [['is', 'property:list', ['weekly']]]

async function conversions() {
  const { body: overview } = await shop.call(getOverview, { query: { siteId: shop.siteId } })
  const metrics = ['conversions' as const, 'conversionRate' as const]
  const { body: answer } = await shop.call(runQuery, { body: { siteId: shop.siteId, metrics } })
  expect(answer.totals.metrics.conversions).toBe(overview.metrics.conversions)
  expect(answer.totals.metrics.conversionRate).toBeCloseTo(overview.metrics.conversionRate ?? -1, 9)
  expect(overview.series.reduce((sum, point) => sum + point.conversions, 0)).toBe(
    overview.metrics.conversions,
  )
  return overview.metrics.conversions
}

test('events that reach a goal are conversions, each once, until it is deleted', async () => {
  expect(await conversions()).toBe(1)
  const { status, body: joined } = await make({ event: 'newsletter_joined', filters: weekly })
  expect(status).toBe(201)
  expect(await conversions()).toBe(1 + 3)
  const { body: seen } = await make({ page: '/thanks' })
  expect(seen).toMatchObject({ event: '$pageview', page: '/thanks', filters: [] })
  expect(await conversions()).toBe(1 + 3 + 4)
  const { body: bought } = await make({ event: '$purchase' })
  expect(await conversions()).toBe(1 + 3 + 4)
  await shop.call(updateGoal, { params: { id: joined.id }, body: { filters: [] } })
  expect(await conversions()).toBe(1 + 6 + 4)
  for (const { id } of [joined, seen, bought]) {
    expect((await shop.call(deleteGoal, { params: { id } })).status).toBe(204)
  }
  expect(await conversions()).toBe(1)
})

test('a goal is a metric and a filter, in questions and in every other read', async () => {
  const { body: goal } = await make({ name: 'Weekly', event: 'newsletter_joined', filters: weekly })
  const { siteId } = shop
  const filters: Filter[] = [['reached', [goal.id]]]
  const body = {
    siteId,
    metrics: [
      'visitors' as const,
      { as: 'A', goal: goal.id, math: 'people' as const },
      { as: 'B', goal: goal.id, math: 'distinct' as const, property: 'list' },
    ],
  }
  const { body: all } = await shop.call(runQuery, { body })
  expect(all.totals.metrics).toEqual({ visitors: 6, A: 3, B: 1 })
  const { body: chosen } = await shop.call(runQuery, { body: { ...body, filters } })
  expect(chosen.totals.metrics).toEqual({ visitors: 3, A: 3, B: 1 })
  const query = { siteId, filters: JSON.stringify(filters) }
  expect((await shop.call(getOverview, { query })).body.metrics.visitors).toBe(3)
  const steps = [{ event: '$pageview' }, { event: 'newsletter_joined' }]
  const funnel = await shop.call(queryFunnel, { body: { siteId, steps, filters } })
  expect(funnel.body.steps.map(({ entered }) => entered)).toEqual([3, 3])
  const { body: known } = await shop.call(listDimensions, { query: { siteId } })
  expect(known.goals).toEqual([{ id: goal.id, name: 'Weekly' }])
  await shop.call(deleteGoal, { params: { id: goal.id } })
  expect((await shop.call(runQuery, { body })).status).toBe(404)
  expect((await shop.call(getOverview, { query })).status).toBe(404)
})

test.each(['constructor', '__proto__', 'toString', 'goal_none'])('%s is no goal', async (id) => {
  const { siteId } = shop
  const metric = { as: 'A', goal: id, math: 'count' as const }
  expect((await shop.call(runQuery, { body: { siteId, metrics: [metric] } })).status).toBe(404)
  const filters: Filter[] = [['not', ['reached', [id]]]]
  const visitors = { siteId, metrics: ['visitors' as const], filters }
  expect((await shop.call(runQuery, { body: visitors })).status).toBe(404)
  const query = { siteId, filters: JSON.stringify(filters) }
  expect((await shop.call(getOverview, { query })).status).toBe(404)
})

test('goals are listed by site, page by page, and are of one workspace and one site', async () => {
  const own = await world.newWorkspace()
  const { body: second } = await own.call(createSite, { body: { name: 'Second', domain: 'second.example' } })
  const made: string[] = []
  for (const siteId of [own.siteId, own.siteId, second.id]) {
    made.push((await own.call(createGoal, { body: { siteId, name: ' Two ', event: '$signup' } })).body.id)
  }
  const { body: first } = await own.call(listGoals, { query: { siteId: own.siteId, limit: 1 } })
  const { body: rest } = await own.call(listGoals, { query: { cursor: first.nextCursor ?? '' } })
  expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(made.toSorted())
  expect(first.data[0]).toMatchObject({ name: 'Two', siteId: own.siteId })
  const params = { id: made[2] ?? '' }
  const asked = {
    siteId: own.siteId,
    metrics: [{ as: 'A', goal: params.id, math: 'count' as const }],
  }
  expect((await own.call(runQuery, { body: asked })).status).toBe(404)
  expect((await shop.call(getGoal, { params })).status).toBe(404)
  expect((await shop.call(deleteGoal, { params })).status).toBe(404)
  expect((await own.call(getGoal, { params })).status).toBe(200)
})

describe('refused is', () => {
  test.each([
    ['neither event nor page', {}, 'event'],
    ['a name of spaces', { name: ' ', event: 'x' }, 'name'],
    ['what asks about people', { event: 'x', filters: [['inAudience', ['aud_1']]] }, 'filters[0]'],
    ['what people did', { event: 'x', filters: [['did', { event: 'y' }]] }, 'filters[0][1]'],
    ['a page of the visit', { event: 'x', filters: [['is', 'entryPage', ['/']]] }, 'filters'],
    ['another goal', { event: 'x', filters: [['not', ['reached', ['goal_1']]]] }, 'filters'],
    ['an unknown dimension', { event: 'x', filters: [['is', 'nowhere', ['x']]] }, 'filters[0][1]'],
    [
      'too many conditions',
      { event: 'x', filters: Array.from({ length: goalLimits.conditionsMax + 1 }, () => ['isSet', 'page']) },
      'filters',
    ],
  ])('%s', async (_, wanted, field) => {
    // boundary: also what no type allows.
    const refused = await make(wanted as Wanted)
    expect(refused.problem).toMatchObject({ status: 422, errors: [{ field }] })
  })

  test('one more than a site may have', async () => {
    const own = await world.newWorkspace()
    await world.product.deps.control.query(
      `INSERT INTO goals (workspace_id, id, site_id, name, event, page, filters, owner, created_at, updated_at)
       SELECT $1, 'goal_' || lpad(nth::text, 26, '0'), $2, 'x', 'x', NULL, '[]', 'x', now(), now()
       FROM generate_series(1, $3) AS nth`,
      [own.workspaceId, own.siteId, goalLimits.goalsMax],
    )
    const body = { siteId: own.siteId, name: 'x', event: 'x' }
    expect((await own.call(createGoal, { body })).status).toBe(409)
    const { status } = await own.call(getOverview, { query: { siteId: own.siteId } })
    expect(status).toBe(200)
  })
})
