import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { answersOf, routes } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readGauge } from '../../bench/src/api.ts'
import { residentMegabytes } from '../../bench/src/process.ts'
import { type Product, startProduct, stopProduct } from '../../bench/src/product.ts'
import { prepareControl, untilTrue } from './testing/harness.ts'
import { Acknowledged } from './testing/hostile/acknowledgements.ts'
import { examplesOf } from './testing/hostile/example-table.ts'
import { bodyCases, fieldCases } from './testing/hostile/field-cases.ts'
import { faultOf } from './testing/hostile/judgement.ts'
import { type HostileRequest, plainRequest } from './testing/hostile/request.ts'
import { targetSettings } from './testing/hostile/settings.ts'
import { prepareTarget, type Target } from './testing/hostile/target.ts'
import { placeForFiles } from './testing/place.ts'

/** The tests stand in the order of an attack: what was sent by one is looked for by the next. */
const dataDir = mkdtempSync(join(placeForFiles(), 'assay-hostile-'))
const said: string[] = []
const acknowledged = new Acknowledged()
const reads = { sent: 0, busy: 0 }
let product: Product
let target: Target

const lanes = 16
/** As many reads as run at the same time: the attack is on what they compute, not on their turns. */
const readLanes = 4
/** Of the reads, on a machine that computes something else meanwhile. */
const busyShareMax = 0.02
/** A minute on two cores that do nothing else; the rest is for those that do. */
const longMs = 900_000
/** The portable engine takes 1.5 GB of it. */
const memoryMbMax = 4_096

const start = () => startProduct({ dataDir, env: targetSettings, onLine: (line) => void said.push(line) })

beforeAll(async () => {
  await prepareControl(dataDir)
  product = await start()
  target = await prepareTarget({ url: product.url, keys: product.keys, said: () => said.join('\n') }, lanes)
}, longMs)
afterAll(async () => {
  target?.connection.close()
  if (product) await stopProduct(product)
  rmSync(dataDir, { recursive: true, force: true })
}, longMs)

const loaded = () =>
  untilTrue(
    'the log to be loaded',
    async () => (await readGauge(product, 'assay_log_pending_events')) === 0,
    longMs,
  )

/** What it takes away is not missing, so it comes after the look at what is. */
const isErasing = ({ route }: HostileRequest) => route.id === 'requestForget'

/** One after the other: together they are hundreds of megabytes. */
function* fieldsOf(isWanted: (request: HostileRequest) => boolean): Generator<HostileRequest> {
  for (const request of fieldCases(target.examples)) if (isWanted(request)) yield request
}

const isRead = ({ route }: HostileRequest) => route.fresh !== undefined

/** Sends all, a few at a time, and answers what was wrong with the answers. */
async function attack(requests: Iterable<HostileRequest>, laneCount = lanes): Promise<string[]> {
  const faults: string[] = []
  const queue = requests[Symbol.iterator]()
  const send = async (request: HostileRequest) => {
    const reply = await target.connection.send(request, target.credentials[request.as])
    acknowledged.note(request, reply)
    reads.sent += isRead(request) ? 1 : 0
    reads.busy += isRead(request) && reply.status === 503 ? 1 : 0
    const fault = faultOf(request, reply)
    if (fault !== null) {
      faults.push(
        `${request.route.id}, ${request.label.slice(0, 120)}: ${fault}: ${reply.text.slice(0, 200)}`,
      )
    }
    if (request.apart?.unless.includes(reply.status) === false) {
      for (const alone of request.apart.requests) await send(alone)
    }
  }
  const lane = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await send(next.value)
  }
  await Promise.all(Array.from({ length: laneCount }, lane))
  return faults
}

test('every route has an example of a request that it takes', () => {
  expect(Object.keys(examplesOf(target.things)).toSorted()).toEqual(routes.map(({ id }) => id).toSorted())
})

test(
  'every example is answered as it says, so that one wrong field is all that is wrong with it',
  async () => {
    const wrong: string[] = []
    await loaded()
    for (const route of routes) {
      for (const example of target.examples[route.id] ?? []) {
        const request = plainRequest(route, example)
        const reply = await target.connection.send(request, target.credentials[request.as])
        const expected = [example.answers ?? answersOf(route).map(({ status }) => status)].flat()
        if (!expected.includes(reply.status)) wrong.push(`${route.id}: ${reply.status} ${reply.text}`)
      }
    }
    expect(wrong).toEqual([])
  },
  longMs,
)

test(
  'hostile values in every field of every route get an answer that is documented, in time and of a bounded size',
  async () => {
    expect(await attack(fieldsOf((request) => !isErasing(request) && !isRead(request)))).toEqual([])
    expect(await attack(fieldsOf(isRead), readLanes)).toEqual([])
    expect(reads.sent).toBeGreaterThan(400)
    expect(reads.busy / reads.sent).toBeLessThan(busyShareMax)
  },
  longMs,
)

test(
  'bodies that are wrong as a whole get an answer that is documented',
  async () => {
    expect(await attack(bodyCases(target.examples))).toEqual([])
  },
  longMs,
)

test(
  'everything that was acknowledged is stored, quarantined or listed as a dead letter',
  async () => {
    await loaded()
    expect((await fetch(`${product.url}/readyz`)).status).toBe(200)
    expect(acknowledged.eventIds.size).toBeGreaterThan(1_000)
    expect(await acknowledged.missing(target)).toEqual([])
  },
  longMs,
)

test(
  'everyone stored under a hostile identifier can be erased, and hostile erasure requests are answered',
  async () => {
    expect(await attack(fieldsOf(isErasing))).toEqual([])
    expect(acknowledged.identifiers.size).toBeGreaterThan(50)
    expect(await acknowledged.unforgettable(target)).toEqual([])
    expect(await acknowledged.unerased(target)).toEqual([])
  },
  longMs,
)

test(
  'over a hundred visitors with the longest name that fits into a request leave no trace in memory',
  async () => {
    const before = residentMegabytes(product.processId)
    const [visitors, name] = [Array.from({ length: 120 }).keys(), 'x'.repeat(3_900_000)]
    const lane = async () => {
      for (const visitor of visitors) {
        const body = gzipSync(JSON.stringify({ event: '$pageview', anonymous_id: visitor + name }))
        const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
        const request = { method: 'POST', path: '/v1/track', headers, body }
        const { status } = await target.connection.raw({ ...request, credential: target.credentials.public })
        expect(status).toBe(422)
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
    expect(residentMegabytes(product.processId)).toBeLessThan(Math.min(memoryMbMax, before + 300))
  },
  longMs,
)

test(
  'a restart on what was stored comes up, and takes events',
  async () => {
    await stopProduct(product)
    product = await start()
    const answer = await fetch(`${product.url}/v1/track`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${product.keys.secretKey}` },
      body: JSON.stringify({ event: '$login', user_id: 'afterwards', properties: { method: 'password' } }),
    })
    expect(answer.status).toBe(202)
  },
  longMs,
)
