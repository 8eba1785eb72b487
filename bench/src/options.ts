import { parseArgs } from 'node:util'

const works = [
  'judge',
  'sizes',
  'start',
  'track',
  'new',
  'batch',
  'writer',
  'import',
  'small',
  'reads',
  'questions',
  'large',
  'timeline',
  'privacy',
  'forgets',
  'attribution',
  'profile',
] as const
type WorkName = (typeof works)[number]

/** Each takes long, and is asked for by its name. */
const onlyNamed: readonly WorkName[] = ['questions', 'profile']

/** Those of every day. */
const shortWorks: readonly WorkName[] = ['start', 'track', 'new', 'batch', 'reads']

export const help = `npm run bench -- [options]
  --short           under two minutes: ${shortWorks.join(', ')}, with few rounds and 200,000 events
  --only a,b        of ${works.join(', ')}; all but questions and profile unless said
  --against commit  measures that commit too, in turns with this tree: one table of before and after
  --events 1e6      events of reads and of starts with data
  --large 2e7       events of the large site, over 90 days
  --days 30         over how many days the events of reads are spread; the last 30 are read
  --rounds 5        rounds of each ingest measurement
  --seconds 4       length of a round
  --reads 7         turns of each read
  --forgets 100     how many people ask to be forgotten at once (at most 1000)
  --data dir        reads of a directory that --keep left, without filling it
  --fill-minutes 30 longest time that the fill of one size may take
  --keep            keep the data
  --write file      only write --events as NDJSON and stop`

export type Options = {
  readonly works: ReadonlySet<WorkName>
  readonly isShort: boolean
  readonly against: string | undefined
  readonly events: number
  readonly largeEvents: number
  readonly days: number
  readonly rounds: number
  readonly roundMs: number
  readonly reads: number
  readonly forgets: number
  readonly data: string | undefined
  readonly fillMs: number
  readonly keep: boolean
  readonly write: string | undefined
  readonly help: boolean
}

/** What is left out: first by the form, then by what a full run has. */
const defaults = {
  full: { events: '1e6', rounds: '5', seconds: '4', reads: '7' },
  short: { events: '2e5', rounds: '3', seconds: '1.5', reads: '5' },
} as const

const declared = {
  short: { type: 'boolean', default: false },
  only: { type: 'string' },
  against: { type: 'string' },
  events: { type: 'string' },
  large: { type: 'string', default: '2e7' },
  days: { type: 'string', default: '30' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  reads: { type: 'string' },
  forgets: { type: 'string', default: '100' },
  data: { type: 'string' },
  'fill-minutes': { type: 'string', default: '30' },
  keep: { type: 'boolean', default: false },
  write: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

/** Throws with the help where an option is unknown, no number, or contradicts another. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({ args: [...args], options: declared })
  const usual = defaults[values.short ? 'short' : 'full']
  if (values.against !== undefined && values.data !== undefined)
    throw new Error(`--data is of one commit, so it cannot be used with --against\n${help}`)
  return {
    works: readWorks(values.only, values.short),
    isShort: values.short,
    against: values.against,
    events: readNumber('events', values.events ?? usual.events),
    largeEvents: readNumber('large', values.large),
    days: readNumber('days', values.days),
    rounds: readNumber('rounds', values.rounds ?? usual.rounds),
    roundMs: readNumber('seconds', values.seconds ?? usual.seconds) * 1000,
    reads: readNumber('reads', values.reads ?? usual.reads),
    forgets: readNumber('forgets', values.forgets),
    data: values.data,
    fillMs: readNumber('fill-minutes', values['fill-minutes']) * 60_000,
    keep: values.keep,
    write: values.write,
    help: values.help,
  }
}

function readWorks(only: string | undefined, isShort: boolean): ReadonlySet<WorkName> {
  if (only === undefined)
    return new Set(isShort ? shortWorks : works.filter((work) => !onlyNamed.includes(work)))
  const wanted = only.split(',').map((name) => name.trim())
  const unknown = wanted.filter((name) => !works.some((work) => work === name))
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}\n${help}`)
  return new Set(works.filter((work) => wanted.includes(work)))
}

export function readNumber(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} must be a number above 0\n${help}`)
  return value
}
