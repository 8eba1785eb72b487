import { propertyNameCharactersMax } from '../../maxima.ts'
import { unknownDimension } from '../filters/comparison.ts'
import { type newFilterBudget, takeTrait } from '../filters/filter-budget.ts'
import { isName, type Refuse } from '../filters/member-checks.ts'
import { dimensionsMax } from '../question-limits.ts'
import { type Dimension, dimensionOf } from '../question-terms.ts'

export function readDimensions(
  value: unknown,
  refuse: Refuse,
  budget: ReturnType<typeof newFilterBudget>,
): Dimension[] {
  if (!Array.isArray(value) || value.length > dimensionsMax + 1) {
    refuse('dimensions', `must be a list of up to ${dimensionsMax} dimensions and one of time`)
    return []
  }
  const seen = new Set<string>()
  const dimensions = value.flatMap((name: unknown, index) => {
    const isText = isName(name, propertyNameCharactersMax + 16)
    const dimension = isText ? dimensionOf(name) : null
    if (dimension === null) refuse(`dimensions[${index}]`, unknownDimension)
    else if (seen.has(dimension.name)) refuse(`dimensions[${index}]`, 'is there twice')
    if (dimension === null) return []
    seen.add(dimension.name)
    takeTrait(dimension, `dimensions[${index}]`, budget, refuse)
    return [dimension]
  })
  const times = dimensions.filter(({ kind }) => kind === 'time').length
  if (times > 1) refuse('dimensions', 'may have one dimension of time')
  if (dimensions.length - times > dimensionsMax) {
    refuse('dimensions', `may have ${dimensionsMax} dimensions besides time`)
  }
  return dimensions
}
