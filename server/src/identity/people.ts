import { randomBytes } from 'node:crypto'
import type { Clock, NewId } from '../clock.ts'
import type { Failures } from '../failures.ts'
import type { Control, Sql } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { type Forgotten, forgetIdentity } from './forgetting.ts'
import { insertSuppressions } from './forgetting-store.ts'
import { bornIdOf, type Identifier, isOurs } from './identifier.ts'
import { createMapping, type Mapping } from './mapping.ts'
import type { Named } from './neighbourhood.ts'
import { createObserving, type Observing } from './observing.ts'
import { createPersonKeys, type PersonKeys } from './person-keys.ts'
import { createSightings, type Sightings } from './sightings.ts'
import { type IdentifierRow, selectIdentifiers, selectSuppressed } from './store.ts'
import { type EntryListener, LedgerTransaction, type World } from './transaction.ts'
import { createLedgerTurns, type Turn } from './turns.ts'

/** Who is who, for everybody who asks or tells. */
export type People = {
  control: Control
  keys: PersonKeys
  bornId: (workspaceId: string, identifier: Identifier) => string
  /** Looks up what is known of identifiers. An id of ours that nobody was born with is left out. */
  name: (workspaceId: string, identifiers: readonly Identifier[]) => Promise<Named[]>
  /** A turn at the ledger; when it resolves, reads follow what it changed. */
  take: <T>(workspaceId: string, turn: Turn<T>) => Promise<T>
  /** The same with nothing left of it. */
  rehearse: <T>(workspaceId: string, turn: Turn<T>) => Promise<T>
  /** Those of these ids, as born, that belong to people who are forgotten. */
  suppressed: (workspaceId: string, bornIds: readonly string[]) => Promise<ReadonlySet<string>>
  /** Who somebody, as born, is now. */
  current: (workspaceId: string, bornId: string) => Promise<string>
  sightings: Sightings
  mapping: Mapping
  observing: Observing
  /** To be told when a link was taken back: what was said before is heard again, on every node. */
  reversed: () => Promise<void>
  /** From now on nothing comes in under these ids any more; the gate has to be told. */
  suppress: (workspaceId: string, bornIds: readonly string[]) => Promise<void>
  /**
   * Takes somebody, given by all their ids as born, out of this module's tables of the control store, for good. Each
   * actor, which is a request, gets an entry of the ledger.
   */
  forget: (workspaceId: string, bornIds: readonly string[], actors: readonly string[]) => Promise<Forgotten>
  /** To be told of what is written into ledgers, within the transaction that writes it. */
  onEntries: (listener: EntryListener) => void
  now: Clock
}

export type PeopleOptions = {
  control: Control
  events: Events
  now: Clock
  newId: NewId
  failures: Pick<Failures, 'report'>
}

const saltBytes = 16
const reversedChannel = 'assay_identity_reversed'
const forgottenChannel = 'assay_identity_forgotten'
/** A notice of Postgres takes 8,000 bytes, and an id 31. */
const idsPerNotice = 200

export async function createPeople({
  control,
  events,
  now,
  newId,
  failures,
}: PeopleOptions): Promise<People> {
  const keys = await createPersonKeys(control)
  const listeners: EntryListener[] = []
  const world: World = {
    now,
    newId,
    newSalt: () => randomBytes(saltBytes).toString('hex'),
    appended: async (sql, workspaceId, rows) => {
      for (const listener of listeners) await listener(sql, workspaceId, rows)
    },
  }
  const sightings = createSightings(events, keys.of, now)
  const mapping = await createMapping(control, events, (error) => failures.report('identity mapping', error))
  const turns = createLedgerTurns(control, world, (workspaceId) => mapping.follow(workspaceId))
  const people: Omit<People, 'observing' | 'reversed' | 'suppress' | 'forget' | 'onEntries'> = {
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
  const reversed = async () => {
    observing.forget()
    await control.notify(reversedChannel, '')
  }
  const observing = createObserving(people)
  await control.listen(reversedChannel, observing.forget, observing.forget)
  // Whoever was seen on another node lately would seem to be somebody there.
  const forgetSeen = (notice: string) => {
    const [workspaceId = '', ...bornIds] = notice.split(' ')
    for (const bornId of bornIds) sightings.forget(workspaceId, bornId)
  }
  await control.listen(forgottenChannel, forgetSeen, () => {})
  const remembering = { ...people, reversed }
  return {
    ...remembering,
    observing,
    suppress: (workspaceId, bornIds) => insertSuppressions(control, workspaceId, bornIds, new Date(now())),
    onEntries: (listener) => void listeners.push(listener),
    async forget(workspaceId, bornIds, actors) {
      const done = await forgetIdentity(remembering, workspaceId, bornIds, actors)
      for (let start = 0; start < bornIds.length; start += idsPerNotice) {
        const notice = [workspaceId, ...bornIds.slice(start, start + idsPerNotice)]
        await control.notify(forgottenChannel, notice.join(' '))
      }
      return done
    },
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
    super('a rehearsal is rolled back')
    this.value = value
  }
}

/** Runs for real and takes it all back, so that a dry run cannot tell anything else than the real one. */
async function rehearse<T>(control: Control, workspaceId: string, world: World, turn: Turn<T>): Promise<T> {
  try {
    return await control.transaction<T>(async (sql) => {
      throw new Rehearsed(await turn(await LedgerTransaction.begin(sql, workspaceId, world)))
    })
  } catch (cause) {
    // boundary: the value is what the turn gave, on its way out of the transaction.
    if (cause instanceof Rehearsed) return cause.value as T
    throw cause
  }
}
