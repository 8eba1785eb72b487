import type { Control } from '../store/control.ts'
import { RecentMap } from './recent-map.ts'

/** Cached value per workspace, until it changes. */
export type SharedCache<Value> = {
  of: (workspaceId: string) => Promise<Value>
  /** Evicts it, here at once and on every other node a moment later. */
  changed: (workspaceId: string) => Promise<void>
  /** Evicts it here only. */
  forget: (workspaceId: string) => void
}

type RememberedOptions<Value> = {
  /** Channel of changes. A notice begins with the id of the workspace. */
  channel: string
  /** Channels of others whose changes matter here too. */
  alsoHear?: readonly string[]
  read: (workspaceId: string) => Promise<Value>
}

/** Maximum number of cached workspaces, and of characters of all values as JSON. */
const workspacesMax = 10_000
const charactersMax = 32_000_000

/** `characters` of the value, once it is read. */
type Reading<Value> = { value: Promise<Value>; characters: number }

export async function createSharedCache<Value>(
  control: Control,
  { channel, alsoHear = [], read }: RememberedOptions<Value>,
): Promise<SharedCache<Value>> {
  const known = new RecentMap<Reading<Value>>(workspacesMax, charactersMax, (one) => one.characters)
  const hear = (notice: string) => void known.delete(notice.split(' ', 1)[0] ?? '')
  for (const heard of [channel, ...alsoHear]) await control.listen(heard, hear, () => known.clear())

  return {
    of(workspaceId) {
      const found = known.get(workspaceId)
      if (found !== undefined) return found.value
      const reading = { value: read(workspaceId), characters: 0 }
      known.set(workspaceId, reading)
      // After a change another read, or none, has replaced it.
      const isKnown = () => known.get(workspaceId) === reading
      const weigh = (value: Value) => {
        reading.characters = JSON.stringify(value ?? null).length
        if (isKnown()) known.set(workspaceId, reading)
      }
      // Failed reads are not cached.
      const drop = () => {
        if (isKnown()) known.delete(workspaceId)
      }
      reading.value.then(weigh, drop)
      return reading.value
    },
    async changed(workspaceId) {
      known.delete(workspaceId)
      await control.notify(channel, workspaceId)
    },
    forget: (workspaceId) => void known.delete(workspaceId),
  }
}
