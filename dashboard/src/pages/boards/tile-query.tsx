import type { Answer, Metric, ReportView } from '@assay/contract'
import { useMemo, useState } from 'react'
import { useFilterNames } from '../../filters/names.ts'
import { dimensionLabel } from '../../filters/terms.ts'
import { changeOf, formatFigure, type Interval, intervalFormats } from '../../format.ts'
import { Chart, type ChartLook, hasLegend } from '../../kit/chart.tsx'
import { Select } from '../../kit/select.tsx'
import { Empty } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { text } from '../../text.ts'
import { byUnit, groupWords, type LabelOf, pointsOf, seriesOf } from '../explore/answer.ts'
import { answerName, metricLabel, readMetrics } from '../explore/metric-draft.ts'
import { TileFigure, TileFigures } from './tile-figures.tsx'

type TileProps = {
  title: string
  answer: Answer
  metrics: readonly Metric[]
  view: ReportView
  height: number
}

/** The answer of a question in the view of its report: a chart, a table or numbers. */
export function QueryTile({ title, answer, metrics, view, height }: TileProps) {
  const labelOf = useLabels(metrics)
  if (view === 'table') return <AnswerTable {...{ title, answer, labelOf }} />
  if (view !== 'number') return <AnswerChart {...{ title, answer, labelOf, height }} look={view} />
  return <AnswerNumbers answer={answer} labelOf={labelOf} />
}

function useLabels(metrics: readonly Metric[]): LabelOf {
  const { goal } = useFilterNames()
  return useMemo(() => {
    const drafts = readMetrics(metrics)
    const labels = new Map(drafts.map((draft) => [answerName(draft), metricLabel(draft, goal)]))
    return (name) => labels.get(name) ?? name
  }, [metrics, goal])
}

type AnswerProps = { answer: Answer; labelOf: LabelOf }

function AnswerNumbers({ answer: { metrics, totals, currency }, labelOf }: AnswerProps) {
  return (
    <TileFigures isLarge>
      {metrics.map(({ name, unit }) => {
        const value = totals.metrics[name] ?? null
        const before = totals.comparison?.[name] ?? null
        const format = (figure: number) => formatFigure(unit, figure, currency)
        return (
          <TileFigure
            key={name}
            metric={name}
            name={labelOf(name)}
            value={value === null ? text.nothing : format(value)}
            change={before === null ? undefined : changeOf(value, before)}
          />
        )
      })}
    </TileFigures>
  )
}

type AnswerChartProps = AnswerProps & { title: string; height: number; look: ChartLook }

function AnswerChart({ title, answer, labelOf, height, look }: AnswerChartProps) {
  const groups = useMemo(() => byUnit(answer.metrics), [answer.metrics])
  const [shown, setShown] = useState('0')
  const metrics = groups[Number(shown)] ?? groups[0] ?? []
  const interval = intervalOf(answer)
  const unit = metrics[0]?.unit ?? 'number'
  const points = useMemo(() => pointsOf(answer, interval), [answer, interval])
  const series = useMemo(() => seriesOf(answer, metrics, labelOf), [answer, metrics, labelOf])
  const format = useMemo(
    () => (value: number) => formatFigure(unit, value, answer.currency),
    [unit, answer.currency],
  )
  const times = useMemo(() => intervalFormats(interval, answer.period.timezone), [interval, answer])
  const nameOf = (group: (typeof groups)[number]) => group.map(({ name }) => labelOf(name)).join(', ')
  if (answer.rows.length === 0) return <Empty title={text.boards.nothing} />
  return (
    <Chart
      title={text.boards.perMetric(title, nameOf(metrics))}
      isTitleHidden
      points={points}
      series={series}
      look={look}
      format={format}
      height={height - (hasLegend(series, look) ? legendPixels : 0) - (groups.length > 1 ? selectPixels : 0)}
      {...times}
      {...(groups.length > 1 && {
        acts: (
          <Select
            name={text.boards.shownMetric}
            value={shown}
            choices={groups.map((group, index) => ({ value: String(index), label: nameOf(group) }))}
            onChange={setShown}
          />
        ),
      })}
    />
  )
}

/** The names of several series stand above them, on one line; a choice is higher than the buttons next to it. */
const legendPixels = 40
const selectPixels = 8

function intervalOf({ dimensions }: Answer): Interval {
  const unit = dimensions[0]?.replace('time:', '')
  return unit === 'hour' || unit === 'week' || unit === 'month' ? unit : 'day'
}

function AnswerTable({ title, answer, labelOf }: AnswerProps & { title: string }) {
  const { dimensions: names, metrics, rows, currency } = answer
  const first = metrics[0]?.name ?? ''
  const most = Math.max(0, ...rows.map((row) => row.metrics[first] ?? 0))
  if (rows.length === 0) return <Empty title={text.boards.nothing} />
  return (
    <Table
      caption={title}
      isMatrix
      rows={rows}
      keyOf={({ dimensions, isOther }) => JSON.stringify([dimensions, isOther])}
      columns={[
        ...names.map((name, index) => ({
          title: dimensionLabel(name),
          cell: (row: Answer['rows'][number]) => groupWords(row, names)[index],
        })),
        ...metrics.map(({ name, unit }) => ({
          title: labelOf(name),
          kind: 'number' as const,
          sortBy: (row: Answer['rows'][number]) => row.metrics[name] ?? null,
          cell: (row: Answer['rows'][number]) => {
            const value = row.metrics[name] ?? null
            if (value === null) return text.nothing
            const share = name === first && most > 0 && value > 0 ? value / most : 0
            return (
              <span className="bar-cell">
                {share > 0 && <span className="bar-fill" style={{ width: `${share * 100}%` }} />}
                <span>{formatFigure(unit, value, currency)}</span>
              </span>
            )
          },
        })),
      ]}
    />
  )
}
