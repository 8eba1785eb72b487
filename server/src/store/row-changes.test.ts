import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from '../testing/harness.ts'
import { changeRows } from './row-changes.ts'

let world: World
const table = 'changed_rows'
beforeAll(async () => {
  world = await startWorld()
  const { events } = world.product.deps
  await events.command(
    `CREATE TABLE ${table} (workspace UInt8, row UInt32) ENGINE = MergeTree PARTITION BY row % 5 ORDER BY row`,
  )
  await events.command(`INSERT INTO ${table} SELECT number % 2, number FROM numbers(500)`)
})
afterAll(async () => {
  await world?.product.deps.events.command(`DROP TABLE ${table}`)
  await world?.close()
})

test('rows are changed also while partitions are dropped, which ends what is under way', async () => {
  const { events } = world.product.deps
  const isDone = { value: false }
  // Each row takes a millisecond or two.
  const slow = `ALTER TABLE ${table} DELETE WHERE workspace = {workspace:UInt8} AND sleepEachRow(0.002) = 0`
  const changed = changeRows(events, slow, { workspace: 1 }).finally(() => {
    isDone.value = true
  })
  for (let drops = 0; drops < 10 && !isDone.value; drops += 1) {
    await events.command(`ALTER TABLE ${table} DROP PARTITION ID 'none'`)
  }
  await changed
  const [row] = await events.query<{ rows: string | number }>(
    `SELECT count() AS rows FROM ${table} WHERE workspace = 1`,
  )
  expect(Number(row?.rows)).toBe(0)
})

test('what the engine refuses is refused once', async () => {
  const { events } = world.product.deps
  const wrong = changeRows(events, `ALTER TABLE ${table} DELETE WHERE nothing = {workspace:UInt8}`, {
    workspace: 1,
  })
  await expect(wrong).rejects.toThrow(/nothing/)
})
