import { Problem } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, systemClock } from '../platform/clock.ts'
import type { Control } from '../store/control.ts'
import { type Events, openEvents } from '../store/events.ts'
import { sharedStores } from '../testing/harness.ts'
import { identifyPerson } from './commands/identify.ts'
import { mergeOnPurpose, reverseEntry } from './commands/merge.ts'
import { toLink } from './graph/neighbourhood.ts'
import { type Node, partition } from './graph/partition.ts'
import { checkLedger } from './ledger/entries.ts'
import { createPeople, type People } from './people.ts'
import { selectLinks } from './store.ts'
import {
  type ControlStore,
  newWorkspace,
  openEmbeddedStore,
  openServerStore,
} from './testing/control-stores.ts'

let events: Events

beforeAll(async () => {
  const { clickhouseUrl } = await sharedStores()
  events = await openEvents({ dataDir: '', logDir: '', url: clickhouseUrl })
})
afterAll(() => events?.close())

const stores = [
  { name: 'the embedded store', open: openEmbeddedStore },
  { name: 'a server with two nodes', open: openServerStore },
]

describe.each(stores)('many callers at once on $name', ({ open }) => {
  let store: ControlStore
  let nodes: People[]
  let control: Control

  beforeAll(async () => {
    store = await open()
    const [first] = store.nodes
    if (first === undefined) throw new Error('the store has a node')
    control = first
    const options = { events, now: systemClock, newId, failures: { report: () => {} } }
    nodes = await Promise.all(store.nodes.map((node) => createPeople({ control: node, ...options })))
  })
  afterAll(() => store?.close())

  function node(index: number): People {
    const people = nodes[index % nodes.length]
    if (people === undefined) throw new Error('the nodes were not started')
    return people
  }

  function bind(
    index: number,
    workspaceId: string,
    userId: string,
    anonymousId: string,
    traits: object = {},
  ) {
    return identifyPerson(
      node(index),
      { workspaceId, keyId: 'key_test', keyClass: 'secret', storesNothing: false },
      {
        known: [{ type: 'user_id', value: userId }],
        anonymous: { type: 'anonymous_id', value: anonymousId },
        traits: { ...traits },
        setMs: Date.now(),
        eventId: 'evt_test',
      },
    )
  }

  /** The stored people are exactly what follows from the live links, and the chain is valid. */
  async function expectSound(workspaceId: string, entries?: number): Promise<Map<string, string>> {
    const rows = await control.query<{
      original_id: string
      type: string
      first_seen_at: Date
      person_id: string
    }>('SELECT original_id, type, first_seen_at, person_id FROM identifiers WHERE workspace_id = $1', [
      workspaceId,
    ])
    const nodesById = new Map(
      rows.map((row): [string, Node] => [
        row.original_id,
        { originalId: row.original_id, type: row.type, firstSeenMs: row.first_seen_at.getTime() },
      ]),
    )
    const links = (await selectLinks(control, workspaceId, [...nodesById.keys()])).map(toLink)
    const stored = new Map(rows.map((row) => [row.original_id, row.person_id]))
    expect(partition({ nodes: nodesById, links })).toEqual(stored)
    const ledger = await checkLedger(control, workspaceId)
    expect(ledger.valid).toBe(true)
    if (entries !== undefined) expect(ledger.entries).toBe(entries)
    return stored
  }

  test('who say the same are answered the same, and it is written down once', async () => {
    const workspaceId = await newWorkspace(control)
    const calls = Array.from({ length: 40 }, (_, index) => bind(index, workspaceId, 'u1', 'a1'))
    const answers = await Promise.all(calls)
    expect(new Set(answers.map(({ person_id }) => person_id)).size).toBe(1)
    expect(answers.filter(({ ledger_entry_id }) => ledger_entry_id !== undefined)).toHaveLength(1)
    await expectSound(workspaceId, 1)
  })

  test('who each add a device to one person lose none of them', async () => {
    const workspaceId = await newWorkspace(control)
    const traits = (index: number) => ({ [`key${index % 3}`]: index, [`key${(index + 1) % 3}`]: index })
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => bind(index, workspaceId, 'u1', `a${index}`, traits(index))),
    )
    const stored = await expectSound(workspaceId, 40)
    expect(stored.size).toBe(41)
    expect(new Set(stored.values()).size).toBe(1)
  })

  test('who merge the same two in both directions merge them once', async () => {
    const workspaceId = await newWorkspace(control)
    const { person_id: p1 } = await bind(0, workspaceId, 'u1', 'a1')
    const { person_id: p2 } = await bind(1, workspaceId, 'u2', 'a2')
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => {
        const [survivor_id, absorbed_id] = index % 2 === 0 ? [p1, p2] : [p2, p1]
        return mergeOnPurpose(node(index), workspaceId, { survivor_id, absorbed_id, reason: 'x' }, 'key_test')
      }),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ slug: 'conflict' })
    }
    await expectSound(workspaceId, 3)
  })

  test('who tie, merge and reverse across each other end with what the ledger says', async () => {
    const workspaceId = await newWorkspace(control)
    const firsts = await Promise.all(
      [1, 2, 3, 4].map((number) => bind(number, workspaceId, `u${number}`, `a${number}`)),
    )
    const work = Array.from({ length: 48 }, async (_, index) => {
      const [one, two] = [firsts[index % 4], firsts[(index + 1) % 4]]
      if (one === undefined || two === undefined) throw new Error('four people were made')
      if (index % 6 === 0) {
        const body = { survivor_id: one.person_id, absorbed_id: two.person_id, reason: 'x' }
        const { id } = await mergeOnPurpose(node(index), workspaceId, body, 'key_test')
        const reversal = { reason: 'x', cascade: true }
        return reverseEntry(node(index + 1), workspaceId, String(id), reversal, 'key_test')
      }
      return bind(index, workspaceId, `u${(index % 4) + 1}`, `a${(index % 7) + 1}`)
    })
    for (const done of await Promise.allSettled(work)) {
      if (done.status === 'rejected') expect(done.reason).toBeInstanceOf(Problem)
    }
    await expectSound(workspaceId)
  })
})
