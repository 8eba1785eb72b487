import type { Mail } from '../platform/mail/mail.ts'
import { writeLetter } from '../platform/mail/mail-layout.ts'
import type { OwnWorkspaceRow } from './store.ts'

export function deletionMail(
  to: string,
  { id, name, delete_after: after }: OwnWorkspaceRow,
  asker: string,
  publicUrl: string,
): Mail {
  const when = `${after?.toISOString().slice(0, 16).replace('T', ' ') ?? ''} UTC`
  return {
    to,
    subject: `The workspace ${name} will be deleted`,
    link: publicUrl,
    ...writeLetter({
      heading: `${name} will be deleted`,
      paragraphs: [
        `${asker} asked to delete the workspace ${name} with all its data. Its keys no longer work.`,
        `An owner can cancel this until ${when}. After that, it cannot be undone.`,
      ],
      action: { label: 'Open Assay', url: publicUrl },
      notes: [`Workspace ID: ${id}. You received this email because you are an owner.`],
    }),
  }
}
