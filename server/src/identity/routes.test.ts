import {
  alias,
  getConsent,
  getPerson,
  getTimeline,
  getTouchpoints,
  identify,
  listConsents,
  listLedger,
  listReplays,
  mergePeople,
  type Output,
  recordConsent,
  requestExport,
  requestForget,
  resolveIdentity,
  reverseMerge,
  track,
  verifyLedger,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

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
const user = (value: string) => ({ type: 'user_id', value })

async function visit(who: { anonymous_id?: string; user_id?: string }, event = '$login') {
  const body = { event, ...who, properties: { method: 'x' } }
  expect((await ours.call(track, { body }, { key: ours.keys.secret })).status).toBe(202)
}

async function bind(anonymousId: string, userId: string, traits: object = {}) {
  return ours.call(identify, { body: { anonymous_id: anonymousId, user_id: userId, traits: { ...traits } } })
}

async function personOf(type: string, value: string): Promise<string | null> {
  const body = { identifiers: [{ type, value }], read_only: true }
  return (await ours.call(resolveIdentity, { body })).body.person_id
}

async function person(id: string) {
  return (await ours.call(getPerson, { params: { id } })).body
}

describe('identify', () => {
  test('makes one person of an anonymous visitor and the user they turn out to be, under the older id', async () => {
    const [a, u] = [fresh('anon'), fresh('user')]
    await visit({ anonymous_id: a })
    await ours.settle()
    const before = await personOf('anonymous_id', a)
    const answer = await bind(a, u, { plan: 'pro' })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ person_id: before, merged: true, confidence: 'certain' })
    expect(await personOf('user_id', u)).toBe(before)
    const found = await person(String(before))
    expect(found.identifiers.map(({ type, value }) => [type, value])).toEqual([
      ['user_id', u],
      ['anonymous_id', a],
    ])
    expect(found.traits).toEqual({ plan: 'pro' })
  })

  test('answers the same when it is repeated, and writes nothing', async () => {
    const [a, u] = [fresh('anon'), fresh('user')]
    const first = await bind(a, u)
    const again = await bind(a, u)
    expect(first.body.ledger_entry_id).toMatch(/^mrg_/)
    const { person_id } = first.body
    expect(again.body).toMatchObject({ person_id, merged: false, confidence: 'certain' })
    expect(again.body).not.toHaveProperty('ledger_entry_id')
  })

  test('with a public key is at most likely', async () => {
    const body = { anonymousId: fresh('anon'), userId: fresh('user'), traits: {} }
    const answer = await ours.call(identify, { body: { ...body } }, { key: ours.keys.public })
    expect(answer.body.confidence).toBe('likely')
  })

  test('with a test key answers and keeps nothing', async () => {
    const [a, u] = [fresh('anon'), fresh('user')]
    const answer = await ours.call(
      identify,
      { body: { anonymous_id: a, user_id: u } },
      { key: ours.keys.test },
    )
    expect(answer.status).toBe(200)
    expect(await personOf('user_id', u)).toBeNull()
  })

  test.each(['null', 'undefined', '0', 'guest', '[object Object]', '-1', '0000-0000', ' ', 'ANONYMOUS'])(
    'refuses %j, which identifies no one',
    async (junk) => {
      const answer = await bind(fresh('anon'), junk)
      expect(answer.status).toBe(422)
      expect(answer.problem.errors?.[0]?.field).toBe('user_id')
    },
  )

  test('without a user or person is refused, and so are traits that are no object', async () => {
    expect((await ours.call(identify, { body: { anonymous_id: 'a' } })).status).toBe(422)
    const wrong = { user_id: fresh('user'), traits: 3 }
    // boundary: what is sent here is wrong on purpose.
    expect((await ours.call(identify, { body: wrong as never })).status).toBe(422)
  })
})

describe('a device that two users share', () => {
  test('merges no one, and its anonymous part belongs to neither', async () => {
    const [device, u1, u2] = [fresh('device'), fresh('user'), fresh('user')]
    await visit({ anonymous_id: device })
    await ours.settle()
    expect((await bind(device, u1)).body.merged).toBe(true)
    const conflict = await bind(device, u2)
    expect(conflict.status).toBe(409)
    expect(conflict.problem).toMatchObject({
      type: expect.stringContaining('identity-conflict'),
      reason: 'shared_device',
    })
    const people = await Promise.all([
      personOf('anonymous_id', device),
      personOf('user_id', u1),
      personOf('user_id', u2),
    ])
    expect(new Set(people).size).toBe(3)
    for (const id of people.slice(1)) {
      const timeline = await ours.call(getTimeline, { params: { id: String(id) }, query: {} })
      expect(timeline.body.data).toEqual([])
    }
    expect((await bind(device, fresh('user'))).status).toBe(409)
    expect((await bind(device, u1)).status).toBe(409)
  })
})

describe('alias', () => {
  test('ties an anonymous id to a user, and two user ids never', async () => {
    const [a, u1, u2] = [fresh('anon'), fresh('user'), fresh('user')]
    const tied = await ours.call(alias, { body: { previous_id: a, user_id: u1 } })
    expect(tied.status).toBe(200)
    expect(await personOf('anonymous_id', a)).toBe(tied.body.person_id)
    await bind(fresh('anon'), u2)
    const refused = await ours.call(alias, { body: { from: u1, to: u2 } })
    expect(refused.status).toBe(409)
    expect(refused.problem).toMatchObject({ reason: 'conflict' })
    expect(await personOf('user_id', u1)).not.toBe(await personOf('user_id', u2))
  })

  test('takes typed ends, and refuses what it cannot read', async () => {
    const [a, b] = [fresh('anon'), fresh('anon')]
    const from = { type: 'anonymous_id', value: a }
    const tied = await ours.call(alias, { body: { from, to: { type: 'anonymous_id', value: b } } })
    expect(tied.status).toBe(200)
    expect(await personOf('anonymous_id', a)).toBe(await personOf('anonymous_id', b))
    for (const body of [{ from: 'x' }, { from: { type: 'X' }, to: 'y' }, { from: 'null', to: 'y' }]) {
      expect((await ours.call(alias, { body })).status).toBe(422)
    }
    const nobody = 'per_00000000000000000000000000'
    expect((await ours.call(alias, { body: { from: nobody, to: fresh('user') } })).status).toBe(404)
  })
})

describe('resolve', () => {
  test('answers by which identifier a person was found, and the confidence', async () => {
    const [u, email, stripe, a] = [
      fresh('user'),
      `${fresh('mail')}@Shop.Example`,
      fresh('cus'),
      fresh('anon'),
    ]
    const all = [
      user(u),
      { type: 'email', value: ` ${email} ` },
      { type: 'stripe_customer_id', value: stripe },
      { type: 'anonymous_id', value: a },
    ]
    const made = await ours.call(resolveIdentity, { body: { identifiers: all } })
    expect(made.body).toMatchObject({ step: 7, confidence: 'certain', matched: [], would_merge: [] })
    const places = [
      { identifier: all[0], step: 3, confidence: 'certain' },
      { identifier: { type: 'email', value: email.toUpperCase() }, step: 4, confidence: 'likely' },
      { identifier: all[2], step: 5, confidence: 'likely' },
      { identifier: all[3], step: 6, confidence: 'possible' },
    ]
    for (const { identifier, step, confidence } of places) {
      if (identifier === undefined) throw new Error('four identifiers were given')
      const body = { identifiers: [identifier], read_only: true }
      const found = await ours.call(resolveIdentity, { body })
      expect(found.body).toMatchObject({ person_id: made.body.person_id, step, confidence })
    }
  })

  test('says what it did not use, and why', async () => {
    const identifiers = [
      user('null'),
      { type: 'email', value: 'not an address' },
      { type: 'phone', value: '030 1234' },
      { type: 'email', value: 'a@b.example', verified: false },
      { type: 'person_id', value: 'per_00000000000000000000000000' },
      user('x'.repeat(513)),
    ]
    const { body } = await ours.call(resolveIdentity, { body: { identifiers } })
    expect(body.person_id).toBeNull()
    expect(body.rejected.map(({ reason }) => reason)).toEqual([
      'junk',
      'malformed',
      'malformed',
      'unverified',
      'too_long',
      'unknown_person',
    ])
  })

  test('that only reads changes nothing, and is what a test key may do', async () => {
    const [u, a] = [fresh('user'), fresh('anon')]
    await bind(fresh('anon'), u)
    await visit({ anonymous_id: a })
    await ours.settle()
    const identifiers = [user(u), { type: 'anonymous_id', value: a }]
    const asked = await ours.call(resolveIdentity, { body: { identifiers, read_only: true } })
    expect(asked.body.would_merge).toHaveLength(1)
    expect(await personOf('anonymous_id', a)).not.toBe(await personOf('user_id', u))
    const key = ours.keys.test
    expect(
      (await ours.call(resolveIdentity, { body: { identifiers, read_only: true } }, { key })).status,
    ).toBe(200)
    expect((await ours.call(resolveIdentity, { body: { identifiers } }, { key })).status).toBe(403)
    const done = await ours.call(resolveIdentity, { body: { identifiers } })
    expect(done.body.would_merge).toEqual(asked.body.would_merge)
    expect(await personOf('anonymous_id', a)).toBe(done.body.person_id)
  })

  test('refuses an address that belongs to another user', async () => {
    const email = { type: 'email', value: `${fresh('mail')}@shop.example` }
    await ours.call(resolveIdentity, { body: { identifiers: [user(fresh('user')), email] } })
    const second = [user(fresh('user')), email]
    const refused = await ours.call(resolveIdentity, { body: { identifiers: second } })
    expect(refused.status).toBe(409)
    expect(refused.problem.type).toContain('identity-conflict')
  })
})

describe('a person_id of the sender’s own', () => {
  test('names the person in every route that takes one, and answers give ours', async () => {
    const own = `crm ${fresh('customer')}`
    const key = { key: ours.keys.secret }
    const sent = { event: '$login', person_id: ` ${own} `, properties: { method: 'x' } }
    await ours.call(track, { body: sent }, key)
    await ours.settle()
    const found = (await ours.call(getPerson, { params: { id: own } })).body
    const id = found.person_id
    expect(id).toMatch(/^per_[0-9a-f]{26}$/)
    expect(found).toMatchObject({ requested_id: own, events: 1 })
    expect((await ours.call(getPerson, { params: { id } })).body.person_id).toBe(id)
    const timeline = await ours.call(getTimeline, { params: { id: own }, query: {} })
    expect(timeline.body.data).toHaveLength(1)
    const consent = { person_id: own, categories: { ad_storage: 'denied' as const } }
    expect((await ours.call(recordConsent, { body: consent }, key)).status).toBe(201)
    const params = { personId: own }
    const now = (await ours.call(getConsent, { params, query: {} })).body
    expect(now).toMatchObject({ person_id: id, categories: { ad_storage: 'denied' } })
    expect((await ours.call(listConsents, { params, query: {} })).body.data).toHaveLength(1)
    expect((await ours.call(getTouchpoints, { params })).body.person_id).toBe(id)
    expect((await ours.call(listReplays, { query: { person_id: own } })).status).toBe(200)
    const userId = fresh('user')
    const other = String((await bind(fresh('anon'), userId)).body.person_id)
    const merged = await ours.call(mergePeople, {
      body: { survivor_id: own, absorbed_id: other, reason: 'x' },
    })
    expect(merged.body).toMatchObject({ survivor_id: id, absorbed_id: other })
    expect(await personOf('user_id', userId)).toBe(id)
    const entries = await ours.call(listLedger, { query: { person_id: own } })
    expect(entries.body.data.map((entry) => entry.id)).toContain(merged.body.id)
    const asked = await ours.call(requestExport, { body: { person_id: own, regime: 'gdpr' } })
    expect(asked.status).toBe(202)
  })

  test('that is unknown, or identifies no one, is not found in any of them', async () => {
    for (const id of [fresh('nobody'), 'null', `per_${'0'.repeat(26)}`, 'x'.repeat(512), '%']) {
      const asked = [
        await ours.call(getPerson, { params: { id } }),
        await ours.call(getTimeline, { params: { id }, query: {} }),
        await ours.call(getConsent, { params: { personId: id }, query: {} }),
        await ours.call(listConsents, { params: { personId: id }, query: {} }),
        await ours.call(getTouchpoints, { params: { personId: id } }),
        await ours.call(listReplays, { query: { person_id: id } }),
        await ours.call(mergePeople, { body: { survivor_id: id, absorbed_id: id, reason: 'x' } }),
        await ours.call(requestForget, { body: { person_id: id, regime: 'gdpr' } }),
      ]
      expect(
        asked.map(({ status }) => status),
        id,
      ).toEqual(asked.map(() => 404))
      expect((await ours.call(listLedger, { query: { person_id: id } })).body.data).toEqual([])
    }
  })
})

describe('a merge on purpose', () => {
  async function twoUsers() {
    const [u1, u2] = [fresh('user'), fresh('user')]
    await bind(fresh('anon'), u1, { name: 'One', city: 'Ulm' })
    await bind(fresh('anon'), u2, { name: 'Two' })
    return { u1, u2, p1: String(await personOf('user_id', u1)), p2: String(await personOf('user_id', u2)) }
  }

  test('joins even two users, can be tried first, and is undone as if it had never been', async () => {
    const { u1, u2, p1, p2 } = await twoUsers()
    await visit({ user_id: u2 })
    await ours.settle()
    const before = { one: await person(p1), two: await person(p2) }
    const body = { survivor_id: p1, absorbed_id: p2, reason: 'support case' }
    const tried = await ours.call(mergePeople, { body: { ...body, dry_run: true } })
    expect(tried.status).toBe(200)
    expect(tried.body).toMatchObject({
      id: null,
      dry_run: true,
      // The login, and the identify event itself.
      moved: { identifiers: 2, traits: 1, events: 2 },
    })
    expect(await personOf('user_id', u2)).toBe(p2)
    const { kept } = world.product.deps
    const keptKey = `${ours.workspaceId} of before`
    await kept.of(keptKey, async () => 'two people')
    const merged = await ours.call(mergePeople, { body })
    expect(merged.status).toBe(201)
    expect(kept.ageMs(keptKey)).toBeNull()
    expect(merged.body).toMatchObject({
      type: 'merge',
      survivor_id: p1,
      absorbed_id: p2,
      reason: 'support case',
    })
    const both = await person(p2)
    expect(both).toMatchObject({ person_id: p1, requested_id: p2, traits: { city: 'Ulm' }, events: 3 })
    expect(both.identifiers).toHaveLength(4)
    expect((await ours.call(mergePeople, { body })).status).toBe(409)
    const id = String(merged.body.id)
    const reversed = await ours.call(reverseMerge, { params: { id }, body: { reason: 'a mistake' } })
    expect(reversed.status).toBe(201)
    expect(reversed.body).toMatchObject({
      type: 'reverse',
      reverses: id,
      reversed: [id],
      still_joined_by: [],
    })
    expect({ one: await person(p1), two: await person(p2) }).toEqual(before)
    const twice = await ours.call(reverseMerge, { params: { id }, body: { reason: 'again' } })
    expect(twice.status).toBe(409)
    expect(await personOf('user_id', u1)).toBe(p1)
  })

  test('joins two whom their devices made known first, users and devices and all, and parts them again', async () => {
    const people = [0, 1].map(() => ({ device: fresh('anon'), userId: fresh('user') }))
    for (const { device } of people) await visit({ anonymous_id: device })
    await ours.settle()
    for (const { device, userId } of people) await bind(device, userId)
    // What is moved is counted in the events store, where what was bound last may arrive between two counts.
    await ours.settle()
    const whoIsWho = () =>
      Promise.all(
        people.flatMap(({ device, userId }) => [
          personOf('user_id', userId),
          personOf('anonymous_id', device),
        ]),
      )
    const before = await whoIsWho()
    const [p1, , p2] = before.map(String)
    expect(before).toEqual([p1, p1, p2, p2])
    const body = { survivor_id: String(p1), absorbed_id: String(p2), reason: 'one and the same' }
    const tried = await ours.call(mergePeople, { body: { ...body, dry_run: true } })
    const merged = await ours.call(mergePeople, { body })
    expect(tried.body.moved).toEqual(merged.body.moved)
    expect(merged.body.survivor_id).toBe(p1)
    expect(await whoIsWho()).toEqual(Array(4).fill(p1))
    expect((await person(String(p2))).identifiers).toHaveLength(4)
    const params = { id: String(merged.body.id) }
    expect((await ours.call(reverseMerge, { params, body: { reason: 'two' } })).status).toBe(201)
    expect(await whoIsWho()).toEqual(before)
  })

  test('shows the id of its survivor, regardless of who was seen first, and after its reversal each their own', async () => {
    const { u1, u2, p1, p2 } = await twoUsers()
    const shown = async () => [await personOf('user_id', u1), await personOf('user_id', u2)]
    // The second was seen later, and survives all the same.
    const body = { survivor_id: p2, absorbed_id: p1, reason: 'x' }
    const merged = await ours.call(mergePeople, { body })
    expect(merged.body).toMatchObject({ survivor_id: p2, absorbed_id: p1 })
    expect(await shown()).toEqual([p2, p2])
    expect((await person(p1)).person_id).toBe(p2)
    const p3 = String((await bind(fresh('anon'), fresh('user'))).body.person_id)
    const again = { survivor_id: p3, absorbed_id: p1, reason: 'x' }
    const second = await ours.call(mergePeople, { body: again })
    expect(second.body).toMatchObject({ survivor_id: p3, absorbed_id: p2 })
    expect(await shown()).toEqual([p3, p3])
    // What an event adds later does not change whose id is shown.
    await bind(fresh('anon'), u1)
    expect(await shown()).toEqual([p3, p3])
    const reverse = async (id: unknown) =>
      ours.call(reverseMerge, { params: { id: String(id) }, body: { reason: 'x' } })
    await reverse(second.body.id)
    expect(await shown()).toEqual([p2, p2])
    await reverse(merged.body.id)
    expect(await shown()).toEqual([p1, p2])
    expect((await ours.call(verifyLedger, {})).body.valid).toBe(true)
  })

  test('that others were built on goes only with them', async () => {
    const { p1, p2 } = await twoUsers()
    const p3 = String((await bind(fresh('anon'), fresh('user'))).body.person_id)
    const merge = async (survivor: string, absorbed: string) => {
      const body = { survivor_id: survivor, absorbed_id: absorbed, reason: 'x' }
      return String((await ours.call(mergePeople, { body })).body.id)
    }
    const first = await merge(p1, p2)
    const second = await merge(p1, p3)
    const refused = await ours.call(reverseMerge, { params: { id: first }, body: { reason: 'x' } })
    expect(refused.status).toBe(409)
    expect(refused.problem.built_on_it).toEqual([second])
    const body = { reason: 'x', cascade: true }
    const tried = await ours.call(reverseMerge, { params: { id: first }, body: { ...body, dry_run: true } })
    expect(tried.status).toBe(200)
    expect(tried.body).toMatchObject({ dry_run: true, id: null, reversed: [second, first] })
    const done = await ours.call(reverseMerge, { params: { id: first }, body })
    expect(done.body.reversed).toEqual([second, first])
    expect(done.body.person_ids).toEqual([p1, p2, p3].sort())
  })

  test('of a person who does not exist is not found', async () => {
    const { p1 } = await twoUsers()
    const foreign = String((await theirs.call(identify, { body: { user_id: 'u' } })).body.person_id)
    for (const absorbed of [foreign, 'per_00000000000000000000000000', 'someone']) {
      const body = { survivor_id: p1, absorbed_id: absorbed, reason: 'x' }
      expect((await ours.call(mergePeople, { body })).status).toBe(404)
    }
    expect((await ours.call(getPerson, { params: { id: foreign } })).status).toBe(404)
  })
})

describe('a reversal', () => {
  test('keeps the two apart, until that is taken back too', async () => {
    const [a, u] = [fresh('anon'), fresh('user')]
    const { body } = await bind(a, u)
    const id = String(body.ledger_entry_id)
    await ours.call(reverseMerge, { params: { id }, body: { reason: 'not hers' } })
    const refused = await bind(a, u)
    expect(refused.status).toBe(409)
    expect(refused.problem.reason).toBe('kept_apart')
    const [apart] = (await ours.call(listLedger, { query: { type: 'keep_apart', limit: 1 } })).body.data
    await ours.call(reverseMerge, { params: { id: String(apart?.id) }, body: { reason: 'hers after all' } })
    expect((await bind(a, u)).status).toBe(200)
  })

  test('that does not keep apart lets the next call join them again', async () => {
    const [a, u] = [fresh('anon'), fresh('user')]
    const { body } = await bind(a, u)
    const id = String(body.ledger_entry_id)
    await ours.call(reverseMerge, { params: { id }, body: { reason: 'x', keep_apart: false } })
    expect((await bind(a, u)).body.ledger_entry_id).toMatch(/^mrg_/)
  })

  test('reports when other links still join both', async () => {
    const [a, b, u] = [fresh('anon'), fresh('anon'), fresh('user')]
    const first = await bind(a, u)
    await bind(b, u)
    const from = { type: 'anonymous_id', value: a }
    const tie = await ours.call(alias, { body: { from, to: { type: 'anonymous_id', value: b } } })
    const id = String(tie.body.ledger_entry_id)
    const { body } = await ours.call(reverseMerge, { params: { id }, body: { reason: 'x' } })
    expect(body.still_joined_by).toHaveLength(2)
    expect(body.still_joined_by).toContain(first.body.ledger_entry_id)
  })

  test('of a reversal, or of nothing, is refused', async () => {
    const { body } = await bind(fresh('anon'), fresh('user'))
    const id = String(body.ledger_entry_id)
    const reversed = await ours.call(reverseMerge, { params: { id }, body: { reason: 'x' } })
    const again = { params: { id: String(reversed.body.id) }, body: { reason: 'x' } }
    expect((await ours.call(reverseMerge, again)).status).toBe(409)
    expect(
      (await ours.call(reverseMerge, { params: { id: 'mrg_none' }, body: { reason: 'x' } })).status,
    ).toBe(404)
  })
})

describe('the ledger', () => {
  test('is listed newest first, in pages, by person and type, and its chain holds', async () => {
    const [u, a, b] = [fresh('user'), fresh('anon'), fresh('anon')]
    const { body } = await bind(a, u)
    await bind(b, u)
    const query = { person_id: body.person_id, limit: 1 }
    const page = (await ours.call(listLedger, { query })).body
    expect(page.data).toHaveLength(1)
    const rest = (await ours.call(listLedger, { query: { ...query, cursor: String(page.next_cursor) } })).body
    expect(rest.next_cursor).toBeNull()
    expect(rest.data[0]?.id).toBe(body.ledger_entry_id)
    expect(page.data[0]?.seq).toBe((rest.data[0]?.seq ?? 0) + 1)
    const nobody = await theirs.call(listLedger, { query: { person_id: body.person_id } })
    expect(nobody.body.data).toEqual([])
    const verified = (await ours.call(verifyLedger, {})).body
    expect(verified).toMatchObject({ valid: true, broken_at: null, erased: 0 })
  })

  test('that was modified by hand says where', async () => {
    const mine = await world.newWorkspace()
    for (const user_id of ['u1', 'u2', 'u3']) {
      await mine.call(identify, { body: { anonymous_id: `a-${user_id}`, user_id } })
    }
    expect((await mine.call(verifyLedger, {})).body).toMatchObject({ valid: true, entries: 3 })
    const { control } = world.product.deps
    await control.query(
      "UPDATE identity_ledger SET actor = 'somebody else' WHERE workspace_id = $1 AND seq = 2",
      [mine.workspaceId],
    )
    expect((await mine.call(verifyLedger, {})).body).toMatchObject({ valid: false, broken_at: 2 })
    await control.query('DELETE FROM identity_ledger WHERE workspace_id = $1 AND seq >= 2', [
      mine.workspaceId,
    ])
    expect((await mine.call(verifyLedger, {})).body).toMatchObject({ valid: false, broken_at: 2 })
  })
})

describe('a timeline', () => {
  test('holds the events of all identifiers, newest first, in pages that neither miss nor repeat', async () => {
    const [u, a] = [fresh('user'), fresh('anon')]
    const base = Date.now() - 60_000
    // Several in one millisecond, so that pages end in the middle of one.
    for (const [index, who] of [{ anonymous_id: a }, { user_id: u }].entries()) {
      for (let each = 0; each < 5; each += 1) {
        const ts = new Date(base + Math.floor(each / 3) * 1000).toISOString()
        const body = {
          event: '$login',
          event_id: `${u}-${index}-${each}`,
          ...who,
          ts,
          properties: { method: 'x' },
        }
        await ours.call(track, { body }, { key: ours.keys.secret })
      }
    }
    await ours.settle()
    const { body } = await bind(a, u)
    // The identify call is an event, too, and may be loaded at any time.
    const to = new Date(base + 30_000).toISOString()
    const read = (query: object) =>
      ours.call(getTimeline, { params: { id: body.person_id }, query: { to, ...query } })
    const whole = (await read({ limit: 100 })).body.data
    expect(whole).toHaveLength(10)
    expect(whole[0]).toMatchObject({
      verdict: { outcome: 'accept', issues: [] },
      source: { endpoint: 'track' },
      identified_by: { user_id: u },
    })
    const keys = whole.map(({ ts, event_id }) => `${ts} ${event_id}`)
    expect(keys).toEqual(keys.toSorted().reverse())
    const paged: string[] = []
    let cursor: string | null = null
    do {
      const page: Output<typeof getTimeline> = (await read({ limit: 3, ...(cursor !== null && { cursor }) }))
        .body
      paged.push(...page.data.map(({ event_id }) => event_id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(paged).toEqual(whole.map(({ event_id }) => event_id))
    const from = new Date(base + 500).toISOString()
    expect((await read({ from })).body.data).toHaveLength(4)
    expect((await read({ event: '$signup' })).body.data).toEqual([])
    expect(whole[0]).toMatchObject({ amount: null, currency: null })
    const order = { event: '$purchase', user_id: u, properties: { amount: 12.5, currency: 'EUR' } }
    await ours.send([order])
    const later = new Date(base + 3_600_000).toISOString()
    const bought = (await read({ event: '$purchase', to: later })).body.data
    expect(bought).toMatchObject([{ name: '$purchase', amount: 12.5, currency: 'EUR' }])
    const person = await ours.call(getPerson, { params: { id: body.person_id } })
    expect(person.body).toMatchObject({ site_ids: [ours.siteId], events: 12 })
    expect((await read({ cursor: 'nonsense' })).status).toBe(422)
    expect((await read({ from: 'never' })).status).toBe(422)
  })
})
