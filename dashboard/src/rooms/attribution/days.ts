import { now } from '../../clock.ts'
import { defaultWindow } from '../../shell/range.ts'

const dayMs = 86_400_000
/** Ten years: whatever is beyond it was not meant. */
const daysMax = 3_660
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The range of the address as whole days in UTC, by which attribution counts. */
export function daysOf(parameters: URLSearchParams): { from: string; to: string } {
  const [from, to] = [parameters.get('from'), parameters.get('to')]
  if (from !== null && to !== null) return { from: from.slice(0, 10), to: to.slice(0, 10) }
  const asked = Number.parseInt(parameters.get('window') ?? '', 10)
  const count = asked >= 1 && asked <= daysMax ? asked : Number.parseInt(defaultWindow, 10)
  return { from: dayOf(now() - (count - 1) * dayMs), to: dayOf(now()) }
}
