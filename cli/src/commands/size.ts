import type { Command, Context, Outcome } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { figures } from '../size/figures.ts'
import { type Load, type Sizing, sizeOf } from '../size/machine-size.ts'

const usage = 'assay size --events-per-day 2e6'
const eventsMax = 1e12
/** Of a large server. */
const serverCores = 64

export const sizeCommand: Command = {
  name: 'size',
  summary: 'cores, memory and disk for a number of events a day',
  usage: `${usage} [--days 365] [--peak 4] [--single] [--largest-site 100%]`,
  options: {
    'events-per-day': { type: 'string', value: 'count', help: 'of all sites, such as 2e6' },
    days: { type: 'string', value: 'count', help: 'how long events are kept (else 365)' },
    peak: {
      type: 'string',
      value: 'times',
      help: 'the busiest second, as a multiple of the average one (else 4)',
    },
    single: { type: 'boolean', help: 'every request brings one event (else several)' },
    'largest-site': {
      type: 'string',
      value: 'share',
      help: 'its share of all events, such as 40% (else 100%)',
    },
  },
  examples: [
    'assay size --events-per-day 2e6',
    'assay size --events-per-day 50e6 --days 90 --largest-site 20%',
  ],
  run: async (context) => answer(context),
}

function answer({ options, positionals, isJson }: Context): Outcome {
  if (positionals.length > 0) throw misuse('assay size takes options only.', usage)
  const text = options.text('events-per-day')
  if (text === undefined) throw misuse('Say how many events there are a day.', usage)
  const load: Load = {
    eventsPerDay: numberIn('events-per-day', text, 1, eventsMax),
    days: numberIn('days', options.text('days') ?? '365', 1, 36_500),
    peak: numberIn('peak', options.text('peak') ?? '4', 1, 1_000),
    isBatched: !options.flag('single'),
    largestShare:
      numberIn('largest-site', (options.text('largest-site') ?? '100%').replace(/%$/, ''), 0.001, 100) / 100,
  }
  const sizing = sizeOf(load)
  return {
    exitCode: exitCodes.fine,
    data: { load, sizing, figures },
    lines: isJson ? [] : linesOf(load, sizing),
  }
}

function numberIn(name: string, text: string, least: number, most: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (value >= least && value <= most) return value
  throw misuse(`--${name} ${text} is no number from ${least} to ${most}.`, usage)
}

const layouts: Readonly<Record<Sizing['layout'], string>> = {
  'one process': 'one process with its embedded stores',
  servers: 'one node, with a ClickHouse server and Postgres',
  replicated: 'several nodes, with the replicated log, ClickHouse and Postgres',
}

function linesOf(load: Load, sizing: Sizing): string[] {
  const rows: [string, string][] = [
    ['Layout', layouts[sizing.layout]],
    [
      'Events a second',
      `${rounded(sizing.eventsPerSecond.average)} on average, ${rounded(sizing.eventsPerSecond.peak)} in the busiest second`,
    ],
    ['Nodes', rounded(sizing.nodes)],
    ['Cores to take events in', rounded(sizing.ingestCores)],
    [
      'Cores to read them',
      `${rounded(sizing.readCores)}, for an overview of 30 days of the largest site with a filter in ${figures.readSecondsMax} s`,
    ],
    ['Memory in all', `${rounded(sizing.memoryGigabytes)} GB`],
    ['Disk for events', `${rounded(sizing.diskGigabytes)} GB for ${rounded(load.days)} days`],
    ['Disk for the log', `${rounded(sizing.logGigabytes)} GB, if the events store is away for an hour`],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const isTooMuch = sizing.readCores > serverCores
  return [
    ...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    ...(isTooMuch
      ? [
          '',
          `A read takes as long as it has events to read, and stops after ${figures.readSecondsMax} s. No single server has`,
          'so many cores: plan with shorter ranges for the largest site.',
        ]
      : []),
    '',
    'How each is calculated: docs/sizing.md. Measure your own events before you buy anything.',
  ]
}

const rounded = (value: number) =>
  value.toLocaleString('en-US', value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 })
