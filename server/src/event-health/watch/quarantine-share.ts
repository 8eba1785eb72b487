import type { HealthSettings } from '@assay/contract'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import { hourMs } from '../../platform/units.ts'
import { type HealthContext, keyOf } from '../scope.ts'
import { type QuarantinedRow, selectHeld } from '../stores/issue-store.ts'
import { deleteQuietEpisodes, insertEpisode, touchEpisodes } from './episode-store.ts'
import { readSettings } from './settings.ts'

/** Arrivals of one event, or with an empty name of all events of a site. */
type QuarantineCount = { siteId: string; name: string; held: number; arrived: number }

/** Names of one workspace that are checked: those with the most quarantined events. */
const namesMax = 1_000
/** It is over when less than half of the threshold is quarantined … */
const overShare = 0.5
/** … for this long; a share that fluctuates is reported once. */
const quietMs = 10 * 60_000

/** Events of which too many are quarantined. A site as a whole only if no single event is the cause. */
export function tooMuchQuarantined(
  counts: readonly QuarantineCount[],
  settings: HealthSettings,
): QuarantineCount[] {
  const over = counts.filter(
    ({ held, arrived }) => held >= settings.quarantine_least && held >= settings.quarantine_share * arrived,
  )
  const blamed = new Set(over.filter(({ name }) => name !== '').map(({ siteId }) => siteId))
  return over.filter(({ siteId, name }) => name !== '' || !blamed.has(siteId))
}

/** This hour and the one before, in every workspace that wants the notice. */
export async function watchQuarantine(context: HealthContext, onFailure: ItemFailure): Promise<void> {
  const wanting = context.wanting('quarantine.threshold')
  if (wanting.length === 0) return
  const sinceMs = Math.floor(context.now() / hourMs) * hourMs - hourMs
  const rows = await selectHeld(context.events, wanting, sinceMs, namesMax)
  const byWorkspace = Map.groupBy(rows, (row) => row.workspace_id)
  const settle = (workspaceId: string) =>
    settleEpisodes(context, workspaceId, (byWorkspace.get(workspaceId) ?? []).map(toCount))
  await forEachItem(wanting, settle, onFailure)
}

const toCount = (row: QuarantinedRow): QuarantineCount => ({
  siteId: row.site_id,
  // Postgres refuses a text with this character, and anyone may send a name.
  name: row.event_name.replaceAll('\0', '\\0'),
  held: Number(row.held),
  arrived: Number(row.arrived),
})

async function settleEpisodes(
  context: HealthContext,
  workspaceId: string,
  counts: readonly QuarantineCount[],
): Promise<void> {
  const settings = await readSettings(context, workspaceId)
  const at = new Date(context.now())
  for (const one of tooMuchQuarantined(counts, settings))
    await openEpisode(context, workspaceId, one, settings, at)
  const still = counts.filter(({ held, arrived }) => held >= settings.quarantine_share * overShare * arrived)
  await touchEpisodes(context.control, workspaceId, still, at)
  await deleteQuietEpisodes(context.control, workspaceId, new Date(at.getTime() - quietMs))
}

/** The notice is sent with the row: by whichever node is first, and once. */
async function openEpisode(
  { control, sendNotice }: HealthContext,
  workspaceId: string,
  { siteId, name, held, arrived }: QuarantineCount,
  { quarantine_share: threshold }: HealthSettings,
  at: Date,
): Promise<void> {
  await control.transaction(async (sql) => {
    if (!(await insertEpisode(sql, workspaceId, { siteId, name, at }))) return
    const data = {
      site_id: siteId,
      event_key: name === '' ? null : keyOf(name),
      held,
      arrived,
      share: held / arrived,
      threshold,
      since: at.toISOString(),
    }
    const subject = `${siteId} ${at.toISOString()} ${name}`
    await sendNotice(workspaceId, { type: 'quarantine.threshold', subject, data }, sql)
  })
}
