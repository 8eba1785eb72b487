import type { Control } from './control.ts'

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

/** Bounded by the workspaces that are asked about: some hundred bytes each. */
export async function createRemembered<Value>(
  control: Control,
  { channel, alsoHear = [], read }: RememberedOptions<Value>,
): Promise<Remembered<Value>> {
  const known = new Map<string, Promise<Value>>()
  const hear = (notice: string) => void known.delete(notice.split(' ', 1)[0] ?? '')
  for (const heard of [channel, ...alsoHear]) await control.listen(heard, hear, () => known.clear())

  return {
    of(workspaceId) {
      const found = known.get(workspaceId)
      if (found !== undefined) return found
      const reading = read(workspaceId)
      known.set(workspaceId, reading)
      // What could not be read is not kept; after a change another reading, or none, stands in its place.
      reading.catch(() => {
        if (known.get(workspaceId) === reading) known.delete(workspaceId)
      })
      return reading
    },
    async changed(workspaceId) {
      known.delete(workspaceId)
      await control.notify(channel, workspaceId)
    },
    forget: (workspaceId) => void known.delete(workspaceId),
  }
}
