import { addPersonNote, identify, listPersonNotes, updateSite } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../platform/clock.ts'
import { dayMs } from '../../platform/units.ts'
import { createSiteRow } from '../../sites/sites.ts'
import { raise, startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'
import { identityJobs } from '../jobs.ts'
import { createNoteRemoval } from './note-removal.ts'

let world: World
let counter = 0

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())
// What one test leaves would be looked at in the next.
beforeEach(() => world.product.deps.control.query('DELETE FROM person_notes'))

const control = () => world.product.deps.control
const fresh = (name: string) => `${name}-${++counter}`
const keep = (shop: TestWorkspace, eventRetentionDays: number | null) =>
  shop.call(updateSite, { params: { id: shop.siteId }, body: { eventRetentionDays } })

/** A note of some days ago. */
async function plant({ workspaceId }: TestWorkspace, originalId: string, days: number): Promise<string> {
  const id = newId('note')
  await control().query(
    `INSERT INTO person_notes (workspace_id, id, original_id, text, author, created_at)
     VALUES ($1, $2, $3, 'x', 'usr_x', $4)`,
    [workspaceId, id, originalId, new Date(Date.now() - days * dayMs)],
  )
  return id
}

async function notesIn({ workspaceId }: TestWorkspace): Promise<string[]> {
  const rows = await control().query<{ id: string }>('SELECT id FROM person_notes WHERE workspace_id = $1', [
    workspaceId,
  ])
  return rows.map(({ id }) => id).sort()
}

async function identified(shop: TestWorkspace): Promise<string> {
  const body = { user_id: fresh('user'), anonymous_id: fresh('anon') }
  return (await shop.call(identify, { body })).body.person_id
}

/** Visitors who are known by one event each, and by nothing else. */
async function visitors(shop: TestWorkspace, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, () => fresh('visitor'))
  await shop.send(
    names.map((anonymous_id) => ({
      event: '$login',
      anonymous_id,
      properties: { method: 'x' },
    })),
  )
  const { people } = world.product.deps
  return names.map((value) => people.originalId(shop.workspaceId, { type: 'anonymous_id', value }))
}

/** As retention does. */
async function removeEvents({ workspaceId }: TestWorkspace, originalIds: readonly string[]): Promise<void> {
  const { events, people } = world.product.deps
  await events.command(
    `ALTER TABLE events DELETE WHERE workspace_id = {workspaceId:String} AND person_id IN {originalIds:Array(String)}
     SETTINGS mutations_sync = 2`,
    { workspaceId, originalIds },
  )
  for (const originalId of originalIds) people.sightings.forget(workspaceId, originalId)
}

describe('notes that are older than their workspace keeps events', () => {
  test('go, by the longest of its sites; and none where a site keeps events forever', async () => {
    const days = fc.option(fc.integer({ min: 30, max: 100 }), { freq: 4 })
    const lives = fc.record({
      sites: fc.array(days, { minLength: 1, maxLength: 3 }),
      ages: fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(lives, async ({ sites: [own = null, ...others], ages }) => {
        const shop = await world.newWorkspace()
        await keep(shop, own)
        for (const eventRetentionDays of others) {
          await createSiteRow(control(), newId, Date.now, {
            workspaceId: shop.workspaceId,
            name: 'Other',
            domain: `${fresh('other')}.example`,
            timezone: 'UTC',
            currency: null,
            eventRetentionDays,
          })
        }
        const person = await identified(shop)
        const planted = await Promise.all(
          // Some hours off the edge, since time passes meanwhile.
          ages.map(async (age) => ({ age, id: await plant(shop, person, age + 0.25) })),
        )
        await createNoteRemoval(world.product.deps.people)(Date.now(), raise)
        const limit = [own, ...others].reduce<number>(
          (longest, one) => Math.max(longest, one ?? Number.POSITIVE_INFINITY),
          0,
        )
        const kept = planted.filter(({ age }) => age + 0.25 <= limit).map(({ id }) => id)
        expect(await notesIn(shop)).toEqual(kept.sort())
      }),
      { numRuns: 12, endOnFailure: true },
    )
  }, 120_000)

  test('go by the removal clock and not by a clock that leapt, in the scheduled job', async () => {
    const shop = await world.newWorkspace()
    await keep(shop, 30)
    const person = await identified(shop)
    const [young, old] = [await plant(shop, person, 29), await plant(shop, person, 31)]
    const { people } = world.product.deps
    const jobAt = (nowMs: number) =>
      identityJobs({ people, removalNowMs: async () => nowMs }).find(([, part]) => part === 'old notes')
    await jobAt(Date.now() - 2 * dayMs)?.[2](raise)
    expect(await notesIn(shop)).toEqual([young, old].sort())
    await jobAt(Date.now())?.[2](raise)
    expect(await notesIn(shop)).toEqual([young])
  })

  test('are so many at most in one run, and the rest in the next', async () => {
    const shop = await world.newWorkspace()
    await keep(shop, 30)
    const person = await identified(shop)
    for (let nth = 0; nth < 5; nth += 1) await plant(shop, person, 40)
    const remove = createNoteRemoval(world.product.deps.people, { notesPerRun: 2, peoplePerRun: 10 })
    for (const left of [3, 1, 0]) {
      await remove(Date.now(), raise)
      expect(await notesIn(shop)).toHaveLength(left)
    }
  })
})

describe('notes on people whom nothing shows any more', () => {
  test('go where a site removes events; those on anyone who is identified or has events stay', async () => {
    const [shop, keeper] = [await world.newWorkspace(), await world.newWorkspace()]
    await keep(shop, 3_650)
    const [gone = '', seen = ''] = await visitors(shop, 2)
    const [kept = ''] = await visitors(keeper, 1)
    const note = await shop.call(addPersonNote, { params: { id: gone }, body: { text: 'just now' } })
    expect(note.status).toBe(201)
    const staying = [note.body.id, await plant(shop, seen, 2), await plant(shop, await identified(shop), 2)]
    await plant(shop, gone, 2)
    const elsewhere = await plant(keeper, kept, 2)
    await removeEvents(shop, [gone])
    await removeEvents(keeper, [kept])
    expect((await shop.call(listPersonNotes, { params: { id: gone }, query: {} })).status).toBe(404)
    await createNoteRemoval(world.product.deps.people)(Date.now(), raise)
    expect(await notesIn(shop)).toEqual(staying.sort())
    expect(await notesIn(keeper)).toEqual([elsewhere])
  })

  test('are looked for so many people at a time, all of them in turn, and again from the first', async () => {
    const shop = await world.newWorkspace()
    await keep(shop, 3_650)
    const people = (await visitors(shop, 5)).sort()
    for (const originalId of people) await plant(shop, originalId, 2)
    const remove = createNoteRemoval(world.product.deps.people, { notesPerRun: 10, peoplePerRun: 2 })
    await removeEvents(shop, people.slice(4))
    for (const left of [5, 5, 4]) {
      await remove(Date.now(), raise)
      expect(await notesIn(shop)).toHaveLength(left)
    }
    await removeEvents(shop, people.slice(0, 1))
    await remove(Date.now(), raise)
    expect(await notesIn(shop)).toHaveLength(3)
  })

  test('stay while the events store does not answer, and other workspaces have their turn', async () => {
    const [one, two] = [await world.newWorkspace(), await world.newWorkspace()]
    for (const shop of [one, two]) await keep(shop, 3_650)
    const [ofOne = ''] = await visitors(one, 1)
    const [ofTwo = ''] = await visitors(two, 1)
    const note = await plant(one, ofOne, 2)
    await plant(two, ofTwo, 2)
    await removeEvents(one, [ofOne])
    await removeEvents(two, [ofTwo])
    const { people } = world.product.deps
    const sightings: typeof people.sightings = {
      ...people.sightings,
      find: async (workspaceId, originalIds) => {
        if (workspaceId === one.workspaceId) throw new Error('away')
        return people.sightings.find(workspaceId, originalIds)
      },
    }
    const failures: unknown[] = []
    await createNoteRemoval({ control: control(), sightings })(
      Date.now(),
      (error) => void failures.push(error),
    )
    expect(failures).toEqual([new Error('away')])
    expect([await notesIn(one), await notesIn(two)]).toEqual([[note], []])
  })
})
