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

/** Everything that narrows a read down: its filters, and plain parameters as the filters for which they are short. */
export function shorthandsOf(query: FilterQuery): Condition[] {
  const compared = (['path', 'country', 'device', 'source', 'event'] as const).flatMap((name) => {
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
