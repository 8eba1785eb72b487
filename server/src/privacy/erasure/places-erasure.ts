import type { ForgetMode } from '@assay/contract'
import type { Events } from '../../store/events.ts'
import type { DataSubject } from '../../store/people/data-subject.ts'
import { listEventIds } from '../../store/people/person-list.ts'
import { countEventsRows } from '../../store/people/person-rows.ts'
import type { EventsRows, StoredPlace } from '../../store/people/personal-data.ts'
import type { ForgetState } from '../requests/store.ts'
import type { KeepStates, ReportSteps, States } from '../requests/worker.ts'

/** How many rows there are of the person in each place. */
export async function countPlaces(
  events: Events,
  places: readonly StoredPlace[],
  person: DataSubject,
): Promise<Map<string, number>> {
  const [counts] = await countOfEach(events, places, [person])
  return counts ?? new Map()
}

/** The same for several people with one search: each count is as if that person were searched for alone. */
async function countMembers(
  events: Events,
  places: readonly StoredPlace[],
  whole: DataSubject,
  people: readonly DataSubject[],
): Promise<Map<string, number>[]> {
  if (people.length === 1) return countOfEach(events, places, people)
  const ofAll = await countPlaces(events, places, whole)
  // A place with rows of none of them is not searched for each. Rows of one person may name another, though.
  const asked = places.filter(({ name, isOfOthers }) => isOfOthers === true || ofAll.get(name) !== 0)
  const counts = await countOfEach(events, asked, people)
  return counts.map((own) => new Map(places.map(({ name }) => [name, own.get(name) ?? 0])))
}

async function countOfEach(
  events: Events,
  places: readonly StoredPlace[],
  people: readonly DataSubject[],
): Promise<Map<string, number>[]> {
  const together = new Map<string, EventsRows>()
  const counts = people.map(() => new Map<string, number>())
  for (const { name, count } of places) {
    if (typeof count !== 'function') together.set(name, count)
    else for (const [index, person] of people.entries()) counts[index]?.set(name, await count(person))
  }
  const lists = people.map(({ list }) => list)
  const found = await countEventsRows(events, together, lists, people[0]?.workspaceId ?? '')
  for (const [index, own] of found.entries()) {
    for (const [name, rows] of own) counts[index]?.set(name, rows)
  }
  return counts
}

function rowsOf({ steps }: ForgetState): number {
  return Object.values(steps).reduce((sum, { rows }) => sum + rows, 0)
}

export const rowsOfEach = (states: States) => new Map([...states].map(([id, state]) => [id, rowsOf(state)]))

/** One of the requests that are done together, and whom it is about. */
export type Member = { requestId: string; person: DataSubject }

type Erasure = {
  events: Events
  /** All people as one: a place is emptied once, for everyone. */
  whole: DataSubject
  members: readonly Member[]
  mode: ForgetMode
  report: ReportSteps
  keep: KeepStates
  /** Rejects when the list of people to search for is gone: what was counted with it is not true then. */
  requireList: () => Promise<void>
}

/**
 * Empties the places one after the other. Rows are counted once, before the first of them is erased: a second try would
 * find fewer. The states record the progress.
 */
export async function emptyPlaces(
  erasure: Erasure,
  places: readonly StoredPlace[],
  before: States,
): Promise<States> {
  const { whole, mode, report, keep, requireList } = erasure
  let states = await withCounts(erasure, places, before)
  await requireList()
  await keep(states)
  for (const { name, erase, isAlwaysErased } of places) {
    const open = [...states.values()].flatMap(({ steps }) => steps[name] ?? []).filter((step) => !step.isDone)
    if (open.length === 0) continue
    const hasRows = open.some(({ rows }) => rows > 0) || isAlwaysErased === true
    if (hasRows) {
      await report(name, rowsOfEach(states))
      await erase(whole, mode)
      await requireList()
    }
    states = new Map([...states].map(([id, state]) => [id, withDone(state, name)]))
    if (hasRows) await keep(states)
  }
  await keep(states)
  return states
}

async function withCounts(
  { events, whole, members }: Erasure,
  places: readonly StoredPlace[],
  states: States,
): Promise<States> {
  const isOpen = (id: string, name: string) => states.get(id)?.steps[name] === undefined
  const uncounted = places.filter(({ name }) => members.some(({ requestId }) => isOpen(requestId, name)))
  const people = members.map(({ person }) => person)
  const counts = await countMembers(events, uncounted, whole, people)
  return new Map(
    members.map(({ requestId: id }, index) => {
      const state = states.get(id) ?? { originalIds: [], salt: '', steps: {} }
      const found = [...(counts[index] ?? [])].filter(([name]) => isOpen(id, name))
      const steps = Object.fromEntries(found.map(([name, rows]) => [name, { rows, isDone: false }]))
      return [id, { ...state, steps: { ...state.steps, ...steps } }]
    }),
  )
}

function withDone(state: ForgetState, name: string): ForgetState {
  const rows = state.steps[name]?.rows ?? 0
  return { ...state, steps: { ...state.steps, [name]: { rows, isDone: true } } }
}

/** Audit entries of calls that name the person are written all the time: a row that came since is no failure. */
const recountsMax = 3

/**
 * Events in flight when the people were suppressed arrive a moment later, if at all: they are searched again,
 * and erased. Returns what is left in the places where something was.
 */
export async function recount(
  { events, whole, mode, requireList }: Erasure,
  places: readonly StoredPlace[],
): Promise<Map<string, number>> {
  await listEventIds(events, whole)
  let late = places
  let left = await countPlaces(events, late, whole)
  for (let round = 1; round <= recountsMax; round += 1) {
    const counts = left
    late = late.filter(({ name }) => (counts.get(name) ?? 0) > 0)
    if (late.length === 0) break
    for (const place of late) await place.erase(whole, mode)
    left = await countPlaces(events, late, whole)
  }
  await requireList()
  return left
}
