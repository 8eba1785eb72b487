import type { Refuse } from '../filters/member-checks.ts'
import { orderByMax } from '../question-limits.ts'
import type { Dimension } from '../question-terms.ts'
import type { ReadMetric, ReadOrder } from './read-question.ts'

export function readOrder(
  value: unknown,
  metrics: readonly ReadMetric[],
  dimensions: readonly Dimension[],
  refuse: Refuse,
): ReadOrder[] {
  if (!Array.isArray(value) || value.length > orderByMax) {
    refuse('orderBy', `must be a list of up to ${orderByMax} pairs: [["visitors", "desc"]]`)
    return []
  }
  const groups = dimensions.filter(({ kind }) => kind !== 'time')
  return value.flatMap((item: unknown, index): ReadOrder[] => {
    const at = `orderBy[${index}]`
    const [name, direction] = Array.isArray(item) && item.length === 2 ? item : [undefined, undefined]
    const metric = metrics.findIndex((one) => one.name === name)
    const dimension = groups.findIndex((one) => one.name === name)
    if (metric < 0 && dimension < 0) {
      const known = [...metrics, ...groups].map((one) => one.name)
      refuse(at, `must be a pair with one of ${known.join(', ')}; intervals of time are always in order`)
      return []
    }
    if (direction !== 'asc' && direction !== 'desc') {
      refuse(`${at}[1]`, 'must be asc or desc')
      return []
    }
    const isDescending = direction === 'desc'
    return [
      metric >= 0
        ? { by: 'metric', index: metric, isDescending }
        : { by: 'dimension', index: dimension, isDescending },
    ]
  })
}
