import {
  type Board,
  boardLimits,
  createBoard,
  createReport,
  createSite,
  deleteBoard,
  deleteReport,
  duplicateBoard,
  getBoard,
  getOverview,
  getTileResult,
  listBoards,
  type Tile,
  updateBoard,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace, undated, type World } from '../testing/harness.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
let world: World
let shop: TestWorkspace
let reportId: string

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
  shop = await world.newWorkspace()
  const events = Array.from({ length: 10 }, (_, nth) => ({
    event: nth % 3 === 0 ? '$purchase' : '$pageview',
    event_id: `board-${nth}`,
    anonymous_id: `visitor-${nth}`,
    ts: new Date(clock.ms - nth * 11 * hourMs - hourMs).toISOString(),
    historical: true,
    properties:
      nth % 3 === 0
        ? { amount: 5, currency: 'EUR', order_id: `o-${nth}` }
        : { url: `https://shop.example${nth % 2 === 0 ? '/cart' : '/blog'}`, title: 'Page' },
  }))
  await shop.send(events, { outcomes: ['accept', 'warn'] })
  const report = { siteId: shop.siteId, kind: 'overview' as const, name: 'Week', question: { window: '7d' } }
  reportId = (await shop.call(createReport, { body: report })).body.id
})
afterAll(() => world?.close())

const place = { x: 0, y: 0, width: 6, height: 4 }
const reportTile = (): Tile => ({ ...place, id: 'report', type: 'report', reportId })
const questionTile: Tile = {
  ...place,
  x: 6,
  id: 'question',
  type: 'question',
  kind: 'overview',
  question: { window: '30d', path: '/cart' },
}
const textTile: Tile = { ...place, y: 4, id: 'text', type: 'text', text: 'What to look at' }
const make = (body: Partial<Pick<Board, 'name' | 'narrowing' | 'tiles'>> = {}) =>
  shop.call(createBoard, { body: { siteId: shop.siteId, name: 'Ours', ...body } })
const resultOf = (id: string, tile: string, query = {}) =>
  shop.call(getTileResult, { params: { id, tile }, query })

async function overviewOf(query: object) {
  const { body } = await shop.call(getOverview, { query: { siteId: shop.siteId, ...query } })
  const { dataUntil: _until, pendingEvents: _pending, ...overview } = body
  return undated(overview)
}

describe('tiles', () => {
  test('answer with the period and filters of their board, and then of the request', async () => {
    const tiles = [reportTile(), questionTile, textTile]
    const { body: plain } = await make({ tiles })
    expect(plain.tiles).toEqual(tiles)
    expect(undated((await resultOf(plain.id, 'report')).body.result)).toEqual(
      await overviewOf({ window: '7d' }),
    )
    const { body: board } = await make({ tiles, narrowing: { window: '2d', device: 'desktop' } })
    const asked = { window: '2d', device: 'desktop' }
    const { body: narrow } = await resultOf(board.id, 'question')
    expect(narrow.question).toEqual({
      path: '/cart',
      window: '2d',
      filters: [['is', 'device', ['desktop']]],
    })
    expect(undated(narrow.result)).toEqual(await overviewOf({ path: '/cart', ...asked }))
    const later = { from: '2026-11-08', to: '2026-11-09', path: '/blog' }
    const { body: chosen } = await resultOf(board.id, 'question', later)
    const { path: _, ...period } = later
    const both = [
      ['is', 'device', ['desktop']],
      ['is', 'page', ['/blog']],
    ]
    expect(chosen.question).toEqual({ path: '/cart', ...period, filters: both })
    const { metrics } = await overviewOf({ ...period, path: '/cart', filters: JSON.stringify(both) })
    expect(chosen.result).toMatchObject({ metrics })
    expect((await resultOf(board.id, 'text')).status).toBe(404)
    expect((await resultOf(board.id, 'none')).status).toBe(404)
    expect((await resultOf(board.id, 'report', { window: '500d' })).status).toBe(422)
  })

  test('keep the view of their question, and take that of their report', async () => {
    const asked = { kind: 'query' as const, question: { metrics: ['visitors'], dimensions: ['time:day'] } }
    const { body: report } = await shop.call(createReport, {
      body: { siteId: shop.siteId, name: 'Bars', ...asked, view: 'bars' },
    })
    const { body: board } = await make({
      tiles: [
        { ...place, id: 'question', type: 'question', ...asked, view: 'stacked' },
        { ...place, id: 'report', type: 'report', reportId: report.id },
      ],
    })
    expect((await resultOf(board.id, 'question')).body.view).toBe('stacked')
    expect((await resultOf(board.id, 'report')).body.view).toBe('bars')
  })

  test.each([
    ['two with one id', () => [questionTile, questionTile], 'tiles[1].id'],
    ['one beyond the grid', () => [{ ...questionTile, x: 7 }], 'tiles[0].width'],
    ['a view of what has one look', () => [{ ...questionTile, view: 'bars' as const }], 'tiles[0].view'],
    [
      'a question that its route refuses',
      () => [{ ...questionTile, question: { steps: [] } }],
      'question.steps',
    ],
  ])('are refused: %s', async (_, tiles, field) => {
    const refused = await make({ tiles: tiles() })
    expect(refused.problem).toMatchObject({ status: 422, errors: [{ field }] })
  })

  test('are refused of a report that is elsewhere, or more than a board may have', async () => {
    const { body: second } = await shop.call(createSite, {
      body: { name: 'Second', domain: 'second.example' },
    })
    const body = { siteId: second.id, name: 'x', tiles: [reportTile()] }
    expect((await shop.call(createBoard, { body })).status).toBe(422)
    const other = await world.newWorkspace()
    expect((await other.call(createBoard, { body: { ...body, siteId: other.siteId } })).status).toBe(404)
    const many = Array.from({ length: boardLimits.tilesMax + 1 }, (_, nth) => ({
      ...textTile,
      id: `t${nth}`,
    }))
    expect((await make({ tiles: many.slice(1) })).status).toBe(201)
    expect((await make({ tiles: many })).status).toBe(422)
  })
})

test('a board is listed, changed, duplicated and deleted; a copy leaves out what is gone', async () => {
  const own = await world.newWorkspace()
  const report = { siteId: own.siteId, kind: 'overview' as const, name: 'x', question: {} }
  const { body: gone } = await own.call(createReport, { body: report })
  const tiles: Tile[] = [{ ...place, id: 'gone', type: 'report', reportId: gone.id }, questionTile]
  const body = { siteId: own.siteId, name: 'One', tiles, narrowing: { window: '7d' } }
  const { body: made } = await own.call(createBoard, { body })
  const params = { id: made.id }
  const changed = await own.call(updateBoard, { params, body: { name: 'Two', narrowing: { window: '14d' } } })
  expect(changed.body).toEqual({ ...made, name: 'Two', narrowing: { window: '14d' } })
  expect((await own.call(updateBoard, { params, body: { narrowing: { window: '999d' } } })).status).toBe(422)
  await own.call(deleteReport, { params: { id: gone.id } })
  const copy = await own.call(duplicateBoard, { params, body: {} })
  expect(copy.status).toBe(201)
  expect(copy.body).toMatchObject({ name: 'Two (copy)', narrowing: { window: '14d' }, tiles: [questionTile] })
  const { body: list } = await own.call(listBoards, { query: { siteId: own.siteId, limit: 1 } })
  const { body: rest } = await own.call(listBoards, { query: { limit: 5, cursor: list.nextCursor ?? '' } })
  expect([...list.data, ...rest.data].map(({ id }) => id)).toEqual([made.id, copy.body.id].sort())
  expect((await own.call(deleteBoard, { params })).status).toBe(204)
  for (const away of [getBoard, deleteBoard]) expect((await own.call(away, { params })).status).toBe(404)
  expect((await shop.call(getBoard, { params: { id: copy.body.id } })).status).toBe(404)
})

describe('ready boards', () => {
  test('are there for every site, and every tile of them answers', async () => {
    const { body } = await shop.call(listBoards, { query: { siteId: shop.siteId } })
    expect(body.ready.map(({ name }) => name)).toEqual(['Traffic', 'Product', 'Revenue'])
    for (const board of body.ready) {
      expect((await shop.call(getBoard, { params: { id: board.id } })).body).toEqual(board)
      for (const { id } of board.tiles) {
        expect((await resultOf(board.id, id)).status, `${board.name} ${id}`).toBe(200)
        expect((await resultOf(board.id, id, { window: '7d' })).status).toBe(200)
      }
    }
    expect((await shop.call(listBoards, { query: {} })).body.ready).toEqual([])
  })

  test('cannot be changed but duplicated, and a copy can be', async () => {
    const params = { id: `revenue.${shop.siteId}` }
    expect((await shop.call(updateBoard, { params, body: { name: 'Mine' } })).status).toBe(409)
    expect((await shop.call(deleteBoard, { params })).status).toBe(409)
    const { status, body: copy } = await shop.call(duplicateBoard, { params, body: { name: 'Mine' } })
    expect(status).toBe(201)
    expect(copy).toMatchObject({ name: 'Mine', isReady: false, siteId: shop.siteId })
    const changed = await shop.call(updateBoard, { params: { id: copy.id }, body: { tiles: [] } })
    expect(changed.body.tiles).toEqual([])
  })

  test('of another workspace or of another name are not there', async () => {
    const other = await world.newWorkspace()
    for (const id of [
      `traffic.${other.siteId}`,
      `sales.${shop.siteId}`,
      'traffic.',
      'traffic',
      `traffic.${shop.siteId}.x`,
    ]) {
      expect((await shop.call(getBoard, { params: { id } })).status, id).toBe(404)
    }
  })
})

test('a site has so many boards at most', async () => {
  const own = await world.newWorkspace()
  await world.product.deps.control.query(
    `INSERT INTO boards (workspace_id, id, site_id, name, description, narrowing, tiles, owner, created_at, updated_at)
     SELECT $1, 'brd_' || lpad(nth::text, 26, '0'), $2, 'x', '', '{}', '[]', 'x', now(), now()
     FROM generate_series(1, $3) AS nth`,
    [own.workspaceId, own.siteId, boardLimits.boardsMax],
  )
  expect((await own.call(createBoard, { body: { siteId: own.siteId, name: 'x' } })).status).toBe(409)
  const params = { id: `traffic.${own.siteId}` }
  expect((await own.call(duplicateBoard, { params, body: {} })).status).toBe(409)
})
