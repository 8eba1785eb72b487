import { type Filter, Problem, readFilters } from '@assay/contract'
import { useMemo } from 'react'
import { type Changes, usePlace, useWay } from '../shell/place.ts'
import { type FilterName, filterNames } from '../shell/range.ts'

/** A filter in the address: in the list `filters`, or as a plain parameter of its own. */
export type PlacedFilter = { filter: Filter; plain: FilterName | null }

type FilterQuery = Partial<Record<FilterName, string>> & { filters?: string }

type Filters = {
  /** What every read takes as parameters. */
  query: FilterQuery
  /** The same as one list, as questions, funnels and reports take it. */
  list: readonly Filter[]
  placed: readonly PlacedFilter[]
  /** `filters` in the address is no list of filters; the API says why. */
  isBroken: boolean
  /** The address with other filters; `here` of the page. */
  hrefWith: (placed: readonly PlacedFilter[]) => string
  change: (placed: readonly PlacedFilter[]) => void
}

/** The filters that stand in the address of the page. */
export function useFilters(): Filters {
  const { parameters } = usePlace()
  const way = useWay()
  const search = parameters.toString()
  const read = useMemo(() => filtersOf(new URLSearchParams(search)), [search])
  const hrefWith = (placed: readonly PlacedFilter[]) => way.here(changesTo(placed, parameters))
  return { ...read, hrefWith, change: (placed) => way.go(hrefWith(placed)) }
}

export function filtersOf(
  parameters: URLSearchParams,
): Pick<Filters, 'query' | 'list' | 'placed' | 'isBroken'> {
  const written = parameters.get('filters') ?? ''
  const listed = written === '' ? [] : soundFilters(written)
  const plain = filterNames.flatMap((name) => {
    const value = parameters.get(name) ?? ''
    return value === '' ? [] : [{ name, value }]
  })
  const placed = [
    ...plain.map(({ name, value }) => ({ filter: plainFilter(name, value), plain: name })),
    ...(listed ?? []).map((filter) => ({ filter, plain: null })),
  ]
  return {
    query: {
      ...Object.fromEntries(plain.map(({ name, value }) => [name, value])),
      ...(written !== '' && { filters: written }),
    },
    list: placed.map(({ filter }) => filter),
    placed,
    isBroken: listed === null,
  }
}

/** Filters as JSON or as text; null for what the API would refuse. */
export function soundFilters(given: unknown): readonly Filter[] | null {
  try {
    readFilters(given)
    // boundary: the reader of the contract found it sound.
    return (typeof given === 'string' ? JSON.parse(given) : given) as readonly Filter[]
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}

function plainFilter(name: FilterName, value: string): Filter {
  if (name === 'audience') return ['inAudience', [value]]
  return ['is', name === 'path' ? 'page' : name, [value]]
}

/** A plain parameter stays one until it is edited. */
function changesTo(placed: readonly PlacedFilter[], parameters: URLSearchParams): Changes {
  const listed = placed.filter(({ plain }) => plain === null).map(({ filter }) => filter)
  const kept = new Set(placed.map(({ plain }) => plain))
  const gone = filterNames.filter((name) => parameters.has(name) && !kept.has(name))
  return {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    filters: listed.length === 0 ? null : JSON.stringify(listed),
  }
}
