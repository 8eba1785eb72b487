import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addSummary } from './fill.ts'
import { httpRequest, readAnswer, runLoad } from './load.ts'
import { makeRequests, type RequestPlan } from './requests.ts'

const received: string[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    received.push(Buffer.concat(chunks).toString())
    // Longer than one read of a socket, so that answers arrive in pieces.
    const body = 'x'.repeat(200_000)
    response.writeHead(202, { 'content-length': body.length }).end(body)
  })
})
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // boundary: a TCP server's address is never a string.
  port = (server.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const plan: RequestPlan = {
  path: '/v1/batch',
  key: 'pk_live_example',
  connections: 2,
  eventsPerRequest: 3,
  templatesPerConnection: 2,
  nowMs: Date.UTC(2026, 4, 1),
  seed: 1,
  visitors: 'returning',
}

test('every request is answered once, whole, and counted, however the answer is cut up', async () => {
  const left = [7, 5]
  const bodies: number[] = []
  const result = await runLoad({
    port,
    connections: 2,
    forMs: 10_000,
    next: (connection) => {
      left[connection] = (left[connection] ?? 0) - 1
      return (left[connection] ?? 0) < 0 ? null : httpRequest('/', {}, Buffer.from('{}'))
    },
    onAnswer: (_status, body) => bodies.push(body.length),
  })
  expect(result.requests).toBe(12)
  expect(result.statuses).toEqual(new Map([[202, 12]]))
  expect(bodies).toEqual(Array(12).fill(200_000))
})

test('no request begins after the time is over', async () => {
  const result = await runLoad({
    port,
    connections: 1,
    forMs: 0,
    next: () => httpRequest('/', {}, Buffer.from('{}')),
  })
  expect(result.requests).toBe(0)
})

test('an answer is not read before its last byte is there', () => {
  const whole = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
  for (let length = 0; length < whole.length; length += 1)
    expect(readAnswer(whole.subarray(0, length))).toBeNull()
  expect(readAnswer(whole)).toEqual({ status: 200, body: Buffer.from('{}') })
})

test('prepared requests hold valid events whose ids never repeat, over all connections and rounds', async () => {
  const requests = makeRequests(plan)
  const rounds = 5
  received.length = 0
  const left = [rounds, rounds]
  await runLoad({
    port,
    connections: 2,
    forMs: 10_000,
    next: (connection) => {
      left[connection] = (left[connection] ?? 0) - 1
      return (left[connection] ?? 0) < 0 ? null : requests.next(connection)
    },
  })
  const events: { event_id: string; event: string; anonymous_id: string }[] = received.flatMap(
    (body) => JSON.parse(body).batch,
  )
  expect(events).toHaveLength(2 * rounds * 3)
  expect(new Set(events.map(({ event_id: id }) => id)).size).toBe(events.length)
  expect(events.every(({ event, anonymous_id: visitor }) => event.length > 0 && visitor.length > 0)).toBe(
    true,
  )
  expect(requests.bytesPerEvent).toBeGreaterThan(400)
})

test('the summary of a batch is added up, and an answer without one is an error', () => {
  const total = { accept: 1, warn: 0, quarantine: 0, reject: 0, duplicate: 0 }
  const summary = { accept: 2, warn: 3, quarantine: 4, reject: 5, duplicate: 6 }
  addSummary(total, Buffer.from(JSON.stringify({ request_id: 'r', summary, results: [] })))
  expect(total).toEqual({ accept: 3, warn: 3, quarantine: 4, reject: 5, duplicate: 6 })
  expect(() => addSummary(total, Buffer.from('{"results":[]}'))).toThrow('summary')
})
