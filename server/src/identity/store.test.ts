import { Problem } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../platform/clock.ts'
import type { Control } from '../store/control.ts'
import { applyReversal } from './commands/reversal.ts'
import { applyClaims, type Claim, type Linked } from './graph/links.ts'
import type { Named } from './graph/neighbourhood.ts'
import { checkLedger } from './ledger/entries.ts'
import { LedgerTransaction, type World } from './ledger/transaction.ts'
import { type ControlStore, newWorkspace, openEmbeddedStore } from './testing/control-stores.ts'
import { Model } from './testing/model.ts'

let store: ControlStore
let control: Control

beforeAll(async () => {
  store = await openEmbeddedStore()
  const [first] = store.nodes
  if (first === undefined) throw new Error('the store has a node')
  control = first
})
afterAll(() => store?.close())

let clock = 0
const world: World = { now: () => ++clock, newId, newSalt: () => newId('salt') }
const types: Readonly<Record<string, string>> = { u: 'user_id', e: 'email', a: 'anonymous_id' }

function take<T>(workspaceId: string, turn: (transaction: LedgerTransaction) => Promise<T>): Promise<T> {
  return control.transaction(async (sql) => {
    const transaction = await LedgerTransaction.begin(sql, workspaceId, world)
    const value = await turn(transaction)
    await transaction.finish()
    return value
  })
}

function named(id: string, firstSeenMs: number): Named {
  return { originalId: id, type: types[id.charAt(0)] ?? '', value: id, firstSeenMs, isSeen: true }
}

function claim(x: Named, y: Named, isExplicit: boolean): Claim {
  return {
    anchor: x,
    other: y,
    step: 3,
    confidence: 'certain',
    isExplicit,
    source: 'identify',
    actor: 'key_test',
    reason: null,
    triggeringEventId: null,
  }
}

async function claimed(workspaceId: string, one: Claim): Promise<Linked> {
  const [linked] = await take(workspaceId, (turn) => applyClaims(turn, [one]))
  if (linked === undefined) throw new Error('one claim in gave no answer')
  return linked
}

async function people(workspaceId: string): Promise<Map<string, string>> {
  const rows = await control.query<{ original_id: string; person_id: string }>(
    'SELECT original_id, person_id FROM identifiers WHERE workspace_id = $1',
    [workspaceId],
  )
  return new Map(rows.map((row) => [row.original_id, row.person_id]))
}

const byName = (left: string, right: string) => (left < right ? -1 : 1)
const user = fc.constantFrom('u1', 'u2', 'u3')
const device = fc.constantFrom('a1', 'a2', 'a3')
const anybody = fc.oneof(user, device, fc.constantFrom('e1', 'e2'))
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('say' as const), pair: fc.tuple(user, device) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('say' as const), pair: fc.tuple(anybody, anybody) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('merge' as const), pair: fc.tuple(anybody, anybody) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reverse' as const), pick: fc.nat(50), apart: fc.boolean() }),
  },
)

/** Of a person who was merged on purpose only two identifiers are loaded with the last of these. */
const ofNeighbour: (typeof operation extends fc.Arbitrary<infer One> ? One : never)[] = [
  { kind: 'merge', pair: ['a2', 'u1'] },
  { kind: 'say', pair: ['u2', 'a2'] },
  { kind: 'say', pair: ['u2', 'a1'] },
]

/** The device that gives one person their id is claimed by the other, too, to whom the last of these is said. */
const ofDevice: typeof ofNeighbour = [
  { kind: 'say', pair: ['a3', 'e1'] },
  { kind: 'say', pair: ['a3', 'a1'] },
  { kind: 'say', pair: ['a1', 'u2'] },
  { kind: 'say', pair: ['a2', 'e1'] },
]

const verdicts: Readonly<Record<string, string>> = { linked: 'joined', merged: 'joined' }

describe('the store', () => {
  test('agrees with the model at every step, though it looks at the neighbourhood only, and its chain holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
        const workspaceId = await newWorkspace(control)
        const model = new Model()
        const kept: { entryId: string; number: number }[] = []
        for (const [time, one] of operations.entries()) {
          if (one.kind === 'reverse') {
            const inForce = kept.filter(
              ({ number }) => model.said.find((each) => each.number === number)?.isInForce,
            )
            const entry = inForce[one.pick % Math.max(1, inForce.length)]
            if (entry === undefined) continue
            const request = {
              entryId: entry.entryId,
              reason: 'x',
              keepApart: one.apart,
              cascade: true,
              actor: 'key_test',
              counted: { events: null, outcomes: null },
            }
            const { reversed } = await take(workspaceId, (turn) => applyReversal(turn, request))
            const expected = [entry.number, ...model.builtOn(entry.number)]
            expect(reversed.toSorted()).toEqual(
              kept
                .filter(({ number }) => expected.includes(number))
                .map(({ entryId }) => entryId)
                .sort(),
            )
            model.reverse(entry.number, one.apart)
          } else {
            const [x, y] = one.pair
            if (x === y) continue
            for (const id of one.pair) model.see(id, time)
            const firstSeen = (id: string) => named(id, model.firstSeen.get(id) ?? time)
            const mine = await claimed(workspaceId, claim(firstSeen(x), firstSeen(y), one.kind === 'merge'))
            const theirs = model[one.kind](x, y)
            expect(verdicts[mine.outcome] ?? mine.outcome, `${one.kind} ${x} ${y}`).toBe(theirs.verdict)
            if (mine.entry !== null && theirs.number !== null)
              kept.push({ entryId: mine.entry.id, number: theirs.number })
          }
          const stored = await people(workspaceId)
          for (const group of model.groups()) {
            const name = model.nameOf(group, byName)
            for (const id of group) expect(stored.get(id) ?? id, `${id} after step ${time}`).toBe(name)
          }
        }
        expect(await checkLedger(control, workspaceId)).toMatchObject({ valid: true })
      }),
      { numRuns: 20, examples: [[ofNeighbour], [ofDevice]] },
    )
  })

  test('judges many claims at once as it would one after the other', async () => {
    const pairs = fc.array(fc.tuple(anybody, anybody), { minLength: 2, maxLength: 15 })
    await fc.assert(
      fc.asyncProperty(pairs, async (said) => {
        const claims = said
          .filter(([x, y]) => x !== y)
          .map(([x, y]) => claim(named(x, Number(x.charAt(1))), named(y, Number(y.charAt(1))), false))
        const [together, alone] = [await newWorkspace(control), await newWorkspace(control)]
        const atOnce = await take(together, (turn) => applyClaims(turn, claims))
        const oneByOne: Linked[] = []
        for (const one of claims) oneByOne.push(await claimed(alone, one))
        expect(atOnce.map(({ outcome }) => outcome)).toEqual(oneByOne.map(({ outcome }) => outcome))
        expect(await people(together)).toEqual(await people(alone))
      }),
      { numRuns: 15, examples: [[ofDevice.flatMap((one) => (one.kind === 'say' ? [one.pair] : []))]] },
    )
  })
})

describe('the limits of a person', () => {
  test('are 1,000 identifiers and 100 merges, and the next one is refused with nothing written', async () => {
    const workspaceId = await newWorkspace(control)
    const anchor = named('u1', 0)
    const unseen = (index: number): Named => ({ ...named(`a${index}`, index), isSeen: false })
    const devices = Array.from({ length: 999 }, (_, index) => claim(anchor, unseen(index + 1), false))
    const attached = await take(workspaceId, (turn) => applyClaims(turn, devices))
    expect(new Set(attached.map(({ outcome }) => outcome))).toEqual(new Set(['linked']))
    const { outcome, entry } = await claimed(workspaceId, claim(anchor, unseen(1_000), false))
    expect({ outcome, entry }).toEqual({ outcome: 'too_many_identifiers', entry: null })
    const other = named('u2', 0)
    const seen = Array.from({ length: 100 }, (_, index) =>
      claim(other, named(`a${index + 2_000}`, index), false),
    )
    const merged = await take(workspaceId, (turn) => applyClaims(turn, seen))
    expect(new Set(merged.map((one) => one.outcome))).toEqual(new Set(['merged']))
    expect((await claimed(workspaceId, claim(other, named('a3000', 5), false))).outcome).toBe(
      'too_many_merges',
    )
    expect((await claimed(workspaceId, claim(other, unseen(3_001), false))).outcome).toBe('linked')
    expect(await checkLedger(control, workspaceId)).toMatchObject({ valid: true, entries: 999 + 100 + 1 })
  })
})

test('an entry that is not there, or of another workspace, cannot be reversed', async () => {
  const [mine, theirs] = [await newWorkspace(control), await newWorkspace(control)]
  const { entry } = await claimed(theirs, claim(named('u1', 0), named('a1', 1), false))
  const request = {
    entryId: entry?.id ?? '',
    reason: 'x',
    keepApart: true,
    cascade: false,
    actor: 'key_test',
    counted: { events: null, outcomes: null },
  }
  await expect(take(mine, (turn) => applyReversal(turn, request))).rejects.toThrow(Problem)
})
