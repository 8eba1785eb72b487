import type { Overview } from '@assay/contract'
import { useMemo } from 'react'
import { changeOf, formatShort, intervalFormats } from '../../format.ts'
import { Chart } from '../../kit/chart.tsx'
import { text } from '../../text.ts'
import { formatMetric, type MetricName } from '../overview/figures.tsx'
import { TileFigure, TileFigures } from './tile-figures.tsx'

/** As many as stand in one row of a wide tile. */
const shown: readonly MetricName[] = [
  'visitors',
  'sessions',
  'pageviews',
  'conversions',
  'revenue',
  'bounceRate',
]

type OverviewTileProps = { title: string; overview: Overview; height: number }

/** The main figures with their change, and visitors over time. */
export function OverviewTile({ title, overview, height }: OverviewTileProps) {
  const { metrics, previous, series, interval, period } = overview
  const points = useMemo(() => series.map(({ start, isComplete }) => ({ start, isComplete })), [series])
  const lines = useMemo(
    () => [{ id: 'visitors', name: text.metrics.visitors, values: series.map(({ visitors }) => visitors) }],
    [series],
  )
  const times = useMemo(() => intervalFormats(interval, period.timezone), [interval, period.timezone])
  return (
    <>
      <TileFigures>
        {shown.map((name) => (
          <TileFigure
            key={name}
            metric={name}
            name={text.metrics[name]}
            value={formatMetric(name, metrics[name], metrics.currency)}
            change={metrics[name] === null ? undefined : changeOf(metrics[name], previous.metrics[name])}
          />
        ))}
      </TileFigures>
      <Chart
        title={text.boards.perMetric(title, text.metrics.visitors)}
        isTitleHidden
        points={points}
        series={lines}
        format={formatShort}
        height={height - figuresPixels}
        {...times}
      />
    </>
  )
}

const figuresPixels = 76
