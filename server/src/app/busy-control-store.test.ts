import { track } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let workspace: TestWorkspace
beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  workspace = await world.newWorkspace()
})
afterAll(() => world?.close())

let sent = 0
async function sendOne(visitor: string): Promise<number> {
  sent += 1
  const body = { event: 'page_viewed', event_id: `e${sent}`, anonymous_id: visitor }
  return (await workspace.call(track, { body })).status
}

test('events of known and of new visitors are accepted while the control store is busy', async () => {
  const { control } = world.product.deps
  expect(await sendOne('known')).toBe(202)
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const held = control.transaction(() => mayEnd)
  let isAnswered = false
  const waiting = control.query('SELECT 1').then(() => {
    isAnswered = true
  })
  for (let nth = 0; nth < 20; nth += 1) {
    expect(await sendOne('known')).toBe(202)
    expect(await sendOne(`new ${nth}`)).toBe(202)
  }
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
  expect(await sendOne('known')).toBe(202)
  expect(isDone, 'the event waited for the statement').toBe(false)
  await slow
})
