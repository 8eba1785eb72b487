import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { summaryData } from '../analytics/personal-data.ts'
import { loadSegment } from '../ingest/loader/segment-load.ts'
import { eventTable } from '../ingest/personal-data-store.ts'
import { clearStaging, createStaging } from '../ingest/store.ts'
import { newId } from '../platform/clock.ts'
import { hourMs } from '../platform/units.ts'
import { deleteOld } from '../privacy/retention/old-events-store.ts'
import type { Events } from '../store/events.ts'
import { dropPersonList, fillPersonList, personList } from '../store/people/person-list.ts'
import { isStored } from '../store/people/personal-data.ts'
import type { TestWorkspace } from './harness.ts'
import { logLine } from './log-lines.ts'

/** Where and when clocks were changed: at night, at midnight, by half an hour, or never. */
export const places = fc.constantFrom(
  { timezone: 'Europe/Berlin', first: '2025-10-24' },
  { timezone: 'America/Sao_Paulo', first: '2018-11-02' },
  { timezone: 'Asia/Kolkata', first: '2025-06-01' },
  { timezone: 'Australia/Lord_Howe', first: '2025-10-03' },
  { timezone: 'UTC', first: '2025-02-26' },
)
export type Place = { timezone: string; first: string }
export const days = 5

export function dayStartMs({ timezone, first }: Place, day: number): number {
  return Temporal.PlainDate.from(first).add({ days: day }).toZonedDateTime(timezone).epochMilliseconds
}

export const someone = fc.integer({ min: 0, max: 5 })
export const event = fc.record({
  day: fc.integer({ min: 0, max: days - 1 }),
  // Most near midnight, where days and zones differ.
  hour: fc.oneof(fc.constantFrom(0, 0.01, 23.4, 23.99), fc.double({ min: 0, max: 24, noNaN: true })),
  person: fc.option(someone, { freq: 6 }),
  session: fc.option(fc.integer({ min: 0, max: 7 }), { freq: 6 }),
  name: fc.constantFrom('$pageview', '$pageview', '$click', '$purchase', '$refund', '$signup', 'page_leave'),
  path: fc.constantFrom('/', '/a', '/b', ''),
  source: fc.constantFrom('direct', 'news', ''),
  country: fc.constantFrom('DE', 'BR'),
  device: fc.constantFrom('desktop', 'mobile'),
  is_bot: fc.constantFrom(0, 0, 0, 0, 1),
  duplicate_of: fc.constantFrom('', '', '', '', '', 'evt_other'),
  amount: fc.constantFrom(null, 10, 12.3456),
  currency: fc.constantFrom('EUR', 'USD', ''),
  state: fc.constantFrom('', '', '', 'released'),
})
export type Sent = typeof event extends fc.Arbitrary<infer One> ? One : never

/** A process that dies at its n-th statement, just before it or just after. */
export const death = fc.option(fc.record({ at: fc.nat({ max: 12 }), isDone: fc.boolean() }), { freq: 1 })
export type Death = { at: number; isDone: boolean } | null

export function dying(events: Events, died: Death): Events {
  if (died === null) return events
  let call = -1
  return new Proxy(events, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        call += 1
        if (call > died.at || (call === died.at && !died.isDone)) throw new Error('the process is dead')
        const answer: unknown = await member.apply(target, args)
        if (call === died.at) throw new Error('the process is dead')
        return answer
      }
    },
  })
}

export type Shop = TestWorkspace & { place: Place }

const staging = 'staging_summaries'
export const prepareLoads = (events: Events) => createStaging(events, staging)

/** `live` never dies: it is the next process, which finds an empty table. */
export async function load(
  live: Events,
  events: Events,
  lines: number,
  isAgain: boolean,
  path: string,
): Promise<void> {
  await clearStaging(live, staging)
  if (lines === 0) return
  const segment = { name: path.split('/').at(-1) ?? '', path, bytes: 0, events: lines }
  // As lines: how a segment is read is another test's matter.
  const blocks = {
    withBlocks: <T>(_: unknown, work: (path: null) => Promise<T>) => work(null),
    close: async () => {},
  }
  await loadSegment({ events, staging, isShared: false, newId, blocks }, segment, isAgain)
}

export function writeSegment(root: string, { place, ...shop }: Shop, sent: readonly Sent[]): string {
  const path = join(root, `${newId('seg')}.ndjson`)
  const lines = sent.map(({ day, hour, person, session, state, ...rest }) =>
    logLine(shop, newId('evt'), {
      ...rest,
      ts: Math.floor(dayStartMs(place, day) + hour * hourMs),
      person_id: person === null ? '' : `per_${person}`,
      resolved_by: 'anonymous_id',
      user_id: '',
      session_id: session === null ? '' : `ses_${session}`,
      ...(state !== '' && { state, decided_at: Date.now(), decision_id: newId('dec') }),
    }),
  )
  writeFileSync(path, lines.join(''))
  return path
}

let seq = 0
export async function merge(events: Events, { workspaceId }: Shop, person: number, into: number) {
  seq += 1
  // Into oneself is a merge that was reversed.
  await events.command(
    `INSERT INTO person_mapping (workspace_id, original_id, original_key, person_id, person_key, seq)
     SELECT {workspaceId:String}, {original:String}, cityHash64({original:String}), {current:String},
            cityHash64({current:String}), {seq:UInt64}`,
    { workspaceId, original: `per_${person}`, current: `per_${into}`, seq },
  )
}

export async function forget(
  live: Events,
  events: Events,
  { workspaceId }: Shop,
  person: number,
  mode: 'erase' | 'anonymise',
) {
  const originalIds = [`per_${person}`]
  const list = personList(newId('req'), [])
  const subject = { workspaceId, requestIds: [], personIds: originalIds, originalIds, values: [], list }
  await fillPersonList(live, list, { originalIds, values: [], salt: 'salt' })
  try {
    for (const place of [eventTable(events), ...summaryData(events).filter(isStored)]) {
      await place.erase(subject, mode)
    }
  } finally {
    await dropPersonList(live, list)
  }
}

export function retain(events: Events, { workspaceId, siteId, place }: Shop, day: number): Promise<void> {
  return deleteOld(events, [{ workspaceId, siteId, beforeMs: dayStartMs(place, day) }])
}
