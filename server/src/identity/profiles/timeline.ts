import { type getTimeline, type Input, type Made, Problem, type TimelineEvent } from '@assay/contract'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { Overlay } from '../../store/event-source.ts'
import type { Events } from '../../store/events.ts'
import type { People } from '../people.ts'
import { requirePerson } from './person.ts'
import {
  rowKey,
  selectOverlaid,
  selectTimeline,
  type TimelineQuery,
  type TimelineRow,
} from './timeline-store.ts'

type Query = Input<typeof getTimeline>['query']

/** Event times are within these limits: storableTime ensures it. */
const latestMs = Date.UTC(2106, 0, 1)

type TimelineStores = {
  events: Events
  people: People
  /** The back-fill overlays of each site. */
  overlays: { of: (workspaceId: string) => readonly Overlay[] | Promise<readonly Overlay[]> }
}

/** If back-fills renamed many events, more rows than a page are read, at most this many times. */
const turnsMax = 20

export async function readTimeline(
  { events, people, overlays }: TimelineStores,
  workspaceId: string,
  id: string,
  query: Query,
): Promise<Made<typeof getTimeline>> {
  const { originalIds } = await requirePerson(people, workspaceId, id)
  const limit = query.limit ?? pageDefault
  const wanted: TimelineQuery = {
    workspaceId,
    originalIds,
    fromMs: readTimeParameter('from', query.from) ?? 0,
    toMs: readTimeParameter('to', query.to) ?? latestMs,
    event: query.event ?? null,
    after: readCursor(query.cursor),
    rows: limit + 1,
    generations: (await overlays.of(workspaceId)).map(({ generation }) => generation),
  }
  const rows = await selectAsNamedNow(events, wanted)
  const { page, next } = pageOf(rows, limit, cursorOf)
  return {
    data: page.map(toTimelineEvent),
    next_cursor: next,
  }
}

/** Rows with back-fills applied. A row found by its old name that has another now is left out. */
async function selectAsNamedNow(events: Events, wanted: TimelineQuery): Promise<TimelineRow[]> {
  if (wanted.generations.length === 0) return selectTimeline(events, wanted)
  const found: TimelineRow[] = []
  let { after } = wanted
  for (let turn = 0; turn < turnsMax && found.length < wanted.rows; turn += 1) {
    const stored = await selectTimeline(events, { ...wanted, after })
    const readOverlays = await selectOverlaid(events, wanted, stored)
    const rows = stored.map((row) => ({ ...row, ...readOverlays.get(rowKey(row)) }))
    found.push(...rows.filter((row) => wanted.event === null || row.name === wanted.event))
    const last = stored.at(-1)
    if (last === undefined || stored.length < wanted.rows) break
    after = { ms: Number(last.ts_ms), eventId: last.event_id }
  }
  return found.slice(0, wanted.rows)
}

function readTimeParameter(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  if (!Number.isNaN(ms)) return Math.min(Math.max(ms, 0), latestMs)
  throw new Problem('invalid-parameter', {
    detail: `${field} must be a time as in RFC 3339.`,
    errors: [{ field, message: 'must be a time as in RFC 3339' }],
  })
}

function cursorOf({ ts_ms, event_id }: TimelineRow): string {
  return Buffer.from(`${ts_ms} ${event_id}`).toString('base64url')
}

function readCursor(cursor: string | undefined): TimelineQuery['after'] {
  if (cursor === undefined) return null
  const [, ms, eventId] = /^(\d{1,14}) (.*)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (ms !== undefined && eventId !== undefined) return { ms: Number(ms), eventId }
  throw new Problem('invalid-parameter', {
    detail: 'cursor must be the next_cursor of the page before.',
    errors: [{ field: 'cursor', message: 'must be the next_cursor of the page before' }],
  })
}

function toTimelineEvent(row: TimelineRow): TimelineEvent {
  return {
    event_id: row.event_id,
    site_id: row.site_id,
    ts: new Date(Number(row.ts_ms)).toISOString(),
    received_at: new Date(Number(row.received_ms)).toISOString(),
    name: row.name,
    sent_name: row.sent_name,
    verdict: { outcome: row.outcome, issues: row.issues === '' ? [] : JSON.parse(row.issues) },
    source: {
      endpoint: row.endpoint,
      surface: row.surface,
      sdk: row.sdk,
      channel: row.channel,
      referrer: row.referrer,
    },
    identified_by: {
      person_id: row.person_id,
      user_id: row.user_id === '' ? null : row.user_id,
      anonymous_id: row.anonymous_id === '' ? null : row.anonymous_id,
    },
    session_id: row.session_id,
    url: row.url,
    title: row.title,
    counted: row.counted === 1 && row.is_superseded === 0,
    amount: row.amount === null ? null : Number(row.amount),
    currency: row.currency === '' ? null : row.currency,
    properties: row.properties === '' ? {} : JSON.parse(row.properties),
  }
}
