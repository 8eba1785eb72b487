import type { MetricName } from '@assay/contract'

export const metricWords: Readonly<Record<MetricName, string>> = {
  visitors: 'Visitors',
  sessions: 'Sessions',
  pageviews: 'Page views',
  events: 'Events',
  viewsPerSession: 'Views per session',
  bounceRate: 'Bounce rate',
  avgSessionMs: 'Session duration',
  conversions: 'Conversions',
  conversionRate: 'Conversion rate',
  revenue: 'Revenue',
  averageOrderValue: 'Average order value',
  newVisitors: 'New visitors',
}

/** Our metrics as words; a name that someone gave stays. */
export function wordsOf(name: string): string {
  // boundary: looked up only where it is a key of the table.
  return Object.hasOwn(metricWords, name) ? metricWords[name as MetricName] : name
}
