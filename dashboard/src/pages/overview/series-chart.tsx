import type { Answer, Overview } from '@assay/contract'
import { useCallback, useMemo } from 'react'
import { AddAnnotation } from '../../annotations/add-annotation.tsx'
import { useChartMarks } from '../../annotations/marks.ts'
import { useRead } from '../../api/reads.ts'
import { useFilters } from '../../filters/filters.ts'
import { intervalFormats } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { Chart } from '../../kit/chart.tsx'
import { Select } from '../../kit/select.tsx'
import { Shown } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { usePeriod } from '../../shell/range.ts'
import { text } from '../../text.ts'
import { formatMetric, type MetricName, shownMetric } from './figures.tsx'
import { type Interval, intervalsFor } from './intervals.ts'

/** The chosen figure over time, with the period before. */
export function SeriesChart({ data }: { data: Overview }) {
  const { parameters } = usePlace()
  const period = usePeriod()
  const { list } = useFilters()
  const metric = shownMetric(parameters)
  const intervals = intervalsFor(data.period)
  const interval = intervals.find((one) => one === parameters.get('interval')) ?? data.interval
  const isCompared = parameters.get('compare') !== 'none'
  const answer = useRead('runQuery', {
    body: {
      ...period,
      metrics: [metric],
      dimensions: [`time:${interval}`],
      filters: [...list],
      ...(isCompared && { compare: 'previous' as const }),
    },
  })
  return (
    <Card>
      <div className="chart-place">
        <Shown of={answer} lines={9}>
          {(shown) => (
            <Line {...{ metric, interval, intervals }} answer={shown} timezone={data.period.timezone} />
          )}
        </Shown>
      </div>
    </Card>
  )
}

type Rows = Pick<Answer, 'rows' | 'currency'>
type LineProps = {
  metric: MetricName
  interval: Interval
  intervals: readonly Interval[]
  answer: Rows
  timezone: string
}

function Line({ metric, interval, intervals, answer, timezone }: LineProps) {
  const way = useWay()
  const marks = useChartMarks()
  const { rows, currency } = answer
  const points = useMemo(
    () =>
      rows.map(({ dimensions, isComplete }) => ({
        start: dimensions[0] ?? '',
        isComplete: isComplete !== false,
      })),
    [rows],
  )
  const series = useMemo(
    () => [
      {
        id: metric,
        name: text.metrics[metric],
        values: rows.map(({ metrics }) => metrics[metric] ?? null),
        ...(rows.some(({ comparison }) => comparison !== null) && {
          previous: rows.map(({ comparison }) => comparison?.[metric] ?? null),
        }),
      },
    ],
    [rows, metric],
  )
  const format = useCallback(
    (value: number | null) => formatMetric(metric, value, currency),
    [metric, currency],
  )
  const times = useMemo(() => intervalFormats(interval, timezone), [interval, timezone])
  const acts = (
    <div className="row">
      <Select
        name={text.overview.interval}
        value={interval}
        choices={intervals.map((value) => ({ value, label: text.overview.intervals[value] }))}
        onChange={(value) => way.go(way.here({ interval: value }), { replace: true })}
      />
      <AddAnnotation isSmall />
    </div>
  )
  return (
    <Chart
      title={text.metrics[metric]}
      points={points}
      series={series}
      format={format}
      marks={marks}
      acts={acts}
      {...times}
    />
  )
}
