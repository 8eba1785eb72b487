import type { Overview } from '@assay/contract'
import { useCallback, useMemo } from 'react'
import { intervalFormats } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { Chart } from '../../kit/chart.tsx'
import { usePlace } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { formatMetric, shownSeries } from './figures.tsx'

export function SeriesChart({ data }: { data: Overview }) {
  const { parameters } = usePlace()
  const name = shownSeries(parameters)
  const { series, interval, metrics, period } = data
  const values = useMemo(() => series.map((point) => point[name]), [series, name])
  const lines = useMemo(() => [{ id: name, name: text.metrics[name], values }], [name, values])
  const format = useCallback(
    (value: number | null) => formatMetric(name, value, metrics.currency),
    [name, metrics.currency],
  )
  const times = useMemo(() => intervalFormats(interval, period.timezone), [interval, period.timezone])
  return (
    <Card>
      <Chart title={text.metrics[name]} points={series} series={lines} format={format} {...times} />
    </Card>
  )
}
