import { parseArgs } from 'node:util'

const help = `npm run demo -- [options]
  --data-dir ./.assay-demo  where the demo keeps its data; remove it to begin again
  --port 4400               where it listens; ASSAY_PORT sets it too
  --events 400000           how many events the days before now have
  --days 60                 how many days that is
  --per-second 1            events a second from now on; as dense as the days before unless said`

export type DemoOptions = {
  readonly dataDir: string
  readonly port: number
  readonly events: number
  readonly days: number
  /** Null: as dense as the days before. More would be a peak in every chart. */
  readonly perSecond: number | null
}

/** What the options say; what to print instead where they ask for help or cannot be followed. */
export function readDemoOptions(
  args: readonly string[],
  usualPort = '4400',
): { options: DemoOptions } | { help: string; problem: string | null } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'data-dir': { type: 'string', default: './.assay-demo' },
        port: { type: 'string', default: usualPort },
        events: { type: 'string', default: '400000' },
        days: { type: 'string', default: '60' },
        'per-second': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return { help, problem: null }
    const perSecond = values['per-second']
    return {
      options: {
        dataDir: values['data-dir'],
        port: wholeNumber('port', values.port, 65_535),
        events: wholeNumber('events', values.events),
        days: wholeNumber('days', values.days),
        perSecond: perSecond === undefined ? null : positive('per-second', perSecond),
      },
    }
  } catch (error) {
    return { help, problem: error instanceof Error ? error.message : String(error) }
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new Error(`--${name} must be a number above 0, not ${text}`)
}

function wholeNumber(name: string, text: string, most = 1_000_000_000): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0 && value <= most) return value
  throw new Error(`--${name} must be a whole number from 1 to ${most}, not ${text}`)
}
