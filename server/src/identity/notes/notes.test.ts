import { text as textOf } from 'node:stream/consumers'
import {
  addPersonNote,
  deletePersonNote,
  getSubjectRequest,
  identify,
  listAuditLog,
  listPersonNotes,
  listPrivacyKeys,
  mergePeople,
  noteLimits,
  type Output,
  requestExport,
  requestForget,
  reverseMerge,
  type SubjectRequest,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { newId } from '../../platform/clock.ts'
import { verifyCertificate } from '../../testing/certificate-check.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../../testing/harness.ts'

let world: World
let ours: TestWorkspace
let theirs: TestWorkspace
let counter = 0

beforeAll(async () => {
  world = await startWorld()
  ours = await world.newWorkspace()
  theirs = await world.newWorkspace()
})
afterAll(() => world?.close())

const fresh = (name: string) => `${name}-${++counter}`

async function newPerson(userId = fresh('user')): Promise<string> {
  return (await ours.call(identify, { body: { user_id: userId, anonymous_id: fresh('anon') } })).body
    .person_id
}

async function write(id: string, text: string): Promise<string> {
  const { status, body } = await ours.call(addPersonNote, { params: { id }, body: { text } })
  expect(status).toBe(201)
  return body.id
}

async function textsOn(id: string): Promise<string[]> {
  const { status, body } = await ours.call(listPersonNotes, { params: { id }, query: { limit: 200 } })
  expect(status).toBe(200)
  return body.data.map(({ text }) => text)
}

async function merge(survivor_id: string, absorbed_id: string): Promise<string> {
  const { body } = await ours.call(mergePeople, { body: { survivor_id, absorbed_id, reason: 'same' } })
  return body.id ?? ''
}

/** Rows as the route would have written them, without a call for each. */
async function fill(id: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('note'))
  await world.product.deps.control.query(
    `INSERT INTO person_notes (workspace_id, id, original_id, text, author, created_at)
     SELECT $1, note.id, $2, 'x', 'usr_x', now() FROM unnest($3::text[]) AS note (id)`,
    [ours.workspaceId, id, ids],
  )
}

describe('a note on a person', () => {
  test('is stored with its author, without spaces around it, and listed', async () => {
    const [id, member] = [await newPerson(), await world.signIn('analyst', ours)]
    const body = { text: '  Called on 3 May,\nwants an invoice ' }
    const made = await member.call(addPersonNote, { params: { id }, body })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ person_id: id, text: 'Called on 3 May,\nwants an invoice' })
    expect(made.body).toMatchObject({ author: member.userId, id: expect.stringMatching(/^note_/) })
    const byKey = (await ours.call(addPersonNote, { params: { id }, body: { text: 'paid' } })).body
    expect(byKey.author).toMatch(/^key_/)
    const { body: page } = await ours.call(listPersonNotes, { params: { id }, query: {} })
    expect(page).toEqual({ data: expect.arrayContaining([byKey, made.body]), next_cursor: null })
  })

  test('is listed newest first, in pages that neither miss nor repeat', async () => {
    const id = await newPerson()
    const control = world.product.deps.control
    // One in a millisecond, so that their order is known.
    const ids = Array.from({ length: 7 }, (_, nth) => `note_0000000000000000000000000${nth}`)
    await control.query(
      `INSERT INTO person_notes (workspace_id, id, original_id, text, author, created_at)
       SELECT $1, note.id, $2, 'x', 'usr_x', now() FROM unnest($3::text[]) AS note (id)`,
      [ours.workspaceId, id, ids],
    )
    for (const limit of [1, 3, 7, 8]) {
      const found: string[] = []
      let cursor: string | undefined
      do {
        const query: { limit: number; cursor?: string } = { limit, ...(cursor !== undefined && { cursor }) }
        const { body }: { body: Output<typeof listPersonNotes> } = await ours.call(listPersonNotes, {
          params: { id },
          query,
        })
        expect(body.data.length).toBeLessThanOrEqual(limit)
        found.push(...body.data.map((note) => note.id))
        cursor = body.next_cursor ?? undefined
      } while (cursor !== undefined)
      expect(found).toEqual(ids.toReversed())
    }
    const asked = { params: { id }, query: { cursor: 'note_none' } }
    expect((await ours.call(listPersonNotes, asked)).problem.errors?.[0]?.field).toBe('cursor')
  })

  test('is deleted for good, and only as a note of that person', async () => {
    const [id, other] = [await newPerson(), await newPerson()]
    const note_id = await write(id, 'wrong person')
    const remove = (of: string, note: string) =>
      ours.call(deletePersonNote, { params: { id: of, note_id: note } })
    expect((await remove(other, note_id)).status).toBe(404)
    expect((await remove(id, 'none')).status).toBe(404)
    expect(await textsOn(id)).toEqual(['wrong person'])
    expect((await remove(id, note_id)).status).toBe(204)
    expect((await remove(id, note_id)).status).toBe(404)
    expect(await textsOn(id)).toEqual([])
  })

  test('is in the audit log, without its text', async () => {
    const id = await newPerson()
    const note_id = await write(id, 'a secret of theirs')
    await ours.call(deletePersonNote, { params: { id, note_id } })
    const { body } = await ours.call(listAuditLog, { query: { limit: 10 } })
    const about = body.data.filter(({ object }) => object.id === id)
    const acts = about.map(({ action, details, outcome }) => ({ action, details, outcome }))
    const [details, outcome] = [{ note_id }, 'done']
    expect(acts.toReversed()).toEqual([
      { action: 'person.note_added', details, outcome },
      { action: 'person.note_deleted', details, outcome },
    ])
    expect(JSON.stringify(body)).not.toContain('a secret of theirs')
  })

  test.each([
    { what: 'nothing', text: '' },
    { what: 'only spaces', text: ' \n\t ' },
    { what: 'a character too many', text: '😀'.repeat(noteLimits.textCharactersMax + 1) },
    { what: 'a NUL', text: 'a\0b' },
  ])('that holds $what is refused', async ({ text }) => {
    const { status, problem } = await ours.call(addPersonNote, {
      params: { id: await newPerson() },
      body: { text },
    })
    expect(status).toBe(422)
    expect(problem).toMatchObject({ type: expect.stringMatching(/invalid-parameter$/) })
    expect(problem.errors?.[0]?.field).toBe('text')
  })

  test('takes as many characters as promised, whatever they are', async () => {
    const id = await newPerson()
    const longest = '😀'.repeat(noteLimits.textCharactersMax)
    await write(id, longest)
    expect(await textsOn(id)).toEqual([longest])
  })

  test('of someone who does not exist, or is of another workspace, is not found', async () => {
    const id = await newPerson()
    const note_id = await write(id, 'ours')
    const nobody = 'per_00000000000000000000000000'
    for (const [at, asked] of [[ours, nobody] as const, [theirs, id] as const]) {
      const params = { id: asked }
      expect((await at.call(addPersonNote, { params, body: { text: 'x' } })).status).toBe(404)
      expect((await at.call(listPersonNotes, { params, query: {} })).status).toBe(404)
      expect((await at.call(deletePersonNote, { params: { id: asked, note_id } })).status).toBe(404)
    }
    expect(await textsOn(id)).toEqual(['ours'])
  })

  test('is nothing for a wrong credential, a key that only sends or only reads, or a viewer', async () => {
    const id = await newPerson()
    const add = { params: { id }, body: { text: 'x' } }
    const statuses = async (key: string | null) => [
      (await ours.call(addPersonNote, add, { key })).status,
      (await ours.call(listPersonNotes, { params: { id }, query: {} }, { key })).status,
      (await ours.call(deletePersonNote, { params: { id, note_id: 'x' } }, { key })).status,
    ]
    expect(await statuses(null)).toEqual([401, 401, 401])
    expect(await statuses(ours.keys.public)).toEqual([403, 403, 403])
    expect(await statuses(ours.keys.test)).toEqual([403, 200, 403])
    expect(await statuses((await world.signIn('viewer', ours)).accessToken)).toEqual([403, 403, 403])
    expect(await textsOn(id)).toEqual([])
  })
})

describe('the number of notes on a person', () => {
  test('has a maximum that callers who come together do not exceed', async () => {
    const id = await newPerson()
    await fill(id, noteLimits.perPersonMax - 1)
    const add = () => ours.call(addPersonNote, { params: { id }, body: { text: 'one more' } })
    const answers = await Promise.all(Array.from({ length: 5 }, add))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.problem.type).toMatch(/identity-limit$/)
    const made = answers.find(({ status }) => status === 201)
    await ours.call(deletePersonNote, { params: { id, note_id: made?.body.id ?? '' } })
    expect((await add()).status).toBe(201)
  })

  test('may be more after a merge, which loses none', async () => {
    const [one, two] = [await newPerson(), await newPerson()]
    for (const id of [one, two]) await fill(id, noteLimits.perPersonMax)
    await merge(one, two)
    const params = { id: one }
    const { problem } = await ours.call(addPersonNote, { params, body: { text: 'x' } })
    expect(problem).toMatchObject({ status: 409, detail: expect.stringContaining('1000 notes') })
  })
})

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), of: fc.nat(2) }) },
  fc.record({ kind: fc.constant('delete' as const), of: fc.nat(2), nth: fc.nat(5) }),
  fc.record({ kind: fc.constant('merge' as const), of: fc.nat(2), with: fc.nat(2) }),
  fc.record({ kind: fc.constant('reverse' as const) }),
)

test('notes follow every merge, and after its reversal each person has their own again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      const people = [await newPerson(), await newPerson(), await newPerson()]
      const own: { id: string; text: string }[][] = people.map(() => [])
      const merges: { entry: string; of: number; with: number }[] = []
      const groupOf = (of: number): number[] => {
        const group = new Set([of])
        // Two merges join three people at most, so twice round finds all.
        for (const pair of [...merges, ...merges]) {
          if (group.has(pair.of) || group.has(pair.with)) group.add(pair.of).add(pair.with)
        }
        return [...group]
      }
      const notesOf = (of: number) => groupOf(of).flatMap((one) => own[one] ?? [])
      for (const one of steps) {
        if (one.kind === 'write') {
          const text = fresh('note')
          own[one.of]?.push({ id: await write(people[one.of] ?? '', text), text })
        } else if (one.kind === 'delete') {
          const note = notesOf(one.of)[one.nth]
          if (note === undefined) continue
          const params = { id: people[one.of] ?? '', note_id: note.id }
          expect((await ours.call(deletePersonNote, { params })).status).toBe(204)
          for (const list of own) if (list.includes(note)) list.splice(list.indexOf(note), 1)
        } else if (one.kind === 'merge') {
          if (groupOf(one.of).includes(one.with)) continue
          const entry = await merge(people[one.of] ?? '', people[one.with] ?? '')
          merges.push({ entry, of: one.of, with: one.with })
        } else {
          const last = merges.pop()
          if (last === undefined) continue
          const body = { reason: 'two', keep_apart: false }
          const params = { id: last.entry }
          expect((await ours.call(reverseMerge, { params, body })).status).toBe(201)
        }
        for (const [of, id] of people.entries()) {
          expect((await textsOn(id)).sort()).toEqual(
            notesOf(of)
              .map(({ text }) => text)
              .sort(),
          )
        }
      }
    }),
    { numRuns: 6, endOnFailure: true },
  )
}, 120_000)

describe('a person with notes', () => {
  async function done(asked: { body: SubjectRequest }): Promise<SubjectRequest> {
    const params = { id: asked.body.id }
    const read = async () => (await ours.call(getSubjectRequest, { params })).body
    await untilTrue('the request', async () => /completed|failed/.test((await read()).status), 240_000)
    return read()
  }

  test('has those of all identifiers in their archive, without who wrote them, and loses them when forgotten', async () => {
    const [userId, otherId] = [fresh('user'), fresh('user')]
    const [one, two, bystander] = [await newPerson(userId), await newPerson(otherId), await newPerson()]
    await write(one, 'wants an invoice')
    await write(two, 'wants a refund')
    await write(bystander, 'wants nothing')
    await merge(one, two)
    const body = { identifiers: [{ type: 'user_id', value: otherId }], regime: 'gdpr' as const }

    const exported = await done(await ours.call(requestExport, { body }))
    const zip = await fromBufferPromise(
      Buffer.from(await (await fetch(exported.export?.url ?? '')).arrayBuffer()),
    )
    const files = new Map<string, string>()
    for await (const entry of zip.eachEntry()) {
      files.set(entry.fileName, await textOf(await zip.openReadStreamPromise(entry)))
    }
    const rows = (files.get('person_notes.ndjson') ?? '').trimEnd().split('\n')
    const notes: Record<string, unknown>[] = rows.map((row) => JSON.parse(row))
    expect(notes.map(({ text }) => text).sort()).toEqual(['wants a refund', 'wants an invoice'])
    expect(notes.some((note) => 'author' in note)).toBe(false)

    const forgotten = await done(await ours.call(requestForget, { body }))
    expect(forgotten.forget?.counts.person_notes).toBe(2)
    const { keys } = (await ours.call(listPrivacyKeys, {}, { key: null })).body
    const { stores } = await verifyCertificate(forgotten.forget?.certificate ?? '', keys)
    expect(stores).toContainEqual({ store: 'person_notes', method: 'deleted', rows: 2, rows_left: 0 })
    const { control } = world.product.deps
    const left = await control.query<{ text: string }>(
      "SELECT text FROM person_notes WHERE workspace_id = $1 AND text LIKE 'wants %'",
      [ours.workspaceId],
    )
    expect(left).toEqual([{ text: 'wants nothing' }])
  }, 240_000)

  test('gets no more of them from the moment on in which they are to be forgotten', async () => {
    const id = await newPerson()
    await world.product.deps.people.suppress(ours.workspaceId, [id])
    const { status } = await ours.call(addPersonNote, { params: { id }, body: { text: 'too late' } })
    expect(status).toBe(404)
  })
})
