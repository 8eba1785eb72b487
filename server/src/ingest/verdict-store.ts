import type { Events } from '../store/events.ts'
import { asTime, loadSettings } from './store.ts'

const countedVerdicts = (staging: string) => `
    SELECT workspace_id, site_id, toStartOfHour(${asTime('s.ts')}) AS hour, name, outcome, code,
           countIf(repeats = 0), sum(repeats)
    FROM ${staging} AS s WHERE state = '' AND is_stored = 0
    GROUP BY workspace_id, site_id, hour, name, outcome, code`

/**
 * Verdicts on arrivals; what a release finds is told by the quarantine. Counts have no ids, so the segment's origin
 * guards: whatever revision or part of it is tried, it is counted once.
 */
export async function insertVerdicts(events: Events, staging: string, origin: string): Promise<void> {
  await events.command(`
    INSERT INTO verdicts (workspace_id, site_id, hour, name, outcome, code, events, duplicates)
    ${loadSettings(`${origin}:verdicts`)} ${countedVerdicts(staging)}`)
}

/** Fails where counting would. */
export async function tryVerdicts(events: Events, staging: string): Promise<void> {
  await events.query(`SELECT count() AS counts FROM (${countedVerdicts(staging)})`)
}

export type CountedLine = {
  workspace_id: string
  site_id: string
  ts: number
  name: string
  outcome: string
  code: string
  repeats: number
  state: string
  is_stored: number
}

/** As much of lines as their verdicts are counted by. */
export async function stageCounts(
  events: Events,
  staging: string,
  lines: readonly CountedLine[],
): Promise<void> {
  if (lines.length > 0) await events.insertRows(staging, lines)
}

/** Written to and nothing else: whether the store takes rows at all, down to its disk. */
const probeOf = (staging: string) => `${staging}_probe`

export async function createProbe(events: Events, staging: string): Promise<void> {
  await events.command(
    `CREATE TABLE IF NOT EXISTS ${probeOf(staging)} (at DateTime64(3, 'UTC')) ENGINE = Log`,
  )
  await events.command(`TRUNCATE TABLE ${probeOf(staging)}`)
}

/** Fails while the store cannot do its work, whatever it is given. Staging has to be cleared after it. */
export async function probeEvents(events: Events, staging: string): Promise<void> {
  await events.command(`INSERT INTO ${staging} (workspace_id) SELECT ''`)
  await events.command(`INSERT INTO ${probeOf(staging)} SELECT now64(3)`)
}
