import type { Metrics, Overview } from '@assay/contract'
import { Link } from 'wouter'
import {
  changeOf,
  formatCount,
  formatDuration,
  formatFineShare,
  formatMoney,
  formatRate,
  formatShare,
  formatShort,
} from '../../format.ts'
import { Change, isLessBetter, isUnchanged } from '../../kit/change.tsx'
import { some } from '../../plural.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'

export type MetricName = Exclude<keyof Metrics, 'currency' | 'reasons'>

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

export function formatMetric(name: MetricName, value: number | null, currency: string | null): string {
  if (value === null) return text.nothing
  if (name === 'revenue') return formatMoney(value, currency)
  if (name === 'avgSessionMs') return formatDuration(value)
  return name === 'bounceRate' || name === 'conversionRate' ? formatShare(value) : formatShort(value)
}

/** For two rates or shortened counts that round to the same. */
function formatFine(name: MetricName, value: number | null, currency: string | null): string {
  const isRate = name === 'bounceRate' || name === 'conversionRate'
  if (value !== null && isRate) return formatFineShare(value)
  const isCount = name !== 'revenue' && name !== 'avgSessionMs'
  return value !== null && isCount ? formatCount(value) : formatMetric(name, value, currency)
}

/** What the chart shows: the figure that the address names. */
export function shownMetric(parameters: URLSearchParams): MetricName {
  return order.find((name) => name === parameters.get('series')) ?? 'visitors'
}

/** The numbers of the period, each with its change. Each chooses what the chart shows. */
export function Figures({ data, isCompared }: { data: Overview; isCompared: boolean }) {
  const { parameters } = usePlace()
  const way = useWay()
  const shown = shownMetric(parameters)
  return (
    <div className="figures of-home">
      {order.map((name) => (
        <button
          key={name}
          type="button"
          className="figure"
          data-metric={name}
          aria-pressed={name === shown}
          onClick={() => way.go(way.here({ series: name === 'visitors' ? null : name }), { replace: true })}
        >
          <Figure name={name} data={data} isCompared={isCompared} />
        </button>
      ))}
    </div>
  )
}

type FigureProps = { name: MetricName; data: Overview; isCompared: boolean }

function Figure({ name, data, isCompared }: FigureProps) {
  const { metrics, previous, otherCurrencies } = data
  const [value, before] = [metrics[name], previous.metrics[name]]
  const isAlike = formatMetric(name, value, metrics.currency) === formatMetric(name, before, metrics.currency)
  const change = changeOf(value, before)
  const writes = isCompared && isAlike && !isUnchanged(change) ? formatFine : formatMetric
  const format = (one: number | null) => writes(name, one, metrics.currency)
  const reason = reasonOf(metrics, name)
  return (
    <>
      <span className="name">{text.metrics[name]}</span>
      <span className="value">{format(value)}</span>
      {reason !== undefined && <span className="soft small">{reason}</span>}
      {name === 'revenue' && otherCurrencies.length > 0 && (
        <span className="soft small">
          {text.overview.besides(some(otherCurrencies.length, 'currency', 'currencies'))}
        </span>
      )}
      {isCompared && value !== null && (
        <Change change={change} isLessBetter={isLessBetter(name)} before={format(before)} />
      )}
    </>
  )
}

/** Why there is no such figure. */
function reasonOf({ reasons }: Metrics, name: MetricName): string | undefined {
  return new Map(Object.entries(reasons)).get(name)
}

/** Revenue in other currencies: converted by a rate, or shown separately without one. */
export function Currencies({ data: { otherCurrencies, convertedCurrencies } }: { data: Overview }) {
  const way = useWay()
  if (otherCurrencies.length + convertedCurrencies.length === 0) return null
  const converted = convertedCurrencies.map(({ currency, amount, rate }) =>
    text.overview.convertedAt(formatMoney(amount, currency), formatRate(rate)),
  )
  const others = otherCurrencies.map(({ currency, revenue }) => formatMoney(revenue, currency))
  const words = text.overview
  return (
    <div className="row soft small">
      <details className="currencies">
        <summary>
          {[
            ...(others.length > 0 ? [words.notConverted(others.length)] : []),
            ...(converted.length > 0 ? [words.converted(converted.length)] : []),
          ].join(' · ')}
        </summary>
        {others.length > 0 && <p>{words.notConvertedAre(others.join(', '))}</p>}
        {converted.length > 0 && <p>{words.convertedAre(converted.join(', '))}</p>}
      </details>
      <Link href={way.to('settings/rates')}>{text.pages.rates}</Link>
    </div>
  )
}
