import type { Clock } from '../../platform/clock.ts'
import type { Failures } from '../../platform/logging/failures.ts'
import type { Control, Sql } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { createLedgerQueue, type Turn } from '../ledger/queue.ts'
import { LedgerTransaction, type World } from '../ledger/transaction.ts'
import { createPersonKeys, type PersonKeys } from '../profiles/person-keys.ts'
import { createSightings, type Sightings } from '../profiles/seen-times.ts'
import { type IdentifierRow, selectIdentifiers, selectSuppressed } from '../store.ts'
import { type Identifier, isOurs, originalIdOf } from './identifier.ts'
import { createMapping, type Mapping } from './mapping.ts'
import type { Named } from './neighbourhood.ts'

/** Which identifiers belong to whom. Changes are serialised by the lock of the ledger. */
export type IdentityGraph = {
  control: Control
  keys: PersonKeys
  originalId: (workspaceId: string, identifier: Identifier) => string
  /** Looks up identifiers. Ids of ours that were never issued are left out. */
  name: (workspaceId: string, identifiers: readonly Identifier[]) => Promise<Named[]>
  /** Runs under the lock of the ledger; when it resolves, reads reflect the change. */
  take: <T>(workspaceId: string, turn: Turn<T>) => Promise<T>
  /** A dry run: the same, rolled back. */
  dryRun: <T>(workspaceId: string, turn: Turn<T>) => Promise<T>
  /** Which of these original ids belong to people who were erased. */
  suppressed: (workspaceId: string, originalIds: readonly string[]) => Promise<ReadonlySet<string>>
  /** The current person of an original id. */
  current: (workspaceId: string, originalId: string) => Promise<string>
  sightings: Sightings
  mapping: Mapping
  now: Clock
}

type GraphOptions = { control: Control; events: Events; failures: Pick<Failures, 'report'> }

export async function createIdentityGraph(options: GraphOptions, world: World): Promise<IdentityGraph> {
  const { control, events, failures } = options
  const { now } = world
  const keys = await createPersonKeys(control)
  const sightings = createSightings(events, keys.of, now)
  const mapping = await createMapping(control, events, (error) => failures.report('identity mapping', error))
  const turns = createLedgerQueue(control, world, (workspaceId) => mapping.follow(workspaceId))
  return {
    control,
    keys,
    originalId: (workspaceId, identifier) =>
      isReference(identifier) ? identifier.value : originalIdOf(keys.of(workspaceId), identifier),
    suppressed: async (workspaceId, originalIds) =>
      new Set(await selectSuppressed(control, workspaceId, originalIds)),
    current: async (workspaceId, originalId) => {
      const [row] = await selectIdentifiers(control, workspaceId, [originalId])
      return row?.person_id ?? originalId
    },
    name: (workspaceId, identifiers) => nameAll(control, sightings, keys, now, workspaceId, identifiers),
    take: (workspaceId, turn) => turns.take(workspaceId, turn),
    dryRun: (workspaceId, turn) => dryRun(control, workspaceId, world, turn),
    sightings,
    mapping,
    now,
  }
}

function isReference({ type, value }: Identifier): boolean {
  return type === 'person_id' && isOurs(value)
}

async function nameAll(
  sql: Sql,
  sightings: Sightings,
  keys: PersonKeys,
  now: Clock,
  workspaceId: string,
  identifiers: readonly Identifier[],
): Promise<Named[]> {
  const wanted = new Map(
    identifiers.map((identifier) => {
      const isOfOurs = isReference(identifier)
      const originalId = isOfOurs ? identifier.value : originalIdOf(keys.of(workspaceId), identifier)
      return [originalId, { identifier, isOfOurs }]
    }),
  )
  const rows = await selectIdentifiers(sql, workspaceId, [...wanted.keys()])
  const known = new Map(rows.map((row) => [row.original_id, row]))
  const unknown = [...wanted.keys()].filter((originalId) => !known.has(originalId))
  const seen = await sightings.find(workspaceId, unknown)
  const named: Named[] = []
  for (const [originalId, { identifier, isOfOurs }] of wanted) {
    const row = known.get(originalId)
    const sighting = seen.get(originalId)
    if (row !== undefined) named.push(fromRow(row, identifier, isOfOurs))
    else if (sighting !== undefined || !isOfOurs) {
      const first = isOfOurs ? await sightings.birthOf(workspaceId, originalId) : identifier
      const firstSeenMs = sighting?.firstMs ?? now()
      named.push({ ...(first ?? identifier), originalId, firstSeenMs, isSeen: sighting !== undefined })
    }
  }
  return named
}

function fromRow(row: IdentifierRow, identifier: Identifier, isOfOurs: boolean): Named {
  return {
    originalId: row.original_id,
    type: row.type,
    value: isOfOurs ? (row.value ?? '') : identifier.value,
    firstSeenMs: row.first_seen_at.getTime(),
    isSeen: true,
  }
}

class DryRunEnd extends Error {
  readonly value: unknown

  constructor(value: unknown) {
    super('a dry run is rolled back')
    this.value = value
  }
}

/** Runs for real and rolls back, so that a dry run cannot differ from the real one. */
async function dryRun<T>(control: Control, workspaceId: string, world: World, turn: Turn<T>): Promise<T> {
  try {
    return await control.transaction<T>(async (sql) => {
      throw new DryRunEnd(await turn(await LedgerTransaction.begin(sql, workspaceId, world)))
    })
  } catch (cause) {
    // boundary: the value is the result of the work, on its way out of the transaction.
    if (cause instanceof DryRunEnd) return cause.value as T
    throw cause
  }
}
