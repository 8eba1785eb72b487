import { randomBytes } from 'node:crypto'
import type { Clock, NewId } from '../platform/clock.ts'
import type { Failures } from '../platform/logging/failures.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { type Forgotten, forgetIdentity } from './commands/erasure.ts'
import { insertSuppressions } from './commands/erasure-store.ts'
import { createObserving, type Observing } from './event-sync.ts'
import { createIdentityGraph, type IdentityGraph } from './graph/identity-graph.ts'
import type { EntryListener, World } from './ledger/transaction.ts'

/** Identity resolution, for reads and writes. */
export type People = IdentityGraph & {
  observing: Observing
  /** Call after a link was reversed: earlier observations are processed again, on every node. */
  reversed: () => Promise<void>
  /** From now on nothing may come in under these ids; the gate has to be notified. */
  suppress: (workspaceId: string, originalIds: readonly string[]) => Promise<void>
  /**
   * Erases a person, given by all their original ids, from this module's tables of the control store,
   * permanently. Each actor, which is a request, gets an entry of the ledger.
   */
  forget: (
    workspaceId: string,
    originalIds: readonly string[],
    actors: readonly string[],
  ) => Promise<Forgotten>
  /** Subscribes to new ledger entries, within the transaction that writes them. */
  onEntries: (listener: EntryListener) => void
}

type PeopleOptions = {
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
  const listeners: EntryListener[] = []
  const world: World = {
    now,
    newId,
    newSalt: () => randomBytes(saltBytes).toString('hex'),
    appended: async (sql, workspaceId, rows) => {
      for (const listener of listeners) await listener(sql, workspaceId, rows)
    },
  }
  const graph = await createIdentityGraph({ control, events, failures }, world)
  const reversed = async () => {
    observing.forget()
    await control.notify(reversedChannel, '')
  }
  const observing = createObserving(graph)
  await control.listen(reversedChannel, observing.forget, observing.forget)
  // Otherwise people seen on another node recently would still seem to exist there.
  const forgetSeen = (notice: string) => {
    const [workspaceId = '', ...originalIds] = notice.split(' ')
    for (const originalId of originalIds) graph.sightings.forget(workspaceId, originalId)
  }
  await control.listen(forgottenChannel, forgetSeen, () => {})
  const remembering = { ...graph, reversed }
  return {
    ...remembering,
    observing,
    suppress: (workspaceId, originalIds) =>
      insertSuppressions(control, workspaceId, originalIds, new Date(now())),
    onEntries: (listener) => void listeners.push(listener),
    async forget(workspaceId, originalIds, actors) {
      const done = await forgetIdentity(remembering, workspaceId, originalIds, actors)
      for (let start = 0; start < originalIds.length; start += idsPerNotice) {
        const notice = [workspaceId, ...originalIds.slice(start, start + idsPerNotice)]
        await control.notify(forgottenChannel, notice.join(' '))
      }
      return done
    },
  }
}
