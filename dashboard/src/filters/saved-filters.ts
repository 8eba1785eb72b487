import type { Filter, Narrowing } from '@assay/contract'
import { filterNames } from '../shell/range.ts'
import { windowLabel } from '../shell/range-presets.ts'
import { filtersOf } from './filters.ts'

/** The filters that a board or a link stores, as one list. */
export function filtersIn(narrowing: Narrowing): readonly Filter[] {
  const plain = filterNames.flatMap((name) => {
    const value = narrowing[name]
    return typeof value === 'string' && value !== '' ? [[name, value]] : []
  })
  const listed = narrowing.filters ?? []
  return [...filtersOf(new URLSearchParams(plain)).list, ...listed]
}

/** The same narrowing with other filters; plain ones become part of the list. */
export function withFilters(narrowing: Narrowing, filters: readonly Filter[]): Narrowing {
  return { ...periodIn(narrowing), ...(filters.length > 0 && { filters: [...filters] }) }
}

export function periodIn({ window, from, to, timezone }: Narrowing): Narrowing {
  return {
    ...(window !== undefined && { window }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(timezone !== undefined && { timezone }),
  }
}

/** A stored period in words; null where there is none. */
export function periodWords({ window, from, to }: Narrowing): string | null {
  if (from !== undefined && to !== undefined) return `${from.slice(0, 10)} – ${to.slice(0, 10)}`
  return window === undefined ? null : windowLabel(window)
}
