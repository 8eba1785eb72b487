import { now } from '../../clock.ts'
import { defaultWindow } from '../../shell/range.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Ten years: whatever is beyond it was not meant. */
const daysMax = 3_660
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The range of the address as whole days in UTC, by which attribution counts. */
export function daysOf(parameters: URLSearchParams): { from: string; to: string } {
  const [from, to] = [parameters.get('from'), parameters.get('to')]
  if (from !== null && to !== null) return { from: from.slice(0, 10), to: to.slice(0, 10) }
  const window = parameters.get('window') ?? ''
  const asked = Number.parseInt(window, 10)
  // So many hours reach over one midnight more than they are days long.
  if (/^\d{1,3}h$/.test(window)) return { from: dayOf(now() - asked * hourMs), to: dayOf(now()) }
  const count = asked >= 1 && asked <= daysMax ? asked : Number.parseInt(defaultWindow, 10)
  return { from: dayOf(now() - (count - 1) * dayMs), to: dayOf(now()) }
}
