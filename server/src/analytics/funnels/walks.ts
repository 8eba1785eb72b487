import { countSessions, type Sessions } from '../sequences/sessions.ts'
import { medianOf, quantileOf } from '../statistics.ts'

/** How many sessions reached each step, and how long it took them. */
type Walks = {
  entered: number[]
  /** Since the previous step; none for the first. */
  medianTimesMs: (number | null)[]
  /** From the first step to the last, 95th percentile. */
  tookMs: number
}

/**
 * Counts paths through distinct steps within whole sessions: the result of `windowFunnel` for a window longer
 * than any session, without allocations per session.
 */
export function countWalks(sessions: Sessions, steps: readonly number[], nodeCount: number): Walks {
  const stepOf = new Int32Array(nodeCount).fill(-1)
  for (const [index, place] of steps.entries()) stepOf[place] = index
  const entered = steps.map(() => 0)
  const gaps: number[][] = steps.map(() => [])
  const whole: number[] = []
  const latest = new Float64Array(steps.length)
  const begun = new Float64Array(steps.length)
  for (let session = 0; session < countSessions(sessions); session += 1) {
    let level = 0
    const end = sessions.ends[session] ?? 0
    for (let place = sessions.starts[session] ?? 0; place < end; place += 1) {
      const step = stepOf[sessions.steps[place] ?? 0] ?? -1
      if (step === -1 || step > level) continue
      const ms = sessions.ms[place] ?? 0
      if (step === level) {
        level += 1
        entered[step] = (entered[step] ?? 0) + 1
        if (step > 0) gaps[step]?.push(ms - (latest[step - 1] ?? 0))
        if (level === steps.length) whole.push(ms - (step === 0 ? ms : (begun[step - 1] ?? 0)))
      }
      latest[step] = ms
      begun[step] = step === 0 ? ms : (begun[step - 1] ?? 0)
      if (level === steps.length) break
    }
  }
  return { entered, medianTimesMs: gaps.map(medianOf), tookMs: quantileOf(whole, 0.95) ?? 0 }
}
