import type { Role } from '@assay/contract'
import type { Mail } from '../../platform/mail/mail.ts'
import { writeLetter } from '../../platform/mail/mail-layout.ts'
import { invitationDays, type Sent } from './invitations.ts'

/** What each role may do, in a sentence that its holder understands. */
const roleWords: Readonly<Record<Role, string>> = {
  viewer: 'You will be able to view reports, events and contracts.',
  analyst: 'You will be able to view everything, and to change contracts and mappings.',
  admin: 'You will be able to change everything in it, including sites, keys and members.',
  owner: 'You will be an owner.',
}

export function invitationMail(
  { invitation, workspaceName, token }: Pick<Sent, 'invitation' | 'workspaceName' | 'token'>,
  publicUrl: string,
): Mail {
  // Behind the # it stays in the browser, out of every log on the way.
  const link = `${publicUrl}/sign-in#invitation=${token}`
  const { email, role, invited_by_label: inviter } = invitation
  return {
    to: email,
    subject: `You are invited to ${workspaceName} on Assay`,
    link,
    ...writeLetter({
      heading: `Join ${workspaceName}`,
      paragraphs: [
        `${inviter} invited you to the workspace ${workspaceName} at ${new URL(publicUrl).host}.`,
        roleWords[role],
      ],
      action: { label: 'Join', url: link },
      notes: [
        `The link works once, for ${invitationDays} days. Signing in with this address does the same.`,
        'If you were not expecting this, you can ignore this email.',
      ],
    }),
  }
}
