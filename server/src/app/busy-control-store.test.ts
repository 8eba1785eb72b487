import { track } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { createLogger } from '../platform/logger.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let workspace: TestWorkspace
let lost = 0
const entries: string[] = []
const write = (entry: string) => void entries.push(entry)
const logger = createLogger({ level: 'warn', format: 'text', now: systemClock, write })
beforeAll(async () => {
  world = await startWorld({
    onStoreLost: () => {
      lost += 1
    },
    logger,
  })
  workspace = await world.newWorkspace()
})
// A store that is lost cannot be closed; the rest is.
afterAll(() => world?.close().catch(() => {}))

let sent = 0
const sendOne = async () => {
  sent += 1
  const body = { event: 'page_viewed', event_id: `e${sent}`, anonymous_id: `visitor_${sent}` }
  return (await workspace.call(track, { body })).status
}
const ready = async () => (await fetch(`${world.product.url}/readyz`)).status

test('events of known and of new visitors are accepted while the control store is busy', async () => {
  const { control } = world.product.deps
  expect(await sendOne()).toBe(202)
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const held = control.transaction(() => mayEnd)
  let isAnswered = false
  const waiting = control.query('SELECT 1').then(() => {
    isAnswered = true
  })
  for (let count = 0; count < 20; count += 1) expect(await sendOne()).toBe(202)
  expect(isAnswered, 'the store was busy all the time').toBe(false)
  end()
  await Promise.all([held, waiting])
})

test('a statement that takes long does not hold the thread that answers', async () => {
  const { control } = world.product.deps
  let isDone = false
  const slow = control.query('SELECT pg_sleep(5)').then(() => {
    isDone = true
  })
  expect(await sendOne()).toBe(202)
  expect(isDone, 'the event waited for the statement').toBe(false)
  await slow
})

test('a control store that crashes makes the product unready, is logged, and ends it', async () => {
  expect(await ready()).toBe(200)
  const { control } = world.product.deps
  // WebAssembly has no programs: PGlite's own answer breaks Postgres.
  await expect(control.query("COPY (SELECT 1) TO PROGRAM 'true'")).rejects.toThrow('crashed')
  expect(lost).toBe(1)
  expect(entries.filter((entry) => entry.includes('The control store is lost'))).toHaveLength(1)
  expect(await ready()).toBe(503)
  await expect(control.query('SELECT 1')).rejects.toThrow('crashed')
})
