import { dayMs } from '../../../platform/units.ts'
import type { EventFilter } from '../../../store/event-filter.ts'
import type { Count, Events } from '../../../store/events.ts'
import type { Part } from './part-changes.ts'

type PartRow = {
  of_table: string
  partition_id: string
  part_name: string
  part_engine: string
  first_block: Count
  last_block: Count
  version: Count
  part_rows: Count
  from_ms: Count
  until_ms: Count
}

/** What the tables consist of now. A part never changes; others take its place. */
type TableParts = {
  events: readonly Part[]
  /** Of who was merged, as one text: another one whenever that may have changed. */
  merges: string
}

/** Of tables that one server alone has: others may answer from a replica that has not heard of a part. */
const ownEngine = 'MergeTree'

/**
 * Null where there are more of them than are worth comparing, or where they do not say what the table consists of: it
 * has replicas, or none of them is shown to this user. A part that was lost may come again under the same name, so what
 * it holds is a part of the name here.
 */
export async function selectParts(events: Events, partsMax: number): Promise<TableParts | null> {
  const rows = await events.query<PartRow>(
    `SELECT table AS of_table, engine AS part_engine, partition_id,
            concat(name, ' ', hash_of_all_files) AS part_name,
            min_block_number AS first_block, max_block_number AS last_block,
            data_version AS version, rows AS part_rows,
            toInt64(toUnixTimestamp(min_time)) * 1000 AS from_ms,
            toInt64(toUnixTimestamp(max_time)) * 1000 AS until_ms
     FROM system.parts
     WHERE database = currentDatabase() AND table IN ('events', 'person_mapping') AND active
     LIMIT {rows:UInt32}`,
    { rows: partsMax + 1 },
  )
  const own = rows.filter(({ of_table }) => of_table === 'events')
  const isKnown = own.length > 0 && own.every(({ part_engine }) => part_engine === ownEngine)
  if (rows.length > partsMax || !isKnown) return null
  return {
    events: own.map(toPart),
    merges: rows
      .filter(({ of_table }) => of_table === 'person_mapping')
      .map(({ part_name }) => part_name)
      .sort()
      .join(' '),
  }
}

/** Of more new parts it is not worth looking into each. */
const newPartsMax = 500

/**
 * The starts of the days in UTC of which each of these parts has events of the site, by the name of the part. A part
 * that has gone meanwhile, into another one, is missing.
 */
export async function selectDaysOf(
  events: Events,
  { workspaceId, siteId }: Pick<EventFilter, 'workspaceId' | 'siteId'>,
  parts: readonly Part[],
): Promise<Map<string, number[]>> {
  if (parts.length > newPartsMax) return new Map()
  const byName = new Map(parts.map((part) => [storedName(part), part]))
  const rows = await events.query<{ part: string; part_rows: Count; days: Count[] }>(
    `SELECT _part AS part, count() AS part_rows,
            groupUniqArrayIf(toInt64(floor(toUnixTimestamp64Milli(ts) / ${dayMs})),
                             workspace_id = {workspaceId:String} AND site_id = {siteId:String}) AS days
     FROM events WHERE _part IN {parts:Array(String)} GROUP BY part`,
    { workspaceId, siteId, parts: [...byName.keys()] },
  )
  return new Map(
    rows.flatMap(({ part, part_rows, days }) => {
      const own = byName.get(part)
      const isWhole = own !== undefined && own.rows === Number(part_rows)
      return isWhole ? [[own.name, days.map((day) => Number(day) * dayMs)] as const] : []
    }),
  )
}

/** As the store calls it. */
const storedName = ({ name }: Part) => name.slice(0, name.indexOf(' '))

function toPart(row: PartRow): Part {
  return {
    name: row.part_name,
    partition: row.partition_id,
    firstBlock: Number(row.first_block),
    lastBlock: Number(row.last_block),
    version: Number(row.version),
    rows: Number(row.part_rows),
    ...timesOf(row),
  }
}

const year = 100

/** The store keeps these times in 32 bits; where an event lies outside of them, its month is known. */
function timesOf({ partition_id, from_ms, until_ms }: PartRow): Pick<Part, 'fromMs' | 'untilMs'> {
  const month = Number(partition_id)
  const [first, next] = [0, 1].map((later) => Date.UTC(Math.floor(month / year), (month % year) - 1 + later))
  const [firstMs, lastMs] = [first ?? 0, (next ?? 0) - 1]
  const [fromMs, untilMs] = [Number(from_ms), Number(until_ms)]
  const isKnown = firstMs <= fromMs && fromMs <= untilMs && untilMs <= lastMs
  return isKnown ? { fromMs, untilMs } : { fromMs: firstMs, untilMs: lastMs }
}
