import { filterNames } from '../../shell/range.ts'

export type TileQuery = Readonly<Record<string, string>>

const periodNames = ['window', 'from', 'to', 'timezone'] as const

/** What the address adds to a board: the period only if it names one, and filters. */
export function tileQueryOf(parameters: URLSearchParams): TileQuery {
  const names = [...(hasPeriod(parameters) ? periodNames : []), ...filterNames, 'filters']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = parameters.get(name) ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
}

export function hasPeriod(parameters: URLSearchParams): boolean {
  const isGiven = (name: string) => (parameters.get(name) ?? '') !== ''
  return isGiven('window') || (isGiven('from') && isGiven('to'))
}
