import { formatCount } from '@assay/contract'

/** `1 event`, `1,204 events`; a count that is written already is taken as it is. */
export function some(count: number | string, one: string, many = `${one}s`): string {
  const written = typeof count === 'number' ? formatCount(count) : count
  return `${written} ${written === '1' ? one : many}`
}

/** Words of a line that head a column or stand alone in a list. A name with a sign, `$search`, stays as it is. */
export const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
