import type { Answer, Overview } from '@assay/contract'
import { useCallback, useMemo } from 'react'
import { AddAnnotation } from '../../annotations/add-annotation.tsx'
import { useChartMarks } from '../../annotations/marks.ts'
import { type Reading, useRead } from '../../api/reads.ts'
import { useFilters } from '../../filters/filters.ts'
import { intervalFormats } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { Chart } from '../../kit/chart.tsx'
import { Select } from '../../kit/select.tsx'
import { Shown } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { comparisonName, daysOf, useOverviewComparison, usePeriod } from '../../shell/range.ts'
import { text } from '../../text.ts'
import { formatMetric, type MetricName, shownMetric } from './figures.tsx'
import { type Interval, intervalNames, intervalsFor, usualInterval } from './intervals.ts'

function useSeries(interval: Interval): Reading<Answer> {
  const { parameters } = usePlace()
  const period = usePeriod()
  const { list } = useFilters()
  const comparison = useOverviewComparison()
  return useRead('runQuery', {
    body: {
      ...period,
      metrics: [shownMetric(parameters)],
      dimensions: [`time:${interval}`],
      filters: [...list],
      ...(comparison !== null && { compare: comparison }),
    },
  })
}

/** Asked together with the overview, whose answer would name the interval, so that the chart does not wait for it. */
export function useSeriesAhead(): void {
  const { parameters } = usePlace()
  const asked = intervalNames.find((one) => one === parameters.get('interval'))
  useSeries(asked ?? usualInterval(daysOf(parameters)))
}

/** The chosen figure over time, with the period before. */
export function SeriesChart({ data }: { data: Overview }) {
  const { parameters } = usePlace()
  const metric = shownMetric(parameters)
  const intervals = intervalsFor(data.period)
  const interval = intervals.find((one) => one === parameters.get('interval')) ?? data.interval
  const answer = useSeries(interval)
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
  const comparison = useOverviewComparison()
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
      previousName={comparisonName(comparison)}
      acts={acts}
      {...times}
    />
  )
}
