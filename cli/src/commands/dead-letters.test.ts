import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../../server/src/testing/harness.ts'
import { logLine, refusedBy } from '../../../server/src/testing/log-lines.ts'
import { openShell, type Shell } from '../testing/shell.ts'

let world: World
let shop: TestWorkspace
let shell: Shell

beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  shop = await world.newWorkspace()
  shell = openShell()
})
afterAll(async () => {
  shell?.remove()
  await world?.close()
})

const assay = (...args: string[]) =>
  shell.assay(['dead-letters', ...args, '--server', world.product.url, '--key', shop.keys.live])

async function storedIds(): Promise<string[]> {
  await shop.settle()
  const rows = await world.product.deps.events.query<{ event_id: string }>(
    'SELECT event_id FROM events WHERE workspace_id = {workspaceId:String} ORDER BY event_id',
    { workspaceId: shop.workspaceId },
  )
  return rows.map(({ event_id }) => event_id)
}

async function idOf(eventId: string): Promise<string> {
  const { out } = await assay('list')
  const line = out.split('\n').find((one) => one.includes(eventId))
  return /dl_[0-9a-z]+/.exec(line ?? '')?.[0] ?? ''
}

test('lists, shows, repairs and discards what a store refused', async () => {
  expect((await assay('list')).out).toContain('No dead letter is waiting.')
  const lines = ['first', 'second', 'third'].map((id) => logLine(shop, id, refusedBy.staging))
  await world.product.deps.log.append(lines.join(''), lines.length)
  expect(await storedIds()).toEqual([])

  const first = await idOf('first')
  expect((await assay('show', first)).out).toMatch(/"event_id": "first"/)
  shell.write('repaired.json', { event: '$login', user_id: 'u', properties: { method: 'x' } })
  const repaired = await assay('load', first, '--event', 'repaired.json')
  expect(repaired).toMatchObject({ exitCode: 0, out: expect.stringContaining('verdict accept') })
  expect(await storedIds()).toEqual(['first'])

  const second = await idOf('second')
  expect(await assay('discard', second)).toMatchObject({ exitCode: 0 })
  expect((await assay('list', '--state', 'discarded')).out).toContain('second')

  // Unchanged, it is refused again and waits again under its id.
  const third = await idOf('third')
  expect((await assay('load', '--all')).out).toContain('1 dead letters are in the log again')
  await shop.settle()
  expect(await idOf('third')).toBe(third)
  expect(await storedIds()).toEqual(['first'])
})

describe('what is wrong is said, with what to do', () => {
  test.each([
    [['load'], /Name an action/],
    [['repair', 'dl_1'], /Name an action/],
    [['load', 'dl_1', '--event', 'nowhere.json'], /is not there/],
    [['show', 'dl_00000000000000000000000000'], /no such|not found/i],
    [['list', '--state', 'lost'], /waiting, loaded/],
  ])('%j', async (args, said) => {
    const { exitCode, err } = await assay(...args)
    expect(exitCode).not.toBe(0)
    expect(err).toMatch(said)
  })
})

test('the file of a data directory is read without a server, also where its end is cut short', async () => {
  const directory = join(shell.directory, 'data')
  mkdirSync(join(directory, 'log'), { recursive: true })
  const letter = {
    id: 'dl_1',
    failed_at: '2026-01-01T00:00:00Z',
    step: 'read',
    reason: 'no JSON',
    line: 'eHg=',
  }
  writeFileSync(join(directory, 'log/dead-letters.ndjson'), `${JSON.stringify(letter)}\n{"id":"dl_2","li`)
  const read = (...args: string[]) => shell.assay(['dead-letters', ...args, '--data-dir', directory])
  expect((await read('list')).out).toContain('dl_1  2026-01-01T00:00:00Z  read: no JSON')
  expect((await read('show', 'dl_1')).out).toContain('xx')
  expect((await read('show', 'dl_2')).exitCode).not.toBe(0)
  expect((await read('discard', 'dl_1')).err).toContain('can be listed and shown')
})
