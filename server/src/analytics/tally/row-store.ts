import {
  conversionSql,
  type EventFilter,
  type TimeRange,
  visitsOf,
  withoutPeople,
} from '../../store/event-filter.ts'
import { currentPeople } from '../../store/event-source.ts'
import type { Events } from '../../store/events.ts'
import { passiveEvents, revenueEvents, signedAmount } from '../store.ts'
import type { RowBounds } from './row-bounds.ts'

/** What is read of every event, in this order; `row-columns.ts` reads it again. */
export const rowColumns = [
  ['session', 'UInt64'],
  ['person', 'UInt64'],
  ['ms', 'Int64'],
  ['arrival', 'UInt64'],
  ['money', 'Int64'],
  ['error', 'UInt64'],
  ['flags', 'UInt8'],
  ['currency', 'LowCardinality(String)'],
  ['name', 'LowCardinality(String)'],
  ['path', 'LowCardinality(String)'],
  ['target', 'LowCardinality(String)'],
  ['source', 'LowCardinality(String)'],
  ['channel', 'LowCardinality(String)'],
  ['campaign', 'LowCardinality(String)'],
  ['country', 'LowCardinality(String)'],
  ['device', 'LowCardinality(String)'],
] as const

/** The texts that every event has. */
export const textColumns = [
  'name',
  'path',
  'target',
  'source',
  'channel',
  'campaign',
  'country',
  'device',
] as const

/**
 * The bits of `flags`: fits the filter, says that a visitor did something, is a conversion, has no channel, comes from
 * a bot.
 */
export const rowFlags = { match: 1, active: 2, conversion: 4, unsourced: 8, bot: 16 } as const

/**
 * One narrow row for every event of the visits that match. Keys are 0 where an event has no session or person,
 * and where it is no error. The
 * currency has a letter before it where there is money.
 */
export function selectRows(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  { rowsMax, bytesMax }: RowBounds,
): Promise<Buffer> {
  const { from, where, matches, params } = visitsOf(withoutPeople(filter), range)
  const conversions = conversionSql(filter, range)
  const hasMoney = `name IN ${revenueEvents} AND amount IS NOT NULL`
  const flags = {
    match: matches,
    active: `name NOT IN ${passiveEvents}`,
    conversion: conversions.sql,
    unsourced: "channel = ''",
    bot: 'is_bot = 1',
  }
  const bits = Object.entries(rowFlags).map(([name, bit]) => `${bit} * toUInt8(${Reflect.get(flags, name)})`)
  const columns: Record<(typeof rowColumns)[number][0], string> = {
    session: "if(session_key = cityHash64(''), 0, session_key)",
    person: "if(person_key = cityHash64(''), 0, person_key)",
    ms: 'toUnixTimestamp64Milli(ts)',
    arrival: 'arrival',
    money: `reinterpretAsInt64(if(${hasMoney}, assumeNotNull(${signedAmount}), toDecimal64(0, 4)))`,
    error: "if(name = 'error', error_key, 0)",
    flags: `toUInt8(${bits.join(' + ')})`,
    currency: `toLowCardinality(if(${hasMoney}, concat('c', currency), ''))`,
    // Most of these are stored with dictionaries, which toString would unpack.
    name: 'toLowCardinality(name)',
    path: 'toLowCardinality(path)',
    target: 'toLowCardinality(target)',
    source: 'toLowCardinality(source)',
    channel: 'toLowCardinality(channel)',
    campaign: 'toLowCardinality(utm_campaign)',
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

/** Two keys for everyone who was ever merged: as events have them, and the current one. */
export function selectMerges(events: Events, workspaceId: string): Promise<Buffer> {
  return events.bytes(
    `SELECT original_key, current_key FROM (${currentPeople('workspaceId')}) FORMAT RowBinary`,
    { workspaceId },
  )
}
