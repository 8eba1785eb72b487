import { useFilters } from '../../filters/filters.ts'
import { useWay } from '../../shell/place.ts'
import type { Tab } from './breakdown-terms.ts'

/** Shows the visits of one row alone. */
export function useRowFilter({ dimension, plain }: Tab): (key: string) => void {
  const way = useWay()
  const { placed, change } = useFilters()
  return (key) => {
    if (plain !== undefined) way.go(way.here({ [plain]: key }))
    else change([...placed, { filter: ['is', dimension, [key]], plain: null }])
  }
}
