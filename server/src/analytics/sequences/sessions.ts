/**
 * Sessions as parts of long arrays: an object for each takes longer than everything else. The steps of a session go
 * from its start to its end, in order of time: indexes into the list of nodes, and times.
 */
export type Sessions = {
  steps: Int32Array
  ms: Float64Array
  starts: Int32Array
  ends: Int32Array
}

export const countSessions = ({ starts }: Sessions): number => starts.length

/** The parts of the sessions within a time; those that have none are left out. */
export function cutSessions({ steps, ms, starts, ends }: Sessions, fromMs: number, toMs: number): Sessions {
  const [firsts, lasts] = [new Int32Array(starts.length), new Int32Array(starts.length)]
  let count = 0
  for (let session = 0; session < starts.length; session += 1) {
    let [first, end] = [starts[session] ?? 0, ends[session] ?? 0]
    while (first < end && (ms[first] ?? 0) < fromMs) first += 1
    while (end > first && (ms[end - 1] ?? 0) >= toMs) end -= 1
    if (first === end) continue
    firsts[count] = first
    lasts[count] = end
    count += 1
  }
  return { steps, ms, starts: firsts.subarray(0, count), ends: lasts.subarray(0, count) }
}
