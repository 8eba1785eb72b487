import { impactDaysMax } from '@assay/contract'
import { defaultWindow } from '../../shell/range.ts'

/** What errors cost is told for the last days, ninety at most. */
export function errorWindow(parameters: URLSearchParams): string {
  const days = Number.parseInt(parameters.get('window') ?? defaultWindow, 10)
  return `${Math.min(Number.isNaN(days) ? 30 : days, impactDaysMax)}d`
}
