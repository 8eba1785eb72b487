import { amplitudeCalls, type Call, mixpanelCall, posthogCall } from '@assay/contract'
import { csvCalls } from './csv.ts'
import { ga4Calls } from './ga4.ts'
import { matomoCalls } from './matomo.ts'
import { plausibleCalls } from './plausible.ts'
import type { Columns, Row } from './records.ts'
import { umamiCalls } from './umami.ts'

type Tool = {
  format: 'json' | 'csv'
  /** What its files are, for the help. */
  files: string
  toCalls: (record: Row, columns: Columns) => Call[]
}

/** Some exports hold JSON as text. */
function unpacked(record: Row, ...names: readonly string[]): Row {
  const members = names.flatMap((name) => {
    const value = record[name]
    if (typeof value !== 'string' || !value.startsWith('{')) return []
    try {
      return [[name, JSON.parse(value)] as const]
    } catch {
      return []
    }
  })
  return { ...record, ...Object.fromEntries(members) }
}

/** Amplitude writes times as `2026-01-31 12:00:00.000000`, in UTC. */
const inUtc = (time: unknown) => (typeof time === 'string' ? `${time.replace(' ', 'T').slice(0, 23)}Z` : time)

export const tools = {
  posthog: {
    format: 'json',
    files: 'lines of JSON with event, distinct_id, timestamp, properties, uuid',
    toCalls: (record) => [posthogCall(unpacked(record, 'properties', '$set', '$set_once'), 0)],
  },
  mixpanel: {
    format: 'json',
    files: 'lines of JSON of the raw export',
    toCalls: (record) => [mixpanelCall(record)],
  },
  amplitude: {
    format: 'json',
    files: 'lines of JSON of the export, each file unpacked from its archive',
    toCalls: (record) => amplitudeCalls({ ...record, time: inUtc(record.event_time) }),
  },
  segment: {
    format: 'json',
    files: 'lines of JSON of the raw data',
    toCalls: ({ integrations: _, writeKey: _key, ...call }) => [call],
  },
  ga4: {
    format: 'json',
    files: 'lines of JSON of the BigQuery export (events_*)',
    toCalls: (record) => ga4Calls(record),
  },
  plausible: {
    format: 'csv',
    files: 'CSV with a header of its table events_v2; its own export has sums alone',
    toCalls: (record) => plausibleCalls(record),
  },
  umami: {
    format: 'csv',
    files: 'website_event.csv of its export',
    toCalls: (record) => umamiCalls(record),
  },
  matomo: {
    format: 'json',
    files: 'answers of Live.getLastVisitsDetails as JSON',
    toCalls: (record) => matomoCalls(record),
  },
  csv: {
    format: 'csv',
    files: 'CSV with a header; --column says which column is what',
    toCalls: (record, columns) => csvCalls(record, columns),
  },
} as const satisfies Readonly<Record<string, Tool>>

export type ToolName = keyof typeof tools
// boundary: the table above has these names and no other.
export const toolNames = Object.keys(tools) as readonly ToolName[]
