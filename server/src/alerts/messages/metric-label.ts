import { type EventMetric, type Metric, metricWords } from '@assay/contract'

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
