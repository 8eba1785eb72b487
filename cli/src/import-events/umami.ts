import { type Call, printedText } from '@assay/contract'
import { located, timeInUtc, withoutEmpty } from './cells.ts'
import type { Row } from './records.ts'

/** A row of Umami's table of events. */
export function umamiCalls(row: Row): Call[] {
  const {
    event_id,
    session_id,
    visit_id,
    created_at,
    hostname,
    url_path,
    url_query,
    page_title,
    event_name,
  } = row
  const query =
    url_query === undefined || url_query === '' ? '' : `?${printedText(url_query).replace(/^\?/, '')}`
  const shared = withoutEmpty({
    messageId: event_id,
    anonymousId: session_id,
    sessionId: visit_id ?? session_id,
    timestamp: timeInUtc(created_at),
    userId: row.distinct_id,
    context: {
      page: withoutEmpty({
        url: `https://${printedText(hostname ?? '')}${printedText(url_path ?? '/')}${query}`,
        title: page_title,
        referrer: referrerOf(row),
      }),
      ...located(row.country, row.region ?? row.subdivision1, row.city),
    },
  })
  const isPage = event_name === undefined || event_name === '' || event_name === 'null'
  return [
    isPage ? { ...shared, type: 'page', properties: {} } : { ...shared, event: event_name, properties: {} },
  ]
}

const referrerOf = ({ referrer_domain, referrer_path }: Row) =>
  referrer_domain === undefined || referrer_domain === ''
    ? ''
    : `https://${printedText(referrer_domain)}${printedText(referrer_path ?? '/')}`
