import type { DidTerms, Filter, FilterValue } from '@assay/contract'
import { text } from '../text.ts'
import { dimensionLabel, valueLabel } from './terms.ts'

/** Names of what filters mention by id. */
export type FilterNames = { audience: (id: string) => string; goal: (id: string) => string }

/** Values that are written out; the rest is counted. */
const valuesShown = 3

/** A filter as a person would say it. */
export function filterWords(filter: Filter, names: FilterNames): string {
  const words = text.filterBar
  switch (filter[0]) {
    case 'and':
    case 'or':
      return filter[1].map((one) => partWords(one, names)).join(` ${words.joins[filter[0]]} `)
    case 'not':
      return words.not(filterWords(filter[1], names))
    case 'did':
    case 'didNot':
      return didWords(filter[0], filter[1])
    case 'inAudience':
      return words.inAudience(listed(filter[1].map(names.audience)))
    case 'reached':
      return words.reached(listed(filter[1].map(names.goal)))
    case 'isSet':
    case 'isNotSet':
      return `${dimensionLabel(filter[1])} ${words.operators[filter[0]]}`
    case 'between': {
      const [from, to] = filter[2]
      const range = words.range(String(from), String(to))
      return `${dimensionLabel(filter[1])} ${words.operators.between} ${range}`
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return `${dimensionLabel(filter[1])} ${words.operators[filter[0]]} ${filter[2]}`
    default:
      return `${dimensionLabel(filter[1])} ${words.operators[filter[0]]} ${valuesWords(filter[1], filter[2])}`
  }
}

/** A group within a group stands in brackets: what belongs together is seen. */
function partWords(part: Filter, names: FilterNames): string {
  const words = filterWords(part, names)
  const isGroup = (part[0] === 'and' || part[0] === 'or') && part[1].length > 1
  return isGroup ? `(${words})` : words
}

function valuesWords(dimension: string, values: readonly FilterValue[]): string {
  return listed(values.map((value) => valueLabel(dimension, String(value))))
}

function listed(values: readonly string[]): string {
  const shown = values.slice(0, valuesShown).join(` ${text.filterBar.joins.or} `)
  return values.length > valuesShown ? text.filterBar.andMore(shown, values.length - valuesShown) : shown
}

function didWords(word: 'did' | 'didNot', { event, count, within, where = [] }: DidTerms): string {
  const words = text.filterBar
  const times = count === undefined ? '' : ` ${words.times(words.counts[count.op], count.value)}`
  const span = within === undefined ? '' : ` ${words.within(within)}`
  const more = where.length === 0 ? '' : ` ${words.conditions(where.length)}`
  return `${words.did[word]} ${event}${times}${span}${more}`
}
