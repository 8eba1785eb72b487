import type { Report } from '@assay/contract'
import { useRead } from '../api/reads.ts'
import { usePlace } from '../shell/place.ts'

/** The saved report that the address names, if there is one. */
export function useOpenReport(): Report | undefined {
  const { parameters } = usePlace()
  const id = parameters.get('report') ?? ''
  const report = useRead('getReport', { params: { id } }, { isOff: id === '' })
  return id === '' ? undefined : report.data
}

/** Whether two questions ask the same, in whichever order their members stand. */
export const isSameQuestion = (one: unknown, other: unknown): boolean => ordered(one) === ordered(other)

function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${ordered(member)}`).join()}}`
}
