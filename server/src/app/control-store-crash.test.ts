import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { createLogger } from '../platform/logging/logger.ts'
import { startWorld, type World } from '../testing/harness.ts'

let world: World
let lost = 0
const entries: string[] = []
const write = (entry: string) => void entries.push(entry)
const logger = createLogger({ level: 'warn', format: 'text', now: systemClock, write })
beforeAll(async () => {
  world = await startWorld({
    control: 'embedded',
    onStoreLost: () => {
      lost += 1
    },
    logger,
  })
})
// A store that is lost cannot be closed; the rest is.
afterAll(() => world?.close().catch(() => {}))

const ready = async () => (await fetch(`${world.product.url}/readyz`)).status

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
