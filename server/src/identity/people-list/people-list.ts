import {
  type Input,
  invalidParameter,
  type listPeople,
  type Made,
  peopleListLimits,
  readFilters,
} from '@assay/contract'
import { pageDefault, pageOf } from '../../platform/page.ts'
import { dayMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import type { IdentityGraph } from '../graph/identity-graph.ts'
import type { Matching, MatchPeople } from './filter.ts'
import { type Seen, toListed } from './listed-person.ts'
import { type Profile, profilesOf } from './profiles.ts'
import { findExactly, holdersOf } from './search.ts'
import { type SeenPlace, type SeenScope, selectFitting, selectSeen } from './seen-store.ts'

type Listing = { people: IdentityGraph; events: Events; matchPeople: MatchPeople }
type Query = Input<typeof listPeople>['query']

const { examinedMax, columnsMax, seenDaysDefault, seenDaysMax } = peopleListLimits
/** Each may have a thousand identifiers. */
const peoplePerBatch = 250

export async function readPeople(
  listing: Listing,
  workspaceId: string,
  query: Query,
): Promise<Made<typeof listPeople>> {
  const { limit = pageDefault } = query
  const columns = readColumns(query.columns)
  const search = query.search?.trim() || null
  const scope = await readScope(listing, workspaceId, query)
  const matching = await readMatching(listing, scope, query.filters)
  const after = readCursor(query.cursor)
  const exact = search === null ? [] : await findExactly(listing.people, workspaceId, search)
  const { found, next } =
    exact.length > 0
      ? await exactPage(listing, workspaceId, exact, matching)
      : search === null
        ? await plainPage(scope, after, limit, matching)
        : await searchedPage(listing, scope, after, limit, matching, search)
  return { data: await toListed(listing, workspaceId, found, columns), next_cursor: next }
}

const everyone = { sql: '1', params: {} }

function readMatching(
  { events, matchPeople }: Listing,
  { workspaceId, siteId, fromMs, toMs }: SeenScope,
  filters: string | undefined,
): Promise<Matching> | Matching {
  const conditions = filters === undefined || filters.trim() === '' ? [] : readFilters(filters)
  if (conditions.length === 0) return { condition: everyone, events }
  return matchPeople({ workspaceId, siteId, conditions, fromMs, toMs })
}

type FoundPage = { found: Seen[]; next: string | null }

async function plainPage(
  scope: SeenScope,
  after: SeenPlace | null,
  limit: number,
  { events, condition }: Matching,
): Promise<FoundPage> {
  const rows = (await selectSeen(events, scope, condition, after, limit + 1)).map(toSeen)
  const { page, next } = pageOf(rows, limit, cursorOf)
  return { found: page, next }
}

/** Looks through so many people at most, batch by batch, until the page is full. */
async function searchedPage(
  { people }: Listing,
  scope: SeenScope,
  after: SeenPlace | null,
  limit: number,
  { events, condition }: Matching,
  search: string,
): Promise<FoundPage> {
  const rows = (await selectSeen(events, scope, condition, after, examinedMax + 1)).map(toSeen)
  const examined = rows.slice(0, examinedMax)
  const found: Seen[] = []
  for (let start = 0; start < examined.length; start += peoplePerBatch) {
    const batch = examined.slice(start, start + peoplePerBatch)
    const ids = batch.map(({ personId }) => personId)
    const profiles = await profilesOf(people, scope.workspaceId, ids)
    const holders = await holdersOf(people, scope.workspaceId, profiles, search)
    for (const [index, seen] of batch.entries()) {
      if (!holders.has(seen.personId)) continue
      found.push(seen)
      if (found.length === limit) {
        return { found, next: start + index + 1 < rows.length ? cursorOf(seen) : null }
      }
    }
  }
  const last = examined.at(-1)
  return { found, next: rows.length > examined.length && last !== undefined ? cursorOf(last) : null }
}

async function exactPage(
  { people }: Listing,
  workspaceId: string,
  personIds: readonly string[],
  { events, condition }: Matching,
): Promise<FoundPage> {
  const fitting = await selectFitting(events, personIds, condition)
  const profiles = await profilesOf(
    people,
    workspaceId,
    fitting.map(({ person_id }) => person_id),
  )
  const sightings = await people.sightings.find(
    workspaceId,
    profiles.flatMap(({ originalIds }) => originalIds),
  )
  const lastOf = ({ originalIds }: Profile) =>
    originalIds.reduce<number | null>((latest, originalId) => {
      const lastMs = sightings.get(originalId)?.lastMs
      return lastMs === undefined ? latest : Math.max(latest ?? 0, lastMs)
    }, null)
  const found = profiles.map((profile) => ({ personId: profile.personId, lastMs: lastOf(profile) }))
  return { found: found.sort((one, other) => (other.lastMs ?? 0) - (one.lastMs ?? 0)), next: null }
}

const toSeen = ({ person_id, last_ms }: { person_id: string; last_ms: string | number }): Seen => ({
  personId: person_id,
  lastMs: Number(last_ms),
})

async function readScope({ people }: Listing, workspaceId: string, query: Query): Promise<SeenScope> {
  const nowMs = people.now()
  const fromMs = readTime('seen_from', query.seen_from, 0) ?? nowMs - seenDaysDefault * dayMs
  const toMs = readTime('seen_to', query.seen_to, dayMs) ?? latestMs
  if (fromMs >= toMs) throw invalidParameter('seen_from', 'must be before seen_to')
  // One day more than the limit, since a date is a whole day.
  if (fromMs < nowMs - (seenDaysMax + 1) * dayMs) {
    throw invalidParameter('seen_from', `may reach back ${seenDaysMax} days at most`)
  }
  const hasMerges = await people.mapping.isUsed(workspaceId)
  return { workspaceId, siteId: query.site_id ?? null, fromMs, toMs, hasMerges }
}

/** Event times are before this. */
const latestMs = Date.UTC(2106, 0, 1)
const timeShape = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/

function readTime(field: string, text: string | undefined, dateAddsMs: number): number | null {
  if (text === undefined) return null
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text)
  const ms = isDate || timeShape.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw invalidParameter(field, 'must be an RFC 3339 time or a date such as 2026-11-15')
  return Math.min(Math.max(isDate ? ms + dateAddsMs : ms, 0), latestMs)
}

function readColumns(text: string | undefined): string[] {
  const names = [...new Set((text ?? '').split(',').map((name) => name.trim()))].filter((name) => name !== '')
  if (names.length > columnsMax) throw invalidParameter('columns', `may name ${columnsMax} traits`)
  // Postgres refuses a text with this character instead of not finding it.
  if (text?.includes('\0') === true) throw invalidParameter('columns', 'must name traits')
  return names
}

const cursorOf = ({ lastMs, personId }: Seen) => `${lastMs ?? 0}.${personId}`
const cursorShape = /^(\d{1,13})\.(per_[0-9a-f]{26})$/

function readCursor(cursor: string | undefined): SeenPlace | null {
  if (cursor === undefined || cursor === '') return null
  const [, ms, personId] = cursorShape.exec(cursor) ?? []
  if (ms !== undefined && personId !== undefined) return { ms: Number(ms), personId }
  throw invalidParameter('cursor', 'must be next_cursor of the page before')
}
