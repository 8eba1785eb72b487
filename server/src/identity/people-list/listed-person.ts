import { type ListedPerson, peopleListLimits } from '@assay/contract'
import { iso } from '../../platform/clock.ts'
import type { Events } from '../../store/events.ts'
import type { Identifier } from '../graph/identifier.ts'
import { rankOf } from '../graph/identifier.ts'
import type { IdentityGraph } from '../graph/identity-graph.ts'
import type { Sighting } from '../profiles/seen-times.ts'
import { namedTraits, type Profile, profilesOf } from './profiles.ts'
import { selectLastEvents } from './seen-store.ts'

/** A person and the time by which the list is sorted; null where nothing shows when they were seen. */
export type Seen = { personId: string; lastMs: number | null }

/** A page of people with what is shown of each: four queries, however many they are. */
export async function toListed(
  { people, events }: { people: IdentityGraph; events: Events },
  workspaceId: string,
  found: readonly Seen[],
  columns: readonly string[],
): Promise<ListedPerson[]> {
  const profiles = await profilesOf(
    people,
    workspaceId,
    found.map(({ personId }) => personId),
  )
  const traits = await namedTraits(people, workspaceId, profiles, columns)
  const sightings = await people.sightings.find(
    workspaceId,
    profiles.flatMap(({ originalIds }) => originalIds),
  )
  const unnamed = found.flatMap(({ personId, lastMs }, index) =>
    profiles[index]?.members.length === 0 && lastMs !== null ? [{ personId, lastMs }] : [],
  )
  const births = await birthsOf({ people, events }, workspaceId, unnamed)
  return profiles.map((profile, index) => {
    const own = profile.originalIds.flatMap((originalId) => sightings.get(originalId) ?? [])
    const lastMs = found[index]?.lastMs ?? null
    return {
      person_id: profile.personId,
      identifiers: identifiersOf(profile, births.get(profile.personId)),
      traits: Object.fromEntries(traits.get(profile.personId) ?? []),
      ...timesOf(profile, own, lastMs),
    }
  })
}

function timesOf({ members }: Profile, sightings: readonly Sighting[], lastMs: number | null) {
  const firsts = [
    ...sightings.map(({ firstMs }) => firstMs),
    ...members.map((row) => row.first_seen_at.getTime()),
  ]
  return {
    first_seen_at: firsts.length === 0 ? null : iso(Math.min(...firsts)),
    last_seen_at: lastMs === null ? null : iso(lastMs),
    events: sightings.reduce((sum, { events }) => sum + events, 0),
  }
}

function identifiersOf({ members }: Profile, birth: Identifier | undefined): Identifier[] {
  if (members.length === 0) return birth === undefined ? [] : [birth]
  return members
    .toSorted((left, right) => rankOf(left.type) - rankOf(right.type))
    .flatMap(({ type, value }) => (value === null ? [] : [{ type, value }]))
    .slice(0, peopleListLimits.identifiersShownMax)
}

/** The identifier of each person who is known from events only. */
async function birthsOf(
  { people, events }: { people: IdentityGraph; events: Events },
  workspaceId: string,
  seen: readonly { personId: string; lastMs: number }[],
): Promise<Map<string, Identifier>> {
  if (seen.length === 0) return new Map()
  const births = new Map<string, Identifier>()
  for (const row of await selectLastEvents(events, workspaceId, seen)) {
    const birth = people.sightings.identifierIn(workspaceId, row.person_id, row)
    if (birth !== null) births.set(row.person_id, birth)
  }
  return births
}
