import type { Control } from '../store/control.ts'
import { selectActiveBackfills, toOverlay } from './backfill-store.ts'
import type { Overlay } from './overlay.ts'

export type Overlays = {
  /** The overlays in force of a workspace; in memory once they were asked for. */
  of: (workspaceId: string) => Promise<readonly Overlay[]>
  /** Forgets them, here at once and on every other node a moment later. */
  changed: (workspaceId: string) => Promise<void>
}

const channel = 'assay_overlays'

/** Bounded by the workspaces there are; nearly all of them have no overlay, which is remembered too. */
export async function createOverlays(control: Control): Promise<Overlays> {
  const known = new Map<string, Promise<readonly Overlay[]>>()
  const forget = (workspaceId: string) => void known.delete(workspaceId)
  await control.listen(channel, forget, () => known.clear())

  return {
    of(workspaceId) {
      const found = known.get(workspaceId)
      if (found !== undefined) return found
      const loading = selectActiveBackfills(control, workspaceId).then((rows) => rows.map(toOverlay))
      known.set(workspaceId, loading)
      // What could not be read is not remembered; and a change meanwhile has put another load, or none, in its place.
      loading.catch(() => {
        if (known.get(workspaceId) === loading) known.delete(workspaceId)
      })
      return loading
    },
    async changed(workspaceId) {
      known.delete(workspaceId)
      await control.notify(channel, workspaceId)
    },
  }
}
