import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../platform/clock.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'
import { logLine, refusedBy } from '../../testing/log-lines.ts'
import { fileBytesMax, openDeadLetters } from '../dead-letters/dead-letters.ts'
import { openDeadLetterFile } from '../dead-letters/file.ts'
import { openLog } from '../wal/write-ahead-log.ts'
import { startWriter } from './loader.ts'
import { createStoreHealth } from './store-health.ts'

let world: World
const root = mkdtempSync(join(tmpdir(), 'assay-split-'))
beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => {
  await world.close()
  rmSync(root, { recursive: true, force: true })
})

/** A process that dies at the n-th call of a store: nothing that it asks for afterwards is done. */
function dyingAfter(calls: number): { wrap: <T extends object>(store: T) => T; isDead: () => boolean } {
  let left = calls
  const wrap = <T extends object>(store: T): T =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          left -= 1
          if (left < 0) return Promise.reject(new Error('the process is dead'))
          return member.apply(target, args)
        }
      },
    })
  return { wrap, isDead: () => left < 0 }
}

type Stores = { control: Control; events: Events }

/** An engine that restarts before some of its statements: its memory is lost. */
function renewedBefore(events: Events, calls: readonly number[]): Events {
  let call = 0
  return new Proxy(events, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        call += 1
        if (calls.includes(call)) await target.command('TRUNCATE TABLE IF EXISTS staging_split')
        return member.apply(target, args)
      }
    },
  })
}

async function run(dir: string, { control, events }: Stores, isShared: boolean, isOver: () => boolean) {
  const { people, now } = { ...world.product.deps }
  const log = await openLog({ dir, segmentBytesMax: 1e9, segmentAgeMsMax: 1e9, totalBytesMax: 1e9, now })
  const stores = { events, staging: 'staging_split', isShared }
  const file = await openDeadLetterFile(dir, fileBytesMax)
  const letters = await openDeadLetters({ control, file, nodeId: 'split', now, onFailure: () => {} })
  const writer = await startWriter({
    log,
    ...stores,
    loadShare: 1,
    newId,
    observer: people.observing,
    health: createStoreHealth({ ...stores, control, nodeId: 'split' }),
    setAside: letters.setAside,
  })
  while (!isOver() && !(await writer.flush(50)));
  await writer.stop()
  await log.close()
}

async function idsIn(table: 'events' | 'event_ids', { workspaceId }: TestWorkspace): Promise<string[]> {
  const rows = await world.product.deps.events.query<{ event_id: string }>(
    `SELECT event_id FROM ${table} WHERE workspace_id = {workspaceId:String} ORDER BY event_id`,
    { workspaceId },
  )
  return rows.map(({ event_id }) => event_id)
}

const kinds = fc.constantFrom('good', 'good', 'good', 'staging', 'identity', 'torn', 'same' as const)

test('every acknowledged line is loaded or a dead letter, once, wherever the process dies in between and the engine is renewed', async () => {
  const { control, events } = world.product.deps
  const one = fc.tuple(
    fc.array(kinds, { minLength: 1, maxLength: 7 }),
    fc.array(fc.nat({ max: 60 }), { maxLength: 2 }),
    fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 2 }),
    fc.boolean(),
  )
  const property = fc.asyncProperty(one, async ([lines, deaths, renewals, isShared]) => {
    const shop = await world.newWorkspace()
    const dir = mkdtempSync(join(root, 'log-'))
    // A log cuts what is torn at its end when it opens: such a line was never acknowledged.
    const named = [...lines, 'good'].map((kind, n) => ({ kind, id: `${kind}-${n}` }))
    const text = named.map(({ kind, id }) => lineOf(shop, kind, id))
    const log = await openLog({
      dir,
      segmentBytesMax: 1e9,
      segmentAgeMsMax: 1e9,
      totalBytesMax: 1e9,
      now: Date.now,
    })
    await log.append(text.join(''), text.length)
    await log.close()
    for (const calls of deaths) {
      const { wrap, isDead } = dyingAfter(calls)
      await run(dir, { control: wrap(control), events: wrap(events) }, isShared, isDead).catch(() => {})
    }
    await run(dir, { control, events: renewedBefore(events, renewals) }, isShared, () => false)
    await expectEachOnce(shop, named)
  })
  await fc.assert(property, { numRuns: 5 })
}, 600_000)

/** Equal lines are two: counts of rejected events have no ids, and a dead letter must not stand for both. */
function lineOf(shop: TestWorkspace, kind: string, id: string): string {
  if (kind === 'torn') return `{"workspace_id":"${shop.workspaceId}","site_id":"${shop.siteId}","id":"${id}\n`
  if (kind === 'same')
    return `{"workspace_id":"${shop.workspaceId}","site_id":"${shop.siteId}","ts":"never"}\n`
  if (kind === 'staging') return logLine(shop, id, refusedBy.staging)
  return logLine(shop, id, kind === 'identity' ? refusedBy.identity : {})
}

async function expectEachOnce(
  shop: TestWorkspace,
  named: readonly { kind: string; id: string }[],
): Promise<void> {
  const ofKind = (...wanted: string[]) =>
    named
      .filter(({ kind }) => wanted.includes(kind))
      .map(({ id }) => id)
      .sort()
  const rows = await world.product.deps.control.query<{
    event_id: string
    is_stored: boolean
    state: string
  }>('SELECT event_id, is_stored, state FROM dead_letters WHERE workspace_id = $1', [shop.workspaceId])
  const letters = (isStored: boolean) =>
    rows
      .filter((row) => row.is_stored === isStored && row.event_id !== '')
      .map(({ event_id }) => event_id)
      .sort()
  expect(await idsIn('events', shop)).toEqual(ofKind('good', 'identity'))
  expect(await idsIn('event_ids', shop)).toEqual(ofKind('good', 'identity'))
  expect(letters(true)).toEqual(ofKind('identity'))
  expect(letters(false)).toEqual(ofKind('staging'))
  expect(rows.filter(({ event_id }) => event_id === '')).toHaveLength(ofKind('torn', 'same').length)
  const [counted] = await world.product.deps.events.query<{ events: string }>(
    'SELECT toString(sum(events)) AS events FROM verdicts WHERE workspace_id = {workspaceId:String}',
    { workspaceId: shop.workspaceId },
  )
  expect(Number(counted?.events)).toBe(ofKind('good', 'identity').length)
}
