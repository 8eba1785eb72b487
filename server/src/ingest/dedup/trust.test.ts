import {
  batch,
  getOverview,
  getReceipt,
  getTimeline,
  releaseQuarantined,
  resolveIdentity,
  siteIngest,
  track,
} from '@assay/contract'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'
import { createIngest } from '../ingest.ts'

let world: World
let shop: TestWorkspace

type Sender = 'public' | 'secret'

const purchase = (event_id: string, amount: number, order_id?: string) => ({
  event: '$purchase',
  event_id,
  user_id: 'buyer',
  properties: { amount, currency: 'EUR', ...(order_id !== undefined && { order_id }) },
})

async function send(sender: Sender, body: ReturnType<typeof purchase>) {
  const sent = await shop.call(track, { body }, { key: shop.keys[sender], headers: browser })
  expect(sent.status).toBe(202)
  return sent.body
}

const browser = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
}

async function metrics() {
  await shop.settle()
  return (await shop.call(getOverview, { query: { siteId: shop.siteId, window: '7d' } })).body.metrics
}

async function receiptOf(event_id: string) {
  await shop.settle()
  return (await shop.call(getReceipt, { params: { event_id } })).body
}

/** On stores of its own one node loads, and looks only where a claim was contested; on a server any node may load. */
describe.each([
  ['embedded stores', { ingestEventsPerSecond: 1e6, clickhouseUrl: undefined }],
  ['a server for events', { ingestEventsPerSecond: 1e6 }],
] as const)('on %s', (_where, config) => {
  beforeAll(async () => {
    world = await startWorld({ config })
    return () => world.close()
  }, 300_000)

  describe('an event of a secret sender', () => {
    test('counts though a public one claimed its id with something else before', async () => {
      shop = await world.newWorkspace()
      const claim = { event: '$pageview', event_id: 'order-5001', anonymous_id: 'thief' }
      const body = { ...claim, properties: { url: 'https://shop.example/', title: 'x' } }
      await shop.call(track, { body }, { key: shop.keys.public, headers: browser })
      await shop.settle()
      expect(await send('secret', purchase('order-5001', 600, '5001'))).toMatchObject({ duplicate: false })
      expect(await send('secret', purchase('order-5001', 600, '5001'))).toMatchObject({ duplicate: true })
      expect(await send('public', purchase('order-5001', 1, '5001'))).toMatchObject({ duplicate: true })
      expect(await metrics()).toMatchObject({ revenue: 600, pageviews: 0, conversions: 1 })
      expect((await receiptOf('order-5001')).dedup).toMatchObject({
        counted: true,
        superseded_by: null,
        supersedes: ['order-5001'],
      })
    })

    test('counts though a public one claimed its order for less before, and both receipts say so', async () => {
      shop = await world.newWorkspace()
      await send('public', purchase('fake', 0.01, '7'))
      expect(await metrics()).toMatchObject({ revenue: 0.01 })
      expect(await send('secret', purchase('real', 600, '7'))).toMatchObject({ duplicate: false })
      expect(await send('public', purchase('late', 5, '7'))).toMatchObject({ duplicate_of: 'real' })
      expect(await send('secret', purchase('twice', 600, '7'))).toMatchObject({ duplicate_of: 'real' })
      expect(await metrics()).toMatchObject({ revenue: 600, conversions: 1 })
      expect((await receiptOf('fake')).dedup).toMatchObject({ counted: false, superseded_by: 'real' })
      expect((await receiptOf('real')).dedup).toMatchObject({ counted: true, supersedes: ['fake'] })
      const identifiers = [{ type: 'user_id', value: 'buyer' }]
      const id = (await shop.call(resolveIdentity, { body: { identifiers, read_only: true } })).body.person_id
      const timeline = await shop.call(getTimeline, { params: { id: String(id) }, query: {} })
      const counted = timeline.body.data.filter((event) => event.counted).map(({ event_id }) => event_id)
      expect(counted).toEqual(['real'])
    })

    test('in the same batch time as a site token counts, whichever the store sees first', async () => {
      shop = await world.newWorkspace()
      const event = {
        type: 'purchase',
        eventId: 'x1',
        anonymousId: 'a',
        amount: 1,
        currency: 'EUR',
        order_id: '9',
      }
      const body = { siteId: shop.siteId, token: shop.siteToken, events: [event] }
      const [, sent] = await Promise.all([
        shop.call(siteIngest, { body }, { key: null, headers: browser }),
        shop.call(batch, { body: { batch: [purchase('x1', 50, '9'), purchase('x1', 50, '9')] } }),
      ])
      expect(sent.body.results.map(({ duplicate }) => duplicate)).toEqual([false, true])
      expect(await metrics()).toMatchObject({ revenue: 50, conversions: 1 })
    })

    test('that was quarantined and is released takes over, and a public one released after it does not count', async () => {
      shop = await world.newWorkspace()
      const wrong = (id: string, amount: number) => {
        const { properties, ...rest } = purchase(id, amount, 'h1')
        return { ...rest, properties: { ...properties, currency: 'EURO' } }
      }
      expect((await send('public', purchase('h1', 3, 'h1'))).outcome).toBe('accept')
      expect((await send('secret', wrong('h1', 30))).outcome).toBe('quarantine')
      expect(await metrics()).toMatchObject({ revenue: 3 })
      await shop.call(releaseQuarantined, { body: { ids: ['qtn_h1'], patch: { currency: 'EUR' } } })
      expect(await metrics()).toMatchObject({ revenue: 30, conversions: 1 })

      expect((await send('public', wrong('h2', 4))).outcome).toBe('quarantine')
      expect(await send('secret', purchase('h2', 40, 'h2'))).toMatchObject({ duplicate: false })
      await shop.settle()
      await shop.call(releaseQuarantined, { body: { ids: ['qtn_h2'], patch: { currency: 'EUR' } } })
      expect(await metrics()).toMatchObject({ revenue: 70, conversions: 2 })
    })
  })

  test('over any order of arrivals, loads and restarts the counted events are those of the model, once each', async () => {
    const property = fc.asyncProperty(steps, async (all) => {
      shop = await world.newWorkspace()
      const arrivals: Arrival[] = []
      for (const step of all) {
        if (step === 'load') await shop.settle()
        else if (step === 'restart') await restart()
        else {
          arrivals.push(step)
          await send(step.sender, purchase(step.id, step.amount, step.order ?? undefined))
        }
      }
      const expected = countedOf(arrivals)
      const found = await metrics()
      expect(found.revenue).toBe(expected.reduce((sum, { amount }) => sum + amount, 0))
      expect(found.events).toBe(expected.length)
    })
    await fc.assert(property, { numRuns: 4 })
  }, 240_000)
})

test('two nodes that do not know of each other settle which one counts when they load', async () => {
  world = await startWorld({ config: { ingestEventsPerSecond: 1e6 } })
  shop = await world.newWorkspace()
  const { deps, log } = world.product
  const [here, there] = [deps.ingest, await createIngest({ ...deps, log, isClosed: () => false })]
  const sendAt = async (node: typeof here, sender: Sender, body: ReturnType<typeof purchase>) => {
    deps.ingest = node
    await send(sender, body)
  }
  await sendAt(here, 'public', purchase('n1', 1, 'n1'))
  await sendAt(there, 'secret', purchase('n1', 10, 'n1'))
  await shop.settle()
  await sendAt(here, 'secret', purchase('n2', 20, 'n2'))
  await shop.settle()
  await sendAt(there, 'public', purchase('n2', 2, 'n2'))
  await sendAt(there, 'public', purchase('other', 2, 'n1'))
  await shop.settle()
  await sendAt(here, 'public', purchase('n3', 3, 'n3'))
  await shop.settle()
  await sendAt(there, 'secret', purchase('server-n3', 30, 'n3'))
  expect(await metrics()).toMatchObject({ revenue: 60, conversions: 3 })
  await world.close()
}, 240_000)

type Arrival = { sender: Sender; id: string; order: string | null; amount: number }

const arrival: fc.Arbitrary<Arrival> = fc.record({
  sender: fc.constantFrom<Sender[]>('public', 'secret'),
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  order: fc.constantFrom('1', '2', '3', null),
  amount: fc.integer({ min: 1, max: 1_000 }),
})
const steps = fc.array(
  fc.oneof(
    { arbitrary: arrival, weight: 10 },
    { arbitrary: fc.constantFrom<('load' | 'restart')[]>('load', 'restart'), weight: 2 },
  ),
  { minLength: 8, maxLength: 20 },
)

/** Of each id and of each order the first of a secret sender counts, or else the first of a public one. */
function countedOf(arrivals: readonly Arrival[]): Arrival[] {
  const firstBy = (all: readonly Arrival[]) => all.find((one) => one.sender === 'secret') ?? all[0]
  // A repeat within its own class is not stored at all; nor is a public one after a secret one.
  const stored = arrivals.filter((one, index) => {
    const before = arrivals.slice(0, index).filter(({ id }) => id === one.id)
    return !before.some(({ sender }) => sender === 'secret' || sender === one.sender)
  })
  return stored.filter((one) => {
    const isFirstOfId = firstBy(stored.filter(({ id }) => id === one.id)) === one
    const isFirstOfOrder =
      one.order === null || firstBy(stored.filter(({ order }) => order === one.order)) === one
    return isFirstOfId && isFirstOfOrder
  })
}

/** What a start does with the same stores: all that is known of ids is read again. */
async function restart(): Promise<void> {
  await shop.settle()
  const { deps, log } = world.product
  const isClosed = () => false
  deps.ingest = await createIngest({ ...deps, log, isClosed })
}
