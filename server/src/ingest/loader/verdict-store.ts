import type { Events } from '../../store/events.ts'
import { probeReplicas } from '../../store/filters/people-sets.ts'
import { asTime, loadSettings } from './load-settings.ts'

/** Lines whose verdict may be counted twice: another line has the same id, or they were set aside. */
const doubtful = (staging: string) => `(letter != '' OR (id_hi, id_lo) IN (
      SELECT id_hi, id_lo FROM event_ids
      WHERE kind = 0 AND (id_hi, id_lo) IN (SELECT id_hi, id_lo FROM ${staging})
        AND (id_hi, id_lo, toUnixTimestamp64Milli(received_at)) NOT IN (
          SELECT id_hi, id_lo, received_at FROM ${staging})))`

/**
 * A line acknowledged as a first sighting whose event is stored from another line: nodes do not know what
 * another one accepted or set aside a moment ago. It counts as a repeat.
 */
const isRepeat = (staging: string) => `(outcome IN ('accept', 'warn') AND repeats = 0 AND ${doubtful(staging)}
      AND (workspace_id, event_id, received_at) NOT IN (
        SELECT workspace_id, event_id, toUnixTimestamp64Milli(received_at) FROM events
        WHERE (workspace_id, event_id) IN (
            SELECT workspace_id, event_id FROM ${staging} WHERE ${doubtful(staging)})
          AND ts >= (SELECT ${asTime('min(ts)')} FROM ${staging})
          AND ts <= (SELECT ${asTime('max(ts)')} FROM ${staging})))`

const countedVerdicts = (staging: string, repeat: string) => `
    SELECT workspace_id, site_id, toStartOfHour(${asTime('s.ts')}) AS hour, name, outcome, code,
           countIf(repeats = 0 AND NOT ${repeat}), sum(repeats) + countIf(${repeat})
    FROM ${staging} AS s WHERE state = '' AND is_stored = 0
    GROUP BY workspace_id, site_id, hour, name, outcome, code`

/**
 * Verdicts on arrivals; those of releases are counted by the quarantine. Counts have no ids, so the segment's
 * origin prevents double counting for every revision or part of it. Where a line may repeat one of another
 * node or segment, the rows are checked, so these are stored before.
 */
export async function insertVerdicts(
  events: Events,
  staging: string,
  { origin, mayRepeat }: { origin: string; mayRepeat: boolean },
): Promise<void> {
  const counted = countedVerdicts(staging, mayRepeat ? isRepeat(staging) : 'false')
  await events.command(`
    INSERT INTO verdicts (workspace_id, site_id, hour, name, outcome, code, events, duplicates)
    ${loadSettings(`${origin}:verdicts`)} ${counted}`)
}

/** Fails where counting would. */
export async function tryVerdicts(events: Events, staging: string): Promise<void> {
  await events.query(`SELECT count() AS counts FROM (${countedVerdicts(staging, 'false')})`)
}

export type CountedLine = {
  workspace_id: string
  site_id: string
  event_id: string
  id_hi: number
  id_lo: number
  received_at: number
  letter: string
  ts: number
  name: string
  outcome: string
  code: string
  repeats: number
  state: string
  is_stored: number
}

/** The columns of lines that verdicts are counted by. */
export async function stageCounts(
  events: Events,
  staging: string,
  lines: readonly CountedLine[],
): Promise<void> {
  if (lines.length > 0) await events.insertRows(staging, lines)
}

/** Only written to: checks whether the store accepts rows at all, down to its disk. */
const probeOf = (staging: string) => `${staging}_probe`

export async function createProbe(events: Events, staging: string): Promise<void> {
  await events.command(
    `CREATE TABLE IF NOT EXISTS ${probeOf(staging)} (at DateTime64(3, 'UTC')) ENGINE = Log`,
  )
  await events.command(`TRUNCATE TABLE ${probeOf(staging)}`)
}

/** Fails while the store cannot work at all. Clear staging after it. */
export async function probeEvents(events: Events, staging: string): Promise<void> {
  await events.command(`INSERT INTO ${staging} (workspace_id) SELECT ''`)
  await events.command(`INSERT INTO ${probeOf(staging)} SELECT now64(3)`)
  // Tables of this node need no majority.
  if (events.cluster !== null) await probeReplicas(events)
}
