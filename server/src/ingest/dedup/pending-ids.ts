import { outcomes } from '@assay/contract'
import { readLine } from '../dead-letters/dead-letters.ts'
import { lineHead } from '../row/line-head.ts'
import type { IdHash } from '../row/row.ts'
import type { OpenSessionRow } from '../row/sessions/session-store.ts'
import type { EventLog } from '../wal/event-log.ts'
import { payloadOf } from './id-payload.ts'

/** Claims of acknowledged events that are not in the store yet. */
export type PendingClaims = {
  /** In columns, since there may be millions: the words of each hash, and its payload. */
  ids: { hi: number[]; lo: number[]; payload: number[] }
  /** Which event was the first of an order; only the latest orders. */
  orders: Map<string, { orderHash: IdHash; eventId: string; isPublic: boolean }>
  sessions: OpenSessionRow[]
  /** The latest arrival number among them. */
  lastArrival: number
}

/** The size of the memory for orders; the oldest are dropped. */
const ordersMax = 50_000
/** Visitors whose session may continue; see row-builder.ts. */
const sessionsMax = 200_000

/**
 * Reads what was acknowledged before this start and is not loaded yet: the log and dead letters. Call
 * it before the store is read, so that what is loaded in between is found there. At most starts nothing
 * waits.
 */
export async function readPending(
  log: Pick<EventLog, 'unloaded'>,
  letters: AsyncIterable<string>,
): Promise<PendingClaims> {
  const pending: PendingClaims = {
    ids: { hi: [], lo: [], payload: [] },
    orders: new Map(),
    sessions: [],
    lastArrival: 0,
  }
  const sessions = new Map<string, OpenSessionRow>()
  for await (const line of linesOf(log, letters)) {
    const fields = readLine(lineHead(line) ?? line)
    noteClaims(pending, fields)
    noteSession(sessions, fields)
    if (typeof fields.arrival === 'number')
      pending.lastArrival = Math.max(pending.lastArrival, fields.arrival)
  }
  // There may be more than a call takes arguments.
  return { ...pending, sessions: [...sessions.values()] }
}

async function* linesOf(
  log: Pick<EventLog, 'unloaded'>,
  letters: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield* log.unloaded()
  yield* letters
}

const ranks: ReadonlyMap<unknown, number> = new Map(outcomes.map((outcome, rank) => [outcome, rank]))

type Fields = Readonly<Record<string, unknown>>

function noteClaims({ ids, orders }: PendingClaims, fields: Fields): void {
  const idHash = hashOf(fields.id_hi, fields.id_lo)
  const { outcome, event_id: eventId } = fields
  const rank = ranks.get(outcome) ?? -1
  if (idHash === null || rank === -1 || typeof eventId !== 'string') return
  ids.hi.push(idHash.hi)
  ids.lo.push(idHash.lo)
  const isPublic = fields.is_public === 1
  ids.payload.push(payloadOf(rank, isPublic))
  const orderHash = hashOf(fields.order_hi, fields.order_lo)
  if (orderHash === null) return
  const key = `${orderHash.hi} ${orderHash.lo}`
  // Letters come after the log, whenever they were sent.
  if (isPublic && orders.get(key)?.isPublic === false) return
  orders.set(key, { orderHash, eventId, isPublic })
  if (orders.size > ordersMax) orders.delete(orders.keys().next().value ?? '')
}

function noteSession(sessions: Map<string, OpenSessionRow>, fields: Fields): void {
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const [session_id, ts] = [text(fields.session_id), Number(fields.ts)]
  if (session_id === '' || !Number.isSafeInteger(ts)) return
  const place = [fields.site_id, fields.person_id, fields.anonymous_id, fields.resolved_by].map(text)
  const [site_id = '', person_id = '', anonymous_id = '', resolved_by = ''] = place
  const is_public = fields.is_public === 1 ? 1 : 0
  const key = `${place.join(' ')} ${is_public} ${session_id}`
  const known = sessions.get(key)
  if (known !== undefined) {
    known.first_ms = Math.min(ts, known.first_ms)
    known.last_ms = Math.max(ts, known.last_ms)
    return
  }
  const whose = { site_id, person_id, anonymous_id, session_id, resolved_by, is_public }
  sessions.set(key, { ...whose, first_ms: ts, last_ms: ts })
  if (sessions.size > sessionsMax) sessions.delete(sessions.keys().next().value ?? '')
}

/** Zeros mean none. */
function hashOf(hi: unknown, lo: unknown): IdHash | null {
  if (typeof hi !== 'number' || typeof lo !== 'number' || (hi === 0 && lo === 0)) return null
  return { hi: hi >>> 0, lo: lo >>> 0 }
}
