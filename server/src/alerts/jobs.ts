import { alertLimits } from '@assay/contract'
import type { Running } from '../platform/module.ts'
import type { Job } from '../platform/scheduler.ts'
import { dayMs } from '../platform/units.ts'
import { type CheckDeps, checkDue } from './check.ts'
import { deleteOldMessages } from './messages/message-store.ts'
import { type SenderDeps, sendDue } from './messages/sender.ts'

/** One statement where none is due. */
const checkMs = 60_000
const sendMs = 10_000
const removeOldMs = 6 * 3_600_000

export type AlertJobDeps = { checking: CheckDeps; sending: SenderDeps }

export function alertJobs({ checking, sending }: AlertJobDeps, { removalNowMs }: Running): Job[] {
  const removeOld = async () => {
    const before = (await removalNowMs()) - alertLimits.messageDays * dayMs
    await deleteOldMessages(checking.control, new Date(before))
  }
  return [
    [checkMs, 'alerts', (onFailure) => checkDue(checking, onFailure)],
    [sendMs, 'messages of alerts', (onFailure) => sendDue(sending, onFailure)],
    [removeOldMs, 'old messages of alerts', removeOld],
  ]
}
