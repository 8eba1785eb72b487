import type { Answer, Overview } from '@assay/contract'
import { type Reading, useRead } from '../../api/reads.ts'
import { useFilters } from '../../filters/filters.ts'
import { usePlace } from '../../shell/place.ts'
import { usePeriod } from '../../shell/range.ts'
import type { Tab } from './breakdown-terms.ts'

export type BreakdownRow = { key: string; visitors: number }
type BreakdownData = { rows: readonly BreakdownRow[]; total: number; hasMore: boolean }

/** As many as fit next to the other cards. */
const rowsShown = 9

const keyOf = ({ dimensions }: Answer['rows'][number]) => dimensions[0] ?? ''

/** The first rows: of the overview where it has them, or else asked for. */
export function useBreakdown({ dimension, inOverview }: Tab, data: Overview): Reading<BreakdownData> {
  const period = usePeriod()
  const { list } = useFilters()
  const answer = useRead(
    'runQuery',
    {
      body: {
        ...period,
        metrics: ['visitors'],
        dimensions: [dimension],
        filters: [...list],
        limit: rowsShown + 1,
      },
    },
    { isOff: inOverview !== undefined },
  )
  const known = inOverview === undefined ? undefined : ofOverview(data, inOverview)
  const asked = answer.data === undefined ? undefined : ofAnswer(answer.data)
  // boundary: the same reading, with what it shows made of it.
  return { ...answer, data: known ?? asked } as Reading<BreakdownData>
}

/** Without the optional ones that have no value; one that the address names stays. */
export function useTabs(tabs: readonly Tab[]): readonly Tab[] {
  const { parameters } = usePlace()
  const named = [...parameters.values()]
  const known = { region: useHasValues('region', tabs), city: useHasValues('city', tabs) }
  const isKnown = (dimension: string) => Reflect.get(known, dimension) === true
  return tabs.filter(
    ({ dimension, isOptional }) => isOptional !== true || isKnown(dimension) || named.includes(dimension),
  )
}

function useHasValues(dimension: string, tabs: readonly Tab[]): boolean {
  const period = usePeriod()
  const isAsked = tabs.some((tab) => tab.isOptional === true && tab.dimension === dimension)
  const read = useRead('listValues', { query: { ...period, dimension, limit: 1 } }, { isOff: !isAsked })
  return (read.data?.values.length ?? 0) > 0
}

function ofOverview(data: Overview, name: keyof Overview['breakdowns']): BreakdownData {
  const rows = data.breakdowns[name]
  return { rows: rows.slice(0, rowsShown), total: data.metrics.visitors, hasMore: rows.length > rowsShown }
}

function ofAnswer({ rows, totals }: Answer): BreakdownData {
  const all = rows.map((row) => ({ key: keyOf(row), visitors: row.metrics.visitors ?? 0 }))
  return {
    rows: all.slice(0, rowsShown),
    total: totals.metrics.visitors ?? 0,
    hasMore: all.length > rowsShown,
  }
}
