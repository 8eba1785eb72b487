import { type Call, printedText } from '@assay/contract'
import { bothLists, located, timeInUtc, withoutEmpty } from './cells.ts'
import type { Row } from './records.ts'

/** A row of Plausible's table of events. */
export function plausibleCalls(row: Row): Call[] {
  const { name, hostname, pathname, referrer, user_id, session_id, timestamp } = row
  const shared = withoutEmpty({
    anonymousId: user_id,
    sessionId: session_id,
    timestamp: timeInUtc(timestamp),
    context: {
      page: withoutEmpty({
        url: `https://${printedText(hostname ?? '')}${printedText(pathname ?? '/')}`,
        referrer,
      }),
      campaign: withoutEmpty({
        source: row.utm_source,
        medium: row.utm_medium,
        name: row.utm_campaign,
        content: row.utm_content,
        term: row.utm_term,
      }),
      // Its cities are numbers of GeoNames, whose names the export does not have.
      ...located(row.country_code, row.subdivision1_code, undefined),
    },
  })
  const properties = bothLists(row['meta.key'], row['meta.value'])
  return [
    name === 'pageview' ? { ...shared, type: 'page', properties } : { ...shared, event: name, properties },
  ]
}
