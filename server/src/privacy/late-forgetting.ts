import { unlink } from 'node:fs/promises'
import { forgetModes } from '@assay/contract'
import { locks } from '../store/locks.ts'
import { countTheirs, deleteTheirs, dropList, fillList, listEvents, listOf } from './erasing-store.ts'
import { archivePath } from './exporting.ts'
import type { ForgetStores } from './forget-steps.ts'
import type { Forgetter } from './forgetting.ts'
import { selectForgotten } from './forgetting-store.ts'
import { forgetLines } from './log-forgetting.ts'

/** What nodes tell each other: what is meant, how, and the ids. */
const channel = 'assay_privacy_forgotten'
/** A notice of Postgres takes 8,000 bytes, and an id 31. */
const idsPerNotice = 200

export type Notice = { kind: 'people'; mode: string } | { kind: 'exports'; mode: 'erase' }

/** Each node has a log and archives of its own. */
export async function tellForgotten(
  { control }: Pick<ForgetStores, 'control'>,
  { kind, mode }: Notice,
  ids: readonly string[],
): Promise<void> {
  for (let start = 0; start < ids.length; start += idsPerNotice) {
    await control.notify(channel, [kind, mode, ...ids.slice(start, start + idsPerNotice)].join(' '))
  }
}

/** What could not be heard is swept up later. */
export async function hearForgotten(
  { control, log, exportsDir }: ForgetStores,
  tell: (line: string) => void,
): Promise<void> {
  const act = async (notice: string) => {
    const [kind, given, ...ids] = notice.split(' ')
    const mode = forgetModes.find((one) => one === given) ?? 'erase'
    if (kind === 'people') return forgetLines(log, ids, mode)
    for (const id of ids) await unlink(archivePath(exportsDir, id)).catch(() => {})
  }
  const hear = (notice: string) => {
    act(notice).catch((error: unknown) =>
      tell(`The log could not be cleared of a forgotten person yet: ${error}`),
    )
  }
  await control.listen(channel, hear, () => {})
}

const dayMs = 86_400_000
/** A node that was away for longer, with events in its log, has other worries. */
const lateDaysMax = 90

/** Events of people who are forgotten already go as soon as they show up, however they came. */
export function sweepForgotten(forgetter: Forgetter): Promise<void> {
  return forgetter.control.exclusively(locks.sweepOfForgotten, () => sweep(forgetter))
}

async function sweep({ control, events, now }: Forgetter): Promise<void> {
  const forgotten = await selectForgotten(control, new Date(now() - lateDaysMax * dayMs))
  for (const [workspaceId, bornIds] of forgotten) {
    const list = listOf(`late_${workspaceId}`)
    await fillList(
      events,
      list,
      bornIds.map((value) => ({ kind: 'person', value })),
    )
    await listEvents(events, list, workspaceId)
    for (const table of ['event_ids', 'quarantine_states', 'quarantine', 'events'] as const) {
      if ((await countTheirs(events, table, list, workspaceId)) > 0) {
        await deleteTheirs(events, table, list, workspaceId)
      }
    }
    await dropList(events, list)
  }
}
