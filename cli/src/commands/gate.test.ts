import { getSeverities } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../../server/src/testing/harness.ts'
import { openShell, type Shell } from '../testing/shell.ts'

let world: World
let shop: TestWorkspace
let shell: Shell

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
  shell = openShell()
  const events = Array.from({ length: 12 }, (_, seats) => ({
    event: 'Seat Added',
    user_id: 'u1',
    properties: { seats },
  }))
  await shop.send(events, { outcomes: ['warn'] })
})
afterAll(async () => {
  shell?.remove()
  await world?.close()
})

const assay = (...args: string[]) =>
  shell.assay([...args, '--server', world.product.url, '--key', shop.keys.live])

test('gate says what strict would have quarantined, switches, and refuses any other word', async () => {
  const shown = await assay('gate')
  expect(shown.exitCode).toBe(0)
  expect(shown.out).toContain('The workspace is learning')
  expect(shown.out).toContain('12 counted, which strict would have quarantined')
  expect(shown.out).toContain('seat_added  12')
  expect((await assay('gate', 'strict')).out).toContain('The workspace is now strict')
  expect((await shop.call(getSeverities, { query: {} })).body.preset).toBe('strict')
  expect((await assay('gate', '--json')).json()).toMatchObject({ preset: 'strict' })
  expect((await assay('gate', 'learning')).exitCode).toBe(0)
  expect((await assay('gate', 'lenient')).exitCode).toBe(2)
  expect((await assay('gate', '--days', '91')).exitCode).toBe(2)
})

test('pull --observed writes what came as drafts with its types, and leaves files that are there', async () => {
  shell.write('assay.json', { server: world.product.url, events: 'assay/events', code: [] })
  const pulled = await assay('pull', '--observed')
  expect(pulled.out).toContain('assay/events/seat_added.json')
  const written = JSON.parse(shell.read('assay/events/seat_added.json'))
  expect(written).toMatchObject({
    key: 'seat_added',
    status: 'draft',
    properties: { seats: { type: 'number', required: true } },
  })
  shell.write('assay/events/seat_added.json', { ...written, description: 'Someone added seats.' })
  const again = await assay('pull', '--observed')
  expect(again.out).not.toContain('proposed')
  expect(shell.read('assay/events/seat_added.json')).toContain('Someone added seats.')
  expect((await assay('push', '--yes')).exitCode).toBe(0)
})
