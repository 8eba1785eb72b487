import {
  type Condition,
  dimensionOf,
  type Filter,
  type FilterValue,
  type ReadQuery,
  readFilters,
} from '@assay/contract'

/** What of a read's parameters narrows its events down. */
export type FilterQuery = Pick<
  ReadQuery,
  'path' | 'country' | 'device' | 'source' | 'event' | 'audience' | 'includeBots'
> & {
  /** As text, or as JSON in a body. */
  filters?: string | readonly Filter[] | undefined
}

const dimensions = {
  path: 'page',
  country: 'country',
  device: 'device',
  source: 'source',
  event: 'event',
} as const

const plainNames = ['path', 'country', 'device', 'source', 'event'] as const

/** Plain parameters as the filters for which they are short. */
export function plainFilters(query: Omit<FilterQuery, 'filters'>): Filter[] {
  const compared = plainNames.flatMap((name): Filter[] => {
    const value = query[name]
    return value === undefined ? [] : [['is', dimensions[name], [value]]]
  })
  return query.audience === undefined ? compared : [...compared, ['inAudience', [query.audience]]]
}

/** Everything that narrows a read down: its filters, and plain parameters. */
export function shorthandsOf(query: FilterQuery): Condition[] {
  const compared = plainNames.flatMap((name) => {
    const value = query[name]
    return value === undefined ? [] : [equals(dimensions[name], value)]
  })
  const { audience, filters } = query
  return [
    ...compared,
    ...(audience === undefined ? [] : [{ kind: 'inAudience', audiences: [audience] } as const]),
    ...(filters === undefined ? [] : readFilters(filters)),
  ]
}

function equals(name: string, value: FilterValue): Condition {
  const dimension = dimensionOf(name)
  if (dimension === null || dimension.kind === 'time') throw new Error(`${name} is no dimension of events`)
  return { kind: 'compare', op: 'is', dimension, values: [value] }
}
