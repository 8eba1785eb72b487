import { type Deliver, deliveryFault } from '../../http/outbound-address.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ItemFailure } from '../../platform/items.ts'
import type { Mailer } from '../../platform/mail/mail.ts'
import type { Control } from '../../store/control.ts'
import { selectAlert } from '../store.ts'
import type { SlackSeal } from './channels.ts'
import { alertMail } from './letter.ts'
import { finishMessage, type MessageRow, takeDueMessages } from './message-store.ts'
import { slackBody } from './slack-message.ts'
import type { UnsubscribeLinks } from './unsubscribe.ts'

export type SenderDeps = {
  control: Control
  now: Clock
  mailer: Pick<Mailer, 'deliver'>
  deliver: Deliver
  slack: SlackSeal
  links: UnsubscribeLinks
  publicUrl: () => string
}

type Outcome = { isDelivered: true } | { isDelivered: false; isFinal: boolean; reason: string }

const atOnce = 8
/** In one run; the next run continues. */
const batchesPerRun = 50
/** Longer than a mail server or a receiver may be silent. */
const takenMs = 60_000
const pauseMsFirst = 30_000
const pauseMsMax = 3_600_000
const goneStatus = 410

/** Sends what is due. What cannot be delivered is tried again for a day, and then given up. */
export async function sendDue(deps: SenderDeps, onFailure: ItemFailure): Promise<void> {
  const { control, now } = deps
  for (let nth = 0; nth < batchesPerRun; nth++) {
    const due = await takeDueMessages(control, new Date(now()), new Date(now() + takenMs), atOnce)
    if (due.length === 0) return
    await Promise.all(
      due.map((message) => send(deps, message).catch((error: unknown) => onFailure(error, message.id))),
    )
  }
}

async function send(deps: SenderDeps, message: MessageRow): Promise<void> {
  const outcome = await (message.channel === 'mail' ? sendMail : sendSlack)(deps, message)
  const endedAt = new Date(deps.now())
  if (outcome.isDelivered) {
    const sent = { status: 'sent', error: null, next_at: null, sent_at: endedAt } as const
    return finishMessage(deps.control, message, sent)
  }
  const nextMs = endedAt.getTime() + pauseOf(message.attempts)
  const isOver = outcome.isFinal || nextMs > message.retry_until.getTime()
  await finishMessage(deps.control, message, {
    status: isOver ? 'failed' : 'pending',
    error: outcome.reason,
    next_at: isOver ? null : new Date(nextMs),
    sent_at: null,
  })
}

/** 30 s, a minute, two … an hour. */
function pauseOf(attempts: number): number {
  return Math.min(pauseMsMax, pauseMsFirst * 2 ** Math.max(0, attempts - 1))
}

const dashboardUrl = ({ publicUrl }: SenderDeps, { workspace_id, facts }: MessageRow) =>
  `${publicUrl()}/${workspace_id}/${facts.siteId}/overview`

async function sendMail(deps: SenderDeps, message: MessageRow): Promise<Outcome> {
  const { workspace_id, alert_id: id, recipient, facts } = message
  const unsubscribe = deps.links.urlOf({ workspace_id, id, email: recipient })
  const mail = alertMail(recipient, facts, { dashboard: dashboardUrl(deps, message), unsubscribe })
  const outcome = await deps.mailer.deliver(mail)
  if (outcome.isDelivered) return outcome
  return { ...outcome, reason: `The email was not delivered: ${outcome.reason}.` }
}

/** To the address that the alert has now: a member may have corrected it. */
async function sendSlack(deps: SenderDeps, message: MessageRow): Promise<Outcome> {
  const { workspace_id, alert_id: id, facts } = message
  const alert = await selectAlert(deps.control, { workspace_id, id })
  const url = alert === null ? null : deps.slack.unseal(id, alert.slack_url)
  if (url === null)
    return { isDelivered: false, isFinal: true, reason: 'The alert no longer has a Slack URL.' }
  const body = slackBody(facts, dashboardUrl(deps, message))
  const answer = await deps.deliver(url, {}, body).catch((error: unknown) => error)
  if (typeof answer === 'number' && answer >= 200 && answer < 300) return { isDelivered: true }
  return { isDelivered: false, isFinal: answer === goneStatus, reason: deliveryFault(answer) }
}
