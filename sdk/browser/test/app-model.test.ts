import { createContract } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../../server/src/testing/harness.ts'
import { ModeledPhone, type NetworkMode, type StorageMode } from './testing/modeled-phone.ts'

let world: World
let ours: TestWorkspace
beforeAll(async () => {
  world = await startWorld({ config: { ingestEventsPerSecond: 1_000_000 } })
  ours = await world.newWorkspace()
  await ours.call(createContract, {
    body: { key: 'card_moved', status: 'published', properties: { nth: { type: 'number', required: true } } },
  })
})
afterAll(() => world?.close())

/** One number for each event of this file, so that all runs share a workspace. */
let lastNumber = 0
/** What the store must hold at the end, and what it may hold. */
const expected = new Set<number>()
const possible = new Set<number>()

type Life = { phone: ModeledPhone; tracked: Set<number>; gone: Set<number> }
type Act = (life: Life) => unknown

function track({ phone, tracked }: Life, count: number): void {
  for (let n = 0; n < count; n += 1) {
    lastNumber += 1
    tracked.add(lastNumber)
    phone.client.track('card_moved', { nth: lastNumber })
  }
}

/** What was only in the memory of a killed app is gone; the storage has the rest. */
function kill({ phone, tracked, gone }: Life): void {
  const stored = new Set(phone.storedNumbers())
  for (const nth of tracked) if (!stored.has(nth)) gone.add(nth)
  phone.kill()
}

const act = <Value>(values: fc.Arbitrary<Value>, run: (life: Life, value: Value) => unknown) =>
  values.map(
    (value): Act =>
      (life) =>
        run(life, value),
  )

const acts: fc.Arbitrary<Act>[] = [
  act(fc.integer({ min: 1, max: 30 }), track),
  act(fc.integer({ min: 1, max: 30 }), track),
  act(fc.integer({ min: 1, max: 12 }), ({ phone }, turns) => phone.settle(turns)),
  act(fc.constantFrom<NetworkMode>('good', 'offline', 'cut', 'busy'), ({ phone }, mode) => {
    phone.network = mode
  }),
  act(fc.constantFrom<StorageMode>('good', 'fails', 'lies'), ({ phone }, mode) => {
    phone.storage = mode
  }),
  act(fc.constantFrom('active', 'background'), ({ phone }, state) => phone.changeState(state)),
  act(fc.constant(0), ({ phone }) => void phone.client.flush()),
  act(fc.constant(0), kill),
]

/** Everything works again, and the app is started again. */
async function recover(life: Life): Promise<void> {
  const { phone } = life
  phone.network = 'good'
  phone.storage = 'good'
  kill(life)
  await phone.client.flush()
  await phone.settle(20)
}

const numbersIn = (bodies: readonly { body: string }[]): number[] =>
  bodies.flatMap(({ body }) => [...body.matchAll(/"nth":(\d+)/g)].map(([, nth]) => Number(nth)))

test('whatever storage, network and system do, an event that is stored arrives, and counts once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(...acts), { minLength: 1, maxLength: 40, size: 'max' }),
      async (acts) => {
        const phone = new ModeledPhone(world.product.url, ours.keys.public)
        const life: Life = { phone, tracked: new Set(), gone: new Set() }
        for (const run of acts) await run(life)
        await recover(life)
        expect(phone.client.queued()).toBe(0)
        expect(phone.storedNumbers()).toEqual([])
        expect(phone.lost).toBe(0)
        const sent = new Set(numbersIn(phone.requests))
        const missing = [...life.tracked].filter((nth) => !sent.has(nth) && !life.gone.has(nth))
        expect(missing).toEqual([])
        const counted = phone.verdicts.filter(({ duplicate }) => duplicate !== true)
        expect(counted.length).toBe(new Set(counted.map(({ event_id }) => event_id)).size)
        for (const nth of life.tracked) if (!life.gone.has(nth)) expected.add(nth)
        for (const nth of life.tracked) possible.add(nth)
      },
    ),
    { numRuns: 120 },
  )
})

test('beyond the bounds of the queue the oldest are dropped, and each is counted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom({ eventsMax: 20 }, { charactersMax: 6_000 }),
      async (bursts, queue) => {
        const options = { queue, sessions: false }
        const phone = new ModeledPhone(world.product.url, ours.keys.public, options)
        const life: Life = { phone, tracked: new Set(), gone: new Set() }
        await phone.settle()
        phone.network = 'offline'
        for (const burst of bursts) {
          track(life, burst)
          await phone.settle(10)
        }
        const stored = phone.storedNumbers().toSorted((a, b) => a - b)
        expect(stored.length + phone.lost).toBe(life.tracked.size)
        // The newest are kept, all of them.
        expect(stored).toEqual([...life.tracked].slice(-stored.length))
        const lost = phone.lost
        await recover(life)
        expect(phone.lost).toBe(lost)
        for (const nth of stored) expected.add(nth)
        for (const nth of stored) possible.add(nth)
      },
    ),
    { numRuns: 20 },
  )
})

test('the store holds each of these events once, of one person per phone, none of them a bot', async () => {
  await ours.settle()
  const rows = await world.product.deps.events.query<{
    nth: number
    rows: number
    bots: number
    surface: string
  }>(
    `SELECT JSONExtractInt(properties, 'nth') AS nth, toInt32(count()) AS rows, toInt32(sum(is_bot)) AS bots,
       any(surface) AS surface
     FROM events WHERE workspace_id = {id:String} AND name = 'card_moved' GROUP BY nth`,
    { id: ours.workspaceId },
  )
  const found = new Set(rows.map(({ nth }) => Number(nth)))
  expect([...expected].filter((nth) => !found.has(nth))).toEqual([])
  expect([...found].filter((nth) => !possible.has(nth))).toEqual([])
  expect(rows.filter((row) => Number(row.rows) !== 1 || Number(row.bots) > 0)).toEqual([])
  expect(new Set(rows.map(({ surface }) => surface))).toEqual(new Set(['android']))
})
