import { Problem, type Subscription } from '@assay/contract'
import type { RequireSite } from '../../sites/sites.ts'
import type { Control } from '../../store/control.ts'
import { selectDigest } from '../store.ts'
import { updateSubscribed } from './recipient-store.ts'
import type { UnsubscribeLinks } from './unsubscribe-links.ts'

export type SubscriptionNeeds = {
  control: Control
  requireSite: RequireSite
  links: UnsubscribeLinks
  /** Whether a workspace is being deleted or filled: nothing of it is shown. */
  isClosed: (workspaceId: string) => boolean
}

/** What the link in a mail is about. Reading changes nothing: programs that look into mails open links too. */
export async function readSubscription(needs: SubscriptionNeeds, token: string): Promise<Subscription> {
  return (await open(needs, token)).subscription
}

/** Doing it again changes nothing. */
export async function setSubscribed(
  needs: SubscriptionNeeds,
  token: string,
  isActive: boolean,
): Promise<Subscription> {
  const { subscription, recipient } = await open(needs, token)
  await needs.control.transaction((sql) => updateSubscribed(sql, recipient, isActive))
  return { ...subscription, state: isActive ? 'active' : 'unsubscribed' }
}

async function open({ control, requireSite, links, isClosed }: SubscriptionNeeds, token: string) {
  const recipient = await links.find(token)
  if (recipient === null || isClosed(recipient.workspace_id)) throw noSuchLink()
  const digest = await selectDigest(control, recipient.workspace_id, recipient.digest_id)
  if (digest === null) throw noSuchLink()
  const site = await requireSite(recipient.workspace_id, digest.site_id)
  const state = recipient.is_active ? 'active' : 'unsubscribed'
  const subscription: Subscription = { siteName: site.name, frequency: digest.frequency, state }
  return { subscription, recipient }
}

function noSuchLink(): Problem {
  return new Problem('not-found', {
    detail: 'This link is invalid, or this email is no longer sent.',
  })
}
