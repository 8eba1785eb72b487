import {
  type Board,
  createAnnotation,
  createBoard,
  createGoal,
  createReport,
  createShare,
  type Filter,
  getBoard,
  getGoal,
  getReport,
  getShare,
  getSubjectRequest,
  identify,
  listAnnotations,
  requestForget,
  type Tile,
} from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const mail = 'ada.löwe@example.com'
const place = { x: 0, y: 0, width: 6, height: 4 }

async function forget(shop: TestWorkspace): Promise<void> {
  const body = { identifiers: [{ type: 'user_id', value: 'user-ada' }], regime: 'gdpr' as const }
  const { body: request } = await shop.call(requestForget, { body })
  const state = async () => (await shop.call(getSubjectRequest, { params: { id: request.id } })).body.status
  await untilTrue('the forget', async () => (await state()) === 'completed', 60_000)
}

test('of what members saved, what names a forgotten person goes, and all else stays', async () => {
  const shop = await world.newWorkspace()
  const { siteId } = shop
  await shop.call(identify, { body: { user_id: 'user-ada', traits: { email: mail } } })
  const at = '2026-11-01T10:00:00.000Z'
  for (const text of [`Sale for ${mail}`, 'Sale for all']) {
    await shop.call(createAnnotation, { body: { siteId, at, text, link: 'https://example.com/' } })
  }
  const overview = { siteId, kind: 'overview' as const, description: 'x' }
  const report = async (name: string, question: object) =>
    (await shop.call(createReport, { body: { ...overview, name, question: { ...question } } })).body.id
  const named = await report(`For ${mail.toUpperCase()}`, { window: '7d' })
  const asked = await report('Harmless', { path: `/customers/${mail}` })
  const free = await report('Harmless', { path: '/customers/:id' })
  const quoted = await report('Harmless', { filters: [['is', 'property:customer', [`"${mail}"`]]] })
  const tiles: Tile[] = [
    { ...place, id: 'a', type: 'text', text: `Ask ${mail}` },
    { ...place, id: 'b', type: 'question', kind: 'overview', question: { path: '/user-ada' } },
    { ...place, id: 'c', type: 'text', text: 'Ask someone' },
  ]
  const board = { siteId, name: 'Ours', description: 'All of us', narrowing: { window: '7d' }, tiles }
  const boardOf = async (change: Partial<Board>) =>
    (await shop.call(createBoard, { body: { ...board, ...change } })).body.id
  const [plain, own, filtered] = [
    await boardOf({}),
    await boardOf({ name: `Of ${mail}`, tiles: [] }),
    await boardOf({ narrowing: { filters: [['is', 'page', [`/x/${mail}`]]] } }),
  ]
  const shareOf = async (path: string) =>
    (await shop.call(createShare, { body: { siteId, type: 'overview', narrowing: { path } } })).body.id
  const [gone, staying] = [await shareOf(`/customers/${mail}`), await shareOf('/customers')]

  await forget(shop)

  const { body: list } = await shop.call(listAnnotations, {
    query: { siteId, from: '2026-11-01', to: '2026-11-01' },
  })
  expect(
    list.data.map(({ text, link }) => ({ text, link })).sort((one, two) => one.text.localeCompare(two.text)),
  ).toEqual([
    { text: '', link: null },
    { text: 'Sale for all', link: 'https://example.com/' },
  ])
  const read = (id: string) => shop.call(getReport, { params: { id } })
  expect((await read(named)).body).toMatchObject({
    name: 'Untitled',
    description: '',
    question: { window: '7d' },
  })
  for (const id of [asked, quoted]) expect((await read(id)).status).toBe(404)
  expect((await read(free)).body).toMatchObject({ name: 'Harmless', description: 'x' })
  const see = async (id: string) => (await shop.call(getBoard, { params: { id } })).body
  expect(await see(plain)).toMatchObject({
    name: 'Ours',
    description: 'All of us',
    narrowing: { window: '7d' },
  })
  expect((await see(plain)).tiles).toEqual([tiles[2]])
  expect(await see(own)).toMatchObject({ name: 'Untitled', description: '', narrowing: { window: '7d' } })
  // Without its filters the tiles would show more than was meant.
  expect(await see(filtered)).toMatchObject({ name: 'Ours', narrowing: {}, tiles: [] })
  expect((await shop.call(getShare, { params: { id: gone } })).status).toBe(404)
  expect((await shop.call(getShare, { params: { id: staying } })).status).toBe(200)
}, 90_000)

test('a goal that names a forgotten person goes, and a name alone is emptied', async () => {
  const shop = await world.newWorkspace()
  const { siteId } = shop
  await shop.call(identify, { body: { user_id: 'user-ada', traits: { email: mail } } })
  const goalOf = async (name: string, filters: Filter[]) =>
    (await shop.call(createGoal, { body: { siteId, name, event: 'x', filters } })).body.id
  const ofHer = await goalOf('Bought', [['is', 'property:email', [mail]]])
  const ofAll = await goalOf(`For ${mail}`, [['isSet', 'property:email']])
  await forget(shop)
  expect((await shop.call(getGoal, { params: { id: ofHer } })).status).toBe(404)
  expect((await shop.call(getGoal, { params: { id: ofAll } })).body).toMatchObject({ name: 'Untitled' })
}, 90_000)
