import { type Confidence, confidences, type Person, Problem } from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import { type Identifier, rankOf } from '../graph/identifier.ts'
import type { IdentityGraph } from '../graph/identity-graph.ts'
import { toLink } from '../graph/neighbourhood.ts'
import { normalise } from '../graph/normal-form.ts'
import type { Link } from '../graph/partition.ts'
import { type IdentifierRow, type LinkRow, selectIdentifiers, selectLinks, selectMembers } from '../store.ts'
import { selectTraits } from './trait-store.ts'
import { traitsOf } from './traits.ts'

/** What is needed to find a person; inside a transaction, with its changes. */
export type Finder = Pick<IdentityGraph, 'originalId' | 'sightings'> & { control: Sql }

/** A person with all original ids of their events. */
type Whole = { personId: string; members: IdentifierRow[]; originalIds: string[] }

/**
 * The original id that a caller means: one of ours, or the one of the sender's own person_id. Null if it
 * identifies no one.
 */
export function resolveOriginalId(
  people: Pick<IdentityGraph, 'originalId'>,
  workspaceId: string,
  id: string,
): string | null {
  const normal = normalise({ type: 'person_id', value: id })
  return 'refused' in normal
    ? null
    : people.originalId(workspaceId, { type: 'person_id', value: normal.value })
}

/** The person by a current or former id, or by a sender's person_id; null if there is none. */
export async function findPerson(people: Finder, workspaceId: string, given: string): Promise<Whole | null> {
  const id = resolveOriginalId(people, workspaceId, given)
  if (id === null) return null
  const [row] = await selectIdentifiers(people.control, workspaceId, [id])
  if (row === undefined) {
    const sighting = (await people.sightings.find(workspaceId, [id])).get(id)
    if (sighting === undefined) return null
    const first = await people.sightings.birthOf(workspaceId, id)
    const members = first === null ? [] : [memberOfEvents(id, first, sighting.firstMs)]
    return { personId: id, members, originalIds: [id] }
  }
  const members = await selectMembers(people.control, workspaceId, [row.person_id])
  return { personId: row.person_id, members, originalIds: members.map((member) => member.original_id) }
}

/** The current person of the first of these that identifies anyone; null if none does. */
export async function currentPerson(
  people: IdentityGraph,
  workspaceId: string,
  identifiers: readonly Identifier[],
): Promise<string | null> {
  for (const { type, value } of identifiers) {
    const normal = normalise({ type, value })
    if ('refused' in normal) continue
    return people.current(workspaceId, people.originalId(workspaceId, { type, value: normal.value }))
  }
  return null
}

export async function requirePerson(people: IdentityGraph, workspaceId: string, id: string): Promise<Whole> {
  const found = await findPerson(people, workspaceId, id)
  if (found === null) throw noSuchPerson()
  return found
}

export function noSuchPerson(): Problem {
  return new Problem('not-found', { detail: 'There is no such person.' })
}

/** The original id of a known person. */
export async function requireOriginal(
  people: IdentityGraph,
  workspaceId: string,
  id: string,
): Promise<Whole & { originalId: string }> {
  const whole = await requirePerson(people, workspaceId, id)
  return { ...whole, originalId: resolveOriginalId(people, workspaceId, id) ?? whole.personId }
}

function memberOfEvents(
  originalId: string,
  { type, value }: { type: string; value: string },
  firstMs: number,
) {
  return {
    original_id: originalId,
    type,
    value,
    first_seen_at: new Date(firstMs),
    source: 'event',
    person_id: originalId,
  }
}

/** A person without their consent, which another module stores. */
type PersonRecord = Omit<Person, 'consent'>

export async function readPerson(
  people: IdentityGraph,
  workspaceId: string,
  id: string,
): Promise<PersonRecord> {
  const { personId, members, originalIds } = await requirePerson(people, workspaceId, id)
  const links = originalIds.length > 1 ? await selectLinks(people.control, workspaceId, originalIds) : []
  const sightings = [...(await people.sightings.find(workspaceId, originalIds)).values()]
  const firstMs = [
    ...sightings.map((one) => one.firstMs),
    ...members.map((row) => row.first_seen_at.getTime()),
  ]
  const typeOf = new Map(members.map((row) => [row.original_id, row.type]))
  const rows = await selectTraits(people.control, workspaceId, originalIds)
  const traits = traitsOf(rows, (originalId) => typeOf.get(originalId) ?? '')
  return {
    person_id: personId,
    requested_id: id,
    merged_ids: originalIds.filter((originalId) => originalId !== personId).sort(),
    identifiers: identifiersOf(members, links),
    traits: Object.fromEntries(traits.map(({ key, value }) => [key, value])),
    trait_sources: Object.fromEntries(
      traits.map((row) => [
        row.key,
        { person_id: row.original_id, source: row.source, set_at: row.set_at.toISOString() },
      ]),
    ),
    first_seen_at:
      firstMs.length === 0 ? null : isoTime(firstMs.reduce((one, other) => Math.min(one, other))),
    last_seen_at:
      sightings.length === 0
        ? null
        : isoTime(sightings.reduce((last, { lastMs }) => Math.max(last, lastMs), 0)),
    events: sightings.reduce((sum, one) => sum + one.events, 0),
    site_ids: [...new Set(sightings.flatMap((one) => one.siteIds))].sort(),
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Strongest first. The confidence of each depends on its path to the strongest. */
function identifiersOf(members: readonly IdentifierRow[], links: readonly LinkRow[]): Person['identifiers'] {
  const sorted = members.toSorted((left, right) => rankOf(left.type) - rankOf(right.type))
  const [anchor] = sorted
  if (anchor === undefined) return []
  const sources = new Map(links.map((link) => [link.entry_id, link.source]))
  const ways = bestWays(anchor.original_id, links.map(toLink))
  return sorted
    .filter((row) => row.value !== null)
    .map((row) => {
      const way = ways.get(row.original_id)
      return {
        type: row.type,
        value: row.value ?? '',
        person_id: row.original_id,
        confidence: way?.confidence ?? 'certain',
        source: (way?.link && sources.get(way.link.entryId)) ?? row.source,
        first_seen_at: row.first_seen_at.toISOString(),
      }
    })
}

type Way = { confidence: Confidence; link: Link | null }

/**
 * For each identifier the path whose weakest link is strongest: there are few levels, so they are spread one
 * by one, the strongest first.
 */
function bestWays(from: string, links: readonly Link[]): Map<string, Way> {
  const ways = new Map<string, Way>([[from, { confidence: 'certain', link: null }]])
  for (const confidence of confidences) {
    const usable = links.filter(
      (link) => confidences.indexOf(link.confidence) <= confidences.indexOf(confidence),
    )
    const reached = [...ways.keys()]
    for (const end of reached) {
      for (const link of usable) {
        const next = link.a === end ? link.b : link.b === end ? link.a : undefined
        if (next === undefined || ways.has(next)) continue
        ways.set(next, { confidence, link })
        reached.push(next)
      }
    }
  }
  return ways
}
