import { Link } from 'wouter'
import { now } from '../clock.ts'
import { formatDay } from '../format.ts'
import { text } from '../text.ts'
import { usePlace, useWay } from './place.ts'
import { type Comparison, comparisonOf, overviewComparison, type RangeKind, rangeQueryOf } from './range.ts'
import { useSession } from './session.ts'

const dayMs = 86_400_000

const yearDays = 366

/** Where a range begins, roughly, and with it the comparison. */
function beginningMs(parameters: URLSearchParams, comparison: Comparison): number {
  const { from, to, window } = rangeQueryOf('', parameters)
  const endMs = to === undefined ? now() : Date.parse(to) + dayMs
  const startMs = from === undefined ? endMs - Number.parseInt(window ?? '', 10) * dayMs : Date.parse(from)
  if (comparison === null) return startMs
  if (typeof comparison === 'object') return Math.min(startMs, Date.parse(comparison.from))
  return comparison === 'year' ? startMs - yearDays * dayMs : startMs - (endMs - startMs)
}

function comparisonFor(range: RangeKind, parameters: URLSearchParams): Comparison {
  if (range === 'comparison') return overviewComparison(parameters)
  return range === 'anyComparison' ? comparisonOf(parameters) : null
}

/** Shown where a report includes removed events, so that the cut is not mistaken for a drop. */
export function RetentionNote({ range }: { range: RangeKind }) {
  const { parameters } = usePlace()
  const { site } = useSession()
  const way = useWay()
  if (site.retainedSince === null) return null
  const isWhole = beginningMs(parameters, comparisonFor(range, parameters)) >= Date.parse(site.retainedSince)
  if (isWhole) return null
  return (
    <p className="note">
      {text.range.cut(formatDay(site.retainedSince, site.timezone))}{' '}
      <Link href={way.to('settings/retention')}>{text.pages.dataRetention}</Link>
    </p>
  )
}
