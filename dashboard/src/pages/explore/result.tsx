import { type Answer, missingRateWords } from '@assay/contract'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { useChartMarks } from '../../annotations/marks.ts'
import type { Reading } from '../../api/reads.ts'
import { changeOf, formatFigure, type Interval, intervalFormats } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { Change, isLessBetter } from '../../kit/change.tsx'
import { Chart, type ChartLook } from '../../kit/chart.tsx'
import { Empty, Failure, Loading } from '../../kit/states.tsx'
import { useWay } from '../../shell/place.ts'
import { comparisonName, useComparison } from '../../shell/range.ts'
import { text } from '../../text.ts'
import { byUnit, byWords, type LabelOf, pointsOf, seriesOf } from './answer.ts'
import { type Asked, isChart } from './question.ts'
import { ResultTable } from './result-table.tsx'

type ResultProps = {
  reading: Reading<Answer>
  asked: Asked
  labelOf: LabelOf
  /** The API named members, and each shows what is wrong with it. */
  isMarked: boolean
}

/** The answer in the chosen view, with what to know before trusting it. */
export function Result({ reading, asked, labelOf, isMarked }: ResultProps) {
  const { data, error } = reading
  if (data === undefined) {
    return (
      <Card>
        <div className="result-frame">
          {isMarked ? (
            <Empty title={text.explore.invalid}>{text.explore.invalidDetail}</Empty>
          ) : error === null ? (
            <Loading lines={9} />
          ) : (
            <Failure error={error} onRetry={() => void reading.refetch()} />
          )}
        </div>
      </Card>
    )
  }
  return (
    <>
      <Totals answer={data} labelOf={labelOf} isLarge={asked.view === 'number'} />
      {data.warnings.length > 0 && (
        <div className="note warn stack tight">
          {data.warnings.map((warning) => (
            <p key={warning}>
              {warning} {warning.includes(missingRateWords) && <RatesLink />}
            </p>
          ))}
        </div>
      )}
      {isChart(asked.view) && <Charts answer={data} asked={asked} labelOf={labelOf} />}
      {asked.view === 'table' && <ResultTable answer={data} labelOf={labelOf} />}
    </>
  )
}

function RatesLink() {
  return <Link href={useWay().to('settings/rates')}>{text.pages.rates}</Link>
}

type TotalsProps = { answer: Answer; labelOf: LabelOf; isLarge: boolean }

/** Over the whole period and all groups, whether a row shows them or not. */
function Totals({ answer, labelOf, isLarge }: TotalsProps) {
  const { metrics, totals, currency } = answer
  return (
    <section className={isLarge ? 'figures large' : 'figures'} aria-label={text.explore.totals}>
      {metrics.map(({ name, unit }) => {
        const value = totals.metrics[name] ?? null
        const before = totals.comparison?.[name] ?? null
        return (
          <div key={name} className="figure" data-metric={name}>
            <span className="name">{labelOf(name)}</span>
            <span className="value">
              {value === null ? text.nothing : formatFigure(unit, value, currency)}
            </span>
            {before !== null && (
              <Change
                change={changeOf(value, before)}
                isLessBetter={isLessBetter(name)}
                before={formatFigure(unit, before, currency)}
              />
            )}
          </div>
        )
      })}
    </section>
  )
}

function Charts({ answer, asked, labelOf }: Omit<TotalsProps, 'isLarge'> & { asked: Asked }) {
  const groups = byUnit(answer.metrics)
  return groups.map((metrics) => (
    <Card key={metrics[0]?.unit}>
      <UnitChart metrics={metrics} {...{ answer, asked, labelOf }} />
    </Card>
  ))
}

type UnitChartProps = { answer: Answer; asked: Asked; labelOf: LabelOf; metrics: Readonly<Answer['metrics']> }

function UnitChart({ answer, asked, labelOf, metrics }: UnitChartProps) {
  const marks = useChartMarks()
  const interval = intervalOf(answer)
  const { timezone } = answer.period
  const unit = metrics[0]?.unit ?? 'number'
  const { currency } = answer
  const points = useMemo(() => pointsOf(answer, interval), [answer, interval])
  const series = useMemo(() => seriesOf(answer, metrics, labelOf), [answer, metrics, labelOf])
  const format = useMemo(() => (value: number) => formatFigure(unit, value, currency), [unit, currency])
  const times = useMemo(() => intervalFormats(interval, timezone), [interval, timezone])
  const comparison = useComparison()
  const names = answer.dimensions.slice(1)
  const measured = metrics.map(({ name }) => labelOf(name)).join(', ')
  const look: ChartLook = asked.view === 'bars' || asked.view === 'stacked' ? asked.view : 'lines'
  return (
    <Chart
      title={names.length === 0 ? measured : text.explore.measuredBy(measured, byWords(names))}
      points={points}
      series={series}
      look={look}
      format={format}
      marks={marks}
      previousName={comparisonName(comparison)}
      height={320}
      {...times}
    />
  )
}

function intervalOf({ dimensions }: Answer): Interval {
  const unit = dimensions[0]?.replace('time:', '')
  return unit === 'hour' || unit === 'week' || unit === 'month' ? unit : 'day'
}
