import { usePlaceNames } from '../../filters/place-names.ts'
import { dimensionLabel, valueLabel } from '../../filters/terms.ts'
import { formatCount, formatShare } from '../../format.ts'
import { Empty } from '../../kit/states.tsx'
import { text } from '../../text.ts'
import type { BreakdownRow } from './breakdown-rows.ts'
import type { Tab } from './breakdown-terms.ts'
import { useRowFilter } from './use-row-filter.ts'

type BarsProps = { tab: Tab; rows: readonly BreakdownRow[]; total: number }

/** Rows with their share of the visitors; the longest bar is the first row. */
export function Bars({ tab, rows, total }: BarsProps) {
  const filterBy = useRowFilter(tab)
  usePlaceNames()
  const most = Math.max(1, ...rows.map(({ visitors }) => visitors))
  if (rows.length === 0) return <Empty title={text.overview.noRows} />
  return (
    <>
      <p className="bars-head" aria-hidden="true">
        <span>{dimensionLabel(tab.dimension)}</span>
        <span>{text.metrics.visitors}</span>
      </p>
      <ul className="bars">
        {rows.map(({ key, visitors }) => (
          <li key={key}>
            <span className="fill" style={{ width: `${(visitors / most) * 100}%` }} />
            {key === '' ? (
              <span className="key soft">{text.overview.unknown}</span>
            ) : (
              <button type="button" title={text.overview.filterBy(key)} onClick={() => filterBy(key)}>
                {valueLabel(tab.dimension, key)}
              </button>
            )}
            <span className="soft small">{total > 0 && formatShare(visitors / total)}</span>
            <span>{formatCount(visitors)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
