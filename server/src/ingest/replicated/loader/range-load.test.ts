import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../platform/clock.ts'
import type { Events } from '../../../store/events.ts'
import { startWorld, type TestWorkspace, type World } from '../../../testing/harness.ts'
import { type NatsServers, startNats } from '../../../testing/nats-server.ts'
import { SegmentLoads } from '../../loader/segment-loads.ts'
import { createStaging } from '../../loader/staged-store.ts'
import { createStoreHealth } from '../../loader/store-health.ts'
import { createProbe } from '../../loader/verdict-store.ts'
import { resetPartitions } from '../partition-store.ts'
import { ReplicatedLog } from '../replicated-log.ts'
import { openStreams, type Streams } from '../streams.ts'
import { Leases } from './leases.ts'
import { loadRange, PartitionTaken } from './range-load.ts'
import { createIdTable } from './repeat-store.ts'

let world: World
let nats: NatsServers
let streams: Streams
/** Each node has its own. */
const spools = {
  a: mkdtempSync(join(tmpdir(), 'assay-ranges-')),
  b: mkdtempSync(join(tmpdir(), 'assay-ranges-')),
}
beforeAll(async () => {
  nats = await startNats(1)
  streams = await openStreams(nats.settings({ partitions: 1 }), { bytesMax: 1e8, nodeId: 'test' })
  world = await startWorld()
}, 240_000)
afterAll(async () => {
  await streams?.close()
  await world?.close()
  await nats?.close()
  for (const directory of Object.values(spools)) rmSync(directory, { recursive: true, force: true })
})

/** An event that a node took for new: it does not know what other nodes took. */
type Sent = { id: string; isPublic: boolean }
type Step =
  | { kind: 'append'; sent: Sent[] }
  /** Cut off before its nth statement, or whole. */
  | { kind: 'load'; by: 'a' | 'b'; until: number }
  /** One node takes the partition before the nth statement of the other, loads it, and the other continues. */
  | { kind: 'takeover'; by: 'a' | 'b'; at: number }

const whole = 1_000
const sent = fc.record({ id: fc.constantFrom('x', 'y', 'z', 'w'), isPublic: fc.boolean() })
const loader = fc.constantFrom<('a' | 'b')[]>('a', 'b')
const statement = fc.integer({ min: 0, max: 26 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('append'),
      sent: fc.array(sent, { minLength: 1, maxLength: 5 }),
    }),
    weight: 3,
  },
  { arbitrary: fc.record({ kind: fc.constant('load'), by: loader, until: statement }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('takeover'), by: loader, at: statement }), weight: 2 },
)

function lineOf(shop: TestWorkspace, { id, isPublic }: Sent, arrival: number): string {
  const { workspaceId, siteId } = shop
  const { hi, lo } = world.product.deps.ingest.hashId(workspaceId, 'event', id)
  const nowMs = Date.now()
  return `${JSON.stringify({
    workspace_id: workspaceId,
    site_id: siteId,
    ...(isPublic && { is_public: 1 }),
    event_id: id,
    id_hi: hi,
    id_lo: lo,
    ts: nowMs,
    received_at: nowMs,
    arrival,
    outcome: 'accept',
    name: 'opened',
    person_id: 'per_00000000000000000000000000',
  })}\n`
}

/** Calls `before` with the number of each statement. */
function watched(events: Events, before: (nth: number) => Promise<void>): Events {
  let nth = 0
  return new Proxy(events, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        await before(nth++)
        return member.apply(target, args)
      }
    },
  })
}

class Crash extends Error {}

/** One attempt of a node that believes to hold the partition, from its lease to its last statement. */
async function attempt(by: 'a' | 'b', logId: string, before: (nth: number) => Promise<void>): Promise<void> {
  const { control, events } = world.product.deps
  const staging = `staging_range_${by}`
  await createStaging(events, staging)
  await createProbe(events, staging)
  await createIdTable(events, `${staging}_ids`)
  await control.query("UPDATE log_partitions SET lease_until = now() - interval '1 second'")
  const leases = new Leases({ sql: control, holder: by, leaseMs: 60_000 })
  await leases.balance(1, () => false)
  const [held] = leases.list()
  if (held === undefined) throw new Error('the partition was not free')
  const seen = watched(events, before)
  const health = createStoreHealth({ control, events, staging, nodeId: by, isShared: true })
  const setAside = async (_segment: unknown, lines: readonly unknown[]) => expect(lines).toEqual([])
  const loads = new SegmentLoads({ events: seen, staging, isShared: true, newId, health, setAside })
  try {
    await loadRange(
      {
        streams,
        sql: control,
        events: seen,
        idTable: `${staging}_ids`,
        logId,
        spoolDir: spools[by],
        rangeBytesMax: 1_000,
        load: (segment, isAgain) => loads.load(segment, isAgain, new AbortController().signal),
      },
      held,
    )
  } finally {
    await loads.close()
  }
}

/** A crash, or that another node has it by now, ends an attempt; nothing else does. */
function isExpected(error: unknown): boolean {
  if (error instanceof Crash || error instanceof PartitionTaken) return true
  return error instanceof Error && error.cause !== undefined && isExpected(error.cause)
}

async function survive(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isExpected(error)) throw error
  })
}

const crashAt = (until: number) => async (nth: number) => {
  if (nth >= until) throw new Crash('the node was killed')
}

test('whatever is appended, repeated, cut off or taken over, every event is stored and counted once', async () => {
  const { control, events, now } = world.product.deps
  const onError = (error: unknown) => expect(error).toBeUndefined()
  let arrival = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      const shop = await world.newWorkspace()
      const { lastSeq } = await streams.state(0)
      await resetPartitions(control, [lastSeq])
      const runId = newId('run')
      const log = new ReplicatedLog({
        streams,
        sql: control,
        now,
        runId,
        totalBytesMax: 1e8,
        onError,
        onAppended: () => {},
      })
      const all: Sent[] = []
      for (const one of [...steps, { kind: 'load', by: 'a', until: whole } as const]) {
        if (one.kind === 'append') {
          all.push(...one.sent)
          for (const event of one.sent) {
            arrival += 1
            await log.append(lineOf(shop, event, arrival), 1)
          }
        } else if (one.kind === 'load') {
          await survive(attempt(one.by, runId, crashAt(one.until)))
        } else {
          const other = one.by === 'a' ? 'b' : 'a'
          const takeOver = async (nth: number) => {
            if (nth === one.at) await survive(attempt(other, runId, crashAt(whole)))
          }
          await survive(attempt(one.by, runId, takeOver))
        }
      }
      for (let left = true; left; ) {
        await attempt('b', runId, crashAt(whole))
        const [row] = await control.query<{ loaded_seq: string }>('SELECT loaded_seq FROM log_partitions')
        left = Number(row?.loaded_seq) < (await streams.state(0)).lastSeq
      }
      const where = 'WHERE workspace_id = {ws:String}'
      const stored = await events.query<{ id: string; is_public: number }>(
        `SELECT event_id AS id, is_public FROM events ${where} ORDER BY id, is_public`,
        { ws: shop.workspaceId },
      )
      const expected = storedOf(all)
      expect(stored.map(({ id, is_public }) => `${id} ${is_public}`)).toEqual(expected)
      const [counts] = await events.query<{ events: string; duplicates: string }>(
        `SELECT sum(events) AS events, sum(duplicates) AS duplicates FROM verdicts ${where}`,
        { ws: shop.workspaceId },
      )
      expect(Number(counts?.events)).toBe(expected.length)
      expect(Number(counts?.duplicates)).toBe(all.length - expected.length)
    }),
    { numRuns: 8, endOnFailure: true },
  )
}, 240_000)

/** The first of each id, and the first of a secret sender where public ones came before. */
function storedOf(all: readonly Sent[]): string[] {
  const stored = all.filter(({ id, isPublic }, index) => {
    const before = all.slice(0, index).filter((one) => one.id === id)
    return !before.some((one) => !one.isPublic || isPublic)
  })
  return stored.map(({ id, isPublic }) => `${id} ${isPublic ? 1 : 0}`).toSorted()
}
