import type { Narrowing } from '@assay/contract'
import { FilterList } from '../../filters/filter-bar.tsx'
import { filterWords } from '../../filters/filter-words.ts'
import { useFilterNames } from '../../filters/names.ts'
import { filtersIn, periodIn, periodWords, withFilters } from '../../filters/saved-filters.ts'
import { SelectField } from '../../kit/field.tsx'
import { windows } from '../../shell/range.ts'
import { text } from '../../text.ts'

/** The filters of the board, which hold besides those of the address. */
export function BoardFilters({ narrowing }: { narrowing: Narrowing }) {
  const names = useFilterNames()
  const filters = filtersIn(narrowing)
  if (filters.length === 0) return null
  return (
    <ul className="board-filters" aria-label={text.boards.boardFilters}>
      {filters.map((filter) => (
        <li key={JSON.stringify(filter)} className="badge">
          {filterWords(filter, names)}
        </li>
      ))}
    </ul>
  )
}

const none = ''
const fixed = 'fixed'

type NarrowingFieldsProps = { narrowing: Narrowing; onChange: (narrowing: Narrowing) => void }

/** The period and the filters that the board has for all tiles. */
export function NarrowingFields({ narrowing, onChange }: NarrowingFieldsProps) {
  const words = text.boards
  const { window, from, to, timezone } = narrowing
  const isFixed = from !== undefined && to !== undefined
  const isOther = window !== undefined && !windows.some((one) => one === window)
  const filters = filtersIn(narrowing)
  const setPeriod = (chosen: string) => {
    if (chosen === fixed) return
    const rest = withFilters({}, filters)
    onChange({
      ...rest,
      ...(timezone !== undefined && { timezone }),
      ...(chosen !== none && { window: chosen }),
    })
  }
  return (
    <div className="board-edit-bar">
      <SelectField
        label={words.boardPeriod}
        value={isFixed ? fixed : (window ?? none)}
        choices={[
          { value: none, label: words.ownPeriod },
          ...windows.map((value) => ({ value: String(value), label: text.range.windows[value] })),
          ...(isFixed || isOther
            ? [{ value: isFixed ? fixed : (window ?? ''), label: periodWords(periodIn(narrowing)) ?? '' }]
            : []),
        ]}
        onChange={setPeriod}
      />
      <div className="field">
        <span className="label">{words.boardFilters}</span>
        <FilterList
          label={words.boardFilters}
          placed={filters.map((filter) => ({ filter, plain: null }))}
          onChange={(placed) =>
            onChange(
              withFilters(
                narrowing,
                placed.map(({ filter }) => filter),
              ),
            )
          }
        />
      </div>
    </div>
  )
}
