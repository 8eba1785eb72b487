import { digestLimits } from '@assay/contract'
import type { Mail } from '../../platform/mail/mail.ts'
import { asHtml } from '../letter/html.ts'
import { letterOf } from '../letter/letter.ts'
import { asText } from '../letter/text.ts'
import type { DigestRow } from '../store.ts'
import { type ContentNeeds, readContents } from './contents.ts'
import type { Days } from './schedule.ts'

export type MailNeeds = ContentNeeds & { publicUrl: () => string }

/** To whom it is, how they unsubscribe, and a name for it that stays when it is sent again. */
type Address = { email: string; unsubscribeUrl: string | null; messageId: string }
/** A mail for anyone: what it says is read once for all recipients. */
export type WriteMail = (address: Address) => Mail

export async function prepareMail(
  needs: MailNeeds,
  row: DigestRow,
  days: Days,
  { isTest }: { isTest: boolean },
): Promise<WriteMail> {
  const contents = await readContents(needs, row, days)
  const place = `${needs.publicUrl()}/${row.workspace_id}/${row.site_id}/overview`
  const dashboardUrl = `${place}?${new URLSearchParams({ ...days }).toString()}`
  const { frequency } = row
  const { visitorsMin } = digestLimits
  const { subject, letter } = letterOf(contents, { frequency, dashboardUrl, isTest, visitorsMin })
  return ({ email, unsubscribeUrl, messageId }) => ({
    to: email,
    subject,
    text: asText(letter, unsubscribeUrl),
    html: asHtml(letter, unsubscribeUrl),
    link: dashboardUrl,
    headers: {
      // A server that took a mail without our noticing gets the same one again, which mail programs show once.
      'Message-ID': `<${messageId}@${new URL(needs.publicUrl()).hostname}>`,
      ...(unsubscribeUrl !== null && unsubscribeHeaders(unsubscribeUrl)),
    },
  })
}

/** RFC 8058: a button of the mail program, which sends a POST without asking the person anything. */
function unsubscribeHeaders(url: string) {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}
