import { type ErrorExample, type ErrorGroup, type ErrorState, isRecord, Problem } from '@assay/contract'
import { intervalStarts, isComplete, isoTime, type Period, previousPeriod } from '../analytics/period.ts'
import type { Reading } from '../analytics/report-query.ts'
import { pageOf } from '../platform/page.ts'
import type { Platform } from '../platform/platform.ts'
import { asNow, type Group, groupsOf, stateOf } from './groups.ts'
import {
  type ExampleRow,
  type GroupMap,
  type OccurrenceRow,
  selectExamples,
  selectFingerprints,
  selectOccurrences,
} from './occurrence-store.ts'
import { type StateRow, selectRules, selectStates, upsertState } from './store.ts'

export type ErrorReading = Reading

/** Everything a site calls an error, by its rules, and what was said of it. */
type KnownGroups = { groups: readonly Group[]; states: ReadonlyMap<string, StateRow> }

export async function knownGroups(
  { control, events }: Pick<Platform, 'control' | 'events'>,
  { site, period, filter }: ErrorReading,
): Promise<KnownGroups> {
  const [fingerprints, rules, states] = await Promise.all([
    // What a group is called does not depend on the visits that are looked at.
    selectFingerprints(events, { ...filter, filters: undefined }, period),
    selectRules(control, site.workspace_id, site.id),
    selectStates(control, site.workspace_id, site.id),
  ])
  return {
    groups: groupsOf(fingerprints, rules),
    states: new Map(states.map((row) => [row.group_id, row])),
  }
}

export function mapOf(groups: readonly Group[]): GroupMap {
  const pairs = groups.flatMap(({ id, keys }) =>
    keys.filter((key) => id !== `err_${key}`).map((key) => [key, id] as const),
  )
  return { keys: pairs.map(([key]) => key), groups: pairs.map(([, id]) => id) }
}

/** Those that occurred in the period, the most frequent first. */
export async function readErrors(
  deps: Pick<Platform, 'control' | 'events'>,
  reading: ErrorReading,
  { state, cursor }: { state?: ErrorState; cursor?: string },
  limit: number,
): Promise<{ data: ErrorGroup[]; nextCursor: string | null }> {
  const after = cursor === undefined ? null : readCursor(cursor)
  const { groups, states } = await knownGroups(deps, reading)
  const { period, filter } = reading
  const wanted = groups.filter(
    (group) => group.lastMs >= period.fromMs && (state === undefined || stateOf(group, states) === state),
  )
  if (wanted.length === 0) return { data: [], nextCursor: null }
  const starts = intervalStarts(period, 'day')
  const rows = await selectOccurrences(deps.events, filter, spansOf(period), starts, mapOf(groups), null)
  const byId = new Map(wanted.map((group) => [group.id, group]))
  const ranked = rows
    .filter((row) => row.occurrences > 0 && byId.has(row.group_id))
    .sort(byOccurrences)
    .filter((row) => after === null || byOccurrences(after, row) < 0)
  const { page, next } = pageOf(ranked, limit, (last) => `${last.occurrences}.${last.group_id}`)
  return {
    data: page.flatMap((row) => {
      const group = byId.get(row.group_id)
      return group === undefined ? [] : [toErrorGroup(group, stateOf(group, states), row, period)]
    }),
    nextCursor: next,
  }
}

type Place = Pick<OccurrenceRow, 'occurrences' | 'group_id'>

function byOccurrences(a: Place, b: Place): number {
  if (a.occurrences !== b.occurrences) return b.occurrences - a.occurrences
  return a.group_id === b.group_id ? 0 : a.group_id < b.group_id ? -1 : 1
}

function readCursor(cursor: string): Place {
  const [, occurrences, id] = /^(\d{1,15})\.(err_[0-9a-f]{16})$/.exec(cursor) ?? []
  if (occurrences !== undefined && id !== undefined) return { occurrences: Number(occurrences), group_id: id }
  const message = 'must be the nextCursor of the page before'
  throw new Problem('invalid-parameter', {
    detail: `cursor ${message}.`,
    errors: [{ field: 'cursor', message }],
  })
}

/** Compared as every read compares: with as many days before, up to the same time of day. */
const spansOf = (period: Period) => ({ current: period, previous: previousPeriod(period) })

/** Occurrences in an interval are counts of rare things, so their noise is about their square root. */
const noiseWidth = 2

function toErrorGroup(
  group: Group,
  state: ErrorState,
  row: OccurrenceRow | undefined,
  period: Period,
): ErrorGroup {
  const occurrences = row?.occurrences ?? 0
  const previous = row?.previous ?? 0
  const change = occurrences - previous
  const isNoise = Math.abs(change) <= noiseWidth * Math.sqrt(occurrences + previous)
  return {
    id: group.id,
    errorGroup: group.name,
    type: group.type,
    title: group.title,
    culprit: group.culprit,
    state,
    firstSeenAt: isoTime(group.firstMs),
    lastSeenAt: isoTime(group.lastMs),
    occurrences,
    sessions: row?.sessions ?? 0,
    users: row?.users ?? 0,
    releases: row?.releases ?? [],
    trend: {
      direction: isNoise ? 'flat' : change > 0 ? 'up' : 'down',
      previousOccurrences: previous,
      series: intervalStarts(period, 'day').map((start) => ({
        start: isoTime(start),
        isComplete: isComplete(start, period, 'day'),
        occurrences: row?.series.get(start) ?? 0,
      })),
    },
  }
}

export async function requireGroup(
  deps: Pick<Platform, 'control' | 'events'>,
  reading: ErrorReading,
  idOrName: string,
): Promise<KnownGroups & { group: Group }> {
  const known = await knownGroups(deps, reading)
  const group =
    known.groups.find(({ ids }) => ids.includes(idOrName)) ??
    known.groups.find(({ name }) => name === asNow(idOrName))
  if (group === undefined) throw new Problem('not-found', { detail: 'There is no such group of errors.' })
  return { ...known, group }
}

/** Occurrences to look at. */
const examplesMax = 5

export async function readError(
  deps: Pick<Platform, 'control' | 'events'>,
  reading: ErrorReading,
  id: string,
): Promise<ErrorGroup & { examples: ErrorExample[] }> {
  const { group, states } = await requireGroup(deps, reading, id)
  const { period, filter } = reading
  const starts = intervalStarts(period, 'day')
  const [rows, examples] = await Promise.all([
    selectOccurrences(deps.events, filter, spansOf(period), starts, mapOf([group]), group.keys),
    selectExamples(deps.events, filter, period, group.keys, examplesMax),
  ])
  return {
    ...toErrorGroup(group, stateOf(group, states), rows[0], period),
    examples: examples.map(toExample),
  }
}

function toExample(row: ExampleRow): ErrorExample {
  const parsed: unknown = JSON.parse(row.properties === '' ? '{}' : row.properties)
  const properties = isRecord(parsed) ? parsed : {}
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    eventId: row.event_id,
    sessionId: row.session_id,
    at: isoTime(Number(row.at_ms)),
    message: text(properties.message),
    stack: text(properties.stack),
    url: row.url,
    release: row.release,
    browser: row.browser,
    handled: properties.handled === true,
  }
}

export async function changeState(
  deps: Pick<Platform, 'control' | 'events' | 'now'>,
  reading: ErrorReading,
  id: string,
  state: StateRow['state'],
): Promise<ErrorGroup> {
  const { group, states } = await requireGroup(deps, reading, id)
  const { site, period, filter } = reading
  const row = { group_id: group.id, state, changed_at: new Date(deps.now()) }
  await upsertState(deps.control, site.workspace_id, site.id, row)
  const starts = intervalStarts(period, 'day')
  const [counted] = await selectOccurrences(
    deps.events,
    filter,
    spansOf(period),
    starts,
    mapOf([group]),
    group.keys,
  )
  return toErrorGroup(group, stateOf(group, new Map([...states, [group.id, row]])), counted, period)
}
