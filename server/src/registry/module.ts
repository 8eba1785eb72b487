import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import { createOverlays, type Overlays } from './backfills/overlays.ts'
import { overlayData } from './backfills/personal-data.ts'
import { createSuperseded, type Superseded } from './backfills/superseded-sites.ts'
import { createElements, type Elements } from './catalog/elements.ts'
import { createRegistry, type Registry } from './registry.ts'

export type RegistryModule = Module & {
  /** What the gate asks: contracts, mapping rules, severities. */
  registry: Registry
  elements: Elements
  /** What back-fills change in the events of sites when they are read. */
  overlays: Overlays
  superseded: Superseded
}

/** What is known of events: contracts, names, elements, back-fills. Its routes are in `administration.ts`. */
export async function createRegistryModule({ control, events }: Platform): Promise<RegistryModule> {
  const registry = await createRegistry(control)
  const elements = await createElements(control)
  const overlays = await createOverlays(control)
  const superseded = await createSuperseded(control, events)
  return {
    registry,
    elements,
    overlays,
    superseded,
    personalData: { copies: overlayData(control, events) },
    workspaceGone: (workspaceId) => {
      registry.forgetWorkspace(workspaceId)
      elements.forget(workspaceId)
      overlays.forget(workspaceId)
      superseded.forget(workspaceId)
    },
  }
}
