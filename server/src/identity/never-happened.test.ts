import {
  alias,
  batch,
  getOverview,
  getPerson,
  getTimeline,
  identify,
  mergePeople,
  type Overview,
  type Person,
  resolveIdentity,
  reverseMerge,
  verifyLedger,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'
import { Model } from './testing/model.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const user = fc.constantFrom('u1', 'u2', 'u3')
const device = fc.constantFrom('a1', 'a2', 'a3')
const operation = fc.oneof(
  fc.record({
    kind: fc.constant('events' as const),
    of: fc.array(fc.tuple(fc.option(user), fc.option(device)), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constantFrom('identify' as const, 'alias' as const), user, device }),
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

const typeOf = (id: string) => (id.startsWith('u') ? 'user_id' : 'anonymous_id')
// What is one character long and a digit may be junk, so names are longer than the model's.
const nameOf = (id: string) => `${id}-of-this-world`

const startMs = Date.now() - 100_000

/** One workspace, and a model that gets the same input. */
class Told {
  readonly workspace: TestWorkspace
  readonly model = new Model()
  #time = 0

  constructor(workspace: TestWorkspace) {
    this.workspace = workspace
  }

  #see(...ids: string[]): void {
    this.#time += 1
    for (const id of ids) this.model.see(id, this.#time)
  }

  async do(one: Operation): Promise<void> {
    if (one.kind === 'events') await this.#send(one.of)
    else await this.#bind(one)
  }

  async #send(of: readonly (readonly [string | null, string | null])[]): Promise<void> {
    const events = of
      .filter(([u, a]) => u !== null || a !== null)
      .map(([u, a], index) => {
        this.#see(...[u, a].filter((id) => id !== null))
        return {
          event: '$login',
          event_id: `${this.#time}-${index}`,
          properties: { method: 'x' },
          ...(u !== null && { user_id: nameOf(u) }),
          ...(a !== null && { anonymous_id: nameOf(a) }),
          // Times of their own, so that it is plain who was seen first.
          ts: startMs + this.#time * 10,
        }
      })
    if (events.length === 0) return
    await this.workspace.call(batch, { body: { batch: events } }, { key: this.workspace.keys.secret })
    // The pairs of a segment arrive in no order, which is why the order must not matter.
    for (const [u, a] of of) if (u !== null && a !== null) this.model.say(u, a)
  }

  async #bind({ kind, user: u, device: a }: Extract<Operation, { user: string }>): Promise<void> {
    this.#see(u, a)
    const ids = { user_id: nameOf(u), anonymous_id: nameOf(a) }
    const said = { event_id: `${this.#time}-said`, ts: startMs + this.#time * 10 }
    const { status } =
      kind === 'identify'
        ? await this.workspace.call(identify, {
            body: { ...ids, ...said, traits: { [`said_${this.#time}`]: u } },
          })
        : await this.workspace.call(alias, { body: { previous_id: ids.anonymous_id, user_id: ids.user_id } })
    const { verdict } = this.model.say(u, a)
    expect(status, `${kind} ${u} ${a}: ${verdict}`).toBe(verdict === 'shared_device' ? 409 : 200)
  }

  /** Who is who in the control store is who is who in the model. */
  async expectAgreement(): Promise<void> {
    const { control } = world.product.deps
    const rows = await control.query<{ value: string; person_id: string; original_id: string }>(
      'SELECT value, person_id, original_id FROM identifiers WHERE workspace_id = $1',
      [this.workspace.workspaceId],
    )
    const personOf = new Map(rows.map((row) => [row.value, row.person_id]))
    for (const group of this.model.groups()) {
      const people = new Set(group.map((id) => personOf.get(nameOf(id)) ?? id))
      expect(people.size, group.join()).toBe(1)
    }
    const groups = this.model.groups().filter((group) => group.some((id) => personOf.has(nameOf(id))))
    const named = groups.map((group) => personOf.get(nameOf(group[0] ?? '')))
    expect(new Set(named).size).toBe(named.length)
  }

  async personOf(id: string): Promise<string | null> {
    const body = { identifiers: [{ type: typeOf(id), value: nameOf(id) }], read_only: true }
    return (await this.workspace.call(resolveIdentity, { body })).body.person_id
  }

  /** All that can be read, without ids and times that differ between any two workspaces. */
  async everything(): Promise<unknown> {
    const ids = [...this.model.firstSeen.keys()].toSorted()
    const personIds = await Promise.all(ids.map((id) => this.personOf(id)))
    const people = await Promise.all(
      [...new Set(personIds)].map(async (personId) => {
        if (personId === null) throw new Error('everyone who was seen is a person')
        const params = { id: personId }
        const person = (await this.workspace.call(getPerson, { params })).body
        const { data } = (await this.workspace.call(getTimeline, { params, query: { limit: 200 } })).body
        return { ...plain(person), timeline: data.map(({ event_id }) => event_id) }
      }),
    )
    const query = { siteId: this.workspace.siteId, window: '24h', includeBots: true }
    return { people, overview: figures((await this.workspace.call(getOverview, { query })).body) }
  }
}

function plain({ person_id, identifiers, traits, events }: Person): object {
  const first = identifiers.find((identifier) => identifier.person_id === person_id)
  const known = identifiers.map(({ type, value, confidence, source }) => ({
    type,
    value,
    confidence,
    source,
  }))
  return {
    first: first?.value,
    identifiers: known.toSorted((a, b) => (a.value < b.value ? -1 : 1)),
    traits,
    events,
  }
}

function figures({ metrics, breakdowns }: Overview): object {
  return { metrics, breakdowns }
}

/** A world in which two users are merged on the way, and one in which they never were. */
class Pair {
  readonly merged: Told
  readonly never: Told
  readonly #users: readonly string[]
  #entryId = ''
  #number = 0

  constructor(merged: TestWorkspace, never: TestWorkspace, users: readonly string[]) {
    this.merged = new Told(merged)
    this.never = new Told(never)
    this.#users = users
  }

  async do(operation: Operation | undefined): Promise<void> {
    if (operation === undefined) return
    await Promise.all([this.merged.do(operation), this.never.do(operation)])
  }

  async merge(): Promise<void> {
    const [one = '', two = ''] = this.#users
    const [survivor, absorbed] = [await this.merged.personOf(one), await this.merged.personOf(two)]
    const body = { survivor_id: String(survivor), absorbed_id: String(absorbed), reason: 'x' }
    const { status, body: entry } = await this.merged.workspace.call(mergePeople, { body })
    expect(status).toBe(201)
    this.#entryId = String(entry.id)
    this.#number = this.merged.model.merge(one, two).number ?? 0
  }

  async reverse(): Promise<void> {
    const params = { id: this.#entryId }
    const { status } = await this.merged.workspace.call(reverseMerge, { params, body: { reason: 'x' } })
    expect(status).toBe(201)
    this.merged.model.reverse(this.#number, true)
  }

  async expectAgreement(): Promise<void> {
    await Promise.all([this.merged.expectAgreement(), this.never.expectAgreement()])
  }
}

const history = fc.record({
  users: fc.uniqueArray(user, { minLength: 2, maxLength: 2 }),
  before: fc.array(operation, { minLength: 1, maxLength: 2 }),
  after: fc.array(operation, { minLength: 1, maxLength: 3 }),
})
/** Histories that are lived at the same time, since waiting for events to show up takes longest. */
const histories = fc.array(history, { minLength: 3, maxLength: 3 })

test('after a merge is reversed, people, timelines and reports are those of a world in which it never was', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (lives) => {
      const pairs = await Promise.all(
        lives.map(
          async ({ users }) => new Pair(await world.newWorkspace(), await world.newWorkspace(), users),
        ),
      )
      const everyPair = async (step: (pair: Pair, index: number) => Promise<void>) => {
        await Promise.all(pairs.map(step))
        // What the log holds is written down before it is asked for; where nothing was sent this costs nothing.
        await pairs[0]?.merged.workspace.settle()
        await Promise.all(pairs.map((pair) => pair.expectAgreement()))
      }
      // Both users are known, so that they can be merged.
      await everyPair((pair, index) =>
        pair.do({ kind: 'events', of: (lives[index]?.users ?? []).map((id) => [id, null]) }),
      )
      for (const at of [0, 1]) await everyPair((pair, index) => pair.do(lives[index]?.before[at]))
      await everyPair((pair) => pair.merge())
      for (const at of [0, 1, 2]) await everyPair((pair, index) => pair.do(lives[index]?.after[at]))
      await everyPair((pair) => pair.reverse())
      for (const { merged, never } of pairs) {
        expect(await merged.everything()).toEqual(await never.everything())
        expect((await merged.workspace.call(verifyLedger, {})).body.valid).toBe(true)
      }
    }),
    { numRuns: 1, endOnFailure: true },
  )
}, 180_000)

test('traits that depended on a merge go with the merge, and the earlier ones are back', async () => {
  const ours = await world.newWorkspace()
  const tell = (user_id: string, plan: string) =>
    ours.call(identify, { body: { user_id, anonymous_id: 'one-device', traits: { plan } } })
  const [one, two] = [(await tell('user-one', 'pro')).body, await tell('user-two', 'never')]
  expect(two.status).toBe(409)
  const other = { identifiers: [{ type: 'user_id', value: 'user-two' }] }
  const absorbed_id = String((await ours.call(resolveIdentity, { body: other })).body.person_id)
  const body = { survivor_id: one.person_id, absorbed_id, reason: 'x' }
  const { id } = (await ours.call(mergePeople, { body })).body
  expect((await tell('user-one', 'gold')).status).toBe(200)
  expect((await tell('user-two', 'silver')).status).toBe(200)
  const planOf = async (personId: string) =>
    (await ours.call(getPerson, { params: { id: personId } })).body.traits.plan
  expect(await planOf(one.person_id)).toBe('silver')
  await ours.call(reverseMerge, { params: { id: String(id) }, body: { reason: 'x' } })
  expect(await planOf(one.person_id)).toBe('pro')
  expect(await planOf(absorbed_id)).toBe(undefined)
})
