import type { Metrics, Overview } from '@assay/contract'
import { changeOf, formatDuration, formatMoney, formatRate, formatShare, formatShort } from '../../format.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'

export const seriesNames = ['visitors', 'sessions', 'pageviews', 'events', 'conversions', 'revenue'] as const
export type SeriesName = (typeof seriesNames)[number]
type MetricName = Exclude<keyof Metrics, 'currency'>

const order: readonly MetricName[] = [
  'visitors',
  'sessions',
  'pageviews',
  'events',
  'conversions',
  'revenue',
  'conversionRate',
  'bounceRate',
  'avgSessionMs',
]
/** Where less is better. */
const lessIsBetter: readonly MetricName[] = ['bounceRate']

export function formatMetric(name: MetricName, value: number, currency: string): string {
  if (name === 'revenue') return formatMoney(value, currency)
  if (name === 'avgSessionMs') return formatDuration(value)
  return name === 'bounceRate' || name === 'conversionRate' ? formatShare(value) : formatShort(value)
}

export function shownSeries(parameters: URLSearchParams): SeriesName {
  return seriesNames.find((name) => name === parameters.get('series')) ?? 'visitors'
}

/** The numbers of the period, each with its change. Those that have a line choose what the chart shows. */
export function Figures({ data, isCompared }: { data: Overview; isCompared: boolean }) {
  const { parameters } = usePlace()
  const way = useWay()
  const shown = shownSeries(parameters)
  return (
    <div className="figures">
      {order.map((name) => {
        const series = seriesNames.find((candidate) => candidate === name)
        const figure = <Figure name={name} data={data} isCompared={isCompared} />
        if (series === undefined) {
          return (
            <div key={name} className="figure" data-metric={name}>
              {figure}
            </div>
          )
        }
        return (
          <button
            key={name}
            type="button"
            className="figure"
            data-metric={name}
            aria-pressed={series === shown}
            onClick={() => way.go(way.here({ series: series === 'visitors' ? null : series }))}
          >
            {figure}
          </button>
        )
      })}
    </div>
  )
}

type FigureProps = { name: MetricName; data: Overview; isCompared: boolean }

function Figure({ name, data, isCompared }: FigureProps) {
  const { metrics, previous, otherCurrencies, convertedCurrencies } = data
  const format = (value: number) => formatMetric(name, value, metrics.currency)
  return (
    <>
      <span className="name">{text.metrics[name]}</span>
      <span className="value">{format(metrics[name])}</span>
      {name === 'revenue' &&
        convertedCurrencies.map(({ currency, amount, rate }) => (
          <span key={currency} className="soft small">
            {text.overview.converted(formatMoney(amount, currency), formatRate(rate))}
          </span>
        ))}
      {name === 'revenue' &&
        otherCurrencies.map(({ currency, revenue }) => (
          <span key={currency} className="soft small">
            {text.overview.besides(formatMoney(revenue, currency))}
          </span>
        ))}
      {isCompared && (
        <Change
          change={changeOf(metrics[name], previous.metrics[name])}
          isLessBetter={lessIsBetter.includes(name)}
          before={format(previous.metrics[name])}
        />
      )}
    </>
  )
}

type ChangeProps = { change: number | null; isLessBetter: boolean; before: string }

export function Change({ change, isLessBetter, before }: ChangeProps) {
  if (change === null) return <span className="change">{text.overview.nothingBefore}</span>
  const isUp = change > 0
  const look = change === 0 ? '' : isUp === isLessBetter ? 'bad' : 'good'
  return (
    <span className={`change ${look}`}>
      {isUp ? '▲' : change < 0 ? '▼' : '='} {formatShare(Math.abs(change))}{' '}
      <span className="soft">{text.overview.from(before)}</span>
    </span>
  )
}
