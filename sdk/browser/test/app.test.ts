import { createContract } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleApp } from '../../../scripts/packages/app-entries.ts'
import { startWorld, type TestWorkspace, type World } from '../../../server/src/testing/harness.ts'
import { ModeledPhone } from './testing/modeled-phone.ts'

let world: World
let ours: TestWorkspace
beforeAll(async () => {
  world = await startWorld({ config: { ingestEventsPerSecond: 1_000_000 } })
})
afterAll(() => world?.close())

type Options = ConstructorParameters<typeof ModeledPhone>[2]

async function phoneWith(options: Options = {}): Promise<ModeledPhone> {
  ours = await world.newWorkspace()
  await ours.call(createContract, {
    body: { key: 'card_moved', status: 'published', properties: { nth: { type: 'number', required: true } } },
  })
  return new ModeledPhone(world.product.url, ours.keys.public, options)
}

type Row = {
  name: string
  rows: number
  people: number
  sessions: number
  path: string
  user: string
  hours: number
}

async function stored(): Promise<Record<string, Omit<Row, 'name'>>> {
  await ours.settle()
  const rows = await world.product.deps.events.query<Row>(
    `SELECT name, toInt32(count()) AS rows, toInt32(uniqExact(person_key)) AS people, any(path) AS path,
       toInt32(uniqExact(session_id)) AS sessions, max(user_id) AS user,
       toInt32(dateDiff('hour', max(ts), now())) AS hours
     FROM events WHERE workspace_id = {id:String} GROUP BY name`,
    { id: ours.workspaceId },
  )
  return Object.fromEntries(rows.map(({ name, ...row }) => [name, row]))
}

const paths = ({ requests }: ModeledPhone) => requests.map(({ path }) => path)
const hourMs = 3_600_000

test('screens, events, people and groups of an app arrive, in one session', async () => {
  const phone = await phoneWith()
  const { client } = phone
  client.screen('Cart')
  client.track('card_moved', { nth: 1 })
  client.identify('u_1', { plan: 'pro' })
  client.track('card_moved', { nth: 2 })
  client.group('acme', { plan: 'team' })
  client.error(new Error('out of stock'))
  expect(await client.flush()).toMatchObject({ dropped: 0 })
  expect(client.queued()).toBe(0)
  expect(client.losses()).toEqual({})
  expect(await stored()).toMatchObject({
    $pageview: { rows: 1, path: '/Cart' },
    card_moved: { rows: 2, sessions: 1, path: '/Cart', user: 'u_1' },
    $session_start: { rows: 1 },
    group: { rows: 1 },
    error: { rows: 1 },
  })
})

test('a second start is the same visitor; a reset is another', async () => {
  const phone = await phoneWith()
  await phone.client.flush()
  phone.client.track('card_moved', { nth: 1 })
  await phone.client.flush()
  await phone.settle(20)
  const first = phone.client.ids()
  phone.kill()
  await phone.client.flush()
  expect(phone.client.ids()).toEqual(first)
  phone.client.reset()
  phone.client.track('card_moved', { nth: 2 })
  await phone.client.flush()
  expect(phone.client.ids()?.anonymous_id).not.toBe(first?.anonymous_id)
  expect(await stored()).toMatchObject({ card_moved: { rows: 2, people: 2, sessions: 2 } })
})

test('a new session begins after half an hour, when the app comes to the front', async () => {
  let now = Date.now() - 5 * hourMs
  const phone = await phoneWith({ now: () => now })
  phone.client.screen('Home')
  await phone.client.flush()
  phone.changeState('background')
  now += 10 * 60_000
  phone.changeState('active')
  phone.client.screen('Home')
  now += hourMs
  phone.changeState('active')
  await phone.client.flush()
  expect(await stored()).toMatchObject({
    $session_start: { rows: 2 },
    $session_end: { rows: 1 },
    $pageview: { rows: 2, sessions: 1 },
  })
})

test('what waited offline for a week arrives with its own time', async () => {
  let now = Date.now() - (7 * 24 - 1) * hourMs
  const phone = await phoneWith({ now: () => now })
  phone.network = 'offline'
  for (let nth = 0; nth < 150; nth += 1) phone.client.track('card_moved', { nth })
  await phone.client.flush()
  await phone.settle(20)
  phone.kill()
  now = Date.now()
  phone.network = 'good'
  await phone.client.flush()
  expect(await stored()).toMatchObject({ card_moved: { rows: 150, hours: 7 * 24 - 1 } })
})

describe('consent', () => {
  test('until it is given nothing is stored or sent; then the consent goes first', async () => {
    const phone = await phoneWith({ consent: 'denied' })
    phone.client.track('card_moved', { nth: 1 })
    await phone.client.flush()
    await phone.settle(20)
    expect([phone.requests, phone.stored.size, phone.client.ids()]).toEqual([[], 0, undefined])
    phone.client.consent('granted')
    await phone.client.flush()
    expect(paths(phone)).toEqual(['/v1/consent', '/v1/batch'])
    expect(await stored()).toMatchObject({ card_moved: { rows: 1 } })
  })

  test('a refusal is all that is stored, and holds after a restart', async () => {
    const phone = await phoneWith({ consent: 'denied' })
    phone.client.track('card_moved', { nth: 1 })
    phone.client.consent('denied')
    await phone.client.flush()
    await phone.settle(20)
    phone.kill()
    phone.client.track('card_moved', { nth: 2 })
    await phone.client.flush()
    await phone.settle(20)
    expect([phone.requests, phone.stored.size]).toEqual([[], 1])
    const [text = ''] = phone.stored.values()
    const { k } = JSON.parse(text)
    expect(Object.keys(k)).toEqual(['c'])
    expect(k.c).toContain('"analytics_storage":"denied"')
  })

  test('a withdrawal deletes what waits, and reaches the server, also after a kill', async () => {
    const phone = await phoneWith()
    phone.client.track('card_moved', { nth: 1 })
    await phone.client.flush()
    phone.network = 'offline'
    phone.client.track('card_moved', { nth: 2 })
    phone.client.consent('denied')
    await phone.client.flush()
    await phone.settle(20)
    expect(phone.storedNumbers()).toEqual([])
    phone.kill()
    phone.network = 'good'
    phone.client.track('card_moved', { nth: 3 })
    await phone.client.flush()
    await phone.settle(20)
    expect(paths(phone).at(-1)).toBe('/v1/consent')
    expect(await stored()).toMatchObject({ card_moved: { rows: 1 } })
    expect([...phone.stored.keys()]).toHaveLength(1)
  })
})

test('a storage that cannot be read is not written to, and nothing is sent before it was', async () => {
  const phone = await phoneWith()
  phone.network = 'offline'
  phone.client.track('card_moved', { nth: 1 })
  await phone.client.flush()
  await phone.settle(20)
  const before = new Map(phone.stored)
  phone.storage = 'fails'
  phone.network = 'good'
  phone.requests.length = 0
  phone.kill()
  phone.client.track('card_moved', { nth: 2 })
  await phone.settle(20)
  expect([phone.requests, phone.client.queued()]).toEqual([[], 1])
  phone.storage = 'good'
  await phone.client.flush()
  expect(before.size).toBe(2)
  expect(await stored()).toMatchObject({ card_moved: { rows: 2, people: 1 } })
})

test('a busy server is left alone for as long as it asks, a refused key until the next start', async () => {
  const phone = await phoneWith()
  phone.network = 'busy'
  phone.client.track('card_moved', { nth: 1 })
  await phone.client.flush()
  for (let nth = 2; nth < 40; nth += 1) phone.client.track('card_moved', { nth })
  await phone.client.flush()
  expect(phone.requests).toHaveLength(1)

  const wrong = new ModeledPhone(world.product.url, 'pk_live_wrong')
  wrong.client.track('card_moved', { nth: 1 })
  await wrong.client.flush()
  wrong.client.track('card_moved', { nth: 2 })
  await wrong.client.flush()
  expect([wrong.requests.length, wrong.client.queued(), wrong.lost]).toEqual([1, 3, 0])
})

test('what an app hands over by mistake, and a damaged storage, break nothing', async () => {
  const phone = await phoneWith()
  const circle: Record<string, unknown> = {}
  circle.self = circle
  phone.client.track('card_moved', circle)
  await phone.client.flush()
  phone.client.track('card_moved', circle)
  phone.client.track('card_moved', { text: 'x'.repeat(40_000) })
  phone.client.track('card_moved', { nth: 1 })
  await phone.client.flush()
  expect(phone.client.losses()).toEqual({ sdk_error: 2, event_too_large: 1 })
  await phone.settle(20)
  for (const [name] of phone.stored) phone.stored.set(name, '{"k":{"a":')
  phone.kill()
  phone.client.track('card_moved', { nth: 2 })
  await phone.client.flush()
  expect(phone.client.losses()).toEqual({ storage: 1 })
  expect(await stored()).toMatchObject({ card_moved: { rows: 2, people: 2 } })
})

test('the entries name nothing that only pages have', async () => {
  for (const entry of ['react-native', 'capacitor'] as const) {
    const text = await bundleApp(entry, 'esm')
    const only =
      /\b(?:document|window|localStorage|navigator|location|history|URL|URLSearchParams|TextEncoder|structuredClone|randomUUID|sendBeacon)\b/g
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    expect(code.match(only) ?? []).toEqual([])
  }
})
