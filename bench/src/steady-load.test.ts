import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { httpRequest } from './load.ts'
import { runSteadily } from './steady-load.ts'

test('as many requests are sent as the rate says, and waiting for a slow answer counts', async () => {
  const delayMs = 30
  const server = createServer((request, response) => {
    request.resume()
    setTimeout(() => response.writeHead(200, { 'content-length': 2 }).end('{}'), delayMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // boundary: a TCP server's address is never a string.
  const { port } = server.address() as AddressInfo
  const statuses: number[] = []
  const result = await runSteadily({
    port,
    connections: 1,
    requestsPerSecond: 100,
    forMs: 200,
    next: () => httpRequest('/', {}, Buffer.from('{}')),
    onAnswer: (status) => statuses.push(status),
  })
  await new Promise((resolve) => server.close(resolve))
  expect(result.requests).toBe(20)
  expect(statuses).toEqual(Array(20).fill(200))
  // One connection takes 33 a second of the 100 that are due, so the last ones wait for those before.
  expect(result.latencyMs.percentile(1)).toBeGreaterThan(10 * delayMs)
  expect(result.latencyMs.percentile(0)).toBeGreaterThanOrEqual(delayMs - 1)
})

test('a connection that the server closes while it is idle is opened again', async () => {
  const server = createServer((request, response) => {
    request.resume()
    // Long before the next request is due.
    response.on('finish', () => setImmediate(() => request.socket.destroy()))
    response.writeHead(200, { 'content-length': 2 }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // boundary: a TCP server's address is never a string.
  const { port } = server.address() as AddressInfo
  const result = await runSteadily({
    port,
    connections: 1,
    requestsPerSecond: 1,
    forMs: 2_000,
    next: () => httpRequest('/', {}, Buffer.from('{}')),
    onAnswer: () => {},
  })
  await new Promise((resolve) => server.close(resolve))
  expect(result.requests).toBe(2)
})
