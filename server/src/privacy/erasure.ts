import type { ForgetMode } from '@assay/contract'
import type { Events } from '../store/events.ts'
import { listEventIds } from '../store/person-list.ts'
import { countEventsRows } from '../store/person-rows.ts'
import type { DataSubject, EventsRows, StoredPlace } from '../store/personal-data.ts'
import type { Report } from './archive.ts'
import type { ForgetState } from './store.ts'
import type { KeepState } from './worker.ts'

/** How many rows there are of the person in each place. */
export async function countPlaces(
  events: Events,
  places: readonly StoredPlace[],
  person: DataSubject,
): Promise<Map<string, number>> {
  const together = new Map<string, EventsRows>()
  const counts = new Map<string, number>()
  for (const { name, count } of places) {
    if (typeof count === 'function') counts.set(name, await count(person))
    else together.set(name, count)
  }
  for (const [name, rows] of await countEventsRows(events, together, person)) counts.set(name, rows)
  return counts
}

export function rowsOf({ steps }: ForgetState): number {
  return Object.values(steps).reduce((sum, { rows }) => sum + rows, 0)
}

export type Erasure = {
  events: Events
  person: DataSubject
  mode: ForgetMode
  report: Report
  keep: KeepState
}

/**
 * Empties places one after the other. What there was is counted before anything goes, and only once: a second try would
 * find less. How far it is stands in the state.
 */
export async function emptyPlaces(
  { events, person, mode, report, keep }: Erasure,
  places: readonly StoredPlace[],
  before: ForgetState,
): Promise<ForgetState> {
  const counts = await countPlaces(
    events,
    places.filter(({ name }) => before.steps[name] === undefined),
    person,
  )
  const found = [...counts].map(([name, rows]) => [name, { rows, isDone: false }] as const)
  let state = { ...before, steps: { ...before.steps, ...Object.fromEntries(found) } }
  await keep(state)
  for (const { name, erase, isAlwaysErased } of places) {
    const step = state.steps[name]
    if (step === undefined || step.isDone) continue
    if (step.rows > 0 || isAlwaysErased === true) {
      await report(name, rowsOf(state))
      await erase(person, mode)
      state = withDone(state, name)
      await keep(state)
    } else {
      state = withDone(state, name)
    }
  }
  await keep(state)
  return state
}

function withDone(state: ForgetState, name: string): ForgetState {
  const rows = state.steps[name]?.rows ?? 0
  return { ...state, steps: { ...state.steps, [name]: { rows, isDone: true } } }
}

/**
 * What was under way when the person was suppressed shows up a moment later, if at all: it is looked for once more, and
 * goes. Answers what is left in the places where something was.
 */
export async function recount(
  { events, person, mode }: Erasure,
  places: readonly StoredPlace[],
): Promise<Map<string, number>> {
  await listEventIds(events, person)
  const counts = await countPlaces(events, places, person)
  const late = places.filter(({ name }) => (counts.get(name) ?? 0) > 0)
  for (const place of late) await place.erase(person, mode)
  return countPlaces(events, late, person)
}
