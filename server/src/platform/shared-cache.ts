import type { Control } from '../store/control.ts'
import { RecentMap } from './recent-map.ts'

/** What was read of each workspace, kept until somebody tells that it changed. */
export type Remembered<Value> = {
  of: (workspaceId: string) => Promise<Value>
  /** Forgets it, here at once and on every other node a moment later. */
  changed: (workspaceId: string) => Promise<void>
  /** Forgets it here only. */
  forget: (workspaceId: string) => void
}

export type RememberedOptions<Value> = {
  /** Where changes are told. A notice begins with the id of the workspace. */
  channel: string
  /** Channels of others whose changes matter here too. */
  alsoHear?: readonly string[]
  read: (workspaceId: string) => Promise<Value>
}

/** Workspaces whose value is known, and the characters of all of these as JSON. */
const workspacesMax = 10_000
const charactersMax = 32_000_000

/** `characters` are those of what was read, once it is. */
type Reading<Value> = { value: Promise<Value>; characters: number }

export async function createRemembered<Value>(
  control: Control,
  { channel, alsoHear = [], read }: RememberedOptions<Value>,
): Promise<Remembered<Value>> {
  const known = new RecentMap<Reading<Value>>(workspacesMax, charactersMax, (one) => one.characters)
  const hear = (notice: string) => void known.delete(notice.split(' ', 1)[0] ?? '')
  for (const heard of [channel, ...alsoHear]) await control.listen(heard, hear, () => known.clear())

  return {
    of(workspaceId) {
      const found = known.get(workspaceId)
      if (found !== undefined) return found.value
      const reading = { value: read(workspaceId), characters: 0 }
      known.set(workspaceId, reading)
      // After a change another reading, or none, stands in its place.
      const isKnown = () => known.get(workspaceId) === reading
      const weigh = (value: Value) => {
        reading.characters = JSON.stringify(value ?? null).length
        if (isKnown()) known.set(workspaceId, reading)
      }
      // What could not be read is not kept.
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
