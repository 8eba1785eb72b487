import { createSharedCache, type SharedCache } from '../../platform/shared-cache.ts'
import type { Control } from '../../store/control.ts'
import type { Overlay } from '../../store/event-source.ts'
import { selectOverlays } from './generation-store.ts'

/** What lies over the events of each site, by workspace. Nearly all have nothing, which is remembered too. */
export { deleteOverlayOrders } from './overlay-store.ts'

export type Overlays = SharedCache<readonly Overlay[]>

export function createOverlays(control: Control): Promise<Overlays> {
  return createSharedCache(control, {
    channel: 'assay_overlays',
    read: (workspaceId) => selectOverlays(control, workspaceId),
  })
}

export async function overlayOf(
  overlays: Overlays,
  workspaceId: string,
  siteId: string,
): Promise<Overlay | null> {
  const all = await overlays.of(workspaceId)
  return all.find((overlay) => overlay.siteId === siteId) ?? null
}
