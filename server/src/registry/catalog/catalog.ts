import { builtInEvents, type CatalogEvent, type EventContract, standardEvents } from '@assay/contract'
import { dayMs } from '../../platform/units.ts'
import type { Sql } from '../../store/control.ts'
import type { Overlay } from '../../store/event-source.ts'
import type { Events } from '../../store/events.ts'
import { toEventContract } from '../contracts/contracts.ts'
import { keysMax } from '../contracts/registration.ts'
import { selectCurrentPage } from '../contracts/store.ts'
import { type SeenName, selectSeenNames } from './store.ts'

const volumeDays = 30

/** Standard, built-in, defined and merely observed events, by name. */
export async function readCatalog(
  sql: Sql,
  events: Events,
  workspaceId: string,
  siteId: string | null,
  nowMs: number,
  overlays: readonly Overlay[],
): Promise<CatalogEvent[]> {
  const seen = await selectSeenNames(events, workspaceId, siteId, nowMs - volumeDays * dayMs, overlays)
  const custom = (await selectCurrentPage(sql, workspaceId, null, keysMax)).map(toEventContract)
  const seenByName = new Map(seen.map((row) => [row.name, row]))
  const known = [
    ...standardEvents.map((contract) => describe(contract, 'standard', seenByName)),
    ...builtInEvents.map((contract) => describe(contract, 'built_in', seenByName)),
    ...custom.map((contract) => describe(contract, 'custom', seenByName)),
  ]
  const names = new Set(known.map((event) => event.name))
  const observed = seen.filter((row) => !names.has(row.name)).map(describeObserved)
  return [...known, ...observed].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function describe(
  contract: EventContract,
  source: CatalogEvent['source'],
  seen: ReadonlyMap<string, SeenName>,
): CatalogEvent {
  const row = seen.get(contract.name)
  const properties = Object.entries(contract.properties).map(([name, rule]) => ({ name, rule }))
  const named = (isRequired: boolean) =>
    properties
      .filter(({ rule }) => (rule.required ?? false) === isRequired)
      .map(({ name, rule }) => ({ name, type: rule.type }))
  return {
    name: contract.name,
    source,
    category: contract.category ?? null,
    description: contract.description,
    requiredProperties: named(true),
    optionalProperties: named(false),
    // Quarantined events of a name with a contract mean that the contract, or the sender, needs a review.
    needsReview: (row?.held ?? 0) > 0,
    ...sightings(row),
  }
}

function describeObserved(row: SeenName): CatalogEvent {
  return {
    name: row.name,
    source: 'observed',
    category: null,
    description: '',
    requiredProperties: [],
    optionalProperties: [],
    needsReview: true,
    ...sightings(row),
  }
}

function sightings(row: SeenName | undefined): Pick<CatalogEvent, 'volume' | 'lastSeenAt'> {
  if (row === undefined) return { volume: 0, lastSeenAt: null }
  return { volume: row.volume, lastSeenAt: new Date(row.lastMs).toISOString() }
}
