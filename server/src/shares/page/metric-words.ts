import { type MetricName, metricWords } from '@assay/contract'

/** Our metrics as words; a name that someone gave stays. */
export function wordsOf(name: string): string {
  // boundary: looked up only where it is a key of the table.
  return Object.hasOwn(metricWords, name) ? metricWords[name as MetricName] : name
}
