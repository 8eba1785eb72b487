import { digestLimits, Problem } from '@assay/contract'
import type { Clock, NewId } from '../../platform/clock.ts'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import type { Mailer, MailOutcome } from '../../platform/mail/mail.ts'
import { dayMs, hourMs, minuteMs } from '../../platform/units.ts'
import { type DueRow, selectDigest, selectDueDigests, takeDigest, updateNextAt } from '../store.ts'
import type { UnsubscribeLinks } from '../subscriptions/unsubscribe-links.ts'
import {
  type DeliveryRow,
  deleteOldDeliveries,
  finishDelivery,
  insertDeliveries,
  releaseDelivery,
  renewDelivery,
  selectWaiting,
  takeDeliveries,
} from './delivery-store.ts'
import { type MailNeeds, prepareMail, type WriteMail } from './mails.ts'
import { latestDue, nextDue } from './schedule.ts'

export type SendingNeeds = MailNeeds & {
  now: Clock
  newId: NewId
  mailer: Pick<Mailer, 'deliver'>
  links: UnsubscribeLinks
  isClosed: (workspaceId: string) => boolean
}

export type Sending = {
  /** Sends what is due. Several nodes share the work. */
  work: (onFailure: ItemFailure) => Promise<void>
  /** One mail, whatever was sent before. */
  deliver: (write: WriteMail, address: Parameters<WriteMail>[0]) => Promise<MailOutcome>
  forgetOld: (nowMs: number) => Promise<void>
  /** Begins no further mail. */
  stop: () => void
}

/** Digests in one run; the next run continues. */
const digestsAtOnce = 200
/** Longer than the answers of a whole board and one mail take. */
const leaseMs = 15 * minuteMs
const pauseMsFirst = minuteMs
const pauseMsMax = 4 * hourMs
/** A period is found by its delivery, so that it is not sent again; a month is over long before. */
const deliveredDays = 90

export function createSending(needs: SendingNeeds): Sending {
  const { control, now, isClosed } = needs
  let isStopping = false
  const isOpen = (workspaceId: string) => !isStopping && !isClosed(workspaceId)
  const deliver: Sending['deliver'] = (write, address) => needs.mailer.deliver(write(address))
  return {
    deliver,
    stop: () => {
      isStopping = true
    },
    forgetOld: (nowMs) => deleteOldDeliveries(control, new Date(nowMs - deliveredDays * dayMs)),
    async work(onFailure) {
      const due = await selectDueDigests(control, new Date(now()), digestsAtOnce)
      await forEachItem(
        due.filter(({ workspace_id }) => isOpen(workspace_id)),
        (one) => schedule(needs, one),
        onFailure,
      )
      const waiting = await selectWaiting(control, new Date(now()), digestsAtOnce)
      await forEachItem(
        waiting,
        async ({ workspaceId, digestId }) => {
          if (isOpen(workspaceId)) {
            await sendDigest({ ...needs, deliver, isStopping: () => isStopping }, { workspaceId, digestId })
          }
        },
        onFailure,
      )
    },
  }
}

/** All or nothing: the mails of the period are noted, and the next time is set. */
async function schedule({ control, now, newId }: SendingNeeds, due: DueRow): Promise<void> {
  await control.transaction(async (sql) => {
    const row = await takeDigest(sql, due)
    if (row === null) return
    const nowMs = now()
    const timezone = row.site_timezone
    if (row.next_at.getTime() <= nowMs) {
      const { days } = latestDue(row, timezone, nowMs)
      await insertDeliveries(sql, { workspaceId: row.workspace_id, digestId: row.id }, days, {
        at: new Date(nowMs),
        until: new Date(nowMs + digestLimits.retryHours * hourMs),
        newId: () => newId('dgd'),
      })
    }
    await updateNextAt(sql, row, { at: new Date(nextDue(row, timezone, nowMs).atMs), timezone })
  })
}

type SendNeeds = SendingNeeds & { deliver: Sending['deliver']; isStopping: () => boolean }

async function sendDigest(
  needs: SendNeeds,
  { workspaceId, digestId }: { workspaceId: string; digestId: string },
): Promise<void> {
  const { control, now } = needs
  const lease = () => new Date(now() + leaseMs)
  const most = digestLimits.knownRecipientsMax
  const taken = await takeDeliveries(
    control,
    { workspaceId, digestId },
    { at: new Date(now()), until: lease(), most },
  )
  const [first] = taken
  const row = await selectDigest(control, workspaceId, digestId)
  if (first === undefined || row === null) return
  const days = { from: first.period_from, to: first.period_to }
  let write: WriteMail
  try {
    write = await prepareMail(needs, row, days, { isTest: false })
  } catch (error) {
    const isGone = error instanceof Problem && error.status < 500
    const reason = isGone ? error.options.detail : 'What it says could not be read.'
    const outcome: MailOutcome = { isDelivered: false, isFinal: isGone, reason }
    for (const delivery of taken) await finish(needs, delivery, outcome)
    if (isGone) return
    throw error
  }
  for (const delivery of taken) {
    if (needs.isStopping()) await releaseDelivery(control, delivery, new Date(now()))
    else await sendOne(needs, delivery, write, lease())
  }
}

async function sendOne(
  needs: SendNeeds,
  delivery: DeliveryRow,
  write: WriteMail,
  leaseUntil: Date,
): Promise<void> {
  const email = await renewDelivery(needs.control, delivery, leaseUntil)
  if (email === null) return
  const recipient = { workspace_id: delivery.workspace_id, id: delivery.recipient_id }
  const unsubscribeUrl = needs.links.urlOf(recipient)
  await finish(needs, delivery, await needs.deliver(write, { email, unsubscribeUrl, messageId: delivery.id }))
}

async function finish(
  { control, now }: SendingNeeds,
  delivery: DeliveryRow,
  outcome: MailOutcome,
): Promise<void> {
  const endedAt = new Date(now())
  if (outcome.isDelivered) {
    const sent = { status: 'sent', error: null, nextAt: endedAt, endedAt } as const
    await control.transaction((sql) => finishDelivery(sql, delivery, sent))
    return
  }
  const nextAt = new Date(endedAt.getTime() + pauseOf(delivery.attempts))
  const isOver = outcome.isFinal || nextAt > delivery.retry_until
  const status = isOver ? 'dead' : 'pending'
  const error = isOver ? `Given up: ${outcome.reason}` : `Not delivered yet: ${outcome.reason}`
  await control.transaction((sql) => finishDelivery(sql, delivery, { status, error, nextAt, endedAt }))
}

/** 1, 2, 4 … minutes, up to 4 hours. */
function pauseOf(attempts: number): number {
  return Math.min(pauseMsMax, pauseMsFirst * 2 ** Math.max(0, attempts - 1))
}
