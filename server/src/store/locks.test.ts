import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { locks } from './locks.ts'

const source = join(import.meta.dirname, '..')

test('no two kinds of work wait for each other: their locks are apart, lanes and workspaces included', () => {
  const spans = new Map<number, number>([
    [locks.quarantineDecisions, 4],
    [locks.deliveriesOfVendors, 4],
    [locks.computingOfAttribution, 100_000],
  ])
  const taken = Object.values(locks).sort((a, b) => a - b)
  for (const [place, first] of taken.entries()) {
    const next = taken[place + 1] ?? Number.POSITIVE_INFINITY
    expect(first + (spans.get(first) ?? 1), `${first}`).toBeLessThanOrEqual(next)
  }
})

test('every lock is in the one list', () => {
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
  const users = files.filter((file) => readFileSync(join(source, file), 'utf8').includes('.exclusively('))
  expect(users.length).toBeGreaterThan(5)
  for (const file of users) {
    const calls = readFileSync(join(source, file), 'utf8').match(/\.exclusively\([^,]*/g) ?? []
    for (const call of calls) expect(call, file).toMatch(/locks\.|firstLock \+ lane/)
  }
})
