import type { FirstAmount } from '../../sites/currencies.ts'
import type { Events, FileFormat } from '../../store/events.ts'
import { lineColumns } from './line-columns.ts'

const lineStructure = lineColumns.map(([name, type]) => `${name} ${type}`).join(', ')

/** Created again at every start, since an earlier release may have left one with another schema. */
export async function createStaging(events: Events, staging: string): Promise<void> {
  await events.command(`DROP TABLE IF EXISTS ${staging}`)
  await events.command(`CREATE TABLE ${staging} (${lineStructure}) ENGINE = Memory`)
}

/** Reads a segment or its blocks into memory; everything else copies columns. The table is empty before. */
export async function stageSegment(
  events: Events,
  staging: string,
  path: string,
  format: FileFormat = 'JSONEachRow',
): Promise<void> {
  await events.insertFile(staging, lineStructure, path, format)
}

export async function clearStaging(events: Events, staging: string): Promise<void> {
  await events.command(`TRUNCATE TABLE ${staging}`)
}

/**
 * Lines of events that link a person to a device, or to another user id, and were not stored when they
 * arrived.
 */
const tyingLines =
  "outcome IN ('accept', 'warn') AND repeats = 0 AND is_bound = 0" +
  " AND ((resolved_by = 'user_id' AND anonymous_id != '')" +
  " OR (resolved_by = 'person_id' AND (anonymous_id != '' OR user_id != '')))"
const identifyLines = "outcome IN ('accept', 'warn') AND repeats = 0 AND is_bound = 0 AND name = '$identify'"
export const errorLines = "outcome IN ('accept', 'warn') AND repeats = 0 AND name = 'error' AND is_bot = 0"

export type Staged = {
  lines: number
  decisions: number
  held: number
  ties: number
  identifies: number
  errors: number
  letters: number
  contested: number
  /** Where amounts are. */
  pricedSites: readonly string[]
}

type Priced = { priced_sites: string[] }

const pricedLines =
  "outcome IN ('accept', 'warn') AND repeats = 0 AND is_bot = 0 AND isNotNull(amount) AND currency != ''"

/**
 * The number of lines, and how many need more than being stored. Most segments have none of a kind and skip
 * its queries. For lines that were not encoded here; see `kindsOf`.
 */
export async function countStaged(events: Events, staging: string): Promise<Staged> {
  const [row] = await events.query<Record<Exclude<keyof Staged, 'pricedSites'>, string | number> & Priced>(
    `SELECT count() AS lines, countIf(state != '') AS decisions,
            countIf(outcome = 'quarantine' AND repeats = 0) AS held,
            countIf(${tyingLines}) AS ties, countIf(${identifyLines}) AS identifies,
            countIf(${errorLines}) AS errors, countIf(letter != '') AS letters, countIf(is_contested = 1) AS contested,
            groupUniqArrayIf(toString(site_id), ${pricedLines}) AS priced_sites
     FROM ${staging}`,
  )
  const { lines = 0, decisions = 0, held = 0, ties = 0, identifies = 0, errors = 0 } = row ?? {}
  const { letters = 0, contested = 0, priced_sites: pricedSites = [] } = row ?? {}
  return {
    lines: Number(lines),
    decisions: Number(decisions),
    held: Number(held),
    ties: Number(ties),
    identifies: Number(identifies),
    errors: Number(errors),
    letters: Number(letters),
    contested: Number(contested),
    pricedSites,
  }
}

/**
 * Staging is in memory, and a server may restart between two statements: what was copied afterwards was
 * nothing. Checked at the end it covers all statements before, since nothing fills it again. An engine of our own does
 * not restart without us.
 */
export async function requireStaged(events: Events, staging: string, lines: number): Promise<void> {
  if (events.quietly !== null) return
  const [row] = await events.query<{ left: string | number }>(`SELECT count() AS left FROM ${staging}`)
  const left = Number(row?.left ?? 0)
  // Lines are staged together, and there is at least one.
  if (left === 0 || left !== lines)
    throw new Error(`staging holds ${left} of ${lines} lines: the engine was restarted meanwhile`)
}

/** The currency of the first amount of each site. */
export async function selectStagedCurrencies(events: Events, staging: string): Promise<FirstAmount[]> {
  const rows = await events.query<{ site_id: string; first_currency: string }>(
    `SELECT toString(site_id) AS site_id, argMin(toString(currency), arrival) AS first_currency
     FROM ${staging} WHERE ${pricedLines} GROUP BY site_id`,
  )
  return rows.map((row) => ({ siteId: row.site_id, currency: row.first_currency }))
}

type TyingRow = {
  workspace_id: string
  person_id: string
  user_id: string
  anonymous_id: string
  resolved_by: string
  event_id: string
}

/** Each combination of identifiers once, with its first event. */
export function selectStagedTies(events: Events, staging: string): Promise<TyingRow[]> {
  return events.query<TyingRow>(
    `SELECT toString(workspace_id) AS workspace_id, person_id, user_id, anonymous_id,
            toString(resolved_by) AS resolved_by, argMin(event_id, received_at) AS event_id
     FROM ${staging} WHERE ${tyingLines}
     GROUP BY workspace_id, person_id, user_id, anonymous_id, resolved_by`,
  )
}

type IdentifyRow = { workspace_id: string; person_id: string; ts: string | number; properties: string }

export function selectStagedIdentifies(events: Events, staging: string): Promise<IdentifyRow[]> {
  return events.query<IdentifyRow>(
    `SELECT toString(workspace_id) AS workspace_id, person_id, ts, properties
     FROM ${staging} WHERE ${identifyLines} AND properties != ''`,
  )
}
