import { storableText } from '../store/storable.ts'
import { isOurs, stepOf } from './graph/identifier.ts'
import type { IdentityGraph } from './graph/identity-graph.ts'
import { applyClaims, type Claim } from './graph/links.ts'
import type { Named } from './graph/neighbourhood.ts'
import { normalise } from './graph/normal-form.ts'
import { RecentPairs } from './graph/recent-pairs.ts'
import { upsertTraits } from './profiles/trait-store.ts'
import { capTraits, toValues } from './profiles/traits.ts'

/** An event that names a person and a device, or another user id: they belong together. */
type Observation = {
  workspaceId: string
  /** The original person of the event, by its strongest identifier. */
  originalId: string
  /** Empty if the event does not have one. */
  userId: string
  anonymousId: string
  isByUserId: boolean
  eventId: string
}

/** Traits of an identify event, for its original person. */
type ObservedTraits = {
  workspaceId: string
  originalId: string
  traits: Readonly<Record<string, unknown>>
  ms: number
}

export type Observing = {
  /** Resolves when the links of these events are stored. */
  observe: (observations: readonly Observation[]) => Promise<void>
  keepTraits: (observed: readonly ObservedTraits[]) => Promise<void>
  /** A link was reversed, so earlier observations may have to be processed again. */
  forget: () => void
}

/** Claims per lock. */
const claimsPerTurn = 200
/** Pairs that are looked up together: the events store takes as long to find one person as hundreds. */
const pairsPerLookup = 5 * claimsPerTurn

/** What is needed to store observations. */
type Listened = Pick<IdentityGraph, 'control' | 'originalId' | 'name' | 'suppressed' | 'take'>
type IdentifierPattern = { type: string; value: string }
type Pair = { key: string; anchor: IdentifierPattern; other: IdentifierPattern; eventId: string }

/**
 * Events show which identifiers belong together. Recent observations are not looked up again, so a returning
 * visitor costs nothing; new ones are stored in groups.
 */
export function createObserving(people: Listened): Observing {
  const heard = new RecentPairs()

  async function observe(observations: readonly Observation[]): Promise<void> {
    const byWorkspace = Map.groupBy(observations, ({ workspaceId }) => workspaceId)
    for (const [workspaceId, ofOne] of byWorkspace) {
      const pairs = ofOne.flatMap((one) => pairsOf(people, one)).filter(({ key }) => !heard.has(key))
      const fresh = [...new Map(pairs.map((pair) => [pair.key, pair])).values()]
      for (const pairs of partsOf(fresh, pairsPerLookup)) await write(workspaceId, pairs)
    }
  }

  /** Refused observations are the caller's to set aside: the loader finds the line and keeps it. */
  async function write(workspaceId: string, pairs: readonly Pair[]): Promise<void> {
    const ends = pairs.flatMap(({ anchor, other }) => [anchor, other])
    const named = await people.name(workspaceId, ends)
    for (const turn of partsOf(pairs, claimsPerTurn)) {
      await claimAll(people, workspaceId, named, turn)
      for (const { key } of turn) heard.add(key)
    }
  }

  return {
    observe,
    keepTraits: (observed) => keepTraits(people, observed),
    forget: () => heard.clear(),
  }
}

function pairsOf(
  people: Pick<IdentityGraph, 'originalId'>,
  { workspaceId, originalId, userId, anonymousId, isByUserId, eventId }: Observation,
): Pair[] {
  const user = usable('user_id', userId)
  const device = usable('anonymous_id', anonymousId)
  const anchor = isByUserId ? user : { type: 'person_id', value: originalId }
  if (anchor === null || (!isByUserId && !isOurs(originalId))) return []
  return [isByUserId ? null : user, device]
    .filter((other) => other !== null)
    .map((other) => ({
      key: `${originalId} ${people.originalId(workspaceId, other)}`,
      anchor,
      other,
      eventId,
    }))
}

function usable(type: string, value: string): IdentifierPattern | null {
  if (value === '') return null
  const found = normalise({ type, value })
  return 'refused' in found ? null : { type, value: found.value }
}

function partsOf<Item>(items: readonly Item[], size: number): Item[][] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, part) => part * size)
  return starts.map((start) => items.slice(start, start + size))
}

/** What was looked up may have changed since: under the lock the rows that are there count. */
async function claimAll(
  people: Listened,
  workspaceId: string,
  looked: readonly Named[],
  pairs: readonly Pair[],
): Promise<void> {
  const idOf = (end: IdentifierPattern) => people.originalId(workspaceId, end)
  const wanted = new Set(pairs.flatMap(({ anchor, other }) => [idOf(anchor), idOf(other)]))
  const named = looked.filter(({ originalId }) => wanted.has(originalId))
  const suppressed = await people.suppressed(
    workspaceId,
    named.map(({ originalId }) => originalId),
  )
  const byId = new Map(
    named.filter(({ originalId }) => !suppressed.has(originalId)).map((one) => [one.originalId, one]),
  )
  const find = (end: IdentifierPattern) => byId.get(idOf(end))
  const claims = pairs.flatMap(({ anchor, other, eventId }) => {
    const [one, two] = [find(anchor), find(other)]
    return one && two && one !== two ? [claimOf(one, two, eventId)] : []
  })
  if (claims.length > 0) await people.take(workspaceId, (transaction) => applyClaims(transaction, claims))
}

/** Observed in events that anyone may send: likely, but not certain. */
function claimOf(anchor: Named, other: Named, eventId: string): Claim {
  return {
    anchor,
    other,
    step: stepOf(anchor.type),
    confidence: 'likely',
    isExplicit: false,
    source: 'event',
    actor: 'ingest',
    reason: null,
    // The ledger is text of Postgres, and the sender chose the id.
    triggeringEventId: storableText(eventId),
  }
}

async function keepTraits(
  { control }: Pick<IdentityGraph, 'control'>,
  observed: readonly ObservedTraits[],
): Promise<void> {
  for (const [workspaceId, ofOne] of Map.groupBy(observed, (one) => one.workspaceId)) {
    const latest = new Map<string, ReturnType<typeof toValues>[number]>()
    for (const { originalId, traits, ms } of ofOne.toSorted((left, right) => left.ms - right.ms)) {
      for (const value of toValues(originalId, traits, ms, 'event'))
        latest.set(`${originalId} ${value.key}`, value)
    }
    const values = await capTraits(control, workspaceId, [...latest.values()])
    if (values.length > 0) await upsertTraits(control, workspaceId, values)
  }
}
