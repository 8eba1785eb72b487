import { createSharedCache } from '../../platform/shared-cache.ts'
import type { Control } from '../../store/control.ts'
import type { ReadOverlays, SupersededSite } from '../../store/event-source.ts'
import type { Events } from '../../store/events.ts'
import { type Overlays, overlayOf } from './overlays.ts'
import { selectSupersededSites } from './superseded-store.ts'

/** Which sites have events that stopped counting, since a secret sender brought the same. Nearly all have none. */
export type Superseded = {
  of: (workspaceId: string) => Promise<readonly SupersededSite[]>
  /** Reads of these sites have to look from now on, here and on every other node. */
  note: (workspaceId: string, sites: readonly SupersededSite[]) => Promise<void>
  forget: (workspaceId: string) => void
}

/** Sites whose readers know already, so that they are not notified with every order; about 100 bytes each. */
const notedMax = 50_000

export async function createSuperseded(control: Control, events: Events): Promise<Superseded> {
  const remembered = await createSharedCache(control, {
    channel: 'assay_superseded',
    read: (workspaceId) => selectSupersededSites(events, workspaceId),
  })
  // bounded: by notedMax.
  const noted = new Map<string, number>()
  return {
    of: remembered.of,
    async note(workspaceId, sites) {
      const keyOf = ({ siteId }: SupersededSite) => `${workspaceId} ${siteId}`
      const news = sites.filter((site) => (noted.get(keyOf(site)) ?? Number.POSITIVE_INFINITY) > site.fromMs)
      if (news.length === 0) return
      await remembered.changed(workspaceId)
      if (noted.size >= notedMax) noted.clear()
      for (const site of news) noted.set(keyOf(site), site.fromMs)
    },
    forget(workspaceId) {
      noted.clear()
      remembered.forget(workspaceId)
    },
  }
}

/** The overlays of a site's stored events, for every reader. */
export async function layersOf(
  { overlays, superseded }: { overlays: Overlays; superseded: Pick<Superseded, 'of'> },
  workspaceId: string,
  siteId: string,
): Promise<Pick<ReadOverlays, 'overlay' | 'superseded'>> {
  const [overlay, sites] = await Promise.all([
    overlayOf(overlays, workspaceId, siteId),
    superseded.of(workspaceId),
  ])
  return { overlay, superseded: sites.find((site) => site.siteId === siteId) ?? null }
}
