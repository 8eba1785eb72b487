import type { Sessions } from '../sequences/sessions.ts'

/** Of each session its steps in order, with their times. */
export function toSessions(lists: readonly (readonly { step: number; ms: number }[])[]): Sessions {
  const all = lists.flat()
  let before = 0
  const starts = Int32Array.from(lists, (list) => {
    before += list.length
    return before - list.length
  })
  return {
    steps: Int32Array.from(all, ({ step }) => step),
    ms: Float64Array.from(all, ({ ms }) => ms),
    starts,
    ends: starts.map((start, session) => start + (lists[session]?.length ?? 0)),
  }
}
