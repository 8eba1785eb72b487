import { type Alert, listAlerts, updateAlert } from '@assay/contract'
import type { Command, Context, Outcome } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { connect } from '../server/connection.ts'
import { listSaved } from '../server/saved-list.ts'
import { pauseOptions, readPauseAct } from './pause-act.ts'

const usage = 'assay alerts list | assay alerts pause <id> | assay alerts resume <id>'

export const alertsCommand: Command = {
  name: 'alerts',
  summary: 'list alerts and their states, or pause one, such as during a deploy',
  usage: `${usage} [--site <id>]`,
  options: pauseOptions,
  examples: ['assay alerts list', 'assay alerts pause alr_01…'],
  run: alerts,
}

async function alerts(context: Context): Promise<Outcome> {
  const { act, id, site, project } = readPauseAct(context, 'an alert', usage)
  const { client } = connect(context, project)
  if (id === null) {
    return listSaved(site, (query) => client.call(listAlerts, { query }), lineOf, 'There is no alert.')
  }
  const isPaused = act === 'pause'
  const changed = await client.call(updateAlert, { params: { id }, body: { isPaused } })
  return { exitCode: exitCodes.fine, data: changed, lines: [lineOf(changed)] }
}

function lineOf({ id, name, interval, state, isPaused, openedAt }: Alert): string {
  const since = openedAt === null ? '' : ` since ${openedAt}`
  return `${id}  ${(isPaused ? 'paused' : state).padEnd(7)}  ${interval.padEnd(4)}  ${name}${since}`
}
