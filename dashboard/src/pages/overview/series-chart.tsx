import type { Overview } from '@assay/contract'
import { useCallback, useMemo } from 'react'
import { Card } from '../../kit/card.tsx'
import { Chart } from '../../kit/chart.tsx'
import { usePlace } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { formatMetric, shownSeries } from './figures.tsx'

const styles = {
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
} as const

export function SeriesChart({ data }: { data: Overview }) {
  const { parameters } = usePlace()
  const name = shownSeries(parameters)
  const { series, interval, metrics, period } = data
  const points = useMemo(
    () =>
      series.map((point) => ({
        start: point.start,
        value: point[name],
        isComplete: point.isComplete,
      })),
    [series, name],
  )
  const format = useCallback(
    (value: number | null) => formatMetric(name, value, metrics.currency),
    [name, metrics.currency],
  )
  const formatStart = useCallback(
    (start: string) =>
      new Intl.DateTimeFormat('en-GB', { ...styles[interval], timeZone: period.timezone }).format(
        new Date(start),
      ),
    [interval, period.timezone],
  )
  return (
    <Card>
      <Chart title={text.metrics[name]} points={points} format={format} formatStart={formatStart} />
    </Card>
  )
}
