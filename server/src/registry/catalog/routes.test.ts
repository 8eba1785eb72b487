import {
  archiveContract,
  createDefinition,
  createSite,
  type ElementMatch,
  elementMatchesMax,
  getCatalog,
  listDefinitions,
  sdkConfig,
  track,
  updateDefinition,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'
import { selectorProblem } from './elements.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

async function wholeCatalog(workspace: TestWorkspace, query: object = {}) {
  const { body } = await workspace.call(getCatalog, { query: { limit: 200, ...query } })
  return body.data
}

describe('the catalog', () => {
  test('lists the 18 standard events with their properties, and pages without gaps', async () => {
    const standard = await wholeCatalog(shop, { source: 'standard' })
    expect(standard).toHaveLength(18)
    expect(standard.find((event) => event.name === '$purchase')).toMatchObject({
      category: 'Revenue',
      requiredProperties: [
        { name: 'amount', type: 'number' },
        { name: 'currency', type: 'string' },
      ],
      needsReview: false,
      volume: 0,
      lastSeenAt: null,
    })
    const first = (await shop.call(getCatalog, { query: { source: 'standard', limit: 10 } })).body
    const cursor = first.nextCursor ?? ''
    const second = (await shop.call(getCatalog, { query: { source: 'standard', limit: 10, cursor } })).body
    expect([...first.data, ...second.data].map((event) => event.name)).toEqual(
      standard.map((event) => event.name),
    )
    expect(second.nextCursor).toBeNull()
  })

  test('shows undefined events that arrive, until they are defined', async () => {
    const workspace = await world.newWorkspace()
    await workspace.call(track, {
      body: { event: 'report_exported', user_id: 'u', properties: { format: 'pdf' } },
    })
    await workspace.call(track, { body: { event: '$login', user_id: 'u', properties: { method: 'x' } } })
    await workspace.settle()
    const before = await wholeCatalog(workspace)
    expect(before.find((event) => event.name === 'report_exported')).toMatchObject({
      source: 'observed',
      needsReview: true,
      volume: 1,
    })
    expect(before.find((event) => event.name === '$login')).toMatchObject({ volume: 1, needsReview: false })
    const properties = { format: { type: 'string', required: true } } as const
    const defined = await workspace.call(createDefinition, {
      body: { name: 'report_exported', description: 'A report left the product', properties },
    })
    expect(defined.status).toBe(201)
    expect(defined.body).toMatchObject({ name: 'report_exported', version: '1-0-0', status: 'published' })
    const sent = await workspace.call(track, {
      body: { event: 'report_exported', user_id: 'u', properties: { format: 'csv' } },
    })
    expect(sent.body.outcome).toBe('accept')
    const after = await wholeCatalog(workspace, { source: 'custom' })
    expect(after).toMatchObject([{ name: 'report_exported', requiredProperties: [{ name: 'format' }] }])
  })

  test('of a site that is not ours is not found', async () => {
    const other = await world.newWorkspace()
    expect((await shop.call(getCatalog, { query: { siteId: other.siteId } })).status).toBe(404)
  })
})

describe('a definition', () => {
  test.each([
    { name: '$mine', status: 422, type: 'reserved-name' },
    { name: 'Not Snake', status: 422, type: 'invalid-parameter' },
    { name: 'purchase', status: 409, type: 'conflict' },
    { name: 'error', status: 409, type: 'conflict' },
  ])('called $name is refused as $type', async ({ name, status, type }) => {
    const answer = await shop.call(createDefinition, { body: { name } })
    expect(answer.status).toBe(status)
    expect(answer.problem.type).toContain(type)
  })

  test('with half of a surrogate pair in a text is kept with its replacement, and with NUL is refused', async () => {
    const { status, body } = await shop.call(createDefinition, {
      body: { name: 'half_told', description: 'a\udc00' },
    })
    expect([status, body.description]).toEqual([201, 'a\ufffd'])
    expect((await wholeCatalog(shop, { source: 'custom' })).map(({ name }) => name)).toContain('half_told')
    const nul = await shop.call(createDefinition, { body: { name: 'nul_told', description: 'a\0' } })
    expect([nul.status, nul.problem.errors?.[0]?.field]).toEqual([422, 'description'])
  })

  test('of a name that is taken is a conflict', async () => {
    expect((await shop.call(createDefinition, { body: { name: 'tile_opened' } })).status).toBe(201)
    expect((await shop.call(createDefinition, { body: { name: 'tile_opened' } })).status).toBe(409)
  })

  test('needs a key that may write', async () => {
    const answer = await shop.call(createDefinition, { body: { name: 'tile_shut' } }, { key: shop.keys.test })
    expect(answer.status).toBe(403)
  })
})

describe('a definition that comes from an element', () => {
  const match: ElementMatch = { page: '/pricing', selector: 'button[data-plan="team"]', on: 'click' }
  const configOf = (workspace: TestWorkspace, headers = {}) =>
    workspace.call(sdkConfig, { query: {} }, { key: workspace.keys.public, headers })

  test('is sent to the browser of its site, with a tag that changes when the definitions do', async () => {
    const ours = await world.newWorkspace()
    const before = await configOf(ours)
    expect(before.body).toEqual({ site_id: ours.siteId, definitions: [] })
    const made = await ours.call(createDefinition, { body: { name: 'plan_chosen', match } })
    expect(made.body).toMatchObject({ match, siteId: null, status: 'published' })
    const after = await configOf(ours, { 'if-none-match': before.headers.get('etag') ?? '' })
    expect(after.status).toBe(200)
    expect(after.body.definitions).toEqual([{ event: 'plan_chosen', match }])
    expect(after.headers.get('cache-control')).toBe('private, max-age=300')
    const again = await configOf(ours, { 'if-none-match': after.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    const sent = await ours.call(
      track,
      { body: { event: 'plan_chosen', anonymous_id: 'a1', properties: { text: 'Team' } } },
      { key: ours.keys.public },
    )
    expect(sent.body.outcome).toBe('accept')
  })

  test('acts on one site alone when it says so, and on none once it is archived or its element is taken off', async () => {
    const ours = await world.newWorkspace()
    const site = (await ours.call(createSite, { body: { name: 'Blog', domain: 'blog.example' } })).body
    const onlyThere = {
      name: 'post_shared',
      match: { page: '/posts/*', text: 'Share', on: 'click' },
      siteId: site.id,
    } as const
    await ours.call(createDefinition, { body: onlyThere })
    await ours.call(createDefinition, { body: { name: 'plan_chosen', match } })
    await ours.call(createDefinition, { body: { name: 'form_seen', match: { page: '/*', on: 'view' } } })
    const there = await ours.call(sdkConfig, { query: { site_id: site.id } }, { key: ours.keys.secret })
    expect(there.body.definitions.map(({ event }) => event)).toEqual([
      'form_seen',
      'plan_chosen',
      'post_shared',
    ])
    expect((await configOf(ours)).body.definitions.map(({ event }) => event)).toEqual([
      'form_seen',
      'plan_chosen',
    ])
    await ours.call(archiveContract, { params: { key: 'plan_chosen' } })
    const taken = await ours.call(updateDefinition, { params: { id: 'form_seen' }, body: { match: null } })
    expect(taken.body).toMatchObject({ name: 'form_seen', match: null })
    expect((await configOf(ours)).body.definitions).toEqual([])
    const listed = await ours.call(listDefinitions, { query: { limit: 2 } })
    expect(listed.body.data).toMatchObject([
      { name: 'form_seen', match: null },
      { name: 'plan_chosen', match, status: 'archived' },
    ])
    const rest = await ours.call(listDefinitions, { query: { cursor: listed.body.nextCursor ?? '' } })
    expect(rest.body).toMatchObject({ data: [onlyThere], nextCursor: null })
  })

  test.each([
    [{ page: '/a', on: 'click' }, 'match'],
    [{ page: '/a?b=1', selector: 'a', on: 'click' }, 'match.page'],
    [{ page: '/a', selector: 'a[href', on: 'click' }, 'match.selector'],
    [{ page: '/a', text: ' ', on: 'submit' }, 'match.text'],
  ] as const)('is refused where nothing could ever be found: %j', async (bad, field) => {
    const answer = await shop.call(createDefinition, { body: { name: 'never_made', match: bad } })
    expect(answer.status).toBe(422)
    expect(answer.problem.errors).toMatchObject([{ field }])
    const listed = await shop.call(listDefinitions, { query: { limit: 200 } })
    expect(listed.body.data.map(({ name }) => name)).not.toContain('never_made')
  })

  test('cannot require a property that no element brings', async () => {
    const properties = { plan: { type: 'string', required: true } } as const
    const answer = await shop.call(createDefinition, { body: { name: 'never_made', match, properties } })
    expect(answer.problem.errors).toMatchObject([{ field: 'properties.plan' }])
  })

  test('is one of two hundred at most', async () => {
    const full = await world.newWorkspace()
    const { control } = world.product.deps
    await control.query(
      `INSERT INTO element_matches (workspace_id, key, match)
       SELECT $1, 'made_' || n, $2::json FROM generate_series(1, $3) AS n`,
      [full.workspaceId, JSON.stringify(match), elementMatchesMax],
    )
    const answer = await full.call(createDefinition, { body: { name: 'one_more', match } })
    expect(answer.status).toBe(409)
  })

  test.each([
    ['#buy', null],
    ['a[href="/x)"] > span:not(.y)', null],
    ['.a\\:b', null],
    ['a)', 'has a ) too many'],
    ['a:not(.b', 'lacks a closing )'],
    ['a[title="x]', 'lacks a closing "'],
    ['a { color: red }', 'must be one CSS selector, without { } < ; and control characters'],
  ])('names its element by a selector that a browser can take: %s', (selector, problem) => {
    expect(selectorProblem(selector)).toBe(problem)
  })
})
