import { setImmediate as turn } from 'node:timers/promises'
import { isRecord, outcomes } from '@assay/contract'
import type { Events } from '../../store/events.ts'
import { tallyLine } from '../row/row.ts'
import { type KnownId, selectKnownIds } from './repeat-store.ts'

/**
 * Lines of a load that are not what they were when a node acknowledged them, by their place: repeats of an event that
 * came through another node, with the outcome of the first; and second copies of a dead letter, with none.
 */
export type Repeats = ReadonlyMap<number, string>

/** Parsing more at a time would hold up requests. */
const linesPerTurn = 500

type Sighting = { hi: number; lo: number; key: string; isPublic: boolean; outcome: string }
type Known = Pick<Sighting, 'isPublic' | 'outcome'>

/**
 * Decides in the order of the log, as one node decides in the order of arrival: an event id counts once, and an event
 * of a secret sender is never a repeat of a public one. The answer is exact while one process at a time asks for a
 * partition, because all lines with one id are in it.
 */
export async function findRepeats(events: Events, table: string, lines: readonly string[]): Promise<Repeats> {
  const sightings = new Map<number, Sighting>()
  const repeats = new Map<number, string>()
  const letters = new Set<string>()
  for (const [index, text] of lines.entries()) {
    if (index % linesPerTurn === linesPerTurn - 1) await turn()
    const line = parsed(text)
    if (typeof line.letter === 'string' && line.letter !== '') {
      if (letters.has(line.letter)) repeats.set(index, '')
      letters.add(line.letter)
      continue
    }
    const sighting = sightingOf(line)
    if (sighting !== null) sightings.set(index, sighting)
  }
  if (sightings.size === 0) return repeats
  const known = new Map<string, Known>()
  for (const row of await selectKnownIds(events, table, [...sightings.values()])) noteKnown(known, row)
  for (const [index, { key, isPublic, outcome }] of sightings) {
    const first = known.get(key)
    if (first !== undefined && !(first.isPublic && !isPublic)) repeats.set(index, first.outcome)
    else known.set(key, { isPublic, outcome })
  }
  return repeats
}

/** Rows of secret senders come first, and released ones before quarantined ones. */
function noteKnown(known: Map<string, Known>, row: KnownId): void {
  const key = keyOf(row.workspace_id, row.id)
  if (!known.has(key)) known.set(key, { isPublic: Number(row.is_public) === 1, outcome: row.outcome })
}

const keyOf = (workspaceId: string, eventId: string) => `${workspaceId}\u0000${eventId}`

/** Null for lines that only count, and for decisions about events that were seen before. */
function sightingOf(line: Readonly<Record<string, unknown>>): Sighting | null {
  const { workspace_id, event_id, id_hi, id_lo, outcome, repeats, state } = line
  if (typeof workspace_id !== 'string' || typeof event_id !== 'string') return null
  if (typeof id_hi !== 'number' || typeof id_lo !== 'number' || (repeats ?? 0) !== 0) return null
  const known = outcomes.find((one) => one === outcome)
  if (state !== undefined || known === undefined || known === 'reject') return null
  const isPublic = line.is_public === 1
  return { hi: id_hi, lo: id_lo, key: keyOf(workspace_id, event_id), isPublic, outcome: known }
}

/** A line that is not JSON becomes a dead letter when it is loaded. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const line: unknown = JSON.parse(text)
    return isRecord(line) ? line : {}
  } catch {
    return {}
  }
}

/** The line as the loader takes it, without its newline; null if nothing of it is loaded. */
export function asDecided(repeats: Repeats, index: number, text: string): string | null {
  const outcome = repeats.get(index)
  if (outcome === undefined) return text
  if (outcome === '') return null
  const line = parsed(text)
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
  const tally = tallyLine({
    workspaceId: textOf(line.workspace_id),
    siteId: textOf(line.site_id),
    tsMs: Number(line.ts),
    name: textOf(line.name),
    outcome,
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
  return new Map(JSON.parse(text === '' ? '[]' : text) as [number, string][])
}
