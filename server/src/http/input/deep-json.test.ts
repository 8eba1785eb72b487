import { routes } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const levels = 10_000
const deep = `${'{"a":['.repeat(levels)}1${']}'.repeat(levels)}`
/** Each member without a schema, nested as deep as possible. */
const body = `{"anonymous_id":"a","proof":${deep},"traits":${deep},"events":[{"data":${deep}}],"batch":[${deep}]}`
const withBody = routes.filter(({ method, body: shape }) => method !== 'GET' && shape !== undefined)

async function send(method: string, path: string) {
  const url = `${world.product.url}${path.replace(/:\w+/g, 'x')}`
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${shop.keys.live}` }
  const answer = await fetch(url, { method, body, headers })
  // boundary: the answer is whatever the route gives.
  return { status: answer.status, problem: (await answer.json()) as { type?: string } }
}

test('JSON nested ten thousand levels deep is a malformed request at every endpoint, and never a fault', async () => {
  for (const { method, path, access } of withBody) {
    const { status, problem } = await send(method, path)
    expect(status, `${method} ${path}`).toBeGreaterThanOrEqual(400)
    expect(status, `${method} ${path}`).toBeLessThan(500)
    if (access === 'send') expect(problem.type, path).toMatch(/malformed-request$/)
  }
})
