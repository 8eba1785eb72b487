import type { MetricName } from './question-terms.ts'

/** The metrics as a reader sees them: in the dashboard, on shared pages and in mails. */
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
