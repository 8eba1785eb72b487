import { conversionSql, type EventFilter, visitsOf, withoutPeople } from '../../store/event-filter.ts'
import { currentPeople } from '../../store/event-source.ts'
import type { Events } from '../../store/events.ts'
import { joined, passiveEvents, revenueEvents, signedAmount, type TwoPeriods } from '../store.ts'

/** What is read of every event, in this order; `row-columns.ts` reads it again. */
export const rowColumns = [
  ['session', 'UInt64'],
  ['person', 'UInt64'],
  ['ms', 'Int64'],
  ['arrival', 'UInt64'],
  ['money', 'Int64'],
  ['flags', 'UInt8'],
  ['name', 'LowCardinality(String)'],
  ['page', 'LowCardinality(String)'],
  ['currency', 'LowCardinality(String)'],
  ['source', 'LowCardinality(String)'],
  ['country', 'LowCardinality(String)'],
  ['device', 'LowCardinality(String)'],
] as const

/** The bits of `flags`: fits the filter, says that a visitor did something, is a conversion, has no channel. */
export const rowFlags = { match: 1, active: 2, conversion: 4, unsourced: 8 } as const

/** How much of the store's answer is taken into memory. */
export type RowBounds = { rowsMax: number; bytesMax: number }
/** About 65 bytes an event, while an answer is made. */
export const rowBounds: RowBounds = { rowsMax: 2_000_000, bytesMax: 160_000_000 }

/**
 * One narrow row for every event of the visits that match, in both periods. Keys are 0 where an event has no session
 * or person. A text that may be absent has a letter before it.
 */
export function selectRows(
  events: Events,
  filter: EventFilter,
  periods: TwoPeriods,
  { rowsMax, bytesMax }: RowBounds,
): Promise<Buffer> {
  const range = joined(periods)
  const { from, where, matches, params } = visitsOf(withoutPeople(filter), range)
  const conversions = conversionSql(filter, range)
  const hasMoney = `name IN ${revenueEvents} AND amount IS NOT NULL`
  const flags = {
    match: matches,
    active: `name NOT IN ${passiveEvents}`,
    conversion: conversions.sql,
    unsourced: "channel = ''",
  }
  const bits = Object.entries(rowFlags).map(([name, bit]) => `${bit} * toUInt8(${Reflect.get(flags, name)})`)
  const columns: Record<(typeof rowColumns)[number][0], string> = {
    session: "if(session_key = cityHash64(''), 0, session_key)",
    person: "if(person_key = cityHash64(''), 0, person_key)",
    ms: 'toUnixTimestamp64Milli(ts)',
    arrival: 'arrival',
    money: `reinterpretAsInt64(if(${hasMoney}, assumeNotNull(${signedAmount}), toDecimal64(0, 4)))`,
    flags: `toUInt8(${bits.join(' + ')})`,
    // These are stored with dictionaries, which toString would unpack.
    name: 'toLowCardinality(name)',
    page: "toLowCardinality(if(name = '$pageview', concat('p', path), ''))",
    currency: `toLowCardinality(if(${hasMoney}, concat('c', currency), ''))`,
    source: 'toLowCardinality(source)',
    country: 'toLowCardinality(country)',
    device: 'toLowCardinality(device)',
  }
  return events.bytes(
    `SELECT ${rowColumns.map(([name]) => `${columns[name]} AS row_${name}`).join(', ')}
     FROM ${from} WHERE ${where}
     SETTINGS max_result_rows = ${rowsMax}, max_result_bytes = ${bytesMax}, result_overflow_mode = 'throw'
     FORMAT Native`,
    { ...params, ...conversions.params },
  )
}

/** What the store says of an answer beyond these bounds. */
export const isTooLarge = (error: unknown) =>
  error instanceof Error && /TOO_MANY_ROWS_OR_BYTES|Code: 396\b|Limit for result exceeded/.test(error.message)

/** Two keys for everyone who was ever merged: as events have them, and the current one. */
export function selectMerges(events: Events, workspaceId: string): Promise<Buffer> {
  return events.bytes(
    `SELECT original_key, current_key FROM (${currentPeople('workspaceId')}) FORMAT RowBinary`,
    { workspaceId },
  )
}
