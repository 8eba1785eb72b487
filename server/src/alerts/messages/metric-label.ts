import type { EventMetric, Metric, MetricName } from '@assay/contract'

const metricWords: Readonly<Record<MetricName, string>> = {
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

/** A metric as a subject of a sentence. */
export function metricLabel(metric: Metric): string {
  if (typeof metric === 'string') return metricWords[metric]
  // A goal is named by its id, which says nothing.
  return 'formula' in metric || metric.goal !== undefined ? metric.as : eventLabel(metric)
}

const mathWords = {
  sum: 'Sum of',
  avg: 'Average',
  min: 'Minimum',
  max: 'Greatest',
  p50: 'Median',
  p90: '90th percentile of',
  p95: '95th percentile of',
  p99: '99th percentile of',
  distinct: 'Distinct',
} as const

function eventLabel({ event = 'any event', math, property = '' }: EventMetric): string {
  if (math === 'count') return `Count of ${event}`
  if (math === 'people') return `People with ${event}`
  if (math === 'sessions') return `Sessions with ${event}`
  if (math === 'perPerson') return `${event} per person`
  return `${mathWords[math]} ${property} of ${event}`
}
