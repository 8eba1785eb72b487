import type { Clock } from '../../platform/clock.ts'
import type { Failures } from '../../platform/failures.ts'
import type { Control, Sql } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { createLedgerTurns, type Turn } from '../ledger/queue.ts'
import { LedgerTransaction, type World } from '../ledger/transaction.ts'
import { createPersonKeys, type PersonKeys } from '../profiles/person-keys.ts'
import { createSightings, type Sightings } from '../profiles/seen-times.ts'
import { type IdentifierRow, selectIdentifiers, selectSuppressed } from '../store.ts'
import { bornIdOf, type Identifier, isOurs } from './identifier.ts'
import { createMapping, type Mapping } from './mapping.ts'
import type { Named } from './neighbourhood.ts'

/** Which identifiers belong to whom. Changes are serialised by the lock of the ledger. */
export type IdentityGraph = {
  control: Control
  keys: PersonKeys
  bornId: (workspaceId: string, identifier: Identifier) => string
  /** Looks up identifiers. Ids of ours that were never issued are left out. */
  name: (workspaceId: string, identifiers: readonly Identifier[]) => Promise<Named[]>
  /** Runs under the lock of the ledger; when it resolves, reads reflect the change. */
  take: <T>(workspaceId: string, turn: Turn<T>) => Promise<T>
  /** A dry run: the same, rolled back. */
  rehearse: <T>(workspaceId: string, turn: Turn<T>) => Promise<T>
  /** Which of these original ids belong to people who were erased. */
  suppressed: (workspaceId: string, bornIds: readonly string[]) => Promise<ReadonlySet<string>>
  /** The current person of an original id. */
  current: (workspaceId: string, bornId: string) => Promise<string>
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
  const turns = createLedgerTurns(control, world, (workspaceId) => mapping.follow(workspaceId))
  return {
    control,
    keys,
    bornId: (workspaceId, identifier) =>
      isReference(identifier) ? identifier.value : bornIdOf(keys.of(workspaceId), identifier),
    suppressed: async (workspaceId, bornIds) =>
      new Set(await selectSuppressed(control, workspaceId, bornIds)),
    current: async (workspaceId, bornId) => {
      const [row] = await selectIdentifiers(control, workspaceId, [bornId])
      return row?.person_id ?? bornId
    },
    name: (workspaceId, identifiers) => nameAll(control, sightings, keys, now, workspaceId, identifiers),
    take: (workspaceId, turn) => turns.take(workspaceId, turn),
    rehearse: (workspaceId, turn) => rehearse(control, workspaceId, world, turn),
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
      const bornId = isOfOurs ? identifier.value : bornIdOf(keys.of(workspaceId), identifier)
      return [bornId, { identifier, isOfOurs }]
    }),
  )
  const rows = await selectIdentifiers(sql, workspaceId, [...wanted.keys()])
  const known = new Map(rows.map((row) => [row.born_id, row]))
  const unknown = [...wanted.keys()].filter((bornId) => !known.has(bornId))
  const seen = await sightings.find(workspaceId, unknown)
  const named: Named[] = []
  for (const [bornId, { identifier, isOfOurs }] of wanted) {
    const row = known.get(bornId)
    const sighting = seen.get(bornId)
    if (row !== undefined) named.push(fromRow(row, identifier, isOfOurs))
    else if (sighting !== undefined || !isOfOurs) {
      const born = isOfOurs ? await sightings.birthOf(workspaceId, bornId) : identifier
      const firstSeenMs = sighting?.firstMs ?? now()
      named.push({ ...(born ?? identifier), bornId, firstSeenMs, isSeen: sighting !== undefined })
    }
  }
  return named
}

function fromRow(row: IdentifierRow, identifier: Identifier, isOfOurs: boolean): Named {
  return {
    bornId: row.born_id,
    type: row.type,
    value: isOfOurs ? (row.value ?? '') : identifier.value,
    firstSeenMs: row.first_seen_at.getTime(),
    isSeen: true,
  }
}

class Rehearsed extends Error {
  readonly value: unknown

  constructor(value: unknown) {
    super('a dry run is rolled back')
    this.value = value
  }
}

/** Runs for real and rolls back, so that a dry run cannot differ from the real one. */
async function rehearse<T>(control: Control, workspaceId: string, world: World, turn: Turn<T>): Promise<T> {
  try {
    return await control.transaction<T>(async (sql) => {
      throw new Rehearsed(await turn(await LedgerTransaction.begin(sql, workspaceId, world)))
    })
  } catch (cause) {
    // boundary: the value is the result of the work, on its way out of the transaction.
    if (cause instanceof Rehearsed) return cause.value as T
    throw cause
  }
}
