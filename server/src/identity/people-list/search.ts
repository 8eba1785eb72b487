import type { Identifier } from '../graph/identifier.ts'
import type { IdentityGraph } from '../graph/identity-graph.ts'
import { normalise } from '../graph/normal-form.ts'
import { resolveOriginalId } from '../profiles/person.ts'
import { selectIdentifiers } from '../store.ts'
import { selectTraitsHolding } from './profile-store.ts'
import { namedTraits, type Profile } from './profiles.ts'

/** What a text may be without saying so. A vendor's id is found as any other text. */
const types = ['user_id', 'email', 'phone', 'anonymous_id', 'device_id'] as const

/** Current people of whom the text is exactly an id or an identifier. */
export async function findExactly(
  people: IdentityGraph,
  workspaceId: string,
  text: string,
): Promise<string[]> {
  const own = resolveOriginalId(people, workspaceId, text)
  const identifiers = types.flatMap((type): Identifier[] => {
    const normal = normalise({ type, value: text })
    return 'refused' in normal ? [] : [{ type, value: normal.value }]
  })
  const originalIds = [
    ...(own === null ? [] : [own]),
    ...identifiers.map((identifier) => people.originalId(workspaceId, identifier)),
  ]
  const known = await selectIdentifiers(people.control, workspaceId, originalIds)
  const isKnown = new Set(known.map((row) => row.original_id))
  const others = originalIds.filter((originalId) => !isKnown.has(originalId))
  const seen = await people.sightings.find(workspaceId, others)
  return [...new Set([...known.map((row) => row.person_id), ...seen.keys()])].sort()
}

/** Of a batch; far more than any text is found in, unless it is in every value. */
const holdersMax = 20_000

/** Those of a batch whose identifiers or traits hold the text, in any case. */
export async function holdersOf(
  people: Pick<IdentityGraph, 'control'>,
  workspaceId: string,
  profiles: readonly Profile[],
  text: string,
): Promise<Set<string>> {
  const wanted = text.trim().toLowerCase()
  const isHolder = (value: unknown) => textOf(value).toLowerCase().includes(wanted)
  const found = new Set(
    profiles
      .filter(({ members }) => members.some(({ value }) => value !== null && isHolder(value)))
      .map(({ personId }) => personId),
  )
  const rest = profiles.filter(({ personId }) => !found.has(personId))
  const holders = await selectTraitsHolding(
    people.control,
    workspaceId,
    rest.flatMap(({ originalIds }) => originalIds),
    anchorOf(wanted),
    holdersMax,
  )
  const ids = new Set(holders.map((row) => row.original_id))
  const candidates = rest.filter(({ originalIds }) => originalIds.some((originalId) => ids.has(originalId)))
  const keys = [...new Set(holders.map(({ key }) => key))]
  // A weaker identifier may say what a stronger one replaced, which is no trait of the person.
  for (const [personId, traits] of await namedTraits(people, workspaceId, candidates, keys)) {
    if ([...traits.values()].some(isHolder)) found.add(personId)
  }
  return found
}

/** The longest part that a store writes and compares as it is: no other letters, and nothing that JSON escapes. */
function anchorOf(lower: string): string {
  const parts = lower.match(/[a-z0-9@._+ -]+/g) ?? []
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
