import type { Mail } from '../../platform/mail/mail.ts'
import { writeLetter } from '../../platform/mail/mail-layout.ts'
import type { AlertFacts } from './facts.ts'
import { comparison, headline, recentRows } from './words.ts'

type Addresses = {
  dashboard: string
  /** For this recipient and alert alone. */
  unsubscribe: string
}

const starts = { hour: 'Hour', day: 'Day', week: 'Week of' } as const

/** As mail programs and RFC 8058 want it: one click, without a page. */
export function alertMail(to: string, facts: AlertFacts, { dashboard, unsubscribe }: Addresses): Mail {
  const heading = headline(facts)
  const letter = {
    heading,
    paragraphs: [sentence(comparison(facts)), outcome(facts)],
    table: { head: [starts[facts.interval], facts.metric], rows: recentRows(facts) },
    action: { label: 'Open dashboard', url: dashboard },
    notes: [
      `Alert: ${facts.alertName}. Site: ${facts.siteName}. Times are in ${facts.timezone}.`,
      'You received this email because a member of the workspace added your address.',
    ],
    unsubscribeUrl: unsubscribe,
  }
  return {
    to,
    subject: heading,
    ...writeLetter(letter),
    link: dashboard,
    headers: {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

const sentence = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

function outcome({ type }: AlertFacts): string {
  return type === 'opened'
    ? 'You will get another email when it recovers.'
    : 'The alert is closed. You will get an email if it opens again.'
}
