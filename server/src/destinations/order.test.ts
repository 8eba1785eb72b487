import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../platform/clock.ts'
import { createVault } from '../platform/secrets/vault.ts'
import { type Control, openControl } from '../store/control.ts'
import { type Database, makeDatabase, raise } from '../testing/harness.ts'
import { openWorkspace } from '../workspaces/workspaces.ts'
import { createDestinations } from './destinations.ts'
import { insertDispatches } from './dispatch-store.ts'
import { createSending, pauseOf, retryUntil } from './sender.ts'

const workspaceId = newId('ws')
let database: Database
/** Of two nodes that share a Postgres server. */
const controls: Control[] = []

beforeAll(async () => {
  database = await makeDatabase()
  const open = () => openControl({ dataDir: '', url: database.url })
  const first = await open()
  await openWorkspace(first, workspaceId, 'Test')
  controls.push(first, await open())
})
afterAll(async () => {
  for (const control of controls) await control.close()
  await database?.drop()
})

/** Whose turn each event takes, and which of the tries fail. */
const story = fc.record({
  people: fc.array(fc.constantFrom('per_a', 'per_b', 'per_c', ''), { minLength: 1, maxLength: 25 }),
  failures: fc.array(fc.boolean(), { maxLength: 12 }),
})

test('whatever fails, two nodes bring everything once, and of each person in the order in which it happened', async () => {
  const [control] = controls
  if (control === undefined) throw new Error('there is no node')
  await fc.assert(
    fc.asyncProperty(story, async ({ people, failures }) => {
      const clock = { ms: Date.UTC(2026, 0, 1) }
      const now = () => clock.ms
      const tries = [...failures]
      const arrived: number[] = []
      const deliver = async (_url: string, _headers: Record<string, string>, body: string) => {
        if (tries.shift() === true) return 503
        arrived.push(Number(body))
        return 200
      }
      const rooms = controls.map((each) => ({ control: each, vault: createVault('x'), now, newId }))
      const [ours, theirs] = await Promise.all(rooms.map(createDestinations))
      if (ours === undefined || theirs === undefined) throw new Error('there are two nodes')
      const wanted = { name: 'x', url: 'https://receiver.example/', events: ['*'] }
      const target = await ours.create(workspaceId, wanted)
      await theirs.list(workspaceId)
      await queue(control, target.id, people, clock.ms)
      const nodes = [ours, theirs].map((destinations, n) =>
        createSending({ control: controls[n] ?? control, destinations, deliver, now, newId }),
      )
      for (let round = 0; round < 80 && arrived.length < people.length; round++) {
        await Promise.all(nodes.map((node) => node.work(raise)))
        await Promise.all(nodes.map((node) => node.settled()))
        clock.ms += pauseOf(8)
      }
      await ours.remove(target)
      expect([...arrived].sort((a, b) => a - b)).toEqual(people.map((_, n) => n))
      for (const person of new Set(people.filter((one) => one !== ''))) {
        const order = arrived.filter((n) => people[n] === person)
        expect(order).toEqual([...order].sort((a, b) => a - b))
      }
    }),
    { numRuns: 12 },
  )
})

/** Each twice, as when a segment is loaded again. */
async function queue(control: Control, id: string, people: readonly string[], nowMs: number): Promise<void> {
  const times = { at: new Date(nowMs), until: retryUntil(nowMs) }
  for (let copy = 0; copy < 2; copy++) {
    const rows = people.map((person_id, n) => ({
      id: newId('msg'),
      workspace_id: workspaceId,
      destination_id: id,
      subject: `event ${n}`,
      kind: 'event' as const,
      type: '$login',
      person_id,
      body: String(n),
    }))
    await insertDispatches(control, rows, times)
  }
}
