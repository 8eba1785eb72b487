import {
  type Client,
  type GatePreset,
  gatePresets,
  getSeverities,
  type Output,
  setSeverities,
} from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'
import { connect } from '../server/connection.ts'

const usage = 'assay gate [learning|strict]'

export const gateCommand: Command = {
  name: 'gate',
  summary:
    'show or choose what happens to unregistered events: learning counts them, strict quarantines them',
  usage: `${usage} [--days <days>]`,
  options: {
    ...serverOptions,
    days: { type: 'string', value: 'days', help: 'number of days to count, 1 to 90 (else 7)' },
  },
  examples: ['assay gate', 'assay gate strict', 'assay gate --days 30'],
  run: gate,
}

async function gate(context: Context): Promise<Outcome> {
  const [wanted, ...rest] = context.positionals
  const preset = gatePresets.find((each) => each === wanted)
  if (rest.length > 0 || (wanted !== undefined && preset === undefined)) {
    throw misuse(`${[wanted, ...rest].join(' ')} is neither learning nor strict.`, usage)
  }
  const { client } = connect(context, findProject(context.world.directory))
  const days = readDays(context.options.text('days'))
  if (preset !== undefined) await client.call(setSeverities, { body: { preset } })
  return show(client, days, preset)
}

function readDays(text: string | undefined): number {
  const days = Number(text ?? 7)
  if (Number.isInteger(days) && days >= 1 && days <= 90) return days
  throw misuse(`--days ${text} is not a number of days from 1 to 90.`)
}

async function show(client: Client, days: number, chosen: GatePreset | undefined): Promise<Outcome> {
  const { preset, data, unregistered } = await client.call(getSeverities, { query: { days } })
  const own = data.filter((each) => each.severity !== each.default)
  const lines = [
    `The workspace is ${chosen === undefined ? '' : 'now '}${preset}: ${meanings[preset]}`,
    ...own.map(({ code, severity }) => `${code} is set to ${severity}, regardless of the preset.`),
    ...describe(unregistered),
  ]
  return { exitCode: exitCodes.fine, data: { preset, severities: own, unregistered }, lines }
}

const meanings: Readonly<Record<GatePreset, string>> = {
  learning: 'unregistered events are counted, with a warning.',
  strict: 'unregistered events are quarantined.',
}

function describe({ days, would_quarantine, quarantined, names }: Unregistered): string[] {
  const window = `in the last ${days === 1 ? 'day' : `${days} days`}`
  if (would_quarantine + quarantined === 0) return [`No event had an unregistered name ${window}.`]
  return [
    `With unregistered names ${window}: ${would_quarantine} counted, which strict would have quarantined, and ${quarantined} quarantined.`,
    ...names.map(({ name, events }) => `  ${name}  ${events}`),
    'assay pull --observed writes contracts for them as drafts.',
  ]
}

type Unregistered = Output<typeof getSeverities>['unregistered']
