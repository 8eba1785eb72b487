import { setImmediate as turn } from 'node:timers/promises'
import { isRecord, outcomes } from '@assay/contract'
import type { Sql } from '../../../store/control.ts'
import type { Events } from '../../../store/events.ts'
import { quote } from '../../row/line-text.ts'
import { type IdHash, tallyLine } from '../../row/row.ts'
import { claimOrders, type OrderClaim } from './order-store.ts'
import { type KnownId, selectKnownIds } from './repeat-store.ts'

/**
 * What a line of a load is, where it is not what a node took it for: a repeat of an event that came through another
 * node, with the outcome of the first; a further event of an order, with the first one; a second copy of a dead letter.
 */
type Decision = readonly ['repeat' | 'order' | 'copy', string]
/** By the place of the line. */
export type Repeats = ReadonlyMap<number, Decision>

/** Parsing more at a time would hold up requests. */
const linesPerTurn = 500

/** Its first in a line is the line's own: only the event id stands before it, where every quote is escaped. */
const orderPattern = /,"order_hi":\d+,"order_lo":\d+/

type Line = Readonly<Record<string, unknown>>
type Sighting = { index: number; id: IdHash | null; order: IdHash | null; line: Line; isPublic: boolean }
type Known = { isPublic: boolean; outcome: string }

type RepeatStores = { events: Events; sql: Sql; table: string }

/**
 * Decides in the order of the log, as one node decides in the order of arrival: an event id counts once, and an event
 * of a secret sender is never a repeat of a public one. That is exact while one process at a time asks for a partition,
 * because all lines with one id are in it. Events of one order are not, so orders are claimed first, and looked up
 * then: a claim is given up only when the store has the order.
 */
export async function findRepeats(stores: RepeatStores, lines: readonly string[]): Promise<Repeats> {
  const repeats = new Map<number, Decision>()
  const sightings = await readSightings(lines, repeats)
  const owners = await claimOrders(stores.sql, sightings.flatMap(claimOf))
  const hashes = sightings.flatMap(({ id, order }) => [id, order].filter((hash) => hash !== null))
  const rows = hashes.length === 0 ? [] : await selectKnownIds(stores.events, stores.table, hashes)
  decideIds(sightings, rows, repeats)
  decideOrders(sightings, rows, owners, repeats)
  return repeats
}

async function readSightings(lines: readonly string[], repeats: Map<number, Decision>): Promise<Sighting[]> {
  const letters = new Set<string>()
  const sightings: Sighting[] = []
  for (const [index, text] of lines.entries()) {
    if (index % linesPerTurn === linesPerTurn - 1) await turn()
    const line = parsed(text)
    if (typeof line.letter === 'string' && line.letter !== '') {
      if (letters.has(line.letter)) repeats.set(index, ['copy', ''])
      letters.add(line.letter)
      continue
    }
    const sighting = sightingOf(line, index)
    if (sighting !== null) sightings.push(sighting)
  }
  return sightings
}

/** Null for lines that only count. A decision about an event that was seen before has an order at most. */
function sightingOf(line: Line, index: number): Sighting | null {
  const { workspace_id, event_id, outcome, repeats, state } = line
  if (typeof workspace_id !== 'string' || typeof event_id !== 'string' || (repeats ?? 0) !== 0) return null
  const isTaken = outcomes.some((one) => one === outcome) && outcome !== 'reject'
  if (!isTaken) return null
  const id = state === undefined ? hashOf(line.id_hi, line.id_lo) : null
  return { index, id, order: hashOf(line.order_hi, line.order_lo), line, isPublic: line.is_public === 1 }
}

function hashOf(hi: unknown, lo: unknown): IdHash | null {
  return typeof hi === 'number' && typeof lo === 'number' && (hi !== 0 || lo !== 0) ? { hi, lo } : null
}

function claimOf({ order, isPublic, line }: Sighting): OrderClaim[] {
  return order === null ? [] : [{ order, isPublic, eventId: String(line.event_id) }]
}

/** The orders that lines bring. Most bring none, and are not parsed. */
export function ordersIn(lines: readonly string[]): OrderClaim[] {
  const brought = lines.filter((text) => orderPattern.test(text))
  return brought.flatMap((text, index) => {
    const sighting = sightingOf(parsed(text), index)
    return sighting === null ? [] : claimOf(sighting)
  })
}

const idKey = (workspaceId: unknown, eventId: unknown) => `${workspaceId}\u0000${eventId}`

/** Rows of secret senders come first, and released ones before quarantined ones. */
function decideIds(
  sightings: readonly Sighting[],
  rows: readonly KnownId[],
  repeats: Map<number, Decision>,
): void {
  const known = new Map<string, Known>()
  for (const row of rows) {
    const key = idKey(row.workspace_id, row.id)
    if (Number(row.kind) !== 0 || known.has(key)) continue
    known.set(key, { isPublic: Number(row.is_public) === 1, outcome: row.outcome })
  }
  for (const { index, id, line, isPublic } of sightings) {
    if (id === null) continue
    const key = idKey(line.workspace_id, line.event_id)
    const first = known.get(key)
    if (first !== undefined && !(first.isPublic && !isPublic)) repeats.set(index, ['repeat', first.outcome])
    else known.set(key, { isPublic, outcome: String(line.outcome) })
  }
}

const orderKey = ({ hi, lo }: IdHash, isPublic: boolean) => `${hi} ${lo} ${isPublic}`

/** Of one class the first counts; which of two classes counts is settled when their ids are stored. */
function decideOrders(
  sightings: readonly Sighting[],
  rows: readonly KnownId[],
  owners: readonly OrderClaim[],
  repeats: Map<number, Decision>,
): void {
  const firsts = new Map<string, string>()
  for (const { order, isPublic, eventId } of owners) firsts.set(orderKey(order, isPublic), eventId)
  // What is stored came before what is claimed.
  for (const row of rows.toReversed()) {
    const hash = { hi: Number(row.id_hi), lo: Number(row.id_lo) }
    if (Number(row.kind) === 1) firsts.set(orderKey(hash, Number(row.is_public) === 1), row.event_id)
  }
  for (const { index, order, line, isPublic } of sightings) {
    if (order === null || repeats.has(index)) continue
    const first = firsts.get(orderKey(order, isPublic))
    if (first !== undefined && first !== line.event_id) repeats.set(index, ['order', first])
  }
}

/** A line that is not JSON becomes a dead letter when it is loaded. */
function parsed(text: string): Line {
  try {
    const line: unknown = JSON.parse(text)
    return isRecord(line) ? line : {}
  } catch {
    return {}
  }
}

/** The line as the loader takes it, without its newline; null if nothing of it is loaded. */
export function asDecided(repeats: Repeats, index: number, text: string): string | null {
  const [kind, what] = repeats.get(index) ?? ['', '']
  if (kind === '') return text
  if (kind === 'copy') return null
  if (kind === 'order') return text.replace(orderPattern, () => `,"duplicate_of":${quote(what)}`)
  const line = parsed(text)
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
  const tally = tallyLine({
    workspaceId: textOf(line.workspace_id),
    siteId: textOf(line.site_id),
    tsMs: Number(line.ts),
    name: textOf(line.name),
    outcome: what,
    code: '',
    repeats: 1,
  })
  return tally.trimEnd()
}

export function writeRepeats(repeats: Repeats): string {
  return JSON.stringify([...repeats])
}

export function readRepeats(text: string): Repeats {
  // boundary: only `writeRepeats` writes it.
  return new Map(JSON.parse(text === '' ? '[]' : text) as [number, Decision][])
}
