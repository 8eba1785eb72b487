import { impactDaysMax } from '@assay/contract'
import { defaultWindow } from '../../shell/range.ts'

/** The impact report covers at most ninety days. */
export function errorWindow(parameters: URLSearchParams): string {
  const asked = parameters.get('window') ?? defaultWindow
  if (/^[1-9]\d?h$/.test(asked)) return asked
  const days = Number.parseInt(asked, 10)
  return `${Math.min(Number.isNaN(days) ? 30 : days, impactDaysMax)}d`
}
