import type { Answer } from '@assay/contract'
import { expect, test } from 'vitest'
import { seriesOf } from './answer.ts'

const row = (start: string, device: string, visitors: number, isOther = false): Answer['rows'][number] => ({
  dimensions: isOther ? [start, null] : [start, device],
  isOther,
  isComplete: true,
  metrics: { visitors },
  comparison: null,
})

test('the rest of all groups is the last series, also where it is the most', () => {
  const metrics: Answer['metrics'] = [{ name: 'visitors', unit: 'count', isAdditive: false }]
  const answer = {
    dimensions: ['time:day', 'device'],
    metrics,
    comparedPeriod: null,
    rows: [
      row('2026-01-01', '', 90, true),
      row('2026-01-01', 'mobile', 20),
      row('2026-01-01', 'desktop', 10),
      row('2026-01-02', 'desktop', 30),
    ],
  }
  const series = seriesOf(answer, metrics, (name) => name)
  expect(series.map(({ values }) => values)).toEqual([
    [20, null],
    [10, 30],
    [90, null],
  ])
  expect(series.at(-1)?.name).toBe('Other')
})
