import { invalidParameter, type Made, Problem, type testDigest } from '@assay/contract'
import type { Principal } from '../../http/access/principal.ts'
import type { NewId } from '../../platform/clock.ts'
import { emailOf } from '../../workspaces/members/users.ts'
import { requireDigest } from '../digests.ts'
import { type RecipientRow, selectRecipients } from '../subscriptions/recipient-store.ts'
import { prepareMail } from './mails.ts'
import { latestDue } from './schedule.ts'
import type { Sending, SendingNeeds } from './sender.ts'
import type { ChargeTest } from './test-allowance.ts'

export type TestNeeds = SendingNeeds & { sending: Sending; chargeTest: ChargeTest; newId: NewId }

/** To the caller themselves or to who receives it anyway: no one else gets mail from us by this. */
export async function sendTest(
  needs: TestNeeds,
  caller: Principal,
  id: string,
  wanted: string | undefined,
): Promise<Made<typeof testDigest>> {
  const { control, now, newId, links, requireSite, sending } = needs
  const { workspaceId } = caller
  const row = await requireDigest(control, workspaceId, id)
  const recipients = await selectRecipients(control, workspaceId, [row.id])
  const { email, recipient } = await addressOf(needs, caller, recipients, wanted)
  needs.chargeTest(workspaceId, email)
  const { timezone } = await requireSite(workspaceId, row.site_id)
  const write = await prepareMail(needs, row, latestDue(row, timezone, now()).days, { isTest: true })
  const unsubscribeUrl = recipient === null ? null : links.urlOf(recipient)
  const outcome = await sending.deliver(write, { email, unsubscribeUrl, messageId: newId('dgd') })
  return {
    email,
    isDelivered: outcome.isDelivered,
    error: outcome.isDelivered ? null : outcome.reason,
  }
}

type To = { email: string; recipient: RecipientRow | null }

async function addressOf(
  { control }: TestNeeds,
  caller: Principal,
  recipients: readonly RecipientRow[],
  wanted: string | undefined,
): Promise<To> {
  const own = caller.kind === 'person' ? await emailOf(control, caller.userId) : null
  const email = wanted?.trim().toLowerCase() ?? own
  if (email === null) throw invalidParameter('email', 'is needed, as a key has no address of its own')
  const recipient = recipients.find((one) => one.email === email) ?? null
  if (recipient?.is_active === false) {
    throw new Problem('conflict', { detail: 'This address has unsubscribed.' })
  }
  if (recipient === null && email !== own) {
    throw invalidParameter('email', 'must be your own address or one of the recipients')
  }
  return { email, recipient }
}
