import { sqlLimits } from '@assay/contract'
import type { Events, QueryParams } from '../store/events.ts'
import { textSql } from './statement/literals.ts'

/** Half of what the portable engine can use, so that loads continue. */
const memoryBytesMax = 700_000_000
/** Before the store makes text of it; the answer itself is cut at a fraction. */
const resultBytesMax = 100_000_000
/** The store looks at the time after each block; a statement of ours is not known to be cheap for each row. */
const blockRowsMax = 8_192
const arrayElementsMax = 10_000_000

type Bounds = { workspaceId: string; siteId: string; rowsMax: number }

/** One row more than is answered shows that there are more. */
export function selectSql(
  events: Pick<Events, 'bytes'>,
  sql: string,
  params: QueryParams,
  { workspaceId, siteId, rowsMax }: Bounds,
): Promise<Buffer> {
  const settings = [
    'readonly = 1',
    'enable_analyzer = 1',
    `limit = ${rowsMax + 1}`,
    `max_execution_time = ${sqlLimits.secondsMax}`,
    `max_memory_usage = ${memoryBytesMax}`,
    `max_rows_to_read = ${sqlLimits.readRowsMax}`,
    `max_result_bytes = ${resultBytesMax}`,
    `max_block_size = ${blockRowsMax}`,
    `function_range_max_elements_in_block = ${arrayElementsMax}`,
    // A condition of the query is never looked at before those of the site.
    'enable_optimize_predicate_expression = 0',
    'compile_expressions = 0',
    'compile_aggregate_expressions = 0',
    'compile_sort_description = 0',
    `additional_table_filters = ${rowsOfSite(workspaceId, siteId)}`,
  ]
  return events.bytes(
    `${sql} FORMAT JSONCompactEachRowWithNamesAndTypes SETTINGS ${settings.join(', ')}`,
    params,
  )
}

/** Stored tables that no query reads. */
const closedTables = [
  'attribution_outcomes',
  'attribution_touches',
  'error_sightings',
  'event_ids',
  'event_overlays',
  'quarantine',
  'quarantine_states',
  'verdicts',
]

/** What holds for stored tables whatever the statement says. */
function rowsOfSite(workspaceId: string, siteId: string): string {
  const workspace = `workspace_id = ${textSql(workspaceId)}`
  const site = `${workspace} AND site_id = ${textSql(siteId)}`
  const filters: [string, string][] = [
    ['events', site],
    ['overlaid_events', site],
    ['superseded_events', site],
    ['person_mapping', workspace],
    ...closedTables.map((name): [string, string] => [name, '0']),
  ]
  return `{${filters.map(([name, condition]) => `${textSql(name)}: ${textSql(condition)}`).join(', ')}}`
}
