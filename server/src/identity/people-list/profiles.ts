import type { IdentityGraph } from '../graph/identity-graph.ts'
import { traitsOf } from '../profiles/traits.ts'
import { type IdentifierRow, selectMembers } from '../store.ts'
import { selectNamedTraits } from './profile-store.ts'

type Traits = ReadonlyMap<string, unknown>

/** What the control store knows of a current person. Without identifiers they are known from events only. */
export type Profile = { personId: string; members: readonly IdentifierRow[]; originalIds: readonly string[] }

export async function profilesOf(
  { control }: Pick<IdentityGraph, 'control'>,
  workspaceId: string,
  personIds: readonly string[],
): Promise<Profile[]> {
  if (personIds.length === 0) return []
  const members = Map.groupBy(await selectMembers(control, workspaceId, personIds), (row) => row.person_id)
  return personIds.map((personId) => {
    const own = members.get(personId) ?? []
    return {
      personId,
      members: own,
      originalIds: own.length === 0 ? [personId] : own.map((row) => row.original_id),
    }
  })
}

/** The current traits of these names, of each person by their id. */
export async function namedTraits(
  { control }: Pick<IdentityGraph, 'control'>,
  workspaceId: string,
  profiles: readonly Profile[],
  keys: readonly string[],
): Promise<Map<string, Traits>> {
  if (keys.length === 0 || profiles.length === 0) return new Map()
  const originalIds = profiles.flatMap((profile) => profile.originalIds)
  const rows = await selectNamedTraits(control, workspaceId, originalIds, keys)
  const byOriginal = Map.groupBy(rows, (row) => row.original_id)
  return new Map(
    profiles.map(({ personId, members, originalIds: own }) => {
      const types = new Map(members.map((row) => [row.original_id, row.type]))
      const traits = traitsOf(
        own.flatMap((originalId) => byOriginal.get(originalId) ?? []),
        (originalId) => types.get(originalId) ?? '',
      )
      return [personId, new Map(traits.map(({ key, value }) => [key, value]))]
    }),
  )
}
