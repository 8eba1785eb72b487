import { type Digest, listDigests, updateDigest } from '@assay/contract'
import type { Command, Context, Outcome } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { connect } from '../server/connection.ts'
import { listSaved } from '../server/saved-list.ts'
import { pauseOptions, readPauseAct } from './pause-act.ts'

const usage = 'assay digests list | assay digests pause <id> | assay digests resume <id>'

export const digestsCommand: Command = {
  name: 'digests',
  summary: 'list digests and when they are sent next, or pause one',
  usage: `${usage} [--site <id>]`,
  options: pauseOptions,
  examples: ['assay digests list', 'assay digests pause dig_01…'],
  run: digests,
}

async function digests(context: Context): Promise<Outcome> {
  const { act, id, site, project } = readPauseAct(context, 'a digest', usage)
  const { client } = connect(context, project)
  if (id === null) {
    return listSaved(site, (query) => client.call(listDigests, { query }), lineOf, 'There is no digest.')
  }
  const isPaused = act === 'pause'
  const changed = await client.call(updateDigest, { params: { id }, body: { isPaused } })
  return { exitCode: exitCodes.fine, data: changed, lines: [lineOf(changed)] }
}

function lineOf({ id, type, targetId, frequency, recipients, nextAt, lastError }: Digest): string {
  const what = targetId === null ? type : `${type} ${targetId}`
  const next = nextAt === null ? 'paused' : `next ${nextAt}`
  const failed = lastError === null ? '' : `, last one not sent: ${lastError}`
  return `${id}  ${frequency.padEnd(7)}  ${what}  to ${recipients.length}, ${next}${failed}`
}
