import type { KeptRead } from './kept-rows/kept-read.ts'
import type { RetentionPlan, RetentionRow } from './retention-store.ts'
import type { EventRows } from './tally/event-rows.ts'
import { intervalsOf } from './tally/intervals.ts'
import { orderedBy } from './tally/tally.ts'

export const retentionRead: KeptRead<RetentionPlan, RetentionRow[]> = {
  file: import.meta.url,
  name: 'retentionRead',
  isOfVisits: false,
  takesFilters: false,
  read: (view, plan) => retentionOf(view.rows(), plan),
}

/** How many people of each cohort were active in which interval, as `selectRetention` counts it. */
function retentionOf(rows: EventRows, { firstEvent, returnEvent, starts }: RetentionPlan): RetentionRow[] {
  const interval = intervalsOf(rows, starts)
  const numberOf = (name: string | undefined) => (name === undefined ? null : rows.name.texts.indexOf(name))
  const [first, back] = [numberOf(firstEvent), numberOf(returnEvent)]
  const names = rows.name.numbers
  const { order, starts: bounds } = orderedBy(rows.person, rows.people)
  const counts = new Int32Array(starts.length * starts.length)
  const sizes = new Int32Array(starts.length)
  const returned = new Int32Array(starts.length).fill(-1)
  for (let person = 0; person < rows.people; person += 1) {
    const [begin, end] = [bounds[person] ?? 0, bounds[person + 1] ?? 0]
    let cohort = starts.length
    for (let place = begin; place < end; place += 1) {
      const row = order[place] ?? 0
      const at = interval[row] ?? 0
      if ((first === null || names[row] === first) && at < cohort) cohort = at
      if (back === null || names[row] === back) returned[at] = person
    }
    if (cohort === starts.length) continue
    sizes[cohort] = (sizes[cohort] ?? 0) + 1
    for (let at = cohort + 1; at < starts.length; at += 1) {
      if (returned[at] !== person) continue
      const cell = cohort * starts.length + at
      counts[cell] = (counts[cell] ?? 0) + 1
    }
  }
  return starts.flatMap((cohort, index) => [
    ...(sizes[index] === 0 ? [] : [{ cohort, bucket: 0, people: sizes[index] ?? 0 }]),
    ...starts.flatMap((bucket, at) => {
      const people = counts[index * starts.length + at] ?? 0
      return people === 0 ? [] : [{ cohort, bucket, people }]
    }),
  ])
}
